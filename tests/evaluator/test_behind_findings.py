"""What is not known after a finding is open all the same where the finding is none: in a loop that does not run."""

from __future__ import annotations

import pytest

from ..support.checking import report_on

KERNEL = """
from neuronxcc import nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(a):
    n, m = a.shape
    assert n <= m
    y = {start}
    for i in {over}:
        {body}
    out = nl.ndarray((1, 1), dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(a[y : y + 1, 0:1]))
    return out
"""
TOLD = ("y = nothing", "y = 1 // 0", "y = [][0]", "del i\n        y = i", "y = {}[1]")
RAISING = (*TOLD, "y = n.size", "y = min()", "y = 'a' + 1", "y = 'a' < 1")
NEVER = ("range(max(n - m, 0))", "range(n - m)", "range(max(n - m, 0), 0, -1)", "[1] * max(n - m, 0)")


@pytest.mark.parametrize("body", RAISING)
@pytest.mark.parametrize("over", NEVER)
def test_a_loop_that_does_not_run_hides_nothing(over: str, body: str) -> None:
    report = report_on(KERNEL.format(start="n", over=over, body=body))
    assert report.kernels[0].verdict in ("violated", "incomplete")


@pytest.mark.parametrize("body", TOLD)
def test_a_loop_that_runs_is_told_of_alone(body: str) -> None:
    report = report_on(KERNEL.format(start="n", over="range(n)", body=body))
    assert report.kernels[0].verdict == "violated"
    assert [d.code for d in report.findings if d.code == "NKI003"] == []
