"""Another evaluation doubts what hangs on sizes of 1 in docstrings; where it takes too much work, it says nothing of
what other values than the defaults lead to."""

from __future__ import annotations

from typing import Any

import pytest

from nkilint.run.verification import Verification
from nkilint.symbolic.work import REASON

from ..support.checking import report_on

KERNEL = '''\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(bias, kept{default}):
    """Copies.

    Args:
        bias (nl.ndarray): [1, 512]
        kept (nl.ndarray): [128, 512]
    """
    out = nl.ndarray((1, 512), dtype=bias.dtype, buffer=nl.shared_hbm)
    b = nl.ndarray((1, 512), dtype=bias.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=b, src=bias)
    nisa.dma_copy(dst=out, src=b)
    if kept != None:
        p = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
        nisa.memset(dst=p, value=0.0)
        nisa.dma_copy(dst=kept, src=p)
    return out
'''


@pytest.mark.parametrize(("default", "told"), [("=None", ["NKI201"]), ("", [])], ids=["varied", "by itself"])
def test_an_evaluation_that_takes_too_much_work(monkeypatch: pytest.MonkeyPatch, default: str, told: list[str]) -> None:
    again = Verification._again

    def cut(verification: Verification, *given: Any) -> Any:
        run = again(verification, *given)
        run.trace.stopped = REASON
        run.trace.obligations.clear()
        return run

    whole = report_on(KERNEL.format(default=default)).findings
    assert [d.code for d in whole if d.code == "NKI201"] == ["NKI201"]
    monkeypatch.setattr(Verification, "_again", cut)
    found = report_on(KERNEL.format(default=default)).findings
    assert [d.code for d in found if d.code == "NKI201"] == told
