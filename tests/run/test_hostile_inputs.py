"""Three hundred files that nobody would write: none stops the analysis, and what cannot be read is said once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from nkilint.cli import main

from ..support.hostile_files import COUNT, FAMILIES
from ..support.processes import environment


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on time and memory")
@pytest.mark.parametrize("family", FAMILIES)
def test_no_file_stops_the_analysis(root: Path, tmp_path: Path, family: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.support.hostile_files", family],
        cwd=tmp_path,
        env=environment(PYTHONWARNINGS="ignore"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2_000:]
    results = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(results) == COUNT
    for result in results:
        assert "stopped" not in result, result
        failures = result["failures"]
        assert len(failures) <= 1, result
        for code, message, row, column in failures:
            assert code == "NKI001", result
            assert 0 < len(message) < 200, result
            assert "\n" not in message, result
            assert row >= 1, result
            assert column >= 1, result
        if result["parses"] is False:
            assert failures, result
        assert all("nkilint failed" not in message for _, message in result["findings"]), result
    assert list(tmp_path.iterdir()) == []


def test_folders_that_lead_back_to_themselves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "k.py").symlink_to(tmp_path / "a" / "k.py")
    (tmp_path / "a" / "gone.py").symlink_to("nowhere.py")
    (tmp_path / "a" / "folder.py").mkdir()
    (tmp_path / "a" / "fine.py").write_text("import nki\n", encoding="utf-8")
    assert main(["--output-format", "concise", str(tmp_path / "a")]) == 2
    shown = capsys.readouterr().out.splitlines()
    assert [line.split(": ", 1)[1].split()[0] for line in shown] == ["NKI001", "NKI001"]
    assert all("cannot read the file" in line for line in shown)


HEAD = "import nki\nimport nki.language as nl\n\n\n@nki.jit\ndef k(x):\n"
TILE = "    t = nl.ndarray((129, 4), dtype=x.dtype, buffer=nl.sbuf)"
ODD: dict[bytes, bytes] = {  # kernels with one fault each
    b"wide.py": f"{HEAD}{TILE}{' ' * 1_000_000}# end\n".encode(),
    b"right.py": f"{HEAD}    u = '{'b' * 1_000_000}'; {TILE.strip()}\n".encode(),
    b"mark.py": b"\xef\xbb\xbf" + f"{HEAD}{TILE}\n".replace("\n", "\r\n").encode(),
    b"mac.py": f"{HEAD}{TILE}\n".replace("\n", "\r").encode(),
    b"feed.py": f"\f{HEAD}\f{TILE}\n".encode(),
    b"open.py": f"{HEAD}{TILE}".encode(),
    b"steered.py": f"{HEAD}{TILE}  # \u202e \x1b[31m\n".encode(),
    b"two\nlines.py": f"{HEAD}{TILE}\n".encode(),
    "spa ce ü.py".encode(): f"{HEAD}{TILE}\n".encode(),
    b"no\xfftext.py": f"{HEAD}{TILE}\n".encode(),
}


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files that can be read, and as many that cannot."""
    monkeypatch.chdir(tmp_path)
    for name, data in ODD.items():
        with open(name, "wb") as file:
            file.write(data)
    with open("huge.py", "wb") as file:
        file.write(b"import nki\n")
        file.truncate(50_000_000)
    Path("null.py").write_bytes(b"import nki\n\0")
    os.mkfifo("pipe.py")
    Path("self.py").symlink_to("self.py")
    Path("folder.py").mkdir()
    Path("around").symlink_to(".")
    return tmp_path


@pytest.mark.skipif(sys.platform != "linux", reason="needs names of files that are no text")
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_odd_files_are_told_in_every_format(odd: Path, root: Path, encoding: str) -> None:
    formats = ("full", "concise", "github", "json", "sarif", "gitlab", "junit")
    files = [argument for name in formats[1:] for argument in ("--output-format", name, "--output-file", name)]
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "nkilint",
            "--no-confirm",
            "--select",
            "NKI0,NKI1",
            "--output-format",
            "full",
            *files,
            ".",
        ],
        env=environment(PYTHONIOENCODING=encoding),
        capture_output=True,
        check=False,
    )
    assert (run.returncode, b"Traceback" in run.stderr) == (2, False), run.stderr
    assert len(run.stdout) < 20_000
    assert max(map(len, run.stdout.splitlines())) < 600
    assert b"\x1b" not in run.stdout
    lines = Path("concise").read_text(encoding="utf-8").splitlines()
    assert sorted(line.split(": ")[1].split()[0] for line in lines) == ["NKI001"] * 4 + ["NKI101"] * len(ODD)
    findings = json.loads(Path("json").read_text(encoding="utf-8"))["diagnostics"]
    assert {os.fsencode(d["filename"]) for d in findings if d["code"] == "NKI101"} == set(ODD)
    (sarif,) = json.loads(Path("sarif").read_text(encoding="utf-8"))["runs"]
    assert len(sarif["results"]) == len(json.loads(Path("gitlab").read_text(encoding="utf-8"))) == len(lines)
    assert len(Path("github").read_text(encoding="utf-8").splitlines()) == len(lines)
    assert len(list(ElementTree.parse("junit").iter("testcase"))) == len(lines)


def test_a_pipe_is_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    assert main(["--output-format", "concise", str(tmp_path)]) == 2
    assert capsys.readouterr().out.endswith("pipe.py:1:1: NKI001 cannot read the file: it is a pipe or a device\n")
