"""Tails that one axis drops, of outputs and of inputs, whatever becomes of the other axes (NKI703, NKI709)."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

P = 128


# --- found ---


# nkilint: x: float32[R, C]
@nki.jit
def sum_of_rows_over_whole_tiles(x):
    out = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for r in nl.affine_range(x.shape[0] // 64):
        acc = nl.zeros((64, 1), dtype=nl.float32, buffer=nl.sbuf)
        for c in nl.affine_range(x.shape[1] // 256):
            acc += nl.sum(nl.load(x[nl.ds(64 * r, 64), nl.ds(256 * c, 256)]), axis=1, keepdims=True)  # expect-warning: NKI709 C % 256 == 0
        nl.store(out[nl.ds(64 * r, 64), :], value=acc)
    return out  # expect-warning: NKI703 R % 64 == 0


# nkilint: lhsT: bfloat16[K, 128], rhs: bfloat16[K, 512]
@nki.jit
def contraction_without_its_tail(lhsT, rhs):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(lhsT.shape[0] // P):
        acc += nisa.nc_matmul(nl.load(lhsT[nl.ds(P * k, P), :]), nl.load(rhs[nl.ds(P * k, P), :]))  # expect-warning: NKI709 K % 128 == 0
    nl.store(out, value=acc)
    return out


# nkilint: x: float32[4, R, 64]
@nki.jit
def batches_are_whole_and_rows_not(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for b in nl.affine_range(4):
        for r in nl.affine_range(x.shape[1] // P):
            nl.store(out[b, nl.ds(P * r, P), :], value=nl.load(x[b, nl.ds(P * r, P), :]))
    return out  # expect-warning: NKI703 R % 128 == 0


# nkilint: x: float32[B, 128, 64]
@nki.jit
def every_second_batch(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for b in nl.affine_range(x.shape[0] // 2):
        nl.store(out[2 * b], value=nl.load(x[2 * b]))
        nl.store(out[2 * b + 1], value=nl.load(x[2 * b + 1]))
    return out  # expect-warning: NKI703 B % 2 == 0


# nkilint: x: float32[128, 1000]
@nki.jit
def last_columns_dropped(x):
    out = nl.ndarray((128, 1000), dtype=x.dtype, buffer=nl.shared_hbm)
    for c in nl.affine_range(1000 // 256):
        nl.store(out[:, nl.ds(256 * c, 256)], value=nl.load(x[:, nl.ds(256 * c, 256)]))
    return out  # expect: NKI703


# nkilint: x: float32[R, 64]
@nki.jit
def mask_of_the_wrong_size(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = nl.mgrid[0:P, 0:64]
    for r in nl.affine_range(math.ceil(x.shape[0] / P)):
        inside = P * r + rows < x.shape[0] - 1
        tile = nl.load(x[P * r + rows, columns], mask=inside)
        nl.store(out[P * r + rows, columns], value=tile, mask=inside)
    return out  # expect: NKI703


# nkilint: x: float32[256, 256]
@nki.jit
def only_below_the_diagonal(x):
    out = nl.ndarray((256, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(2):
        for c in range(r + 1):
            nl.store(
                out[nl.ds(P * r, P), nl.ds(P * c, P)], value=nl.load(x[nl.ds(P * r, P), nl.ds(P * c, P)])
            )
    return out  # expect: NKI703


# nkilint: x: float32[R, 64]
@nki.jit
def stride_larger_than_the_tile(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    assert x.shape[0] % 128 == 0
    for r in nl.affine_range(x.shape[0] // 128):
        nl.store(out[nl.ds(128 * r, 64), :], value=nl.load(x[nl.ds(128 * r, 64), :]))
    return out  # expect: NKI703


# nkilint: x: float32[128, 512]
@nki.jit
def middle_is_left_out(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out[:, 0:250], value=nl.load(x[:, 0:250]))
    nl.store(out[:, 256:512], value=nl.load(x[:, 256:512]))
    return out  # expect: NKI703


# --- silent ---


# nkilint: x: float32[R, C], R % 64 == 0, C % 256 == 0
@nki.jit
def sum_of_rows(x):
    out = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for r in nl.affine_range(x.shape[0] // 64):
        acc = nl.zeros((64, 1), dtype=nl.float32, buffer=nl.sbuf)
        for c in nl.affine_range(x.shape[1] // 256):
            acc += nl.sum(nl.load(x[nl.ds(64 * r, 64), nl.ds(256 * c, 256)]), axis=1, keepdims=True)
        nl.store(out[nl.ds(64 * r, 64), :], value=acc)
    return out


# nkilint: lhsT: bfloat16[K, 128], rhs: bfloat16[K, 512], K % 128 == 0
@nki.jit
def contraction(lhsT, rhs):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(lhsT.shape[0] // P):
        acc += nisa.nc_matmul(nl.load(lhsT[nl.ds(P * k, P), :]), nl.load(rhs[nl.ds(P * k, P), :]))
    nl.store(out, value=acc)
    return out


# nkilint: x: float32[4, R, 64], R % 128 == 0
@nki.jit
def batches_and_rows(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for b in nl.affine_range(4):
        for r in nl.affine_range(x.shape[1] // P):
            nl.store(out[b, nl.ds(P * r, P), :], value=nl.load(x[b, nl.ds(P * r, P), :]))
    return out


# nkilint: x: float32[B, 128, 64]
@nki.jit
def pairs_and_the_last(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for b in nl.affine_range(x.shape[0] // 2):
        nl.store(out[2 * b], value=nl.load(x[2 * b]))
        nl.store(out[2 * b + 1], value=nl.load(x[2 * b + 1]))
    if x.shape[0] % 2 == 1:
        nl.store(out[x.shape[0] - 1], value=nl.load(x[x.shape[0] - 1]))
    return out


# nkilint: x: float32[128, 1000]
@nki.jit
def last_columns_too(x):
    out = nl.ndarray((128, 1000), dtype=x.dtype, buffer=nl.shared_hbm)
    for c in nl.affine_range(1000 // 250):
        nl.store(out[:, nl.ds(250 * c, 250)], value=nl.load(x[:, nl.ds(250 * c, 250)]))
    return out


# nkilint: x: float32[R, 64]
@nki.jit
def mask_of_the_size(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = nl.mgrid[0:P, 0:64]
    for r in nl.affine_range(math.ceil(x.shape[0] / P)):
        inside = P * r + rows < x.shape[0]
        tile = nl.load(x[P * r + rows, columns], mask=inside)
        nl.store(out[P * r + rows, columns], value=tile, mask=inside)
    return out


# nkilint: x: float32[256, 256]
@nki.jit
def below_and_above_the_diagonal(x):
    out = nl.ndarray((256, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(2):
        for c in range(r + 1):
            nl.store(
                out[nl.ds(P * r, P), nl.ds(P * c, P)], value=nl.load(x[nl.ds(P * r, P), nl.ds(P * c, P)])
            )
        for c in range(r + 1, 2):
            nl.store(out[nl.ds(P * r, P), nl.ds(P * c, P)], value=nl.zeros((P, P), dtype=x.dtype, buffer=nl.sbuf))
    return out


# nkilint: x: float32[R, 64], R % 128 == 0
@nki.jit
def two_halves_of_each_tile(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for r in nl.affine_range(x.shape[0] // 128):
        for half in range(2):
            place = nl.ds(128 * r + 64 * half, 64)
            nl.store(out[place, :], value=nl.load(x[place, :]))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def parts_that_overlap(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out[:, 0:258], value=nl.load(x[:, 0:258]))
    nl.store(out[:, 256:512], value=nl.load(x[:, 256:512]))
    return out


# nkilint: x: float32[128, 1000]
@nki.jit
def header_that_nobody_wants(x):
    """Columns that are left out on purpose, as the slice says."""
    body = x[:, 8:1000]
    out = nl.ndarray((128, 992), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(body))
    return out
