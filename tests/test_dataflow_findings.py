"""What findings about coverage say: the inputs and the element of a counterexample."""

from __future__ import annotations

import re

from nkilint.findings import Diagnostic

from .checking import report_on

TWO_CONDITIONS = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    B, N, columns = x.shape
    assert columns == 512
    output = nl.ndarray((B, N, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    b = nl.program_id(0)
    for i in nl.affine_range(N // 128):
        tile = nl.load(x[b, nl.ds(i * 128, 128), 0:512])
        nl.store(output[b, nl.ds(i * 128, 128), 0:512], value=tile)
    return output
"""


def sizes_of(d: Diagnostic) -> tuple[int, ...]:
    assert d.witness is not None
    return tuple(map(int, re.findall(r"\d+", str(dict(d.witness.inputs)["x"]))))


def test_a_counterexample_fails_the_stated_condition_alone() -> None:
    report = report_on(TWO_CONDITIONS, select=("NKI3", "NKI7"))
    (tail,) = [d for d in report.diagnostics if d.precondition == "N % 128 == 0"]
    assert tail.code == "NKI703"
    batches, rows, _ = sizes_of(tail)
    assert (batches, rows % 128 != 0) == (1, True)
    assert tail.witness is not None
    assert tail.witness.element is not None
    assert tail.witness.element[0] == 0
