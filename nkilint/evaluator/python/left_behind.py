"""What iterations of a loop leave behind names that stand for one tensor after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..state.machine import Machine
from ..state.trace import ITERATION, Event
from ..values.cells import MISSING
from ..values.choices import Either, settled
from ..values.tensors import View
from .carried import Carried, parts


def tell(machine: Machine, places: Iterable[Carried]) -> None:
    """Record at the end of an iteration, for each stand-in for a tensor, the tensor that stands there then."""
    found: list[tuple[View, Any]] = []
    for place in places:
        now = settled(place.cell.get(place.key, MISSING))
        found += _tensors(place.start, now)
    if found:
        machine.emit(Event(ITERATION, machine.site(), None, (), {"left": tuple(found)}))


def _tensors(start: Any, now: Any) -> Iterator[tuple[View, Any]]:
    if isinstance(start, Either):  # None at first
        yield from _tensors(start.then, now)
    if isinstance(start, View) and start.base.kind == "merged":
        yield start, now
    for a, b in parts(start, now):
        yield from _tensors(a, settled(b))
