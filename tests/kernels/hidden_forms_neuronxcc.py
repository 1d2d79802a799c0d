"""Defects in the forms that hide them best: operators (NKI203), loaded columns (NKI306), outputs made in branches (NKI706),
functions of the host (NKI805), remainders that meet (NKI602); and tiles that are meant to keep what was written last."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


def residual(block, tile):
    return tile + block["skip"]  # expect: NKI203


def looked_up(table, lookup):
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    return nl.load(table[i_p, lookup["columns"][0, i_f]])  # expect: NKI306


class Scale:
    def __init__(self, gain):
        self.gain = gain

    def __call__(self, tile):
        return tile * self.gain  # expect: NKI203


def scores(query, key):
    """Arrays come to it from the host, where no kernel runs."""
    return nl.softmax(nl.matmul(query, key), axis=-1)  # expect: NKI805  # expect: NKI805


def compare():
    query = np.random.rand(128, 64).astype(np.float32)
    np.testing.assert_allclose(scores(query, query.T), np.zeros((128, 128)))


if __name__ == "__main__":
    compare()


# --- operators ---


# nkilint: x: float32[128, 512], skip: float32[64, 512]
@nki.jit
def skip_of_half_the_rows(x, skip):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    block = {"skip": nl.load(skip), "scale": 1.0}
    nl.store(out, value=residual(block, nl.load(x)))
    return out


# nkilint: x: float32[128, 512], gain: float32[32, 512]
@nki.jit
def gain_of_a_quarter_of_the_rows(x, gain):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    scale = Scale(nl.load(gain))
    nl.store(out, value=scale(nl.load(x)))
    return out


# nkilint: x: float32[R, 512], mean: float32[128, 1]
@nki.jit
def mean_of_whole_tiles(x, mean):
    """The last tile has fewer rows than the mean."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    column = nl.load(mean)
    rest = x.shape[0] % 128
    if rest > 0:
        last = nl.load(x[x.shape[0] - rest : x.shape[0], :])
        nl.store(out[x.shape[0] - rest : x.shape[0], :], value=last - column)  # expect-warning: NKI203 R % 128 == 1 or R % 128 == 0  # expect: NKI204
    for i in nl.affine_range(x.shape[0] // 128):
        tile = nl.load(x[nl.ds(128 * i, 128), :])
        nl.store(out[nl.ds(128 * i, 128), :], value=tile - column)
    return out


# nkilint: x: float32[128, 512], y: float32[128, 512]
@nki.jit
def lower_half_in_place(x, y):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    tile += nl.load(y)[0:64, :]  # expect: NKI203
    nl.store(out, value=tile)
    return out


# nkilint: x: float32[R, 512], mean: float32[128, 1]
@nki.jit
def mean_of_the_rows_that_are_left(x, mean):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    column = nl.load(mean)
    rest = x.shape[0] % 128
    if rest > 0:
        last = nl.load(x[x.shape[0] - rest : x.shape[0], :])
        nl.store(out[x.shape[0] - rest : x.shape[0], :], value=last - column[0:rest, :])
    for i in nl.affine_range(x.shape[0] // 128):
        tile = nl.load(x[nl.ds(128 * i, 128), :])
        nl.store(out[nl.ds(128 * i, 128), :], value=tile - column)
    return out


# nkilint: x: float32[128, 512], row: float32[1, 512]
@nki.jit
def row_for_all_partitions(x, row):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x) + nl.load(row).broadcast_to((128, 512)))
    return out


# --- loaded indices ---


# nkilint: x: float32[128, 512], columns: int32[1, 128]
@nki.jit
def columns_of_a_permutation(x, columns):
    out = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    order = nl.load(columns)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(128)[None, :]
    nl.store(out[i_p, i_f], value=nl.load(x[i_p, order[0, i_f]]))  # expect: NKI306
    return out


# nkilint: x: float32[128, 512], at: int32[1, 1]
@nki.jit
def columns_behind_a_loaded_one(x, at):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile, first = nl.load(x), nl.load(at)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    window = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    window[i_p, i_f] = tile[i_p, first[0, 0] + i_f]  # expect: NKI306
    nl.store(out, value=window)
    return out


