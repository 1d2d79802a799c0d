"""Substitution of variables in values. What it does to a value stands beside the value's class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from operator import is_
from typing import Any

from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.substitution import Shared, substitute

from .table import Table

_CONSTANT = frozenset((int, str, bool, float, type(None), type(Ellipsis)))


class Rewriting(Shared):
    """A mapping that makes of one container one other, wherever it is met, and leaves those alone that are not younger
    than `born`: they are the same in every iteration, and what they hold is put right where it stands."""

    __slots__ = ("born", "made")

    def __init__(self, mapping: Mapping[Any, Any] | None = None, born: float = 0) -> None:
        super().__init__(mapping)
        self.born = born
        self.made: dict[int, tuple[Any, Any]] = {}  # by the identity of the first, which is kept for that


def is_older(cell: Any, mapping: Mapping[Any, Any]) -> bool:
    """Whether what a cell belongs to is one and the same for all iterations."""
    return isinstance(mapping, Rewriting) and getattr(cell, "born", inf) <= mapping.born


rewritten = Table(lambda value, mapping: value)
"""A value with variables replaced, by its type; values without an entry mention none."""


def in_value(value: Any, mapping: Mapping[Any, Any]) -> Any:
    """`value` with variables replaced; containers are rebuilt only where something changes."""
    kind = type(value)
    if kind in _CONSTANT:
        return value
    if not isinstance(mapping, Rewriting):
        return rewritten.entry(kind)(value, mapping)
    if id(value) not in mapping.made:
        mapping.made[id(value)] = value, rewritten.entry(kind)(value, mapping)
    return mapping.made[id(value)][1]


rewritten.of(Sym, Cond)(substitute)


@rewritten.of(tuple)
def _in_tuple(value: tuple[Any, ...], mapping: Mapping[Any, Any]) -> Any:
    items = [in_value(item, mapping) for item in value]
    if all(map(is_, items, value)):
        return value
    return tuple(items)


@rewritten.of(dict)
def _in_dict(value: dict[Any, Any], mapping: Mapping[Any, Any]) -> Any:
    items = {key: in_value(item, mapping) for key, item in value.items()}
    return value if all(items[key] is item for key, item in value.items()) else items


def in_parts(value: Any, before: tuple[Any, ...], make: Callable[..., Any], mapping: Mapping[Any, Any]) -> Any:
    """What is made of parts with variables replaced; `value`, which was made of those `before`, where none changes."""
    parts = [in_value(part, mapping) for part in before]
    return value if all(map(is_, parts, before)) else make(*parts)


@rewritten.of(slice)
def _in_slice(value: slice, mapping: Mapping[Any, Any]) -> Any:
    return in_parts(value, (value.start, value.stop, value.step), slice, mapping)
