"""What takes much work is asked when all else is decided."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

from nkilint.base.options import Options
from nkilint.prover import Prover
from nkilint.prover.prover import DECISION, OUT_OF_WORK, QUICK
from nkilint.run.engine import check

SOURCE = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)
    return output
"""


def test_hard_questions_come_last() -> None:
    asked: list[tuple[bool, int]] = []
    decide = Prover.decide

    def answer(self: Prover, goal: Any, facts: Any, most: int = DECISION, **named: Any) -> Any:
        hard = "rows" in str(goal)
        asked.append((hard, most))
        return OUT_OF_WORK if hard and most == QUICK else decide(self, goal, facts, most, **named)

    with mock.patch.object(Prover, "decide", answer):
        report = check([Path("kernel.py")], Options(proofs=False), overlay={"kernel.py": SOURCE.encode()})
    assert [(k.verdict, k.contract) for k in report.kernels] == [("conditional", ("rows <= 128",))]
    again = [number for number, (hard, most) in enumerate(asked) if hard and most == DECISION]
    assert again
    assert again[0] > max(number for number, (_, most) in enumerate(asked) if most == QUICK)
