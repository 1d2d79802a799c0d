"""The body of a loop is evaluated hardly more often for each loop around it."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest

from nkilint.evaluator.python import summaries
from tests.support.checking import report_on

HEAD = """
import nki
import nki.isa as nisa
import nki.language as nl


class Stack(nl.NKIObject):
    def __init__(self):
        self.used = 0
        self.scopes = [Scope()]

    def take(self, size):
        self.used += size
        self.scopes[-1].most = max(self.scopes[-1].most, self.used)


class Scope(nl.NKIObject):
    def __init__(self):
        self.most = 0


@nki.jit
def kernel(x):
    a, b = x.shape
    stack = Stack()
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
"""
BODIES = {
    "numbers of an object": ["stack.take(64)", "nisa.memset(dst=tile, value=0.0)"],
    "what a loop leaves at once": ["if i{depth} >= b:", "    break", "nisa.memset(dst=tile, value=0.0)"],
    "lists": ["made = []", "for j in range(b):", "    made.append(j)", "nisa.memset(dst=tile, value=0.0)"],
}


def _evaluations(body: list[str], depth: int) -> int:
    lines = []
    for level in range(depth):
        lines.append("    " * (level + 1) + f"for i{level} in range(a):")
        lines += ["    " * (level + 2) + line.format(depth=level) for line in body]
    source = "\n".join([HEAD, *lines, "    nisa.dma_copy(dst=output, src=tile)", "    return output", ""])
    count = 0
    original = summaries.run_iteration

    def run_iteration(*given: Any) -> Any:
        nonlocal count
        count += 1
        return original(*given)

    with mock.patch.object(summaries, "run_iteration", run_iteration):
        report = report_on(source, proofs=False)
    assert [k.verdict for k in report.kernels] != ["violated"]
    return count


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_nested_loops_are_evaluated_a_few_times(body: list[str]) -> None:
    two, four = _evaluations(body, 2), _evaluations(body, 4)
    assert four <= 3 * two, (two, four)
