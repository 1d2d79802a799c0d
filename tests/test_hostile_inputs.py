"""Three hundred files that nobody would write: none stops the analysis, and what cannot be read is said once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nkilint.cli import main

from .hostile_files import COUNT, FAMILIES


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on time and memory")
@pytest.mark.parametrize("family", FAMILIES)
def test_no_file_stops_the_analysis(root: Path, tmp_path: Path, family: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.hostile_files", family],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{root}:{root / 'rules'}", "PYTHONWARNINGS": "ignore"},
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


def test_a_pipe_is_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    assert main(["--output-format", "concise", str(tmp_path)]) == 2
    assert capsys.readouterr().out.endswith("pipe.py:1:1: NKI001 cannot read the file: it is a pipe or a device\n")
