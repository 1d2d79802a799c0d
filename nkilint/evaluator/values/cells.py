"""Changeable content, which one journal can undo and join."""

from __future__ import annotations

from typing import Any


class Cell(dict[Any, Any]):
    """Changeable content. `born` orders cells by the time of their making; `one_of` says of which elements of a list of
    symbolic length it is, and where it stands there; `stands_for` is what one that a loop carries may be; `kin` are the
    lists that hold it, too, of what the iterations of a loop have made."""

    __slots__ = ("born", "kin", "one_of", "stands_for")
    made = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        Cell.made += 1
        self.born = Cell.made
        self.one_of: tuple[Any, Any] | None = None
        self.stands_for: tuple[Any, ...] = ()
        self.kin: tuple[Any, ...] = ()


class Attributes(Cell):
    """What an object has of its own; what it lacks, `inherited` may have. `is_mixed` says that it is not known in what
    order it came to it; `borrowed` are those that a loop carries, and that it may have of its class at first."""

    __slots__ = ("borrowed", "inherited", "is_mixed")

    def __init__(self, own: Any, inherited: Any) -> None:
        super().__init__(own)
        self.inherited, self.is_mixed = inherited, False
        self.borrowed: frozenset[Any] = frozenset()


class Missing:
    """No value."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()
