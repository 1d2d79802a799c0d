"""The variables that stand for the axes of an access.

They are named by their position counted from the right and by their size, so that masks, grids and slices of one
operation talk about the same ones.
"""

from __future__ import annotations

from typing import Any

from nkilint.symbolic.atoms import Int, find, keep
from nkilint.symbolic.integers import Sym, is_one, key_of, sym
from nkilint.symbolic.substitution import substitute


def axis(position: int, size: Int) -> Int:
    """The variable of the axis at `position` from the right of an access of that size there."""
    if is_one(size):
        return 0
    key = "axis", position, key_of(size)
    known: Int | None = find(key)
    return keep(key, sym(f"e{position}", "axis", 0, size - 1)) if known is None else known


def move_axes(value: Any, moves: dict[int, tuple[int, Any]], shape: tuple[Any, ...]) -> Any:
    """`value` with the axis at position `old` (from the right of `shape`) replaced by the one at (`new`, size)."""
    mapping: dict[Any, Any] = {}
    for old, (new, size) in moves.items():
        before = axis(old, shape[len(shape) - 1 - old])
        if isinstance(before, Sym):
            after = axis(new, size)
            if key_of(before) != key_of(after):
                mapping[before.variable] = after
    return replace_in(value, mapping)


def replace_in(value: Any, mapping: dict[Any, Any]) -> Any:
    """Substitution in an integer or a condition."""
    return substitute(value, mapping) if mapping else value


def fit_axes(value: Any, have: tuple[Any, ...], want: tuple[Any, ...]) -> Any:
    """`value` over the axes of `have`, rewritten over those of the broadcast shape `want` (sizes agree by then)."""
    moves = {}
    for position in range(len(have)):
        size = have[len(have) - 1 - position]
        target = want[len(want) - 1 - position]
        if key_of(size) != key_of(target):
            moves[position] = (position, target)
    return move_axes(value, moves, have) if moves else value


def linear_offset(index: tuple[Any, ...], layout: tuple[Any, ...]) -> Any:
    """Position of an element in row-major order."""
    offset: Any = 0
    for where, size in zip(index, layout, strict=True):
        offset = offset * size + where
    return offset


def axes_moved(before: tuple[Any, ...], after: tuple[Any, ...]) -> dict[Any, Any]:
    """The variables of axes whose size is written otherwise now; they are named by their size, too."""
    if before is after:
        return {}
    moved = {}
    for position, (old, new) in enumerate(zip(reversed(before), reversed(after), strict=True)):
        variable = axis(position, old)
        if isinstance(variable, Sym) and key_of(old) != key_of(new):
            moved[variable.variable] = axis(position, new)
    return moved
