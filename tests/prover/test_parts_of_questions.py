"""Questions that are looked at part by part: values one by one, and what inputs choose."""

from __future__ import annotations

from typing import Any

import pytest

from nkilint.prover import Prover, Verdict
from nkilint.prover.context import Context
from nkilint.prover.elimination import exists
from nkilint.prover.elimination.cases import Question
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import choose, sym
from nkilint_rules.words.conditions import IsUnknown, maximum


def test_a_value_that_something_is_divided_by_may_be_zero() -> None:
    """Then the question has no answer there, and nothing else happens."""
    n, parts = sym("n", "input", 1), sym("parts", "input", 0, 3)
    i = sym("i", "loop", 0, n // parts - 1)
    question = Question((i.variable,), [i - sym("at", "input", 0)], [])
    assert question.put({parts.variable: 1}).unknowns
    with pytest.raises(IsUnknown):
        question.put({parts.variable: 0})
    with pytest.raises(IsUnknown):
        Question((), [n // parts - 1], []).put({parts.variable: 0})


def test_no_part_divides_by_a_value_that_is_never_zero() -> None:
    n, parts = sym("n", "input", 1), sym("parts", "input", 1, 3)
    i = sym("i", "loop", 0, n // parts - 1)
    found = exists([i.variable], [i - (n // parts - 1)], [], lambda condition: False)
    assert str(found.condition) in ("True", "n // parts >= 1", "n >= parts")


def test_each_outcome_of_a_choice_may_ask_for_something() -> None:
    first, second, which = sym("first", "input", 1), sym("second", "input", 1), sym("which", "input", 0)
    goal: Any = choose(which >= 5, first, second) <= 128
    prover = Prover()
    for decision in (prover._case_by_case(goal, Context(())), prover.decide(goal, [])):
        assert decision is not None
        assert decision.verdict is Verdict.CONDITIONAL
        assert decision.precondition is not None
        asked = decision.precondition
        assert prover.shows(asked, [first <= 128, second <= 128], deep=True)
        assert not prover.shows(asked, [first <= 128], deep=True)
        assert not prover.shows(asked, [second <= 128], deep=True)


def test_what_stands_for_a_part_speaks_of_the_new_unknowns() -> None:
    """Parts with an unknown whose range changes in the same step, in an equation and in the range of another one."""
    n = sym("n", "input")
    i = sym("i", "loop", 0, maximum(n, 0) - 1)
    part, range_end, left = maximum(i, n - i), maximum(n, 0), maximum(n - 2 * i, 0)
    j = sym("j", "loop", 0, left - 1)
    question = Question((i.variable, j.variable), [part - 3 + j], [])
    found = question.put({part.as_atom: i, range_end.as_atom: n, left.as_atom: n - 2 * i})
    ends = [end for unknown in found.unknowns for end in (unknown.low, unknown.high)]
    assert i.variable not in variables(*found.equations, *found.conditions, *ends)
    assert set(found.unknowns) == {v for v in variables(*found.equations) if v.kind == "loop"}
