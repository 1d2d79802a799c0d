"""Kernels before and after a change of their text, run and compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.run.engine import check
from nkilint.run.unlike import Change, Compared, compared

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def twice(x):
    n, m = x.shape
    output = nl.ndarray((n, m), dtype=x.dtype, buffer=nl.shared_hbm)
    for row in nl.affine_range(n // 128):
        i, j = row * 128 + nl.arange(128)[:, None], nl.arange(m)[None, :]
        nl.store(output[i, j], value=nl.multiply(nl.load(x[i, j]), 2.0))
    return output


twice(np.zeros((256, 64), dtype=np.float32))
"""
FILE = "k.py"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(FILE).write_text(KERNEL, encoding="utf-8")


def change(old: str, new: str) -> Change:
    assert KERNEL.count(old) == 1
    return Change({FILE: KERNEL.encode()}, {FILE: KERNEL.replace(old, new).encode()})


def one(old: str, new: str) -> Compared:
    (found,) = compared([Path(FILE)], Options(), change(old, new))
    return found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("nl.affine_range", "nl.sequential_range"),
        ("    n, m = x.shape\n", "    n, m = x.shape\n    assert n % 128 == 0\n"),
        ("2.0))", "1.0 + 1.0))"),
    ],
)
def test_what_does_the_same(old: str, new: str) -> None:
    found = one(old, new)
    assert found.runs >= 2
    assert not found.differs


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("2.0))", "3.0))", "element 0 of `result` is"),
        (
            "    n, m = x.shape\n",
            "    n, m = x.shape\n    assert n == 128\n",
            "it does not run any more: line 9: AssertionError",
        ),
        ("    n, m = x.shape\n", "    n, m, k = x.shape\n", "it does not run any more: line 8: ValueError"),
        ("return output", "return x", "element 0 of `result` is"),
        ("nl.arange(m)[None, :]", "1 + nl.arange(m)[None, :]", "of `result` is"),
    ],
)
def test_what_does_something_else(old: str, new: str, reason: str) -> None:
    """Seen on the call in the file, or on sizes that the kernel admits."""
    assert reason in one(old, new).differs


@pytest.mark.parametrize(("old", "new"), [("    return output", "\n    # the end\n    return output"), ("2.0", "2.00")])
def test_nothing_is_run_for_another_layout(old: str, new: str) -> None:
    assert compared([Path(FILE)], Options(), change(old, new)) == []


def test_a_finding_that_a_run_still_shows() -> None:
    """What the analysis takes for repaired and the simulator does not."""
    text = KERNEL.replace("nl.arange(m)[None, :]", "1 + nl.arange(m)[None, :]")
    found = [
        d for d in check([Path(FILE)], Options(), overlay={FILE: text.encode()}).diagnostics if d.trial is not None
    ]
    assert found
    again = replace(change("2.0))", "2.5))"), before={FILE: text.encode()}, gone=found)
    again = replace(again, after={FILE: text.replace("2.0))", "2.5))").encode()})
    (kernel,) = compared([Path(FILE)], Options(), again)
    assert kernel.differs.endswith(f"it still shows {found[0].code}")
