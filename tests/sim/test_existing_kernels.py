"""What kernels of Beta 1 rely on beyond the documented API, one test for each habit."""

from __future__ import annotations

from typing import Any

import neuronxcc.nki as nki1
import neuronxcc.nki.isa as nisa1
import neuronxcc.nki.language as nl1
import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest

import reference_sim
from reference_sim import NkiError

from .doubling import ones


def test_print_shows_the_elements_of_a_tensor(capsys: pytest.CaptureFixture[str]) -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        print(tile)
        nisa.dma_copy(dst=tile, src=x)
        print(tile)
        return x

    kernel(np.array([[1, 2, 3]], np.int32))
    head = "<sbuf tensor tile[1, 3] int32>"
    assert capsys.readouterr().out == f"{head}\n[[4 4 4]]\n{head}\n[[1 2 3]]\n"


# Indices


def test_out_of_bounds_is_an_index_error_that_names_index_axis_and_size() -> None:
    x, rows = np.zeros((8, 4), np.float32), np.array([[0], [9]], np.int32)

    def gather(mode: Any) -> Any:
        @nki1.jit
        def kernel(x: Any, rows: Any) -> Any:
            out = nl1.ndarray((2, 4), dtype=x.dtype, buffer=nl1.shared_hbm)
            tile = nl1.zeros((2, 4), x.dtype)
            p, f = nl1.mgrid[0:2, 0:4]
            nisa1.dma_copy(src=x[nl1.load(rows), f], dst=tile[p, f], oob_mode=mode)
            nl1.store(out, tile)
            return out

        return kernel

    with pytest.raises(IndexError, match="index 36 is out of bounds for axis 0 with size 32"):
        gather(nisa1.oob_mode.error)(x, rows)
    assert gather(nisa1.oob_mode.skip)(x, rows).shape == (2, 4)
    assert issubclass(NkiError, IndexError)


@pytest.mark.parametrize("mode", [nisa1.oob_mode.error, nisa1.oob_mode.skip])
def test_an_index_beside_one_that_a_tile_holds_is_compared_with_its_own_axis(mode: Any) -> None:
    rows = np.array([[0], [2]], np.int32)

    def copied(width: int, stored: bool, masked: bool = False) -> Any:
        @nki1.jit
        def kernel(x: Any, rows: Any) -> Any:
            out = nl1.ndarray((4, 4), x.dtype, buffer=nl1.shared_hbm)
            nl1.store(out, nl1.zeros((4, 4), x.dtype))
            _, f = nl1.mgrid[0:2, 0:width]
            kept = f < 4 if masked else None
            tile = nl1.zeros((2, width), x.dtype)
            if stored:
                nisa1.dma_copy(src=tile, dst=out[nl1.load(rows), f], mask=kept, oob_mode=mode)
            else:
                nisa1.dma_copy(src=x[nl1.load(rows), f], dst=tile, mask=kept, oob_mode=mode)
            return out

        return kernel(np.zeros((4, 4), np.float32), rows)

    for stored, tensor in ((False, "x"), (True, "out")):
        copied(4, stored)
        copied(5, stored, masked=True)
        with pytest.raises(IndexError, match=f"index `f` reaches 4 on axis 1; `{tensor}` has size 4 there"):
            copied(5, stored)


@pytest.mark.parametrize("last", [3, 4])
def test_an_index_that_a_tile_holds_is_compared_with_its_own_axis(last: int) -> None:
    @nki1.jit
    def kernel(x: Any, columns: Any) -> Any:
        tile = nl1.zeros((2, 1), x.dtype)
        p = nl1.arange(2)[:, None]
        nisa1.dma_copy(src=x[p, nl1.load(columns)], dst=tile)
        out = nl1.ndarray((2, 1), dtype=x.dtype, buffer=nl1.shared_hbm)
        nl1.store(out, tile)
        return out

    x, columns = np.arange(16, dtype=np.float32).reshape(4, 4), np.array([[0], [last]], np.int32)
    if last == 3:
        np.testing.assert_array_equal(kernel(x, columns), [[0], [7]])
    else:
        with pytest.raises(IndexError, match="index 4 is out of bounds for axis 1 with size 4"):
            kernel(x, columns)


@pytest.mark.parametrize("depth", [1, 4])
def test_an_index_beside_one_that_a_register_moves_is_compared_with_its_own_axis(depth: int) -> None:
    @nki1.jit
    def kernel(x: Any, offsets: Any) -> Any:
        tile = nl1.load(x)
        held = nl1.load(offsets)
        p, _, f = nl1.mgrid[0:2, 0:1, 0:4]
        out = nl1.ndarray((2, 1, 4), dtype=x.dtype, buffer=nl1.shared_hbm)
        nl1.store(out, nisa1.tensor_copy_dynamic_src(tile[p, held[0, 0], f]))
        return out

    x, offsets = np.zeros((2, 8, depth), np.float32), np.array([[1]], np.int32)
    if depth == 4:
        kernel(x, offsets)
    else:
        with pytest.raises(IndexError, match="index `f` reaches 3 on axis 2"):
            kernel(x, offsets)


