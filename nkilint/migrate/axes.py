"""The axes that index grids run along."""

from __future__ import annotations

from typing import Any

from nkilint.evaluator.values.grids import Grid
from nkilint.evaluator.values.tensors import uses_axes
from nkilint.symbolic.integers import Sym

from .nodes import Undecided


def steps_of(grid: Grid) -> tuple[dict[int, Any], Any]:
    """The step along each axis that a grid runs over, by position from the right, and what is left."""
    value = grid.value
    if not isinstance(value, (int, Sym)):
        raise Undecided("an index grid of another form")
    steps: dict[int, Any] = {}
    base: Any = value
    for product, factor in value.terms.items() if isinstance(value, Sym) else ():
        axes = [a for a in product if getattr(a, "kind", "") == "axis"]
        if axes:
            others = tuple(a for a in product if a is not axes[0])
            position = axis_number(axes[0])
            steps[position] = steps.get(position, 0) + (Sym({others: factor}, 0) if others else factor)
            base = base - Sym({product: factor}, 0)
    if uses_axes(base) or any(uses_axes(s) for s in steps.values()):
        raise Undecided("an index grid of another form")
    return steps, base


def axis_number(atom: Any) -> int:
    """The position, from the right, of the axis that a variable stands for."""
    return int(atom.name[1:])
