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
