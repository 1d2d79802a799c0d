"""Memories, indexing and views: what is read is what numpy would give, and views write through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import neuronxcc.nki as nki1
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa1
import neuronxcc.nki.language as nl1
import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest

import reference_sim
from reference_sim import NkiError

RNG = np.random.default_rng(0)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def copied(view: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A kernel of 0.x that loads its input to SBUF and gives back a view of it."""

    @nki.jit
    def kernel(x: Any) -> Any:
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x)
        seen = view(tile)
        out = nl.ndarray(seen.shape, dtype=seen.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=seen)
        return out

    return kernel


VIEWS: list[tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = [
    ("slice", lambda t: t[:, 1:7:2, :], lambda x: x[:, 1:7:2, :]),
    ("ellipsis", lambda t: t[..., 3], lambda x: x[..., 3]),
    ("partition index keeps the dimension", lambda t: t[5, :, :], lambda x: x[5:6]),
    ("at least two dimensions", lambda t: t[:, 2, 3], lambda x: x[:, 2, 3:4]),
    ("reshape", lambda t: t.reshape((16, 48)), lambda x: x.reshape(16, 48)),
    ("permute", lambda t: t.permute((0, 2, 1)), lambda x: x.transpose(0, 2, 1)),
    ("expand and broadcast", lambda t: t.expand_dim(1).broadcast(1, 2), lambda x: np.stack([x, x], 1)),
    ("squeeze", lambda t: t[:, 0:1, :].squeeze_dim(1), lambda x: x[:, 0]),
    ("reshape one", lambda t: t.reshape_dim(2, (3, -1)), lambda x: x.reshape(16, 8, 3, 2)),
    ("flatten", lambda t: t.flatten_dims(1, 2), lambda x: x.reshape(16, 48)),
    ("flatten from the end", lambda t: t.flatten_dims(-2, -1), lambda x: x.reshape(16, 48)),
    ("flatten all", lambda t: t.expand_dim(1).flatten_dims(1, -1), lambda x: x.reshape(16, 48)),
    ("reshape the last", lambda t: t.reshape_dim(-1, (3, 2)), lambda x: x.reshape(16, 8, 3, 2)),
    ("reshape one from the end", lambda t: t.reshape_dim(-2, (-1, 4)), lambda x: x.reshape(16, 2, 4, 6)),
    (
        "rearrange",
        lambda t: t.rearrange(("p", ("a", "b"), "c"), ("p", "c", "b", "a"), {"a": 2}),
        lambda x: x.reshape(16, 2, 4, 6).transpose(0, 3, 2, 1),
    ),
    ("slice method", lambda t: t.slice(1, 2, 8, 3), lambda x: x[:, 2:8:3]),
    ("select", lambda t: t.select(1, 4), lambda x: x[:, 4]),
    ("ds", lambda t: t[:, nl.ds(2, 3), :], lambda x: x[:, 2:5]),
    ("reinterpret", lambda t: t.view(nl.int32), lambda x: x.view(np.int32)),
    ("bytes", lambda t: t.view(nl.uint8), lambda x: x.view(np.uint8)),
    ("ap", lambda t: t.ap([[48, 16], [12, 4], [2, 3]], offset=1), lambda x: x.reshape(16, 4, 12)[:, :, 1:7:2]),
    ("ap ignores the view", lambda t: t[:, 4:8].ap([[48, 16], [1, 5]], offset=0), lambda x: x.reshape(16, 48)[:, :5]),
    ("ap inherits the offset", lambda t: t[:, 1, :].ap([[48, 16], [1, 6]]), lambda x: x[:, 1]),
    (
        "ap reinterprets",
        lambda t: t.ap([[96, 16], [2, 48]], 1, dtype=nl.int16),
        lambda x: x.view(np.int16).reshape(16, 96)[:, 1::2],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("view", "expected"), [v[1:] for v in VIEWS], ids=[v[0] for v in VIEWS])
def test_views_show_what_numpy_shows(view: Any, expected: Any) -> None:
    x = floats(16, 8, 6)
    np.testing.assert_array_equal(copied(view)(x), expected(x))


def test_views_share_storage_and_know_their_pattern() -> None:
    seen: dict[str, Any] = {}

    @nki.jit
    def kernel(x: Any) -> Any:
        t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=t, value=0.0)
        u = t.slice(1, 8, 24)
        seen.update(pattern=u.get_pattern(), offset=u.offset, strides=u.strides, contiguous=u.is_contiguous())
        nisa.memset(dst=u.reshape((128, 16)) if u.is_contiguous() else u, value=1.0)
        out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=t)
        return out

    found = kernel(floats(1, 1))
    assert seen == {"pattern": [[64, 128], [1, 16]], "offset": 8, "strides": (64, 1), "contiguous": True}
    assert found.sum() == 128 * 16


