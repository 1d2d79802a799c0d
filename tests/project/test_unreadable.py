"""Names that come from modules which are not there, or cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.findings import KernelReport, Report
from nkilint.base.options import Options
from nkilint.run.engine import check

KERNELS = """\
import nki
import nki.isa as nisa
import nki.language as nl
{imports}

@nki.jit
def first(x):
    tile = nl.ndarray((ROWS, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(tile, 0)
    return tile


@nki.jit
def second(x):
    for i in range(ROWS):
        nisa.memset(x[i], 0)
    return helper(x)
"""
OPTIONS = Options(confirm=False)


def checked(folder: Path, imports: str, monkeypatch: pytest.MonkeyPatch) -> Report:
    monkeypatch.chdir(folder)
    (folder / "k.py").write_text(KERNELS.format(imports=imports), encoding="utf-8")
    return check([Path("k.py")], OPTIONS)


def reasons(kernel: KernelReport) -> set[str]:
    return {unknown.reason for unknown in kernel.unknown}


@pytest.mark.parametrize(
    ("imports", "reason"),
    [
        ("from missing import ROWS, helper", "module `missing` is not found"),
        ("from missing.part import ROWS, helper", "module `missing.part` is not found"),
        ("from .missing import ROWS, helper", "module `.missing` is not found"),
        ("import missing\nROWS, helper = missing.ROWS, missing.helper", "module `missing` is not found"),
    ],
)
def test_a_module_that_is_not_found(tmp_path: Path, imports: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    report = checked(tmp_path, imports, monkeypatch)
    assert not report.failures
    assert {d.code for d in report.diagnostics} <= {"NKI003"}
    assert [kernel.verdict for kernel in report.kernels] == ["incomplete", "incomplete"]
    assert all(reason in reasons(kernel) for kernel in report.kernels)


@pytest.mark.parametrize("imports", ["from consts import ROWS, helper", "from .consts import ROWS, helper"])
@pytest.mark.parametrize(
    ("content", "why"),
    [(b"ROWS = 4\0", "the file holds a null byte"), (b"ROWS = '\xff'", "byte 0xff is not valid utf-8")],
)
def test_a_file_that_cannot_be_read(
    tmp_path: Path, imports: str, content: bytes, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named once, however many names come from it."""
    (tmp_path / "consts.py").write_bytes(content)
    report = checked(tmp_path, f"{imports}\nimport consts", monkeypatch)
    assert [(d.at.file, d.message) for d in report.failures] == [("consts.py", why)]
    assert {d.code for d in report.diagnostics} <= {"NKI003"}
    assert [kernel.verdict for kernel in report.kernels] == ["incomplete", "incomplete"]
    assert "`consts.py` cannot be read" in reasons(report.kernels[1])


def test_a_file_that_another_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "consts.py").write_text("from more import ROWS, helper\n", encoding="utf-8")
    (tmp_path / "more.py").write_bytes(b"\xff")
    report = checked(tmp_path, "from consts import ROWS, helper", monkeypatch)
    assert [d.at.file for d in report.failures] == ["more.py"]
