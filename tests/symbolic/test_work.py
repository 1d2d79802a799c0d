"""What is charged is counted for the innermost question, its stage and the stages around it."""

from __future__ import annotations

from typing import Any

import pytest

from nkilint.prover import Prover, Verdict
from nkilint.symbolic import start_afresh, sym
from nkilint.symbolic.integers import choose
from nkilint.symbolic.work import REASON, OutOfWork, charge, stage, within
from nkilint_rules.words.conditions import all_of


def _spending(units: int) -> str:
    charge(units)
    return "done"


def test_a_question_may_take_what_it_is_allowed() -> None:
    assert within(10, lambda: _spending(10), "unknown") == "done"
    assert within(10, lambda: _spending(11), "unknown") == "unknown"


def test_questions_share_what_their_stage_allows() -> None:
    with stage(25, slack=2):
        assert within(20, lambda: _spending(20), "unknown") == "done"
        assert within(20, lambda: _spending(6), "unknown") == "unknown"
        charge(20)  # what lies between questions may take more
        with pytest.raises(OutOfWork):
            charge(10)
    charge(1_000)


def test_a_stage_takes_no_more_than_the_one_around_it() -> None:
    with stage(10), pytest.raises(OutOfWork), stage(100):
        charge(11)


def test_what_is_nested_too_deeply_is_left_open() -> None:
    def deeper(depth: int) -> int:
        return deeper(depth + 1)

    assert within(10, lambda: deeper(0), -1) == -1


def test_decisions_without_work_are_unknown() -> None:
    start_afresh()
    n, m = sym("n", low=1), sym("m", low=1)
    goal, facts = n * m + n >= m // 7, [n >= 3, m <= 100]
    prover, wanted = Prover(), [n >= 5]
    with stage(3):
        decision = prover.decide(goal, facts)
        assert (decision.verdict, decision.reason) == (Verdict.UNKNOWN, REASON)
        assert prover.implied(goal, facts) is None
        assert not prover.shows(goal, facts, deep=True)
        assert prover.witness(goal, facts) == {}
        assert prover.contract(wanted, facts) == wanted
    assert Prover().decide(n >= 1 - m, facts).verdict is Verdict.PROVED


def test_texts_of_what_is_shared_stay_short() -> None:
    start_afresh()
    value: Any = sym("n", low=1)
    for number in range(60):  # each stands twice in the next
        value = choose(value >= number + 100, value // 2 + sym(f"m{number}", low=0), value * value - 3)
    assert len(str(value)) < 10_000
    assert len(str(value >= 7)) < 25_000
    assert len(str(all_of([value >= 7, value % 5 == 1, value * 3 <= sym("k")]))) < 10_000
