"""`nkilint check` and `nkilint run` judge a kernel for the same device."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

NKI = """
import numpy as np, nki, nki.isa as nisa, nki.language as nl

@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=x[0:1, 0:1], src=x[1:2, 0:1])
    wide = nl.ndarray((128, 60000), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(wide, 0.0)
    nisa.dma_copy(dst=wide[:, 0:4], src=x)
    BODY
    nisa.dma_copy(dst=out, src=wide[:, 0:4])
    return out

x = np.arange(512, dtype=np.float32).reshape(128, 4)
nki.simulate(kernel)(x)
print("ran, and x[0, 0] is", int(x[0, 0]))
"""
BETA1 = """
import numpy as np, neuronxcc.nki as nki, neuronxcc.nki.language as nl

@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    wide = nl.zeros((128, 60000), dtype=nl.float32, buffer=nl.sbuf)
    nl.store(out, nl.load(x) + wide[0:128, 0:4])
    return out

nki.simulate_kernel(kernel, np.ones((128, 4), np.float32))
print("ran")
"""
ONLY_TRN3 = "nisa.exponential(dst=wide[:, 0:4], src=wide[:, 0:4])"
ON_NONE = "nl.divide(wide[:, 0:4], wide[:, 0:4])"
TRN1 = '[tool.nkilint]\ntarget = "trn1"\n'
TRN3 = '[tool.nkilint]\ntarget = "trn3"\n'


@pytest.mark.parametrize(
    ("script", "configuration", "options", "device"),
    [
        (NKI.replace("BODY", "pass"), "", [], "trn2"),
        (NKI.replace("BODY", ONLY_TRN3), "", [], ""),  # trn3, which has room for it
        (NKI.replace("BODY", ON_NONE), "", [], "trn2"),
        (NKI.replace("BODY", "pass"), TRN3, [], ""),
        (NKI.replace("BODY", "pass"), TRN1, [], "trn1"),
        (NKI.replace("BODY", "pass"), TRN1, ["--target", "trn3"], ""),
        (BETA1, "", [], "trn2"),
        (BETA1, TRN1, [], "trn1"),
        (BETA1, TRN3, [], ""),
    ],
)
def test_both_judge_for_one_device(
    tmp_path: Path, script: str, configuration: str, options: list[str], device: str
) -> None:
    (tmp_path / "script.py").write_text(script)
    (tmp_path / "pyproject.toml").write_text(configuration)
    ran = _nkilint(tmp_path, "run", *options, "script.py")
    checked = _nkilint(tmp_path, "--no-cache", "--no-confirm", "--select", "NKI410", *options, "script.py")
    told = "" if not device else f"NKI410 a tile takes 240000 bytes of each partition; SBUF of {device} has"
    for done in (ran, checked):
        assert ("NKI410" in done.stdout + done.stderr, told in done.stdout + done.stderr) == (bool(device), True)
        assert done.returncode == (1 if device else 0)
    if not device and script != BETA1:
        assert ran.stdout == "ran, and x[0, 0] is 4\n"


def test_a_broken_configuration_is_told_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print('ran')\n")
    (tmp_path / "nkilint.toml").write_text('strict = true\ntarget = "trn9"\n')
    done = _nkilint(tmp_path, "run", "script.py")
    message = "nkilint.toml:2:1: NKI004 unknown target `trn9`; known are trn1, inf2, trn2, trn3\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


def _nkilint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nkilint", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
