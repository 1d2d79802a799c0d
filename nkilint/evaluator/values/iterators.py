"""Iterators, and the views of a dict's keys, values and items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.records import dataclass

from .cells import MISSING, Attributes, Cell
from .containers import DictValue
from .keys import shown

Symbolic = tuple[Any, Callable[[Any], Any]]  # how many items, and the item at a position


class End(Exception):
    """An iterator has no more items."""


class InTheMidst(Unknown):
    """What is left of an iterator that a loop goes over; `is_asked` if something wanted to know in there."""

    __slots__ = ("is_asked",)

    def __init__(self) -> None:
        super().__init__("what is left of an iterator in a loop over it")
        self.is_asked = False


class IteratorValue:
    """What is left of an iterator. `advance` gives the next item, or raises End; what it has come to stands in `cell`.

    `parts` gives what it takes from. `whole` gives, of an iterator that nothing has been taken from, all items at once
    where their number is symbolic. `prepare` is done before something is taken, knowing whether all is.
    """

    __slots__ = ("advance", "cell", "parts", "prepare", "whole")

    def __init__(
        self,
        advance: Callable[[Any, Cell], Any],
        parts: Callable[[], tuple[Any, ...]] = tuple,
        whole: Callable[[Any], Symbolic | None] = lambda machine: None,
        **state: Any,
    ) -> None:
        self.advance, self.parts, self.whole = advance, parts, whole
        self.prepare: Callable[[Any, bool], None] = lambda machine, entirely: None
        self.cell = Attributes(state, lambda name: None)  # what it lacks has been seen to be lacking

    @property
    def is_over(self) -> bool:
        return self._over() is True

    def _over(self) -> Any:
        over = self.cell.get("over", False)
        if isinstance(over, InTheMidst):
            over.is_asked = True
        if over is not True and over is not False:
            raise IsUnknown(over.reason if isinstance(over, Unknown) else "an iterator of which something may be left")
        return over

    def count(self, name: str = "position") -> int:
        """A number of its state, which is 0 at first."""
        found = self.cell.get(name, 0)
        if found is MISSING or type(found) is not int:
            raise IsUnknown("an iterator that has come to a place that is not known")
        return found


@dataclass(frozen=True, slots=True, eq=False)
class DictView:
    """`owner.keys()`, `.values()` or `.items()`, by `kind`: what is in the dict whenever it is looked at."""

    owner: DictValue
    kind: str

    @property
    def items(self) -> list[Any]:
        items = self.owner.items
        if self.kind == "values":
            return list(items.values())
        return [shown(key) if self.kind == "keys" else (shown(key), value) for key, value in items.items()]
