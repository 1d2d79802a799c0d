"""What reductions make of the integers that a tile holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nkilint.symbolic.atoms import Int
from nkilint.symbolic.integers import Sym, is_one, key_of
from nkilint.symbolic.substitution import substitute

from ..values.intervals import EXACT, Range
from ..values.tensors import View


def reduced_axes(data: View, result: View) -> list[Int] | None:
    """The axes of `data` that are one element in a result of as many dimensions; None where that tells nothing."""
    if len(data.shape) != len(result.shape):
        return None
    found: list[Int] = []
    for axis, before, after in zip(data.axes(), data.shape, result.shape, strict=True):
        if key_of(before) != key_of(after):
            if not is_one(after):
                return None
            found.append(axis)
    return found


def summed(data: Range, along: Sequence[Int]) -> Range | None:
    """Sums over some axes, where float32 holds them all."""
    if data.numbers is None:
        return None
    low, high = data.numbers
    each = data.each
    for axis in along:
        size = _size(axis)
        if size is None:
            return None
        low, high = low * size, high * size
        step = None if each is None else _step(each, axis)
        each = None if step is None else size * _first(each, axis) + step * (size * (size - 1) // 2)
    if max(abs(low), abs(high)) > EXACT:
        return None
    return Range(low, high, data.is_single, data.limited, each)


def furthest(data: Range, along: Sequence[Int] | None, greatest: bool) -> Range:
    """The greatest, or the least, elements over some axes: each is one of all."""
    each = data.each if along is not None else None
    for axis in along or ():
        step = None if each is None else _step(each, axis)
        if type(step) is not int:
            each = None
        elif isinstance(axis, Sym):
            last = _size(axis)
            at = 0 if (step > 0) != greatest else None if last is None else last - 1
            each = None if at is None else substitute(each, {axis.variable: at})
    return replace(data, reached=data.is_single, element=each)


def _size(axis: Int) -> int | None:
    high = axis.bounds[1] if isinstance(axis, Sym) else 0
    return int(high) + 1 if high == int(high) else None


def _first(each: Int | None, axis: Int) -> Any:
    return substitute(each, {axis.variable: 0}) if isinstance(axis, Sym) else each


def _step(each: Int, axis: Int) -> Int | None:
    """By how much an element grows from one to the next along an axis, where that is the same everywhere."""
    if not isinstance(axis, Sym):
        return 0
    first, second, third = (substitute(each, {axis.variable: place}) for place in range(3))
    return second - first if key_of(third - second) == key_of(second - first) else None
