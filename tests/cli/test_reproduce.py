"""`nkilint reproduce`: the tests that it prints fail before a repair and pass after it, when pytest runs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nkilint.cli import main
from tests.support.processes import environment

KERNELS = '''\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def wide(a):
    """Says "two hundred"."""
    assert a.shape == (200, 64)
    out = nl.ndarray((200, 64), dtype=a.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((200, 64), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def unread(a):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out[0:128, 0:a.shape[1]], src=a[0:128, 0:a.shape[1]])
    return out


@nki.jit
def fine(a):
    assert a.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=a)
    return out
'''
BETA1 = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


def made(factor, dtype):
    @nki.jit
    def scaled(x, transposed=False):
        out = nl.ndarray(x.shape, dtype=dtype, buffer=nl.shared_hbm)
        i = nl.arange(128)[:, None]
        j = nl.arange(64)[None, :]
        nl.store(out[i, j], nl.multiply(nl.load(x[i, j]), factor))
        return out

    return scaled
"""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.py").write_text(KERNELS, encoding="utf-8")
    Path("old.py").write_text(BETA1, encoding="utf-8")


def run_tests() -> tuple[int, str]:
    """What pytest says of the tests in the file."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_k.py"]
    alone = environment() | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=alone, check=False)
    return done.returncode, done.stdout


def reproduced(capsys: pytest.CaptureFixture[str], asked: str) -> str:
    assert main(["reproduce", asked]) == 0
    printed = capsys.readouterr().out
    Path("test_k.py").write_text(printed, encoding="utf-8")
    return printed


def test_a_test_fails_until_the_fault_is_gone(capsys: pytest.CaptureFixture[str]) -> None:
    printed = reproduced(capsys, "k.py::wide:NKI101")
    assert "def test_wide_partition_limit() -> None:" in printed
    assert '{"a": "float32[200, 64]"}' in printed
    code, told = run_tests()
    assert code == 1
    assert "tile [200, 64] spans 200 partitions; trn2 has 128" in told
    Path("k.py").write_text(KERNELS.replace("200", "128"), encoding="utf-8")
    code, told = run_tests()
    assert (code, "1 passed" in told) == (0, True), told


def test_a_kernel_may_refuse_such_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    reproduced(capsys, "k.py::unread")
    assert run_tests()[0] == 1
    stated = KERNELS.replace("def unread(a):\n", "def unread(a):\n    assert a.shape[0] == 128\n")
    Path("k.py").write_text(stated, encoding="utf-8")
    assert run_tests()[0] == 0


def test_a_kernel_that_does_not_run_at_all_does_not_pass(capsys: pytest.CaptureFixture[str]) -> None:
    reproduced(capsys, "k.py::wide:NKI101")
    broken = KERNELS.replace("    tile = ", "    raise ValueError\n    tile = ", 1)
    Path("k.py").write_text(broken, encoding="utf-8")
    assert run_tests()[0] == 1


def test_a_kernel_that_a_function_makes(capsys: pytest.CaptureFixture[str]) -> None:
    printed = reproduced(capsys, "old.py::made.scaled")
    assert "around={" in printed
    assert run_tests()[0] == 1
    stated = BETA1.replace("        out =", "        assert x.shape == (128, 64)\n        out =")
    Path("old.py").write_text(stated, encoding="utf-8")
    assert run_tests()[0] == 0


@pytest.mark.parametrize(
    ("asked", "code", "told"),
    [
        ("k.py::fine", 1, "nothing is found in `fine`"),
        ("k.py::wide:NKI301", 1, "nothing is found under NKI301 in `wide`"),
        ("k.py::wode", 2, "there is no kernel `wode` in k.py; it has"),
        ("k.py", 2, "name a kernel, as in FILE::KERNEL"),
        ("missing.py::wide", 2, "no such file"),
    ],
)
def test_what_cannot_be_reproduced_is_told(
    capsys: pytest.CaptureFixture[str], asked: str, code: int, told: str
) -> None:
    assert main(["reproduce", asked]) == code
    printed = capsys.readouterr()
    assert told in printed.err
    assert printed.out == ""


def test_helpers_are_found_where_the_configuration_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "sizes.py").write_text("ROWS = 200\n", encoding="utf-8")
    (tmp_path / "nkilint.toml").write_text('search-paths = ["shared"]\n', encoding="utf-8")
    (tmp_path / "kernels").mkdir()
    file = Path("kernels/k.py")
    text = KERNELS.replace("(200, 64), dtype=a.dtype, buffer=nl.sbuf", "(ROWS, 64), dtype=a.dtype, buffer=nl.sbuf")
    file.write_text("from sizes import ROWS\n" + text, encoding="utf-8")
    assert main(["reproduce", f"{file}::wide:NKI101"]) == 0
    made = capsys.readouterr().out
    assert 'search_paths=["shared"],' in made
    (tmp_path / "test_k.py").write_text(made, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_k.py"]
    ran = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert (ran.returncode, "NKI101" in ran.stdout) == (1, True)
    (tmp_path / "shared" / "sizes.py").write_text("ROWS = 100\n", encoding="utf-8")
    ran = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert "NKI101" not in ran.stdout.replace("NKI101 on line", "").replace("['NKI101']", "")
