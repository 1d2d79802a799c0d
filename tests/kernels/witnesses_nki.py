"""Counterexamples that have to come to what they show: outer loops run, sizes are positive, branches and dtypes fit."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(source, rows=128):
    tile = nl.ndarray((rows, 64), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


# --- found ---


# nkilint: x: float32[M, 64], M % 128 == 0
@nki.jit
def lost_in_a_loop(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    acc = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=acc, value=0.0)
    for m in range(x.shape[0] // 128):
        nisa.dma_copy(dst=acc, src=x[nl.ds(128 * m, 128), :])  # expect-warning: NKI708 M <= 128
    nisa.dma_copy(dst=out, src=acc)
    return out


# nkilint: x: float32[M, 64]
@nki.jit
def tail_beyond_the_end(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for m in range((x.shape[0] + 127) // 128):
        nisa.dma_copy(dst=out[nl.ds(128 * m, 128), :], src=x[nl.ds(128 * m, 128), :])  # expect-warning: NKI301 M % 128 == 0
    return out


@nki.jit
def only_for_one_dtype(x):
    assert x.shape == (128, 64)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if x.dtype == nl.bfloat16:
        nisa.dma_copy(dst=out, src=x[:, 1:65])  # expect: NKI301
    else:
        nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[M, 64], M >= 512
@nki.jit
def last_of_many(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x[nl.ds(x.shape[0] - 100, 128), :])  # expect: NKI301
    return out


# nkilint: x: float32[M, 64]
@nki.jit
def two_tiles_left_out(x):
    assert x.shape[0] % 128 == 0 and x.shape[0] >= 384
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for m in range(x.shape[0] // 128 - 2):
        nisa.dma_copy(dst=out[nl.ds(128 * m, 128), :], src=x[nl.ds(128 * m, 128), :])
    return out  # expect: NKI703


# nkilint: x: float32[M, 64], M % 128 == 0
@nki.jit
def branch_of_the_last_iteration(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = x.shape[0] // 128
    for m in range(tiles):
        if m == tiles - 1:
            nisa.dma_copy(dst=out[nl.ds(128 * m, 128), :], src=x[nl.ds(128 * m + 1, 128), :])  # expect: NKI301
        else:
            nisa.dma_copy(dst=out[nl.ds(128 * m, 128), :], src=x[nl.ds(128 * m, 128), :])
    return out


# --- silent ---


# nkilint: x: float32[M, 64], M % 128 == 0
@nki.jit
def summed_in_a_loop(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    acc = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=acc, value=0.0)
    for m in range(x.shape[0] // 128):
        nisa.tensor_tensor(dst=acc, data1=acc, data2=loaded(x[nl.ds(128 * m, 128), :]), op=nl.add)
    nisa.dma_copy(dst=out, src=acc)
    return out


# nkilint: x: float32[M, 64]
@nki.jit
def tail_of_its_own_size(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for m in range((x.shape[0] + 127) // 128):
        rows = nl.ds(128 * m, min(128, x.shape[0] - 128 * m))
        nisa.dma_copy(dst=out[rows, :], src=x[rows, :])
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def never_this_dtype(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if x.dtype == nl.bfloat16:
        nisa.dma_copy(dst=out, src=x[:, 1:65])
    else:
        nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[M, 64], M >= 512
@nki.jit
def last_tile_of_many(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x[nl.ds(x.shape[0] - 128, 128), :])
    return out


# nkilint: x: float32[M, 64]
@nki.jit
def two_tiles_by_themselves(x):
    assert x.shape[0] % 128 == 0 and x.shape[0] >= 384
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for m in range(x.shape[0] // 128 - 2):
        nisa.dma_copy(dst=out[nl.ds(128 * m, 128), :], src=x[nl.ds(128 * m, 128), :])
    nisa.dma_copy(dst=out[nl.ds(x.shape[0] - 256, 256), :], src=x[nl.ds(x.shape[0] - 256, 256), :])
    return out


# nkilint: x: float32[M, 64], M % 128 == 0
@nki.jit
def branch_of_all_but_the_last(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = x.shape[0] // 128
    for m in range(tiles):
        if m < tiles - 1:
            nisa.dma_copy(dst=out[nl.ds(128 * m, 128), :], src=x[nl.ds(128 * m + 1, 128), :])
        else:
            nisa.dma_copy(dst=out[nl.ds(128 * m, 128), :], src=x[nl.ds(128 * m, 128), :])
    return out


# nkilint: x: float32[M, 64], M <= 256
@nki.jit
def never_many_rows(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if x.shape[0] > 256:
        nisa.memset(dst=nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.sbuf), value=0.0)
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[B, 128, 64]
@nki.jit
def each_batch_its_own(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for b in range(x.shape[0]):
        nisa.dma_copy(dst=out[b], src=loaded(x[b]))
    return out


# nkilint: x: float32[M, 64], M % 256 == 0
@nki.jit
def halves_of_each(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for m in range(x.shape[0] // 256):
        for half in range(2):
            rows = nl.ds(256 * m + 128 * half, 128)
            nisa.dma_copy(dst=out[rows, :], src=loaded(x[rows, :]))
    return out


@nki.jit
def any_dtype(x):
    assert x.shape == (128, 64)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=loaded(x))
    return out
