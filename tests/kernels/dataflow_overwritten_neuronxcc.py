"""Results that another statement overwrites whole before anything reads them (NKI708), and writes that replace others on
purpose."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def twice(x, y):
    assert x.shape == (128, 512) and y.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    t[...] = nl.load(x)  # expect-warning: NKI708
    t[...] = nl.load(y)
    nl.store(output, value=t)
    return output


@nki.jit
def store_twice(x):
    M = x.shape[0]
    assert M % 128 == 0 and x.shape[1] == 512
    output = nl.ndarray((M, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(M // 128):
        t = nl.load(x[nl.ds(i * 128, 128), :])
        nl.store(output[nl.ds(i * 128, 128), :], value=t)  # expect-warning: NKI708
        nl.store(output[nl.ds(i * 128, 128), :], value=nl.exp(t))
    return output


@nki.jit
def masked(x, y):
    M = x.shape[0]
    assert x.shape[1] == 512 and y.shape == x.shape
    output = nl.ndarray((M, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    i_p, i_f = nl.mgrid[0:128, 0:512]
    for i in nl.affine_range((M + 127) // 128):
        t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        ok = i * 128 + i_p < M
        t[i_p, i_f] = nl.load(x[i * 128 + i_p, i_f], mask=ok)  # expect-warning: NKI708
        t[i_p, i_f] = nl.load(y[i * 128 + i_p, i_f], mask=ok)
        nl.store(output[i * 128 + i_p, i_f], value=t[i_p, i_f], mask=ok)
    return output


@nki.jit
def computed_twice(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    power = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(4):
        tile = nl.load(x[i])
        power[...] = nl.exp(tile)  # expect-warning: NKI708
        power[...] = nl.multiply(tile, 2.0)
        nl.store(output[i], value=power)
    return output


@nki.jit
def prefetch_into_the_slot_in_use(x):
    """x: [N, 128, 512]"""
    N = x.shape[0]
    output = nl.ndarray((N, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    slots = nl.ndarray((128, 2, 512), dtype=nl.float32, buffer=nl.sbuf)
    slots[:, 0, :] = nl.load(x[0])  # expect-warning: NKI708 N == 1
    for i in range(N):
        if i + 1 < N:
            slots[:, i % 2, :] = nl.load(x[i + 1])
        nl.store(output[i], value=slots[:, i % 2, :])
    return output


# --- on purpose ---


@nki.jit
def initialised(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    t[...] = nl.load(x)
    nl.store(output, value=t)
    return output


@nki.jit
def named_anew(x, y):
    assert x.shape == (128, 512) and y.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.load(x)
    t = nl.add(t, nl.load(y))
    nl.store(output, value=t)
    return output


@nki.jit
def masks_that_exclude_each_other(x, y):
    """x: [128, 512], y: [128, 512]"""
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    i_p, i_f = nl.mgrid[0:128, 0:512]
    t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    t[i_p, i_f] = nl.load(x[i_p, i_f])
    t[i_p, i_f] = nl.load(y[i_p, i_f], mask=i_f < 256)
    nl.store(output, value=t)
    return output


@nki.jit
def sum_in_registers(x, bounds):
    assert x.shape == (128, 512) and bounds.shape == (2, 128, 1)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    most = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    tile, low, high = nl.load(x), nl.load(bounds[0]), nl.load(bounds[1])
    found = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    largest = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    chosen = dict(on_true_tile=tile, comp_op0=np.greater_equal, comp_op1=np.less, bound0=low, bound1=high)
    found[...] = nisa.range_select(
        **chosen,
        reduce_cmd=nisa.reduce_cmd.reset_reduce,
        reduce_op=np.max,
        range_start=0,
        on_false_value=nl.fp32.min,
    )
    found[...] = nisa.range_select(
        **chosen,
        reduce_cmd=nisa.reduce_cmd.reduce,
        reduce_res=largest[...],
        reduce_op=np.max,
        range_start=512,
        on_false_value=nl.fp32.min,
    )
    nl.store(output, value=found)
    nl.store(most, value=largest)
    return output, most
