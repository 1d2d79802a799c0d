"""What a mask that was evaluated says of the axes of its index grids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.evaluator.values.grids import Grid
from nkilint.evaluator.values.tensors import uses_axes
from nkilint.symbolic.conditions import Compare, conjuncts
from nkilint.symbolic.integers import Sym


def upper(part: Any) -> tuple[int, Any] | None:
    """The axis, from the right, that a condition bounds, and how many of its elements are below the bound; None for
    another condition."""
    left = part.left if isinstance(part, Compare) and part.relation == ">=" else None
    terms = [(m, c) for m, c in left.terms.items() if uses_axes(Sym({m: 1}, 0))] if left is not None else []
    if left is None or len(terms) != 1 or len(terms[0][0]) != 1 or terms[0][1] != -1:
        return None
    atom: Any = terms[0][0][0]
    if getattr(atom, "kind", "") != "axis":
        return None
    return int(atom.name[1:]), left - Sym({terms[0][0]: -1}, 0) + 1


def lets_some_through(value: Any, implied: Callable[[Any], bool]) -> bool:
    """Whether each bound of a mask leaves at least one element, as far as `implied` can tell."""
    if not isinstance(value, Grid) or not value.is_mask:
        return False
    bounds = [upper(part) for part in conjuncts([value.value])]
    return all(found is None or implied(found[1] >= 1) for found in bounds)
