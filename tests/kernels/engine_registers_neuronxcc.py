"""The accumulator registers of the engines: read out where nothing was reduced into them, or gone on from where nothing
begun them (NKI701), and used as they are meant to be."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np

ANEW, ON = nisa.reduce_cmd.reset_reduce, nisa.reduce_cmd.reduce

# --- found ---


# nkilint: x: float32[128, 512], m: uint8[128, 512]
@nki.jit
def idle_maximum(x, m):
    output = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    tile, chosen = nl.load(x), nl.load(m)
    found = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    most = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(dst=found, predicate=chosen, on_true=tile, on_false=-1e9, reduce_res=most, reduce_op=np.max)
    nl.store(output, value=most)  # expect: NKI701
    return output


# nkilint: x: float32[128, 512]
@nki.jit
def no_command(x):
    output = nl.ndarray((128, 513), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32, buffer=nl.sbuf)
    squares = nisa.activation(np.square, nl.load(x), reduce_res=total)
    nl.store(output[:, 0:512], value=squares)
    nl.store(output[:, 512:513], value=total)  # expect: NKI701
    return output


# nkilint: x: float32[N, 512]
@nki.jit
def rows_that_go_on(x):
    assert x.shape[0] % 128 == 0
    output = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.shared_hbm)
    squares = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.sequential_range(x.shape[0] // 128):
        total = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32, buffer=nl.sbuf)
        tile = nl.load(x[nl.ds(i * 128, 128), :])
        square = nisa.activation(np.square, tile, reduce_op=np.add, reduce_res=total, reduce_cmd=ON)
        nl.store(output[nl.ds(i * 128, 128), :], value=nl.add(total, nl.sum(square, axis=[1])))  # expect: NKI701
    return output


# --- right ---


# nkilint: x: float32[128, 512], m: uint8[128, 512]
@nki.jit
def maximum(x, m):
    output = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    tile, chosen = nl.load(x), nl.load(m)
    found = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    most = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(dst=found, predicate=chosen, on_true=tile, on_false=-1e9, reduce_res=most, reduce_cmd=ANEW)
    nl.store(output, value=most)
    return output


# nkilint: x: float32[128, N]
@nki.jit
def begun_by_the_first_block(x):
    assert x.shape[1] % 512 == 0 and x.shape[1] > 0
    output = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32, buffer=nl.sbuf)
    shown = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.static_range(x.shape[1] // 512):
        command = ANEW if i == 0 else ON
        tile = nl.load(x[:, nl.ds(i * 512, 512)])
        square = nisa.activation(np.square, tile, reduce_op=np.add, reduce_res=total, reduce_cmd=command)
        nl.store(shown[:, nl.ds(i * 512, 512)], value=square)
    nl.store(output, value=total)
    return output, shown


# nkilint: x: float32[128, 512]
@nki.jit
def reduced_anew_whatever_was_there(x):
    output = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32, buffer=nl.sbuf)
    shown = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    square = nisa.activation_reduce(np.square, nl.load(x), reduce_op=np.add, reduce_res=total)
    nl.store(shown, value=square)
    nl.store(output, value=total)
    return output, shown
