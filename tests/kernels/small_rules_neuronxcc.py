"""Rules of one line in Beta 1: methods that tensors do not have (NKI208), names bound anew (NKI411), sums that go on after
they were read (NKI504), generations (NKI813), dtypes and memories of single operands (NKI201, NKI202)."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


class Sums:
    def __init__(self, rows, columns):
        self.total = nl.zeros((rows, columns), dtype=nl.float32, buffer=nl.psum)

    def add(self, left, right):
        self.total[...] += nisa.nc_matmul(left, right)  # expect: NKI504
        return self

    def peek(self):
        return nl.copy(self.total, dtype=nl.float32)


def newer():
    generation = nisa.get_nc_version()
    return generation == nisa.nc_version.gen3  # expect: NKI813


# --- found ---


# nkilint: x: float32[128, 512]
@nki.jit
def method_of_torch_in_a_chain(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.exp(nl.load(x)).contiguous())  # expect: NKI208
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def filled_by_a_method_of_numpy(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = {"whole": nl.load(x)}
    tiles["whole"].fill(0.0)  # expect: NKI208
    nl.store(out, value=tiles["whole"])
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def made_anew_in_both_branches(x, narrow=True):
    out = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    tile = nl.zeros((128, 512), dtype=nl.bfloat16, buffer=nl.sbuf)  # expect: NKI411
    if narrow:
        tile = nl.load(x, dtype=nl.bfloat16)
    else:
        tile = nl.load(x)
    nl.store(out, value=tile)
    return out


# nkilint: x: float32[512, 128]
@nki.jit
def peeked_at_in_between(x):
    out = nl.ndarray((2, 128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = Sums(128, 128)
    for i in nl.sequential_range(2):
        tile = nl.load(x[nl.ds(128 * i, 128), :])
        sums.add(tile, tile)
        nl.store(out[i], value=sums.peek())
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def one_generation_in_a_helper(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nl.store(out, value=nl.exp(tile) if newer() else tile)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def sums_of_what_was_loaded(x):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI411
    acc = nl.load(x, dtype=nl.float32)
    nl.store(out, value=nl.add(acc, 1.0))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def moved_straight_to_psum(x):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.dma_copy(dst=sums, src=x)  # expect: NKI201
    nl.store(out, value=nl.copy(sums))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def stored_from_psum(x):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    product = nisa.nc_matmul(tile[:, 0:128], tile)
    nisa.dma_copy(dst=out, src=product)  # expect: NKI201
    return out


# nkilint: x: int32[128, 512]
@nki.jit
def integers_as_a_bias(x):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    column = nl.load(x[:, 0:1])
    nl.store(out, value=nisa.activation(op=nl.exp, data=tile, bias=column, dtype=nl.float32))  # expect: NKI202
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def bits_of_floats(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    masked = nisa.tensor_scalar(tile, op0=np.bitwise_and, operand0=255)  # expect: NKI202
    nl.store(out, value=masked)
    return out


# --- silent ---


# nkilint: x: float32[128, 512]
@nki.jit
def methods_that_tensors_have(x):
    out = nl.ndarray((128, 8, 64), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    tile = nl.exp(nl.load(x)).astype(nl.bfloat16)
    assert tile.shape == (128, 512) and tile.ndim == 2
    nl.store(out, value=tile.reshape((128, 8, 64)))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def method_of_an_array(x, scale=np.float32(2.0)):
    """What numpy makes on the host has numpy's methods."""
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    parts = np.arange(4).reshape(2, 2).flatten()
    for part in parts:
        columns = nl.ds(128 * part, 128)
        nl.store(out[:, columns], value=nl.load(x[:, columns]))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def transposed_by_an_operation(x):
    out = nl.ndarray((512, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        tile = nl.load(x[:, nl.ds(128 * i, 128)])
        nl.store(out[nl.ds(128 * i, 128), :], value=nl.transpose(tile))
    return out


# nkilint: x: float32[512, 128]
@nki.jit
def read_when_all_is_summed(x):
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 128), dtype=nl.float32, buffer=nl.psum)
    for i in nl.affine_range(4):
        tile = nl.load(x[nl.ds(128 * i, 128), :])
        total += nisa.nc_matmul(tile, tile)
    nl.store(out, value=nl.copy(total, dtype=nl.float32))
    return out


# nkilint: x: float32[512, 128]
@nki.jit
def new_sums_for_each_part(x):
    out = nl.ndarray((4, 128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        total = nl.zeros((128, 128), dtype=nl.float32, buffer=nl.psum)
        tile = nl.load(x[nl.ds(128 * i, 128), :])
        total += nisa.nc_matmul(tile, tile)
        nl.store(out[i], value=nl.copy(total, dtype=nl.float32))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def this_generation_and_newer(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    generation = nisa.get_nc_version()
    nl.store(out, value=nl.exp(tile) if generation >= nisa.nc_version.gen3 else tile)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def sums_that_go_on(x):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    acc[...] = nl.add(acc, nl.load(x))
    nl.store(out, value=acc)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def copied_out_of_psum(x):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nisa.dma_copy(dst=out, src=nisa.tensor_copy(nisa.nc_matmul(tile[:, 0:128], tile)))
    return out


# nkilint: x: int32[128, 512]
@nki.jit
def bits_of_integers(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.tensor_scalar(nl.load(x), op0=np.bitwise_and, operand0=255))
    return out


# nkilint: x: float32[128, 512], b: float32[128, 1]
@nki.jit
def floats_as_a_bias(x, b):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.activation(op=nl.exp, data=nl.load(x), bias=nl.load(b)))
    return out
