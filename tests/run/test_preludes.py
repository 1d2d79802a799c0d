"""Files without imports: what stands unseen at their head."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.cli import main

KERNEL = """\
@nki.jit
def kernel(a):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((ROWS, 64), dtype=a.dtype, buffer=nl.sbuf)
    put(tile, a[0:ROWS, 0:64])
    return out
"""
PRELUDE = """\
import nki
import nki.isa as nisa
import nki.language as nl
ROWS = 256
def put(dst, src):
    for _ in range(1):
        nisa.dma_copy(dst=dst, src=src)
"""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NKILINT_NO_CACHE", "1")
    Path("k.py").write_text(KERNEL, encoding="utf-8")


def lines(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    main(["check", "k.py", "--output-format", "concise", *arguments])
    return capsys.readouterr().out.splitlines()


def test_without_imports_names_are_undefined(capsys: pytest.CaptureFixture[str]) -> None:
    assert {line.split()[1] for line in lines(capsys, "--no-confirm")} == {"NKI808"}


@pytest.mark.parametrize("dialect", ["nki", "neuronxcc"])
def test_imports_are_assumed(capsys: pytest.CaptureFixture[str], dialect: str) -> None:
    found = lines(capsys, "--no-confirm", "--assume-imports", dialect)
    undefined = {line.partition(" NKI808 ")[2] for line in found if "NKI808" in line}
    assert undefined == {"`ROWS` is not defined", "`put` is not defined"}


def test_a_prelude_is_read_and_run(capsys: pytest.CaptureFixture[str]) -> None:
    Path("prelude.py").write_text(PRELUDE, encoding="utf-8")
    found = lines(capsys, "--prelude", "prelude.py")
    assert found[0].startswith("k.py:4:12: NKI101 tile [256, 64] spans 256 partitions")
    main(["check", "k.py", "--prelude", "prelude.py"])
    assert "confirmed by the reference simulator" in capsys.readouterr().out
    assert not [line for line in found if "NKI808" in line]


def test_what_a_file_binds_itself_comes_after_the_prelude(capsys: pytest.CaptureFixture[str]) -> None:
    Path("prelude.py").write_text(PRELUDE, encoding="utf-8")
    Path("k.py").write_text("ROWS = 128\n" + KERNEL, encoding="utf-8")
    assert not [line for line in lines(capsys, "--prelude", "prelude.py", "--no-confirm") if "NKI101" in line]


def test_kernels_that_only_a_prelude_differs_for_are_told_apart(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NKILINT_NO_CACHE")
    prelude = Path("prelude.py")
    prelude.write_text(PRELUDE, encoding="utf-8")
    assert "256 partitions" in "".join(lines(capsys, "--prelude", "prelude.py", "--no-confirm"))
    prelude.write_text(PRELUDE.replace("256", "128"), encoding="utf-8")
    assert "partitions" not in "".join(lines(capsys, "--prelude", "prelude.py", "--no-confirm"))


@pytest.mark.parametrize(
    ("text", "row", "problem"), [("x = (", 1, "is not Python"), ("a = 1\nb =", 2, "is not Python")]
)
def test_a_faulty_prelude_is_told(capsys: pytest.CaptureFixture[str], text: str, row: int, problem: str) -> None:
    Path("prelude.py").write_text(text, encoding="utf-8")
    assert main(["check", "k.py", "--prelude", "prelude.py"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"prelude.py:{row}:1: NKI004 is not Python")
