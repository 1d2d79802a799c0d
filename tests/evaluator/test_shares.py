"""Sizes times floats: as fractions where CPython's roundings are those of the fraction."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from nkilint.evaluator.values.numbers import REAL, Quotient, share_of
from nkilint.symbolic.evaluation import evaluate
from nkilint.symbolic.integers import Sym, sym

ROUNDINGS = (int, math.trunc), (math.floor, math.floor), (math.ceil, math.ceil)
SIZE = sym("n", "input", 1, 2**40)
SIZES = [*range(1, 130), *(2**k + d for k in range(8, 40) for d in (-1, 0, 1)), *(50 * 2**k for k in range(30))]


@pytest.mark.parametrize("numerator", range(1, 60))
def test_products_round_as_their_fractions(numerator: int) -> None:
    for denominator in (2, 3, 7, 10, 50, 100, 1000):
        factor = numerator / denominator
        share: Any = share_of(SIZE, factor)
        if not isinstance(share, Quotient):
            assert share is REAL
            continue
        for size in SIZES:
            exact = Fraction(_number(share.dividend, size), share.divisor)
            for rounded, expected in ROUNDINGS:
                assert rounded(size * factor) == expected(exact), (factor, size)


def _number(value: Any, size: int) -> int:
    return evaluate(value, {SIZE.variable: size}) if isinstance(value, Sym) else int(value)


@pytest.mark.parametrize("factor", [0.1, 0.2, 0.8, math.pi, 1e300, 0.0, math.inf, math.nan])
def test_floats_that_stand_for_no_fraction(factor: float) -> None:
    assert share_of(SIZE, factor) is REAL
    assert share_of(factor, SIZE) is REAL


def test_the_float_may_stand_first() -> None:
    assert isinstance(share_of(0.46, SIZE), Quotient)
