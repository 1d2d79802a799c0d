"""Where the values that a kernel computes select what is written, nothing is found, and nothing is taken for proved."""

from __future__ import annotations

import pytest

from nkilint_rules.rule import Example
from nkilint_rules.words.dialects import NKI

from ..support.checking import report_on
from ..support.example_source import source_of

PREDICATED = "nisa.tensor_copy_predicated(dst=t, src=x, predicate=chosen)"
GATHERED = (
    "nisa.dma_copy(dst=t, src=a.ap(pattern=[[512, 128], [1, 512]], vector_offset=rows), oob_mode=nisa.oob_mode.skip)"
)
KERNEL = """
chosen = nl.ndarray((128, 512), dtype=nl.uint8, buffer=nl.sbuf)
nisa.memset(chosen, value=1)
rows = nl.ndarray((128, 1), dtype=nl.uint32, buffer=nl.sbuf)
nisa.memset(rows, value=1)
t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
{before}
{call}
nisa.dma_copy(dst=output[0:128, 0:512], src=t)
"""


@pytest.mark.parametrize("call", [PREDICATED, GATHERED], ids=["predicated", "skipped"])
@pytest.mark.parametrize(("before", "verdict"), [("", "incomplete"), ("nisa.memset(t, value=0)", "verified")])
def test_what_values_select_is_not_known(call: str, before: str, verdict: str) -> None:
    source, _ = source_of(Example(KERNEL.format(before=before, call=call), dialect=NKI))
    report = report_on(source, confirm=False)
    assert [d.code for d in report.findings if d.severity == "error"] == []
    assert [kernel.verdict for kernel in report.kernels] == [verdict]
