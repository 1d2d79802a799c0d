"""Sums of unknowns with weights, and the parts of minima and maxima at the ends of their ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from nkilint.symbolic.atoms import Int, Max, Min, Var
from nkilint.symbolic.evaluation import coefficient
from nkilint.symbolic.integers import Sym, itself


def weighted(
    value: Sym, unknowns: Iterable[Var], is_weight: Callable[[Int], bool]
) -> tuple[dict[Var, Any], Any] | None:
    """Weights and rest of `value` as `sum of weight * unknown + rest`; None where it is no such sum."""
    weights: dict[Var, Any] = {}
    rest: Any = value
    for unknown in unknowns:
        weight = coefficient(value, unknown)
        if weight is None or not is_weight(weight):
            return None
        weights[unknown] = weight
        rest = rest - weight * itself(unknown)
    return weights, rest


def sides(end: Int | None, kind: type[Min] | type[Max]) -> Iterator[Int]:
    """The parts of a minimum (of an upper end) or of a maximum (of a lower end); nothing where there is no end."""
    if isinstance(end, Sym):
        for mono, c in end.terms.items():
            atom = mono[0]
            if c > 0 and len(mono) == 1 and isinstance(atom, kind):
                rest = end - Sym({mono: c}, 0)
                yield from sides(rest + c * atom.left, kind)
                yield from sides(rest + c * atom.right, kind)
                return
    if end is not None:
        yield end
