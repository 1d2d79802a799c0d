"""Inputs of few values: decided one by one, and told by the values that are admitted."""

from __future__ import annotations

import pytest

from nkilint.prover import Prover, Verdict
from nkilint.prover.elimination import in_values
from nkilint.symbolic.conditions import Cond, Opaque, disjunction
from nkilint.symbolic.integers import choose, sym

CORES = sym("cores", "input", 1, 2)
MODE = sym("mode", "input", 0, 2, "Mode.SLOW, Mode.USUAL, Mode.FAST")
M = sym("M", "input", 1)


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        (CORES <= 1, "cores == 1"),
        (384 // CORES // 128 * 128 * CORES >= 384, "cores == 1"),
        (MODE >= 1, "mode != Mode.SLOW"),
        (disjunction((MODE == 0, MODE != 1, M >= 5)), "M >= 5 or mode != Mode.USUAL"),
        (7 // MODE >= 1, str(7 // MODE >= 1)),
        (M >= 5, "M >= 5"),
    ],
)
def test_conditions_are_told_by_their_values(condition: Cond, told: str) -> None:
    assert set(str(in_values(condition)).split(" or ")) == set(told.split(" or "))


def test_each_value_is_looked_at_where_no_condition_is_found() -> None:
    share = 256 // CORES
    assert Prover().decide(share // 128 * 128 * CORES == 256, []).verdict is Verdict.PROVED
    decision = Prover().decide(384 // CORES // 128 * 128 * CORES == 384, [])
    assert (decision.verdict, str(decision.precondition)) == (Verdict.CONDITIONAL, "cores == 1")


def test_a_value_may_bring_a_condition_of_its_own() -> None:
    decision = Prover().decide(choose(CORES == 2, M, 1) * (384 // CORES // 128 * 128 * CORES - 256) <= 128, [])
    assert decision.verdict is Verdict.PROVED
    decision = Prover().decide(choose(CORES == 2, M, 1) * (384 // CORES // 128 * 128) <= 384, [])
    assert (decision.verdict, str(decision.precondition)) == (Verdict.CONDITIONAL, "M <= 3 or cores == 1")


def test_what_a_dtype_decides_is_asked_of_the_caller() -> None:
    narrow = Opaque("x.dtype == bfloat16", "dtype")
    decision = Prover().decide(256 * choose(narrow, 1, 0) + 256 <= 256, [])
    assert (decision.verdict, str(decision.precondition)) == (Verdict.CONDITIONAL, "not x.dtype == bfloat16")
