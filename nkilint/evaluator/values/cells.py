"""Changeable content, which one journal can undo and join."""

from __future__ import annotations

from typing import Any


class Cell(dict[Any, Any]):
    """Changeable content. `born` orders cells by the time of their making."""

    __slots__ = ("born",)
    made = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        Cell.made += 1
        self.born = Cell.made


class Attributes(Cell):
    """What an object has of its own; what it lacks, `inherited` may have."""

    __slots__ = ("inherited",)

    def __init__(self, own: Any, inherited: Any) -> None:
        super().__init__(own)
        self.inherited = inherited


class Missing:
    """No value."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()
