"""Separators of parameters with comments around them, and calls whose arguments stand on lines of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def kernel(
    x,  # input * 1
    SEPARATOR
    scale=1.0,  # small
):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    a = nl.load(x)
    b = nisa.activation(
        op=np.square,
        data=a,
        scale=1.0,
    )
    nl.store(out, value=nl.multiply(b, scale))
    return out
"""


@pytest.mark.parametrize(
    ("separator", "left"),
    [("*,", ""), ("*,  # by name: a * b", "    # by name: a * b\n"), ("# one * two\n    *,", "    # one * two\n")],
)
def test_separators_go_with_their_lines(separator: str, left: str, tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(KERNEL.replace("SEPARATOR", separator))
    after = migrate([file], Options(), "B1", "0.6", verified=False).files[0].after.decode()
    assert f"    x,  # input * 1\n{left}    scale=1.0,  # small\n" in after
    assert "nisa.activation(\n        dst=b,\n        op=nl.square,\n" in after