def test_additions_at_positions_that_a_tile_holds_leave_out_what_the_mask_does() -> None:
    @nki1.jit
    def kernel(x: Any, rows: Any) -> Any:
        out = nl1.ndarray((4, 4), x.dtype, buffer=nl1.shared_hbm)
        nl1.store(out, nl1.zeros((4, 4), x.dtype))
        p, f = nl1.mgrid[0:2, 0:4]
        nisa1.dma_copy(src=nl1.load(x[p, f]), dst=out[nl1.load(rows), f], mask=f < 3, dst_rmw_op=np.add)
        return out

    x, rows = np.ones((4, 4), np.float32), np.array([[1], [1]], np.int32)
    np.testing.assert_array_equal(kernel(x, rows), np.array([[0] * 4, [2, 2, 2, 0], [0] * 4, [0] * 4]))


def test_masks_joined_with_and_run_and_are_recorded() -> None:
    @nki1.jit
    def kernel(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        i, j = nl1.mgrid[0:128, 0:8]
        tile = nl1.load(x[i, j], mask=(i < x.shape[0] and j < 8))
        nl1.store(out[i, j], tile, mask=(j < 8 and i < x.shape[0]))
        return out

    np.testing.assert_array_equal(kernel(ones(128, 8)), ones(128, 8))
    assert all(finding.severity == "warning" for finding in reference_sim.FINDINGS.items)


def test_mesh_grids_unpack_and_have_names_and_index_tiles() -> None:
    @nki1.jit
    def kernel(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        ix, iy = nl1.mgrid[0:16, 0:8]
        m = nl1.mgrid[0:16, 0:8]
        tile = nl1.load(x[ix, iy])
        nl1.store(out[m.p, m.x], tile[nl1.mgrid[0:16, 0:8]])
        return out

    @nki1.jit
    def three(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        m = nl1.mgrid[0:4, 0:3, 0:2]
        nl1.store(out[m.p, m.x, m.y], nl1.load(x[m.p, m.x, m.y]))
        return out

    x = np.arange(128, dtype=np.float32).reshape(16, 8)
    np.testing.assert_array_equal(kernel(x), x)
    np.testing.assert_array_equal(three(x.ravel()[:24].reshape(4, 3, 2)), x.ravel()[:24].reshape(4, 3, 2))


@pytest.mark.parametrize("loop", ["affine_range", "sequential_range", "static_range"])
def test_loop_variables_enter_slices_grids_and_python(loop: str) -> None:
    @nki1.jit
    def kernel(x: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        names = ["a", "b", "c", "d"]
        for i in getattr(nl1, loop)(4):
            assert names[i] == "abcd"[int(i)]
            rows = i * 4 + nl1.arange(4)[:, None]
            columns = nl1.arange(8)[None, :]
            tile = nl1.load(x[rows, columns])
            more = nl1.load(x[i * 4 : (i + 1) * 4, nl1.ds(0, 8)])
            nl1.store(out[nl1.ds(i * 4, 4), :], nl1.add(tile, more) * (2 if i == 0 else i / i))
        return out

    x = np.ones((16, 8), np.float32)
    np.testing.assert_array_equal(kernel(x)[:, 0], [4] * 4 + [2] * 12)


def test_the_partition_dimension_stands_in_any_position() -> None:
    @nki1.jit
    def kernel(x: Any) -> Any:
        out = nl1.ndarray((2, 3, 16, 8), dtype=x.dtype, buffer=nl1.shared_hbm)
        first = nl1.ndarray((nl1.par_dim(16), 8), dtype=x.dtype, buffer=nl1.sbuf)
        third = nl1.ndarray((2, 3, nl1.par_dim(16), 8), dtype=x.dtype, buffer=nl1.sbuf)
        first[...] = nl1.load(x)
        for i in nl1.affine_range(2):
            for j in nl1.affine_range(3):
                third[i, j] = nl1.multiply(first, 10 * i + j)
        for i in nl1.affine_range(2):
            for j in nl1.affine_range(3):
                nl1.store(out[i, j], third[i, j])
        return out

    found = kernel(ones(16, 8))
    np.testing.assert_array_equal(found[:, :, 0, 0], [[0, 1, 2], [10, 11, 12]])


# The newer namespace
