"""Goals that hang on what could not be determined, and fail for some inputs all the same."""

from __future__ import annotations

from typing import Any

import pytest

from nkilint.prover import Prover, Verdict
from nkilint.symbolic import Opaque, sym
from nkilint.symbolic.conditions import conjunction, disjunction

N, LATER, UNCERTAIN = sym("n", low=1), sym("later", "loop", 0, 3), Opaque("whether it is so", "unknown")
BOUND = disjunction((N >= 8, conjunction((LATER >= 1, UNCERTAIN))))


@pytest.mark.parametrize(
    ("goal", "fact", "asked", "exact"),
    [
        (BOUND, True, "n >= 8", True),
        (BOUND, disjunction((UNCERTAIN, N >= 5)), "n >= 8", False),
        (conjunction((N >= 8, UNCERTAIN)), True, "None", False),
    ],
)
def test_what_fails_whatever_is_not_determined(goal: Any, fact: Any, asked: str, exact: bool) -> None:
    decision = Prover().decide(goal, [fact])
    assert decision.verdict is Verdict.CONDITIONAL
    assert (str(decision.precondition), decision.exact) == (asked, exact)
    assert decision.model[N.variable] < 8


@pytest.mark.parametrize(
    ("goal", "fact"),
    [
        (disjunction((N >= 8, UNCERTAIN)), True),
        (BOUND, UNCERTAIN),
        (BOUND, disjunction((UNCERTAIN, N >= 20))),
    ],
)
def test_what_may_hold_by_what_is_not_determined(goal: Any, fact: Any) -> None:
    assert Prover().decide(goal, [fact]).verdict is Verdict.UNKNOWN
