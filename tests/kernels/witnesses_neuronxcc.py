"""Counterexamples that have to come to what they show: outer loops run, sizes are positive, branches and dtypes fit."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


# --- found ---


# nkilint: x: float32[M, 64], M % 128 == 0
@nki.jit
def lost_in_an_outer_loop(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    for m in nl.sequential_range(x.shape[0] // 128):
        acc[...] = nl.load(x[nl.ds(128 * m, 128), :])  # expect-warning: NKI708 M <= 128
    nl.store(out, value=acc)
    return out


# nkilint: x: float32[M, 64]
@nki.jit
def tail_beyond_the_end(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range((x.shape[0] + 127) // 128):
        nl.store(out[nl.ds(128 * m, 128), :], value=nl.load(x[nl.ds(128 * m, 128), :]))  # expect-warning: NKI301 M % 128 == 0
    return out


# nkilint: x: float32[M, N]
@nki.jit
def only_where_rows_are_many(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if x.shape[0] > 256:
        spare = nl.zeros((x.shape[0], x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
        nl.store(out, value=spare)
    for m in nl.affine_range(x.shape[0]):
        nl.store(out[nl.ds(m, 1), :], value=nl.load(x[nl.ds(m, 1), :]))
    return out


@nki.jit
def only_for_one_dtype(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if x.dtype == nl.bfloat16:
        tile = nl.load(x[:, 1:513])  # expect: NKI301
    nl.store(out, value=tile)
    return out


# nkilint: x: float32[B, S, 64], S % 128 == 0
@nki.jit
def inner_loop_of_two(x):
    out = nl.ndarray((x.shape[0], 128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for b in nl.affine_range(x.shape[0]):
        acc = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        for s in nl.sequential_range(x.shape[1] // 128):
            acc[...] = nl.load(x[b, nl.ds(128 * s, 128), :])  # expect-warning: NKI708 S <= 128
        nl.store(out[b], value=acc)
    return out


# nkilint: x: float32[M, 64]
@nki.jit
def assertion_before_the_fault(x):
    assert x.shape[0] % 128 == 0 and x.shape[0] >= 384
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range(x.shape[0] // 128 - 2):
        nl.store(out[nl.ds(128 * m, 128), :], value=nl.load(x[nl.ds(128 * m, 128), :]))
    return out  # expect: NKI703


# nkilint: x: float32[M, 64], M >= 512
@nki.jit
def last_of_many(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    start = x.shape[0] - 100
    nl.store(out, value=nl.load(x[nl.ds(start, 128), :]))  # expect: NKI301
    return out


# nkilint: x: float32[M, 64]
@nki.jit
def branch_of_the_last_iteration(x):
    assert x.shape[0] % 128 == 0
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = x.shape[0] // 128
    for m in range(tiles):
        if m == tiles - 1:
            nl.store(out[nl.ds(128 * m, 128), :], value=nl.load(x[nl.ds(128 * m + 1, 128), :]))  # expect: NKI301
        else:
            nl.store(out[nl.ds(128 * m, 128), :], value=nl.load(x[nl.ds(128 * m, 128), :]))
    return out


# nkilint: x: float32[M, 64], M % 128 == 0, M >= 256
@nki.jit
def race_of_two_iterations(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range(x.shape[0] // 128):
        nl.store(out, value=nl.load(x[nl.ds(128 * m, 128), :]))  # expect: NKI602
    return out


# nkilint: x: float32[M, 64], M % 256 == 0, M >= 512
@nki.jit
def sum_that_starts_anew(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for m in nl.sequential_range(x.shape[0] // 256):
        acc = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        for half in nl.sequential_range(2):
            acc += nl.load(x[nl.ds(256 * m + 128 * half, 128), :])
        nl.store(out, value=acc)  # expect: NKI708
    return out


# --- silent ---


# nkilint: x: float32[M, 64], M % 128 == 0
@nki.jit
def summed_in_an_outer_loop(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    for m in nl.sequential_range(x.shape[0] // 128):
        acc += nl.load(x[nl.ds(128 * m, 128), :])
    nl.store(out, value=acc)
    return out


# nkilint: x: float32[M, 64], M % 128 == 0
@nki.jit
def all_tiles(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range((x.shape[0] + 127) // 128):
        nl.store(out[nl.ds(128 * m, 128), :], value=nl.load(x[nl.ds(128 * m, 128), :]))
    return out


# nkilint: x: float32[M, N], M <= 256
@nki.jit
def never_many_rows(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if x.shape[0] > 256:
        spare = nl.zeros((x.shape[0], 2), dtype=x.dtype, buffer=nl.sbuf)
        nl.store(out[:, 0:2], value=spare)
    for m in nl.affine_range(x.shape[0]):
        nl.store(out[nl.ds(m, 1), :], value=nl.load(x[nl.ds(m, 1), :]))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def never_this_dtype(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if x.dtype == nl.bfloat16:
        tile = nl.load(x[:, 1:513])
    nl.store(out, value=tile)
    return out


# nkilint: x: float32[B, S, 64], S % 128 == 0
@nki.jit
def inner_sums(x):
    out = nl.ndarray((x.shape[0], 128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for b in nl.affine_range(x.shape[0]):
        acc = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        for s in nl.sequential_range(x.shape[1] // 128):
            acc += nl.load(x[b, nl.ds(128 * s, 128), :])
        nl.store(out[b], value=acc)
    return out


# nkilint: x: float32[M, 64]
@nki.jit
def the_rest_by_itself(x):
    assert x.shape[0] % 128 == 0 and x.shape[0] >= 384
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range(x.shape[0] // 128 - 2):
        nl.store(out[nl.ds(128 * m, 128), :], value=nl.load(x[nl.ds(128 * m, 128), :]))
    for m in nl.affine_range(2):
        place = nl.ds(x.shape[0] - 256 + 128 * m, 128)
        nl.store(out[place, :], value=nl.load(x[place, :]))
    return out


# nkilint: x: float32[M, 64], M >= 512
@nki.jit
def last_tile_of_many(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    start = x.shape[0] - 128
    nl.store(out, value=nl.load(x[nl.ds(start, 128), :]))
    return out


# nkilint: x: float32[M, 64]
@nki.jit
def branch_of_all_but_the_last(x):
    assert x.shape[0] % 128 == 0
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = x.shape[0] // 128
    for m in range(tiles):
        if m < tiles - 1:
            nl.store(out[nl.ds(128 * m, 128), :], value=nl.load(x[nl.ds(128 * m + 1, 128), :]))
        else:
            nl.store(out[nl.ds(128 * m, 128), :], value=nl.load(x[nl.ds(128 * m, 128), :]))
    return out


# nkilint: x: float32[M, 64], M % 128 == 0
@nki.jit
def each_iteration_its_own(x):
    out = nl.ndarray((x.shape[0] // 128, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range(x.shape[0] // 128):
        nl.store(out[m], value=nl.load(x[nl.ds(128 * m, 128), :]))
    return out


# nkilint: x: float32[M, 64], M % 256 == 0
@nki.jit
def sum_of_each(x):
    out = nl.ndarray((x.shape[0] // 256, 128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for m in nl.affine_range(x.shape[0] // 256):
        acc = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        for half in nl.sequential_range(2):
            acc += nl.load(x[nl.ds(256 * m + 128 * half, 128), :])
        nl.store(out[m], value=acc)
    return out


@nki.jit
def pooled_past_the_end(x):
    """The output has columns where the rows are too few: of an empty one, no run would show anything."""
    C, H, W = x.shape
    assert C <= 128 and H >= 2
    rows, columns = (H - 2) // 2 + 1, (W - 3) // 2 + 1
    output = nl.ndarray((C, rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    i0, i1, i2, i3, i4 = nl.mgrid[0:C, 0:rows, 0:columns, 0:3, 0:3]
    best = nl.max(tile[i0, 2 * i1 + i3, 2 * i2 + i4], axis=[3, 4])  # expect-warning: NKI301 H % 2 == 1
    nl.store(output, value=best)
    return output
