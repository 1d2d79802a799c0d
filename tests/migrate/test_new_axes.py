"""New axes in subscripts are put in behind the slices, which `nki` does not have beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

KERNEL = """\
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, bias):
    n, d = x.shape
    assert n <= 128 and bias.shape == (d,)
    t = nl.load(x)
    RESULT
    out = nl.ndarray(result.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, result)
    return out
"""


def _migrated(result: str, folder: Path, to: str = "0.6") -> Migration:
    (folder / "kernel.py").write_text(KERNEL.replace("RESULT", result))
    return migrate([folder], Options(), "B1", to)


@pytest.mark.parametrize(
    ("result", "written"),
    [
        ("result = t + nl.load(bias[None, :]).broadcast_to((n, d))", "nl.load(nl.expand_dims(bias, 0))"),
        ("result = t + nl.load(bias[np.newaxis, :]).broadcast_to((n, d))", "nl.load(nl.expand_dims(bias, 0))"),
        ("result = nl.copy(nl.load(bias[None, 0:1]))", "nl.load(nl.expand_dims(bias[0:1], 0))"),
        ("result = nl.load(x[0, None, :])", "nl.load(nl.expand_dims(x[0, :], 0))"),
        ("result = t[:, :, None].broadcast_to((n, d, 4))", "nl.broadcast_to(nl.expand_dims(t, 2), (n, d, 4))"),
        ("result = nl.exp(t[:, None, 0:1])", "nl.exp(nl.expand_dims(t[:, 0:1], 1))"),
        ("result = nl.exp(t[:, None, :, None])", "nl.exp(nl.expand_dims(nl.expand_dims(t, 1), 3))"),
    ],
    ids=["vector", "numpy's name", "slice", "number before", "last", "between", "two"],
)
def test_a_new_axis_is_put_in(result: str, written: str, tmp_path: Path) -> None:
    found = _migrated(result, tmp_path)
    assert written in found.files[0].after.decode()
    assert [(k.state, k.problems) for k in found.kernels] == [("migrated", ())]


@pytest.mark.parametrize(
    ("result", "to"),
    [
        ("result = nl.load(bias[None, :])", "0.2"),
        (
            "result = nl.ndarray((n, d), dtype=x.dtype, buffer=nl.sbuf)\n    result[:, None, :] = nl.expand_dims(t, 1)",
            "0.6",
        ),
    ],
    ids=["before it can be", "written to"],
)
def test_a_new_axis_that_stays_is_told(result: str, to: str, tmp_path: Path) -> None:
    found = _migrated(result, tmp_path, to)
    assert [k.state for k in found.kernels] == ["left"]
    assert any("new axis" in n.text for n in found.files[0].notes)
