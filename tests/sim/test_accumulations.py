"""Accumulations in `affine_range` loops: the verifier and the simulator take the same for a reduction."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import reference_sim

from ..support.checking import report_on

FILE = "accumulations.py"
KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


# nkilint: x: float32[4, 128, 8]
@nki.jit
def kernel(x):
    out = nl.ndarray((4, 128, 8), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.zeros((128, 8), dtype=nl.float32, buffer=nl.sbuf)
    u = nl.zeros((128, 8), dtype=nl.float32, buffer=nl.sbuf)
    rows = nl.arange(128)[:, None]
    columns = nl.arange(8)[None, :]
    for k in nl.affine_range(4):
        nl.store(out[k], u)
    for i in nl.affine_range(4):
        a = nl.load(x[i])
        {body}
    nl.store(out[0], t)
    return out
"""
REDUCTIONS = [
    "t += a",
    "t -= a",
    "t *= a",
    "t /= a",
    "t[...] = t[...] + a",
    "t[...] = a + t[...]",
    "t[...] = t - a",
    "t[...] = t * a",
    "t[...] = nl.maximum(t, a)",
    "t[...] = nisa.tensor_tensor(a, t, op=nl.add)",
    "t[...] = nisa.tensor_tensor(t[...], a, op=np.subtract)",
    "t[0:128, 0:4] = t[0:128, 0:4] + a[0:128, 0:4]",
    "t[rows, columns] = t[rows, columns] + a[rows, columns]",
    "t[0:128, 0:8] = t[...] + a",
    "t[...] = t + u",
    "s = t + a; t[...] = s",
    "t[...] = t + a; t -= a",
    "t[...] = nl.add(t, a, mask=(columns < 4))",
    "for j in nl.affine_range(8): t[0:128, j:j+1] = t[0:128, j:j+1] + a[0:128, j:j+1]",
    "for j in nl.affine_range(2): t[...] = t[...] + a",
    "t[...] = nl.loop_reduce(a, op=np.add, loop_indices=[i])",
    "t = nl.loop_reduce(a, op=np.add, loop_indices=[i])",
]
DEPENDENT = [
    "t[...] = a - t",
    "t[...] = a / t",
    "t[...] = nisa.tensor_tensor(a, t, op=nl.subtract)",
    "t[...] = nl.power(t, a)",
    "t[0:128, i:i+1] = t[0:128, 3-i:4-i] + a[0:128, 0:1]",
    "t[0:128, i+1:i+2] = t[0:128, i:i+1] + a[0:128, 0:1]",
    "t[0:128, 0:4] = t[0:128, 4:8] + a[0:128, 0:4]",
    "t[...] = t + t",
    "t[...] = t + t * a",
    "t[...] = nl.exp(t + a)",
    "t[...] = (t + a) * 2.0",
    "s = t + a; t[...] = s; nl.store(out[i], s)",
    "s = t + a; u[...] = s; t[...] = s",
    "s = t + a; t[...] = a; t[...] = s",
    "t += a; t *= a",
    "t[...] = t + a; t[...] = nl.maximum(t, a)",
    "t += a; nl.store(out[i], t)",
    "t[...] = t + a; nl.store(out[i], t)",
    "t += a; t[...] = a",
]


def findings(body: str) -> tuple[set[str], set[str]]:
    """The codes about loops that the verifier and the simulator give."""
    text = KERNEL.format(body=body)
    report = report_on(text)
    assert not [u for k in report.kernels for u in k.unknown], text
    said = {f.code for f in report.findings if f.code in ("NKI601", "NKI602")}
    linecache.cache[FILE] = (len(text), None, text.splitlines(True), FILE)
    space: dict[str, Any] = {}
    exec(compile(text, FILE, "exec"), space)
    seen = reference_sim.observe(space["kernel"], [np.ones((4, 128, 8), np.float32)])
    assert seen.stopped is None, (seen.stopped, text)
    return said, {f.code for f in seen.findings if f.code in ("NKI601", "NKI602")}


@pytest.mark.parametrize("body", REDUCTIONS)
def test_a_reduction_may_come_in_any_order(body: str) -> None:
    assert findings(body) == (set(), set())


@pytest.mark.parametrize("body", DEPENDENT)
def test_what_depends_on_the_order_is_found(body: str) -> None:
    said, seen = findings(body)
    assert said, body
    assert seen, body


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("t[...] = a; nl.store(out[i], t)", {"NKI602"}),
        ("nl.store(out[i], t); t[...] = a", {"NKI601"}),
        ("t[0:128, 0:4] = a[0:128, 0:4]; nl.store(out[i], t); t[0:128, 4:8] = a[0:128, 4:8]", {"NKI601", "NKI602"}),
    ],
)
def test_iterations_that_write_and_read_one_tensor(body: str, codes: set[str]) -> None:
    assert findings(body)[1] == codes
