"""Answers under some facts hold under more of them, and are not worked out again."""

from __future__ import annotations

import pytest

from nkilint.prover import Prover, Verdict
from nkilint.prover.linear import Linear
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import sym


def test_what_few_facts_show_more_of_them_show(monkeypatch: pytest.MonkeyPatch) -> None:
    n, m, k = (sym(name, "input", 1, None) for name in "nmk")
    prover = Prover()
    goal = n + m >= 12
    few: list[Cond | bool] = [n >= 6, m >= 6]
    assert prover.decide(goal, few).verdict is Verdict.PROVED
    assert prover.shows(goal, few)
    assert prover.implied(goal, few) is True
    assert prover.implied(n + m <= 3, few) is False
    monkeypatch.setattr(Linear, "at_least_zero", lambda *_: pytest.fail("worked out again"))
    more = [n >= 6, k >= 2, m >= 6, k <= 9]
    assert prover.decide(goal, more).verdict is Verdict.PROVED
    assert prover.shows(goal, more)
    assert prover.implied(goal, more) is True
    assert prover.implied(n + m <= 3, more) is False


def test_what_more_facts_show_fewer_need_not() -> None:
    n, m = (sym(name, "input", 1, None) for name in "nm")
    prover = Prover()
    goal = n + m >= 12
    assert prover.decide(goal, [n >= 6, m >= 6]).verdict is Verdict.PROVED
    assert prover.implied(goal, [n >= 6, m >= 6]) is True
    assert prover.decide(goal, [n >= 6]).verdict is Verdict.CONDITIONAL
    assert prover.implied(goal, [m >= 6]) is None
    assert not prover.shows(goal, [m >= 6])
