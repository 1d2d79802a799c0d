"""Launches for whose shapes everything is proved run without checks, and all others with them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import environment

SCRIPT = """\
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

ROWS = 128


@nki.jit
def double(x, times=2):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(x.shape[0] // ROWS):
        rows = nl.ds(i * ROWS, ROWS)
        nl.store(out[rows, :], nl.multiply(nl.load(x[rows, :]), times))
    return out


def main():
    from reference_sim.machine.program import Program
    checked, made = [], Program.__init__
    Program.__init__ = lambda self, launch, *index: (checked.append(launch.checks), made(self, launch, *index))[1]
    BODY
    print(checked)


if __name__ == "__main__":
    main()
"""


def run(folder: Path, body: str, *options: str, text: str = SCRIPT) -> str:
    (folder / "script.py").write_text(text.replace("BODY", body), encoding="utf-8")
    command = [sys.executable, "-m", "nkilint", "run", *options, "script.py"]
    ran = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    return ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("body", "checked"),
    [
        ("double(np.ones((256, 8), np.float32))", "[False]"),
        ("double(np.ones((256, 8), np.float32), times=3.0)", "[False]"),
        ("x = np.ones((384, 4), np.float32); double(x); double(x); double(x[:128])", "[False, False, False]"),
        ("double(np.ones((256, 8), np.float32), times=np.float32(3))", "[True]"),
        ("globals().update(ROWS=64); double(np.ones((256, 8), np.float32))", "[True]"),
    ],
    ids=["default", "given", "several shapes", "not plain", "another value in the module"],
)
def test_what_is_proved_is_not_checked(tmp_path: Path, body: str, checked: str) -> None:
    assert run(tmp_path, body, "--trust-proofs") == f"{checked}\n"


def test_without_the_option_all_is_checked(tmp_path: Path) -> None:
    assert run(tmp_path, "double(np.ones((256, 8), np.float32))") == "[True]\n"


def test_what_is_wrong_for_some_shapes_is_found(tmp_path: Path) -> None:
    """The last rows of 200 are written by nobody."""
    body = "double(np.ones((128, 8), np.float32)); print(checked); double(np.ones((200, 8), np.float32))"
    told = run(tmp_path, body, "--trust-proofs")
    assert told.startswith("[False]\n")
    assert "NKI703" in told


def test_arrays_that_share_memory_are_checked(tmp_path: Path) -> None:
    text = SCRIPT.replace("times=2)", "times)").replace("times))", "nl.load(times[rows, :])))")
    body = "x = np.ones((256, 8), np.float32); double(x, np.ones((256, 8), np.float32)); double(x, x); double(x, x[:])"
    assert run(tmp_path, body, "--trust-proofs", text=text) == "[False, True, True]\n"
