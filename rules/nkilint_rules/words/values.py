"""Values as messages show them, and those of Python that no operation takes for a tensor, a number or the like."""

from __future__ import annotations

from typing import Any

from .conditions import Unknown, is_integer
from .names import Named
from .tiles import Tile

MOST = 40  # characters of a text, or of several values


class Foreign(Unknown):
    """A value of Python that is surely none that operations take: `kind` says what it is, "a function"."""

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        super().__init__(f"{kind} as an argument")
        self.kind = kind


class Together(tuple[Any, ...]):
    """Several values, of which a text gives each as a user would."""

    __slots__ = ()

    def __str__(self) -> str:
        return shown(self)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def shown(value: Any) -> str:
    """A value as a user would write it, or what it is where that would be long."""
    if isinstance(value, Unknown):
        return value.kind if isinstance(value, Foreign) else "a value that is not known"
    if isinstance(value, (tuple, list)):
        text = ", ".join(map(shown, value)) + ("," if len(value) == 1 else "")
        return f"({text})" if len(text) <= MOST else "a tuple"
    if isinstance(value, str):
        return repr(value) if len(value) <= MOST else "a text"
    if value is None or isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Tile):
        return "a tensor"
    if isinstance(value, Named):
        return value.leaf
    if is_integer(value) or hasattr(value, "itemsize") or hasattr(value, "memory"):
        return str(value)  # a size, a dtype or a memory
    return "a dict" if isinstance(value, dict) else "another value"
