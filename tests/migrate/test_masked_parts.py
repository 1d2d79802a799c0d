"""What is assigned under a mask to elements that there are: those that the mask leaves out keep their values."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def masked(x):
    assert x.shape == (128, 256)
    i = nl.arange(128)[:, None]
    j = nl.arange(256)[None, :]
    k = nl.arange(1)[None, :]
    a = nl.load(x, dtype=nl.float32)
    b = nl.full((128, 256), 2, dtype=nl.int32, buffer=nl.sbuf)
    out = nl.ndarray((128, 256), dtype=nl.int32, buffer=nl.shared_hbm)
"""
END = """
    nl.store(out, b)
    return out
"""
BLOCKS = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def blocks(x):
    assert x.shape == (100, 250)
    out = nl.ndarray((100, 250), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:64, 0:128]
    for p in nl.affine_range(2):
        for f in nl.affine_range(2):
            inside = (p * 64 + i < 100) & (f * 128 + j < 250)
            a = nl.load(x[nl.ds(p * 64, 64), nl.ds(f * 128, 128)], mask=inside)
            nl.store(out[nl.ds(p * 64, 64), nl.ds(f * 128, 128)], a, mask=inside)
    return out
"""


@pytest.mark.parametrize(
    ("statement", "written"),
    [
        ("b[i, j] = nl.exp(a[i, j], mask=j < 100)", "b[0:128, 0:100] = nl.exp(a[0:128, 0:100])"),
        ("b[i, j] = nl.multiply(a[i, j], a[i, 0], mask=j < 100)", "b[0:128, 0:100] = multiply_tile[:, 0:100]"),
        ("b[i, j] = nl.add(a[i, j], 3, mask=(i < 7) & (j < 9))", "b[0:7, 0:9] = value[0:7, 0:9]"),
        ("b[i, k] = nl.sum(a[i, j], axis=1, keepdims=True, mask=(i < 9) & (j < 50))", "b[0:9, 0:1] = nl.sum(a[0:9, "),
        ("b[i, j] += nl.exp(a[i, j], mask=i < 100)", "data2=nl.exp(a[0:100, 0:256]), op=nl.add)"),
        ("b[i, j] -= nl.add(b[i, j], 1, mask=i < 5)", "data1=b[0:5, 0:256], data2=value[0:5], op=nl.subtract)"),
        ("b[i, j] += nisa.tensor_copy(b[i, j], mask=j < 5)", "data1=b[0:128, 0:5], data2=tensor_copy_tile[:, 0:5]"),
        (
            "b[i, j] = nisa.tensor_scalar(a[i, j], nl.multiply, 8.0, dtype=nl.bfloat16, mask=j < 100)",
            "nisa.tensor_copy(dst=b[0:128, 0:100], src=tensor_scalar_tile[:, 0:100])",
        ),
    ],
)
def test_elements_that_a_mask_leaves_out_keep_their_values(statement: str, written: str, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(f"{HEAD}    {statement}{END}")
    done = migrate([file], Options(), "B1", "0.6")
    assert [(k.state, k.problems) for k in done.kernels] == [("migrated", ())]
    assert done.kernels[0].runs
    assert written in done.files[0].after.decode()


def test_a_mask_shortens_slices_of_given_sizes(tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(BLOCKS)
    done = migrate([file], Options(), "B1", "0.6")
    assert [(k.state, k.problems) for k in done.kernels] == [("migrated", ())]
    assert done.kernels[0].runs
    assert "out[nl.ds(p * 64, min(64, 100 - p * 64)), nl.ds(f * 128, min(128, 250 - f * 128))]" in (
        done.files[0].after.decode()
    )


PRODUCTS = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def product(a, b):
    K, M = a.shape
    L, N = b.shape
    assert K == L and K <= 128
    out = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    x, y = nl.load(a), nl.load(b)
    i_k, i_p = nl.arange(K)[:, None], nl.arange(128)[:, None]
    i_k2 = nl.arange(K)[None, :]
    i_m, i_n = nl.arange(128)[None, :], nl.arange(512)[None, :]
    for m in nl.affine_range((M + 127) // 128):
        for n in nl.affine_range((N + 511) // 512):
            sums = nl.zeros((nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.psum)
            PRODUCT
            done = nl.copy(sums)
            inside = (m * 128 + i_p < M) & (n * 512 + i_n < N)
            nl.store(out[m * 128 + i_p, n * 512 + i_n], value=done[i_p, i_n], mask=inside)
    return out
"""
LEFT, RIGHT = "x[i_k, m * 128 + i_m][m * 128 + i_m < M]", "y[i_k, n * 512 + i_n][n * 512 + i_n < N]"


@pytest.mark.parametrize(
    "statement",
    [
        f"sums[i_p, i_n] += nisa.nc_matmul({LEFT}, {RIGHT})",
        f"sums += nisa.nc_matmul({LEFT}, {RIGHT})",
        f"sums[i_p, i_n] = nisa.nc_matmul({LEFT}, {RIGHT})",
        f"sums[i_p, i_n] += nl.matmul({LEFT}, {RIGHT}, transpose_x=True)",
    ],
)
def test_masks_of_operands_bound_their_product(statement: str, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(PRODUCTS.replace("PRODUCT", statement))
    done = migrate([file], Options(), "B1", "0.6")
    assert [(k.state, k.problems) for k in done.kernels] == [("migrated", ())], done.files[0].after.decode()
    assert done.kernels[0].runs
    assert "dst=sums[0:min(128, M - m * 128), 0:min(512, N - n * 512)]" in done.files[0].after.decode()


@pytest.mark.parametrize(
    "statement",
    [
        f"sums[i_p, i_n] += nl.matmul(nl.transpose(x)[i_p, i_k2][m * 128 + i_p < M], {RIGHT})",  # not transposed
        f"sums[i_p, i_n] += nisa.nc_matmul({LEFT.replace('< M', '>= M // 2')}, {RIGHT})",  # not from the first on
    ],
)
def test_masks_of_operands_that_bound_it_otherwise(statement: str, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(PRODUCTS.replace("PRODUCT", statement))
    done = migrate([file], Options(), "B1", "0.6")
    assert [k.state for k in done.kernels] in (["left"], ["failed"])


CHOSEN = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def chosen(x, turned=False):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    other = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:64]
    for t in nl.affine_range((rows + 127) // 128):
        for c in nl.affine_range((columns + 63) // 64):
            inside = (t * 128 + i < rows) & (c * 64 + j < columns)
            tile = nl.load(x[t * 128 + i, c * 64 + j], mask=inside)
            nl.store(out[t * 128 + i, c * 64 + j] if turned else other[t * 128 + i, c * 64 + j], tile, mask=inside)
            nl.store(other[t * 128 + i, c * 64 + j] if turned else out[t * 128 + i, c * 64 + j], tile, mask=inside)
    return out, other
"""


def test_a_mask_bounds_both_of_two_parts(tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(CHOSEN)
    done = migrate([file], Options(), "B1", "0.6")
    assert [(k.state, k.problems) for k in done.kernels] == [("migrated", ())], done.files[0].after.decode()
    part = "t * 128:t * 128 + min(128, rows - t * 128), c * 64:c * 64 + min(64, columns - c * 64)"
    assert f"out[{part}] if turned else other[{part}]" in done.files[0].after.decode()
