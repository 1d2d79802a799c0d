"""The numerics by operation name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..operands import Operands

Implementation = Callable[["Operands"], Any]

CHOICES: dict[str, Implementation] = {}
GATHERS: dict[str, Implementation] = {}
VALUES: dict[str, Implementation] = {}
EFFECTS: dict[str, Implementation] = {}


def chooses(*names: str) -> Callable[[Implementation], Implementation]:
    """Register what operations compute to select elements by: truth values in the shape of what they select from."""
    return _entered(CHOICES, names)


def gathers(*names: str) -> Callable[[Implementation], Implementation]:
    """Register which columns of each partition operations gather from."""
    return _entered(GATHERS, names)


def values(*names: str) -> Callable[[Implementation], Implementation]:
    """Register numerics that give the values of the result, or of `dst`."""
    return _entered(VALUES, names)


def effect(*names: str) -> Callable[[Implementation], Implementation]:
    """Register an operation that writes its operands itself, or gives something that is no tile."""
    return _entered(EFFECTS, names)


def _entered(table: dict[str, Implementation], names: tuple[str, ...]) -> Callable[[Implementation], Implementation]:
    def register(function: Implementation) -> Implementation:
        table.update(dict.fromkeys(names, function))
        return function

    return register
