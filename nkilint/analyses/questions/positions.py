"""Positions in the row-major order of a tensor taken apart into one index per dimension.

`I*B*g + B*(128*i + p) + f` in a tensor `[N, 2, I, B]` is the element `[0, g, 128*i + p, f]` where each of these lies
within its dimension. Then two accesses meet where all their indices agree, which is asked for one dimension at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.evaluator.values.axes import linear_offset
from nkilint.evaluator.values.tensors import View
from nkilint.symbolic.division import divide_terms
from nkilint.symbolic.integers import Sym, is_integer, sum_of
from nkilint_rules.words.conditions import product

from .accesses import same_layout


def in_own_shape(view: View, shows: Callable[[Any], bool]) -> View:
    """The view with an index into its tensor as that was made, where it has one into another layout and all of it can
    be shown to lie within the dimensions."""
    shape = view.base.shape
    if same_layout(view.layout, shape) or view.problem or view.dtype is not view.base.dtype:
        return view
    if not all(map(is_integer, (*shape, *view.layout, *view.index))):
        return view
    digits = _digits(linear_offset(view.index, view.layout), shape)
    within = all(
        shows(digit >= 0) and shows(digit <= size - 1) for digit, size in list(zip(digits, shape, strict=True))[1:]
    )
    return view.with_(index=digits, layout=shape) if within else view


def _digits(position: Any, shape: tuple[Any, ...]) -> tuple[Any, ...]:
    """What stands before the step of each dimension in a sum."""
    found = []
    for dimension in range(len(shape)):
        digit, position = _divided(position, product(shape[dimension + 1 :]))
        found.append(digit)
    return tuple(found)


def _divided(position: Any, step: Any) -> tuple[Any, Any]:
    """The terms that are multiples of `step`, divided by it, and the others."""
    if isinstance(step, Sym):
        return divide_terms(position, step) if isinstance(position, Sym) else (0, position)
    if step == 0:
        return 0, position
    if isinstance(position, int):
        return position // step, position % step
    whole: dict[Any, int] = {m: c // step for m, c in position.terms.items() if c % step == 0}
    const, over = divmod(position.const, step)
    return sum_of(whole, const), sum_of({m: c for m, c in position.terms.items() if c % step}, over)
