"""Arrays of numpy and torch that a kernel computes its sizes and places with."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np
import torch


@nki.jit
def places(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for start in np.arange(0, 512, 128):
        nl.store(out[0:128, start : start + 128], nl.load(x[0:128, start : start + 128]))
    return out


@nki.jit
def places_of_too_few(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for start in np.arange(0, 512, 128)[:-1]:
        nl.store(out[0:128, start : start + 128], nl.load(x[0:128, start : start + 128]))
    return out  # expect: NKI703


@nki.jit
def quarters(x):
    """Differences of neighbours are trip counts."""
    assert x.shape[0] == 128
    out = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    cuts = np.arange(5) * x.shape[1] // 4
    for k in range(4):
        for j in range(cuts[k + 1] - cuts[k]):
            c = cuts[k] + j
            nl.store(out[0:128, c : c + 1], nl.load(x[0:128, c : c + 1]))
    return out


@nki.jit
def quarters_and_one_more(x):
    assert x.shape[0] == 128
    out = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    cuts = np.arange(5) * x.shape[1] // 4
    for k in range(4):
        for j in range(cuts[k + 1] - cuts[k] + 1):
            c = cuts[k] + j
            nl.store(out[0:128, c : c + 1], nl.load(x[0:128, c : c + 1]))  # expect: NKI301  # expect: NKI301
    return out


@nki.jit
def parts_of_several_sizes(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    sizes = np.array([128, 128, 256])
    starts = np.cumsum(sizes) - sizes
    for start, size in zip(starts, sizes):
        nl.store(out[0:128, start : start + size], nl.load(x[0:128, start : start + size]))
    return out


@nki.jit
def parts_that_start_at_their_ends(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    sizes = np.array([128, 128, 256])
    starts = np.cumsum(sizes)
    for start, size in zip(starts, sizes):
        nl.store(out[0:128, start : start + size], nl.load(x[0:128, start : start + size]))  # expect: NKI301  # expect: NKI301
    return out  # expect: NKI703


@nki.jit
def parts_of_torch(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for start in torch.arange(0, 512, 128).tolist():
        nl.store(out[0:128, start : start + 128], nl.load(x[0:128, start : start + 128]))
    return out


@nki.jit
def spaced_places(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for start in np.linspace(0, 512, 5).astype(int):
        nl.store(out[0:128, start : start + 128], nl.load(x[0:128, start : start + 128]))  # expect: NKI301  # expect: NKI301
    return out


@nki.jit
def part_beyond_the_last(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    cuts = np.array([0, 256, 512])
    for k in range(3):
        nl.store(out[0:128, cuts[k] : cuts[k + 1]], nl.load(x[0:128, cuts[k] : cuts[k + 1]]))  # expect: NKI301  # expect: NKI301
    return out


@nki.jit
def values(x):  # expect: NKI003
    assert x.shape == (128, 512)
    grid = np.arange(6).reshape(2, 3)
    reveal(grid[1].tolist())  # revealed: [3, 4, 5]
    reveal(grid[1, -1])  # revealed: 5
    reveal(grid[:, 1].tolist())  # revealed: [1, 4]
    reveal(grid.tolist())  # revealed: [[0, 1, 2], [3, 4, 5]]
    reveal(int(grid.sum()))  # revealed: 15
    reveal((grid * 2 + 1)[0].tolist())  # revealed: [1, 3, 5]
    reveal((10 - grid[1]).tolist())  # revealed: [7, 6, 5]
    reveal(np.diff(np.array([1, 4, 9])).tolist())  # revealed: [3, 5]
    reveal(np.prod((2, 3, 4)))  # revealed: 24
    reveal(np.max(np.array([3, 9, 2])))  # revealed: 9
    reveal(np.array([2.7, -2.7]).astype(np.int32).tolist())  # revealed: [2, -2]
    reveal(np.linspace(0, 10, 5).astype(int).tolist())  # revealed: [0, 2, 5, 7, 10]
    reveal(np.concatenate([np.arange(2), np.arange(3)]).tolist())  # revealed: [0, 1, 0, 1, 2]
    reveal(np.concatenate([[0], np.cumsum(np.array([2, 3]))[:-1], (7, 8)]).tolist())  # revealed: [0, 2, 7, 8]
    reveal(np.concatenate([[], [1]]))  # revealed: unknown: the shape of an array
    reveal(torch.cumsum(torch.tensor([1, 2, 3]), 0)[-1].item())  # revealed: 6
    reveal(np.zeros(3, dtype=int).tolist())  # revealed: [0, 0, 0]
    reveal(np.full((2,), 7, dtype=np.int64).tolist())  # revealed: [7, 7]
    reveal(np.array([[x.shape[1], 1], [2, 3]])[0, 0])  # revealed: 512
    changed = np.arange(4)
    part = changed[1:]
    changed[2] = 100
    reveal(part[1])  # revealed: unknown: an element of an array
    copied = np.arange(4)
    kept = copied.copy()
    copied += 1
    reveal(copied[0])  # revealed: unknown: an element of an array
    reveal(kept[3])  # revealed: 3
    reveal(np.random.rand(3)[0])  # revealed: unknown: an element of an array
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out


@nki.jit
def begins_of_pieces(x):
    assert x.shape == (128, 600)
    out = nl.ndarray((128, 600), dtype=x.dtype, buffer=nl.shared_hbm)
    begins = np.arange(0, 600, 120)
    for k in nl.static_range(5):
        nl.store(out[0:128, nl.ds(begins[k], 120)], nl.load(x[0:128, nl.ds(begins[k], 120)]))
    return out


@nki.jit
def begins_of_too_wide_pieces(x):
    assert x.shape == (128, 600)
    out = nl.ndarray((128, 600), dtype=x.dtype, buffer=nl.shared_hbm)
    begins = np.arange(0, 600, 120)
    for k in nl.affine_range(5):
        piece = nl.load(x[0:128, nl.ds(begins[k], 121)])  # expect: NKI301
        nl.store(out[0:128, nl.ds(begins[k], 120)], piece[0:128, 0:120])
    return out


@nki.jit
def begins_of_one_piece_more(x):  # expect: NKI003
    assert x.shape == (128, 600)
    out = nl.ndarray((128, 600), dtype=x.dtype, buffer=nl.shared_hbm)
    begins = np.arange(0, 600, 120)
    for k in nl.static_range(6):
        nl.store(out[0:128, nl.ds(begins[k], 120)], nl.load(x[0:128, nl.ds(begins[k], 120)]))  # expect: NKI301  # expect: NKI301
    return out
