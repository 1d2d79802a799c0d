"""The numerics by operation name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..calls import Operands

Implementation = Callable[["Operands"], Any]

CHOICES: dict[str, Implementation] = {}
GATHERS: dict[str, Implementation] = {}
VALUES: dict[str, Implementation] = {}
EFFECTS: dict[str, Implementation] = {}


def chooses(*names: str) -> Callable[[Implementation], Implementation]:
    """Register what operations compute to select elements by: truth values in the shape of what they select from."""

    def register(function: Implementation) -> Implementation:
        CHOICES.update(dict.fromkeys(names, function))
        return function

    return register


def gathers(*names: str) -> Callable[[Implementation], Implementation]:
    """Register which columns of each partition operations gather from."""

    def register(function: Implementation) -> Implementation:
        GATHERS.update(dict.fromkeys(names, function))
        return function

    return register


def values(*names: str) -> Callable[[Implementation], Implementation]:
    """Register numerics that give the values of the result, or of `dst`."""

    def register(function: Implementation) -> Implementation:
        VALUES.update(dict.fromkeys(names, function))
        return function

    return register


def effect(*names: str) -> Callable[[Implementation], Implementation]:
    """Register an operation that writes its operands itself, or gives something that is no tile."""

    def register(function: Implementation) -> Implementation:
        EFFECTS.update(dict.fromkeys(names, function))
        return function

    return register
