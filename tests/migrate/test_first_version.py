"""What is written for 0.2, whose language has no operations that compute."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, flag=True):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.load(x[0:128, 0:64])
    t = {}
    nl.store(out, t)
    return out
"""


def migrated(folder: Path, value: str) -> Migration:
    (folder / "k.py").write_text(KERNEL.format(value))
    return migrate([folder], Options(), "B1", "0.2")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("t * 2.0", "nisa.tensor_scalar(dst=t_multiply, data=t, op0=nl.multiply, operand0=2.0)"),
        ("1.0 - t", "nisa.tensor_scalar(dst=t_subtract, data=t, op0=nl.subtract, operand0=1.0, reverse0=True)"),
        ("t / 4.0", "nisa.tensor_scalar(dst=t_multiply, data=t, op0=nl.multiply, operand0=1 / 4.0)"),
        ("nl.add(t, t)", "nisa.tensor_tensor(dst=t_add, data1=t, data2=t, op=nl.add)"),
        (
            "nl.add(t, 1.0) if flag else t",
            "    if flag:\n        t_add = nl.ndarray(t.shape, dtype=nl.float32, buffer=nl.sbuf)\n"
            "        nisa.tensor_scalar(dst=t_add, data=t, op0=nl.add, operand0=1.0)\n        t = t_add\n",
        ),
    ],
)
def test_numbers_beside_tiles_are_scalars(value: str, written: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, value)
    assert written in result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("1.0 / t", "reciprocal"),
        ("-t", "negative"),
        ("t + nl.sum(t, axis=1, keepdims=True)", "sum"),
        ("nl.exp(t)", "exp"),
    ],
)
def test_what_only_later_versions_have_is_left(value: str, name: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, value)
    assert [n.text for n in result.files[0].notes if n.letter == "P"] == [f"`{name}` is not there before 0.3"]
    assert f"    t = {value}\n" in result.files[0].after.decode()