# nkilint: x: float32[128, 512], columns: int32[1, 64]
@nki.jit
def columns_that_a_helper_looks_up(x, columns):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    lookup = {"columns": nl.load(columns)}
    nl.store(out, value=looked_up(x, lookup))
    return out


# nkilint: x: float32[128, 512], at: int32[1, 1]
@nki.jit
def columns_that_a_dynamic_copy_takes(x, at):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile, first = nl.load(x), nl.load(at)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    part = nisa.tensor_copy_dynamic_src(tile[i_p, first[0, 0] + i_f])
    nl.store(out, value=nl.exp(part))
    return out


# nkilint: x: float32[256, 512], rows: int32[128, 1]
@nki.jit
def rows_on_a_mesh(x, rows):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    order = nl.load(rows)
    i_p, i_f = nl.mgrid[0:128, 0:512]
    nl.store(out[i_p, i_f], value=nl.load(x[order[i_p, 0], i_f]))  # expect: NKI306
    return out


# nkilint: x: float32[256, 512], rows: int32[128, 1]
@nki.jit
def rows_of_a_permutation(x, rows):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    order = nl.load(rows)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(512)[None, :]
    nl.store(out[i_p, i_f], value=nl.load(x[order[i_p, 0], i_f]))
    return out


# --- outputs ---


# nkilint: x: float32[128, 512]
@nki.jit
def output_of_one_of_two_shapes(x, narrow=True):
    tile = nl.load(x)
    if narrow:
        out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, value=nl.sum(tile, axis=1, keepdims=True))
    else:
        out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, value=tile)
    return out


# nkilint: x: float32[512, 512]
@nki.jit
def output_of_each_iteration(x):
    outs = []
    for i in nl.affine_range(4):
        part = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)  # expect: NKI706
        nl.store(part, value=nl.load(x[nl.ds(128 * i, 128), :]))
        outs.append(part)
    return tuple(outs)


# nkilint: x: float32[512, 512]
@nki.jit
def output_of_the_last_iteration_alone(x):
    for i in nl.affine_range(4):
        tile = nl.load(x[nl.ds(128 * i, 128), :])
        if i == 3:
            out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)  # expect: NKI706
            nl.store(out, value=tile)
    return out


# --- remainders ---


# nkilint: x: float32[N, 512], N >= 2
@nki.jit
def rows_that_wrap_around(x):
    parts = x.shape[0] // 2
    out = nl.ndarray((parts, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(x.shape[0]):
        nl.store(out[nl.ds(i % parts, 1), :], value=nl.load(x[nl.ds(i, 1), :]))  # expect: NKI602
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def as_many_parts_as_iterations(x, parts):
    out = nl.ndarray((parts, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(parts):
        nl.store(out[nl.ds(i % parts, 1), :], value=nl.load(x[0:1, :]))
    return out


# --- what is meant to be kept ---


# nkilint: x: float32[512, 64]
@nki.jit
def last_tile_that_was_seen(x):
    """Only the last one is asked for, and each is used before the next one comes."""
    out = nl.ndarray((512, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    final = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    last = nl.zeros((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    for i in nl.sequential_range(4):
        tile = nl.load(x[nl.ds(128 * i, 128), :])
        nl.store(out[nl.ds(128 * i, 128), :], value=tile + last)
        last[...] = nl.copy(tile)
    nl.store(final, value=last)
    return out, final


# nkilint: x: float32[512, 64]
@nki.jit
def greatest_kept_by_a_loop(x):
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    most = nl.full((128, 1), -1e30, dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(4):
        tile = nl.load(x[nl.ds(128 * i, 128), :])
        most[...] = nl.maximum(most, nl.max(tile, axis=1, keepdims=True))
    nl.store(out, value=most)
    return out


def steps(query, key):
    return nl.softmax(nl.matmul(query, key), axis=-1)


# nkilint: q: float32[128, 128], k: float32[128, 128]
@nki.jit
def kernel_of_steps(q, k):
    out = nl.ndarray((128, 128), dtype=q.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=steps(nl.load(q), nl.load(k)))
    return out
