"""Items that the iterations of a loop put behind those that were there before."""

from __future__ import annotations

from typing import Any

from nkilint_rules.words.conditions import Unknown

from ..state import joining
from ..values.grown import GrowingItems, GrownItems, Made, count_of
from ..values.numbers import NUMERIC
from .iteration import Iteration, depends


def begins_with(items: Any, before: Any) -> bool:
    """Whether a list has become `items` by what was added behind what it was `before`."""
    if isinstance(items, tuple) and isinstance(before, tuple):
        return joining.same(items[: len(before)], before)
    return joining.same(items, before) or (isinstance(items, GrownItems) and begins_with(items.before, before))


def gets_keys(before: Any, now: Any) -> bool:
    """Whether an iteration puts numbers or texts under new keys into a dict."""
    found = isinstance(before, dict) and isinstance(now, dict) and before.keys() < now.keys()
    return found and all(isinstance(item, (*NUMERIC, str, type(None))) for item in now.values())


def grown(before: Any, added: Any, loop: Iteration) -> Any:
    """The items after a loop, of those before it and what each iteration added, which are as many in each."""
    if added == ():
        return before
    if depends(count_of(added), {loop.index.variable, *loop.own}):
        return Unknown("a list that iterations of a loop extend by different numbers of items")
    if isinstance(before, GrowingItems):
        all_added = GrownItems(before.added, added, loop.index, loop.trips, Made(loop.born))
        return GrowingItems(before.first, all_added, before.held)
    if isinstance(before, (tuple, GrownItems)):
        return GrownItems(before, added, loop.index, loop.trips, Made(loop.born))
    return Unknown("a list that several loops extend")
