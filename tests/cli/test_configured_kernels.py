"""What the configuration says of kernels that are not there is told at its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.cli import main

KERNEL = """\
import nki
import nki.language as nl


@nki.jit
def scale(a):
    return a
"""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.py").write_text(KERNEL, encoding="utf-8")
    Path("other.py").write_text("x = 1\n", encoding="utf-8")


def told(capsys: pytest.CaptureFixture[str], configuration: str, file: str = "nkilint.toml") -> list[str]:
    Path(file).write_text(configuration, encoding="utf-8")
    main(["k.py", "--output-format", "concise", "--select", "NKI004", "--no-confirm"])
    return capsys.readouterr().out.splitlines()


def test_a_kernel_that_is_not_in_its_file(capsys: pytest.CaptureFixture[str]) -> None:
    entries = '[kernels]\n"k.py::scale" = "a: bfloat16[128, 64]"\n"k.py::scal" = "a: bfloat16[128, 64]"\n'
    assert told(capsys, entries) == [
        "nkilint.toml:3:1: NKI004 there is no kernel `scal` in k.py; did you mean `scale`?"
    ]


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    entries = '[tool.nkilint]\n\n[tool.nkilint.kernels]\n"kernels/k.py::scale" = "a: bfloat16[128, 64]"\n'
    assert told(capsys, entries, "pyproject.toml") == ["pyproject.toml:4:1: NKI004 there is no file kernels/k.py"]
    Path("kernels").mkdir()
    Path("kernels/k.py").write_text(KERNEL, encoding="utf-8")  # it is there, and was not asked for
    assert told(capsys, entries, "pyproject.toml") == []


def test_a_version_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    Path("nkilint.toml").write_text('strict = true\nnki-version = "7.5"\n', encoding="utf-8")
    assert main(["k.py"]) == 2
    assert capsys.readouterr().err.startswith("nkilint.toml:2:1: NKI004 there is no version `7.5` of NKI")
    assert main(["k.py", "--no-config", "--nki-version", "7.5"]) == 2
    assert capsys.readouterr().err.startswith("command line: NKI004 there is no version `7.5` of NKI")
