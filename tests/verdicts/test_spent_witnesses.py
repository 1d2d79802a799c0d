"""Counterexamples where the work for them is spent: what breaks the stated condition is looked for by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.confirm import confirm
from nkilint.prover.prover import Prover
from nkilint.prover.witness import LazyModel
from nkilint.run.engine import check

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, rows: int):
    assert x.shape == (rows // 128 * 128, 64)
    out = nl.ndarray((rows // 128 * 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        t = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[i * 128 : i * 128 + 128, :])
        nisa.dma_copy(dst=out[i * 128 : i * 128 + 128, :], src=t)
    return out.reshape((rows, 64))
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(LazyModel, "_known", lambda self: {})
    file = tmp_path / "k.py"
    file.write_text(KERNEL)
    return file


def test_the_condition_is_failed(file: Path) -> None:
    (found,) = confirm(check([file], Options()), Options(), [file], {}).diagnostics
    assert (found.code, found.precondition, found.confirmation) == ("NKI204", "rows % 128 == 0", "confirmed")
    assert found.witness is not None
    assert found.witness.inputs["rows"] % 128 > 0


def test_no_run_is_said_to_contradict_what_has_no_counterexample(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Prover, "witness", lambda *_: {})
    (found,) = confirm(check([file], Options()), Options(), [file], {}).diagnostics
    assert (found.code, found.severity.value, found.confirmation) == ("NKI204", "warning", "not-run")