def test_dynamic_views_resolve_when_they_are_used() -> None:
    data = floats(8, 16, 4)

    @nki.jit
    def kernel(x: Any) -> Any:
        index = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        rows = nl.ndarray((4, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.memset(dst=index, value=2)
        nisa.iota(rows, [[1, 1]], 1, 2)
        chosen = x.select(0, index)
        nisa.memset(dst=index, value=5)
        one = nl.ndarray((16, 4), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=one, src=chosen)
        many = nl.ndarray((4, 16, 4), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=many, src=x.vector_select(0, rows))
        part = nl.ndarray((16, 4), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=part, src=x.ap([[4, 16], [1, 4]], 0, scalar_offset=index, indirect_dim=0))
        return one, many, part

    one, many, part = kernel(data)
    np.testing.assert_array_equal(one, data[5])
    np.testing.assert_array_equal(many, data[[1, 3, 5, 7]])
    np.testing.assert_array_equal(part, data[5])


def test_grids_become_views_and_masks_cut_the_tail() -> None:
    x = floats(200, 40)

    @nki1.jit
    def kernel(x: Any) -> Any:
        out = nl1.ndarray((200, 20), dtype=x.dtype, buffer=nl1.shared_hbm)
        for k in nl1.affine_range(2):
            row, column = nl1.arange(128)[:, None] + k * 128, nl1.arange(20)[None, :]
            tile = nl1.load(x[row, 2 * column + 1], mask=row < 200)
            nl1.store(out[row, column], nl1.exp(tile, mask=row < 200), mask=row < 200)
        return out

    np.testing.assert_allclose(kernel(x), np.exp(x[:, 1::2]), rtol=1e-6)


def test_windows_overlap_through_grids() -> None:
    x = floats(4, 6, 6)

    @nki1.jit
    def kernel(x: Any) -> Any:
        out = nl1.ndarray((4, 4, 4), dtype=x.dtype, buffer=nl1.shared_hbm)
        tile = nl1.load(x)
        p, h, w, a, b = nl1.mgrid[0:4, 0:4, 0:4, 0:3, 0:3]
        nl1.store(out, nl1.sum(tile[p, h + a, w + b], axis=[3, 4]))
        return out

    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    np.testing.assert_allclose(kernel(x), windows.sum((3, 4)), rtol=1e-5)


def test_block_dimensions_are_indexed_away() -> None:
    x = floats(3, 16, 8)

    @nki1.jit
    def kernel(x: Any) -> Any:
        buffer = nl1.ndarray((3, nl1.par_dim(16), 8), dtype=x.dtype, buffer=nl1.sbuf)
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        for b in nl1.affine_range(3):
            buffer[b] = nl1.load(x[b])
        for b in nl1.affine_range(3):
            p, f = nl1.mgrid[0:16, 0:8]
            nl1.store(out[b, p, f], buffer[b, p, f] * 2.0)
        return out

    np.testing.assert_allclose(kernel(x), 2 * x)


def test_direct_placement_lives_at_real_bytes() -> None:
    @nki1.jit
    def kernel() -> Any:
        a = nl1.ndarray((nl1.par_dim(128), 4), dtype=nl1.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
        b = nl1.ndarray((nl1.par_dim(128), 4), dtype=nl1.int32, buffer=ncc.sbuf.mod_alloc(base_addr=8))
        b[...] = nisa1.memset((128, 4), 0, nl1.int32)
        a[...] = nisa1.memset((128, 4), 1.0, nl1.float32)
        out = nl1.ndarray((128, 2), dtype=nl1.int32, buffer=nl1.shared_hbm)
        nl1.store(out, b[:, 0:2])
        return out

    bits = int(np.float32(1).view(np.int32))
    from reference_sim import Strictness
    from reference_sim.running import settings

    settings.SETTINGS["strictness"] = Strictness(checks=False)
    np.testing.assert_array_equal(kernel(), np.full((128, 2), bits))


@pytest.mark.parametrize("at", [(0, 10**6), (128, 0), (0, -8)])
def test_a_run_that_collects_goes_on_with_a_tile_that_is_placed_nowhere(at: tuple[int, int]) -> None:
    def kernel(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        allocator = ncc.sbuf.alloc(lambda idx, pdim_size, fdim_size: at)
        tile = nl1.ndarray((nl1.par_dim(128), 8), dtype=x.dtype, buffer=allocator)
        tile[...] = nl1.load(x)
        nl1.store(out, tile)
        return out

    x = floats(128, 8)
    seen = reference_sim.observe(kernel, [x], dialect="neuronxcc")
    assert {f.code for f in seen.findings} <= {"NKI401", "NKI402"}
    assert seen.stopped is None
    np.testing.assert_array_equal(seen.results, x)


def test_blocks_are_placed_by_the_modulo_formula() -> None:
    places: list[Any] = []

    @nki1.jit
    def kernel() -> Any:
        t = nl1.ndarray(
            (2, 3, nl1.par_dim(32), 16), dtype=nl1.bfloat16,
            buffer=ncc.sbuf.mod_alloc(base_addr=64, num_par_tiles=(2, 1), num_free_tiles=(1, 2)),
        )  # fmt: skip
        places.extend((k, v.partition, v.byte) for k, v in t.storage.tiles.items())

    kernel()
    assert places == [
        ((0, 0), 0, 64), ((0, 1), 0, 96), ((0, 2), 0, 64), ((1, 0), 32, 64), ((1, 1), 32, 96), ((1, 2), 32, 64),
    ]  # fmt: skip


def test_indirect_loads_and_stores() -> None:
    x, rows = floats(16, 8), np.array([[3], [0], [7], [12]], np.int32)

    @nki1.jit
    def kernel(x: Any, rows: Any) -> Any:
        out = nl1.ndarray((16, 8), dtype=x.dtype, buffer=nl1.shared_hbm)
        nl1.store(out, nl1.zeros((16, 8), x.dtype))
        index, column = nl1.load(rows), nl1.arange(8)[None, :]
        nl1.store(out[index, column], nl1.load(x[index, column]))
        return out

    expected = np.zeros_like(x)
    expected[rows[:, 0]] = x[rows[:, 0]]
    np.testing.assert_array_equal(kernel(x, rows), expected)


def test_what_is_out_of_bounds_is_skipped_where_that_is_asked_for() -> None:
    x, rows = floats(4, 8), np.array([[3], [0], [7], [2]], np.int32)

    @nki1.jit
    def stored(x: Any, rows: Any) -> Any:
        out = nl1.ndarray((4, 8), dtype=x.dtype, buffer=nl1.shared_hbm)
        nl1.store(out, nl1.zeros((4, 8), x.dtype))
        index, column = nl1.load(rows), nl1.arange(8)[None, :]
        nisa1.dma_copy(dst=out[index, column], src=nl1.load(x), oob_mode=nisa1.oob_mode.skip)
        return out

    @nki1.jit
    def loaded(x: Any, rows: Any) -> Any:
        out = nl1.ndarray((4, 8), dtype=x.dtype, buffer=nl1.shared_hbm)
        index, column = nl1.load(rows), nl1.arange(8)[None, :]
        tile = nl1.full((4, 8), -1.0, x.dtype)
        nisa1.dma_copy(dst=tile, src=x[index, column], oob_mode=nisa1.oob_mode.skip)
        nl1.store(out, tile)
        return out

    np.testing.assert_array_equal(stored(x, rows), [x[1], np.zeros(8), x[3], x[0]])
    np.testing.assert_array_equal(loaded(x, rows), [x[3], x[0], -np.ones(8), x[2]])


def test_a_single_index_is_the_same_along_a_whole_axis() -> None:
    @nki1.jit
    def kernel(x: Any) -> Any:
        out = nl1.ndarray((6, 1), dtype=x.dtype, buffer=nl1.shared_hbm)
        p, c = nl1.arange(4)[:, None], nl1.arange(1)[:, None]
        for i in range(2):
            nl1.store(out[i * 4 + p, c], nl1.load(x[i * 4 + p, c + 1], mask=i * 4 + p < 6), mask=i * 4 + p < 6)
        return out

    x = floats(6, 2)
    np.testing.assert_array_equal(kernel(x), x[:, 1:])


def test_an_updated_tile_is_assigned_like_any_other() -> None:
    @nki1.jit
    def kernel(x: Any) -> Any:
        out = nl1.ndarray((3, 4, 8), dtype=x.dtype, buffer=nl1.shared_hbm)
        total, other = nl1.zeros((4, 8), x.dtype), nl1.zeros((4, 16), x.dtype)
        total += nl1.load(x)
        other[:, 0:8] = total
        half = other[:, 0:8]
        half += nl1.load(x)
        other[:, 8:16] = half
        other[:, 8:16] += nl1.load(x)
        for i, tile in enumerate((total, half, other[:, 8:16])):
            nl1.store(out[i], tile)
        return out

    x = floats(4, 8)
    np.testing.assert_array_equal(kernel(x), [x, 2 * x, x + x + x])


def test_narrow_floats_are_wide_in_beta_1_and_exact_in_nki() -> None:
    x = np.full((4, 4), 1.001, np.float32)

    @nki1.jit
    def wide(x: Any) -> Any:
        out = nl1.ndarray((4, 4), dtype=nl1.float32, buffer=nl1.shared_hbm)
        nl1.store(out, nl1.load(x, dtype=nl1.bfloat16))
        return out

    @nki.jit
    def exact(x: Any) -> Any:
        tile = nl.ndarray((4, 4), dtype=nl.bfloat16, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x)
        out = nl.ndarray((4, 4), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=tile)
        return out

    np.testing.assert_array_equal(wide(x), x)
    np.testing.assert_array_equal(exact(x), x.astype(ml_dtypes.bfloat16).astype(np.float32))


def test_out_of_bounds_names_index_axis_and_size() -> None:
    @nki1.jit
    def kernel(x: Any) -> Any:
        return nl1.load(x[nl1.arange(128)[:, None], nl1.arange(9)[None, :]])

    with pytest.raises(NkiError, match=r"NKI301 index `.*` reaches 8 on axis 1; `x` has size 8 there"):
        kernel(floats(128, 8))


@pytest.mark.parametrize("decorate", [nki.jit, nki1.jit])
def test_a_shape_equals_the_tuple_and_the_list_of_its_sizes(decorate: Any) -> None:
    @decorate
    def kernel(x: Any) -> Any:
        assert x.shape == (4, 6)
        assert x[0:2].shape == [2, 6]
        assert [4, 6] == x.shape == x.shape
        assert x.shape != [6, 4]
        assert {x.shape: 1}[4, 6]
        assert type(x.shape[0:1]) is tuple
        return x

    kernel(floats(4, 6))


def test_a_pattern_without_elements_is_nowhere_outside() -> None:
    @nki.jit
    def kernel(x: Any, columns: int) -> Any:
        t = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        part = [[64, 128], [1, columns]]
        nisa.dma_copy(dst=t.ap(pattern=part, offset=64 - columns), src=x.ap(pattern=part, offset=64 - columns))
        out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=t)
        return out

    assert [kernel(np.ones((128, 64), np.float32), n).sum() for n in (0, 3)] == [0, 3 * 128]
