"""What a run tells while it goes on: operations as they begin, how far launches are, and that no latency is known."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np

from reference_sim.running import progress

from ..support.processes import environment
from ..support.terminals import Terminal

ROOT = Path(__file__).parents[2]
PRODUCT = """
import numpy as np, neuronxcc.nki as nki, neuronxcc.nki.isa as nisa, neuronxcc.nki.language as nl

@nki.jit
def product(a, b):
    out = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 512), nl.float32, buffer=nl.psum)
    for k in nl.affine_range(2):
        w = nl.load(a[k * 128 : (k + 1) * 128, :])
        acc += nisa.nc_matmul(w, nl.load(b[k * 128 : (k + 1) * 128, :]))
    nl.store(out, acc)
    return out

product(np.ones((256, 128), np.float32), np.ones((256, 512), np.float32))
"""
TRACE = """\
script.py:6: ndarray(buffer=shared_hbm, shape=[128, 512], dtype=float32) -> float32[128, 512]
script.py:7: zeros(buffer=psum, shape=[128, 512], dtype=float32) -> float32[128, 512]
script.py:9: k=0 load(src=a float32[128, 128] hbm) -> float32[128, 128]
script.py:10: k=0 load(src=b float32[128, 512] hbm) -> float32[128, 512]
script.py:10: k=0 nc_matmul(stationary=w float32[128, 128] sbuf, moving=float32[128, 512] sbuf) -> float32[128, 512]
script.py:10: k=0 acc float32[128, 512] psum is assigned
script.py:9: k=1 load(src=a float32[128, 128] hbm) -> float32[128, 128]
script.py:10: k=1 load(src=b float32[128, 512] hbm) -> float32[128, 512]
script.py:10: k=1 nc_matmul(stationary=w float32[128, 128] sbuf, moving=float32[128, 512] sbuf) -> float32[128, 512]
script.py:10: k=1 acc float32[128, 512] psum is assigned
script.py:11: store(dst=out float32[128, 512] hbm, value=acc float32[128, 512] psum)
"""


def test_each_operation_is_told_as_it_begins(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(PRODUCT)
    done = run(tmp_path, "--trace", "-", "script.py")
    assert (done.returncode, done.stderr) == (0, TRACE)
    done = run(tmp_path, "--trace", "operations.txt", "script.py")
    assert (done.stderr, (tmp_path / "operations.txt").read_text()) == ("", TRACE)


def test_a_trace_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print('ran')\n")
    done = run(tmp_path, "--trace", "missing/operations.txt", "script.py")
    message = "reference_sim: missing/operations.txt cannot be written: No such file or directory\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)
    done = run(tmp_path, "--no-checks", "--trace", "-", "script.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert "it goes without `--no-checks`" in done.stderr


def test_long_launches_tell_how_far_they_are() -> None:
    told: list[str] = []

    @nki.jit
    def kernel(x: Any) -> Any:
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=x)
        now = time.monotonic()
        told.extend((progress.state(now), progress.state(now + 10)))
        return out

    assert progress.state(time.monotonic() + 10) == ""
    nki.simulate(kernel)(np.ones((128, 8), np.float32))
    nki.simulate(kernel[2])(np.ones((128, 8), np.float32))
    assert told[0::2] == ["", "", ""]
    row = kernel.func.__code__.co_firstlineno + 5
    place = f"tests/sim/test_watching.py:{row}"
    shown = [re.sub(r"\b1\d s", "10 s", text.replace(str(ROOT) + os.sep, "")) for text in told[1::2]]
    assert shown == [
        f"kernel: 10 s, 3 steps, 0/s, {place}",
        f"kernel: 10 s, 0 of 2 programs, 3 steps, 0/s, {place}",
        f"kernel: 10 s, 1 of 2 programs, 10 s left, 5 steps, 0/s, {place}",
    ]


def test_the_line_of_a_terminal_is_gone_when_the_launch_ends(monkeypatch: Any) -> None:
    monkeypatch.setattr(progress, "QUIET", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.01)
    stream = Terminal()

    def kernel(x: Any) -> Any:
        while not stream.getvalue():
            time.sleep(0.01)
        return x

    with progress.told(stream):
        nki.simulate(kernel)(np.ones((128, 8), np.float32))
        stream.write("the script goes on")
    *_, line, blank, rest = stream.getvalue().split("\r")
    assert line.startswith("kernel: 0 s, 0 steps")
    assert (blank, rest) == (" " * len(line), "the script goes on")


LATENCIES = """
import math, numpy as np, neuronxcc.nki as nki, neuronxcc.nki.language as nl

def copied(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out

def latency():
    bench = nki.benchmark(copied)
    bench(np.ones((128, 64), np.float32))
    return bench.benchmark_result.nc_latency.get_latency_percentile(99)

def test_bound():
    assert latency() <= 1000

def test_bound_of_what_is_computed():
    assert 1000 > 1.05 * latency() / 1000 + 1

def test_wrong_before():
    measured = latency()
    assert copied is None
    assert measured <= 1000

def test_that_compares_nothing():
    assert math.isnan(latency())
"""


def test_a_test_that_compares_latencies_is_skipped_there(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(LATENCIES)
    done = run(tmp_path, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-p", "no:xdist")
    assert "1 failed, 1 passed, 2 skipped" in done.stdout
    assert "there is no device whose latency could be measured" in done.stdout
    (tmp_path / "script.py").write_text(LATENCIES + "\nprint(latency() <= 1000, latency() + 1)\n")
    assert run(tmp_path, "script.py").stdout == "False nan\n"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "reference_sim", *arguments]
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
