"""Values that met earlier conditions, tried on others before z3 is asked."""

from __future__ import annotations

import pytest

from nkilint.prover import Prover
from nkilint.prover.context import Context
from nkilint.prover.sampling import MOST, Found
from nkilint.symbolic.conditions import Cond, Opaque, disjunction, equal_zero
from nkilint.symbolic.integers import sym

A, B, C = (sym(name, "input", 1) for name in "abc")
FLAG, OTHER = Opaque("flag", "input"), Opaque("other", "input")


def found(flag: bool = True) -> Found:
    values = Found()
    values.keep({A.variable: 7, B.variable: 9}, {FLAG.identity: flag})  # type: ignore[dict-item]
    return values


@pytest.mark.parametrize(
    ("conditions", "met"),
    [
        ([A >= 7, B >= 9], True),
        ([A >= 8], False),
        ([equal_zero(B - A - 2), B // 4 >= 2], True),
        ([A >= 7, C >= 1], True),  # the values have none for C, whose least is 1
        ([A >= 7, C >= 2], False),
        ([FLAG, A >= 7], True),
        ([~FLAG, A >= 7], False),
        ([disjunction((OTHER, A >= 8)), B >= 9], False),  # the values have no truth of that fact
        ([A // (B - 9) >= 0], False),  # they would divide by zero
    ],
)
def test_values_meet_what_holds_of_them(conditions: list[Cond], met: bool) -> None:
    assert found().meet(conditions, Context(())) is met


@pytest.mark.parametrize(("number", "met"), [(-8, True), (-3, False), (0, False)])
def test_divisors_may_be_negative_and_not_zero(number: int, met: bool) -> None:
    values = Found()
    n = sym("n", "input", None, None)
    values.keep({n.variable: number}, {})  # type: ignore[dict-item]
    assert values.meet([n <= number], Context(()))
    assert values.meet([8 // n <= 0, 8 // n * n == 8], Context(())) is met


def test_the_oldest_are_let_go() -> None:
    values = found()
    for number in range(1, MOST + 1):
        values.keep({A.variable: number, B.variable: 1}, {})  # type: ignore[dict-item]
    assert values.meet([A >= MOST, A + B >= MOST + 1], Context(()))
    assert not values.meet([B >= 9], Context(()))


def test_z3_is_asked_once_about_what_the_same_values_meet() -> None:
    prover = Prover()
    odd = [equal_zero(11 * A - 13 * B - 17), A >= 100]
    prover.decide(B >= 5_000, odd)
    before = prover.queries
    prover.decide(B >= 6_000, odd)
    again = Prover()
    again.decide(B >= 6_000, odd)
    assert 0 < prover.queries - before < again.queries
