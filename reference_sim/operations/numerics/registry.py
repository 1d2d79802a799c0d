"""The numerics by operation name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..calls import Operands

Implementation = Callable[["Operands"], Any]

VALUES: dict[str, Implementation] = {}
EFFECTS: dict[str, Implementation] = {}


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
