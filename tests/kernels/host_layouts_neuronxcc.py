"""Arrays of numpy that are laid out anew, compared, and chosen from: places and trip counts come of them."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np
import torch
import math


def copied(x, out, starts, size):
    for s in starts:
        nl.store(out[0:128, s : s + size], nl.load(x[0:128, s : s + size]))  # expect: NKI301  # expect: NKI301  # expect: NKI301  # expect: NKI301


# found


@nki.jit
def of_a_meshgrid(x):
    assert x.shape == (256, 512)
    out = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = np.meshgrid(np.arange(0, 256, 128), np.arange(0, 512, 128), indexing="ij")
    for r, c in zip(rows.ravel(), columns.ravel()):
        nl.store(out[r : r + 128, c : c + 128], nl.load(x[r : r + 128, c + 1 : c + 129]))  # expect: NKI301
    return out


@nki.jit
def of_a_meshgrid_xy(x):
    assert x.shape == (256, 512)
    out = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = np.meshgrid(np.arange(0, 256, 128), np.arange(0, 384, 128))
    for r, c in zip(rows.flatten(), columns.flatten()):
        nl.store(out[r : r + 128, c : c + 128], nl.load(x[r : r + 128, c : c + 128]))
    return out  # expect: NKI703


@nki.jit
def of_tiles(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    copied(x, out, np.tile(np.array([0, 256]), 2), 128)
    return out  # expect: NKI703


@nki.jit
def of_repeats(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    copied(x, out, np.repeat(np.arange(2), 2) * 128, 128)
    return out  # expect: NKI703


@nki.jit
def of_nonzero(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    keep = np.array([1, 0, 1, 1])
    copied(x, out, np.nonzero(keep)[0] * 128, 128)
    return out  # expect: NKI703


@nki.jit
def of_where(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    starts = np.arange(4) * 128
    copied(x, out, np.where(starts < 300, starts, starts + 1), 128)
    return out  # expect: NKI703


@nki.jit
def of_ceil(x):
    assert x.shape == (128, 500)
    out = nl.ndarray((128, 500), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(int(np.ceil(500 / 128))):
        nl.store(out[0:128, 128 * i : 128 * i + 128], nl.load(x[0:128, 128 * i : 128 * i + 128]))  # expect: NKI301  # expect: NKI301
    return out


@nki.jit
def of_prod(x):
    n = int(np.prod(x.shape[1:]))
    assert x.shape == (128, 4, 64)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    flat = x.reshape((128, 4 * 64))
    nl.store(out[0:128, 1 : n + 1], nl.load(flat))  # expect: NKI301
    return out  # expect: NKI703


@nki.jit
def of_split(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for part in np.split(np.arange(512), 4)[1:]:
        s = part[0]
        nl.store(out[0:128, s : s + 128], nl.load(x[0:128, s : s + 128]))
    return out  # expect: NKI703


@nki.jit
def of_shapes(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    w = np.zeros((3, 128))
    for i in range(w.shape[0]):
        nl.store(out[0:128, 128 * i : 128 * i + 128], nl.load(x[0:128, 128 * i : 128 * i + 128]))
    return out  # expect: NKI703


@nki.jit
def of_reversed(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    copied(x, out, np.arange(512, 0, -128), 128)
    return out  # expect: NKI703


@nki.jit
def of_argsort(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    order = np.argsort(np.array([30, 10, 20]))
    copied(x, out, order * 128, 128)
    return out  # expect: NKI703


# silent


@nki.jit
def meshgrid_in_range(x):
    assert x.shape == (256, 512)
    out = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = np.meshgrid(np.arange(0, 256, 128), np.arange(0, 512, 128), indexing="ij")
    for r, c in zip(rows.ravel(), columns.ravel()):
        nl.store(out[r : r + 128, c : c + 128], nl.load(x[r : r + 128, c : c + 128]))
    return out


@nki.jit
def meshgrid_xy_in_range(x):
    assert x.shape == (256, 512)
    out = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    columns, rows = np.meshgrid(np.arange(0, 512, 128), np.arange(0, 256, 128))
    for i in range(2):
        for j in range(4):
            r, c = rows[i, j], columns[i, j]
            nl.store(out[r : r + 128, c : c + 128], nl.load(x[r : r + 128, c : c + 128]))
    return out


@nki.jit
def tiles_in_range(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    starts = np.tile(np.array([0, 128]), 2) + np.repeat(np.array([0, 256]), 2)
    copied(x, out, starts, 128)
    return out


@nki.jit
def where_in_range(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    starts = np.arange(5) * 128
    copied(x, out, np.where(starts < 512, starts, 0), 128)
    return out


@nki.jit
def floor_in_range(x):
    assert x.shape == (128, 500)
    out = nl.ndarray((128, 384), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(int(np.floor(500 / 128))):
        nl.store(out[0:128, 128 * i : 128 * i + 128], nl.load(x[0:128, 128 * i : 128 * i + 128]))
    return out


@nki.jit
def ceil_with_minimum(x):
    assert x.shape == (128, 500)
    out = nl.ndarray((128, 500), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(math.ceil(500 / 128)):
        n = np.minimum(128, 500 - 128 * i)
        nl.store(out[0:128, 128 * i : 128 * i + n], nl.load(x[0:128, 128 * i : 128 * i + n]))
    return out


@nki.jit
def reversed_in_range(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    copied(x, out, np.arange(512)[::-128] - 127, 128)
    return out


@nki.jit
def flipped(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    copied(x, out, np.flip(np.arange(0, 512, 128)), 128)
    return out


@nki.jit
def sorted_and_unique(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    copied(x, out, np.unique(np.array([384, 0, 128, 256, 0])), 128)
    copied(x, out, sorted(np.array([128, 0]).tolist()), 128)
    return out


@nki.jit
def split_in_range(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for part in np.split(np.arange(512), 4):
        s, n = part[0], len(part)
        nl.store(out[0:128, s : s + n], nl.load(x[0:128, s : s + n]))
    return out


@nki.jit
def torch_in_range(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    w = torch.zeros(4, 128)
    for i in range(w.size(0)):
        n = w.numel() // 4
        nl.store(out[0:128, n * i : n * i + n], nl.load(x[0:128, n * i : n * i + n]))
    return out


@nki.jit
def gathered_places(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    starts = np.arange(4) * 128
    copied(x, out, starts[np.array([3, 1, 0, 2])], 128)
    return out


@nki.jit
def chosen_places(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    starts = np.arange(4) * 128
    copied(x, out, starts[starts > 0], 128)
    return out  # expect: NKI703


@nki.jit
def outer_sums(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    places = np.array([0, 256])[:, None] + np.array([0, 128])
    copied(x, out, places.ravel(), 128)
    return out


@nki.jit
def values(x):
    assert x.shape == (128, 512)
    a, b = np.arange(3), np.arange(2)
    p, q = np.meshgrid(a, b)
    reveal(p.tolist())  # revealed: [[0, 1, 2], [0, 1, 2]]
    reveal(q.tolist())  # revealed: [[0, 0, 0], [1, 1, 1]]
    p, q = np.meshgrid(a, b, indexing="ij")
    reveal(p.tolist())  # revealed: [[0, 0], [1, 1], [2, 2]]
    reveal(q.tolist())  # revealed: [[0, 1], [0, 1], [0, 1]]
    reveal(np.tile(b, 2).tolist())  # revealed: [0, 1, 0, 1]
    reveal(np.repeat(b, 2).tolist())  # revealed: [0, 0, 1, 1]
    reveal([part.tolist() for part in np.split(a, [1])])  # revealed: [[0], [1, 2]]
    reveal(np.where(a > 0, a * 10, -1).tolist())  # revealed: [-1, 10, 20]
    reveal(np.nonzero(a)[0].tolist())  # revealed: [1, 2]
    reveal((a[:, None] * b).tolist())  # revealed: [[0, 0], [0, 1], [0, 2]]
    reveal((a == 1).tolist())  # revealed: [False, True, False]
    reveal(int((a > 0).sum()))  # revealed: 2
    reveal(a[a != 1].tolist())  # revealed: [0, 2]
    if np.array([3]) == 3:
        reveal(a[-1])  # revealed: 2
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out
