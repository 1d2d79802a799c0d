"""Formulas say what the integers and conditions say that they are made of."""

from __future__ import annotations

import json
from math import prod
from typing import Any

import pytest
from hypothesis import given, settings

from nkilint.symbolic import Power, start_afresh, sym
from nkilint.symbolic.evaluation import evaluate, holds
from nkilint.symbolic.formulas import NoFormula, attempted, condition, formula, names
from nkilint.symbolic.integers import Sym

from .test_symbolic import NUMBERS, TREES, symbolic, variables_by_name

MEANINGS: dict[str, Any] = {
    "+": lambda *terms: sum(terms),
    "*": lambda *factors: prod(factors),
    "//": lambda a, b: a // b,
    "2**": Power.number,
    "min": min,
    "max": max,
    "?": lambda c, a, b: a if c else b,
    ">=": lambda a: a >= 0,
    "==": lambda a: a == 0,
    "!=": lambda a: a != 0,
    "and": lambda *parts: all(parts),
    "or": lambda *parts: any(parts),
}


def value(found: Any, numbers: dict[str, int]) -> Any:
    """What a reader of the JSON makes of a formula."""
    if isinstance(found, str):
        return numbers[found]
    return MEANINGS[found[0]](*(value(part, numbers) for part in found[1:])) if isinstance(found, list) else found


@settings(max_examples=300, deadline=None)
@given(TREES, TREES, NUMBERS)
def test_formulas_mean_what_they_are_made_of(tree: Any, other: Any, numbers: dict[str, int]) -> None:
    start_afresh()
    known = variables_by_name()
    a, b = symbolic(tree, known), symbolic(other, known)
    at: Any = {variable.variable: numbers[name] for name, variable in known.items()}
    assert value(json.loads(json.dumps(formula(a))), numbers) == evaluate(a, at)
    either: Any = (a >= b) | ((a != 3) & (b == 2)) if isinstance(a, Sym) and isinstance(b, Sym) else True
    assert value(json.loads(json.dumps(condition(either))), numbers) == holds(either, at)


def test_formulas_are_short() -> None:
    start_afresh()
    n = sym("N", low=1)
    assert formula(4 * n + 8) == ("+", 8, ("*", 4, "N"))
    assert formula(n) == "N"
    assert condition(n % 128 == 0) == ("==", ("+", "N", ("*", -128, ("//", "N", 128))))
    assert names(formula(n * sym("M", low=1) + n)) == ["N", "M"]


def test_only_inputs_have_formulas() -> None:
    start_afresh()
    i = sym("i", "loop", 0, 3)
    with pytest.raises(NoFormula):
        formula(2 * i)
    assert attempted(2 * i) is None
    assert attempted(2 * i >= sym("N")) is None
    assert attempted(None) is None
