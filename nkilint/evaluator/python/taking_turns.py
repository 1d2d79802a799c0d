"""Tensors that take turns: two buffers that an iteration swaps, or a ring of them that it moves on by one.

Where iterations leave in each of some places what another of them held, a place holds the tensors of all, one after
the other: which one it is follows from the number of the iteration.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nkilint.symbolic.integers import Sym
from nkilint_rules.words.records import dataclass

from ..state import joining
from ..state.machine import Machine
from ..state.sides import Change, Changes
from ..state.trace import Loop
from ..values.choices import settled
from ..values.containers import ON_DEVICE
from ..values.tensors import View
from .carried import Carried
from .iteration import Iteration
from .types.sequences import chosen

MOST = 8  # tensors that take turns


@dataclass(frozen=True, slots=True, eq=False)
class _Slot:
    """A tensor in a place, or at a position of the items there: `before` the loop, at the `start` of the iteration that
    was followed, and as that leaves it `now`."""

    place: tuple[int, Any]
    position: int
    before: View
    start: View
    now: View


def take_turns(
    machine: Machine, places: dict[tuple[int, Any], Carried], changes: Changes, loop: Iteration, inside: Loop
) -> bool:
    """Put what takes turns in the places that it does so in; whether there is any that was not known."""
    if loop.once or inside.kind in ON_DEVICE:
        return False
    slots = [slot for key, change in changes.items() for slot in _slots(key, places.get(key), change)]
    around, machine.loops = machine.loops, (*machine.loops, inside)
    starts: dict[_Slot, View] = {}
    after: dict[_Slot, _Slot] = {}
    for ring in _rings(slots):
        turn = inside.index % len(ring)
        orders = [tuple(each.before for each in (*ring[n:], *ring[:n])) for n in range(len(ring))]
        turns = [chosen(machine, held, turn) if isinstance(turn, Sym) else held[0] for held in orders]
        if all(isinstance(start, View) for start in turns):
            starts |= zip(ring, turns, strict=True)
            after |= zip(ring, (*ring[1:], ring[0]), strict=True)
    machine.loops = around
    found = dict.fromkeys(slot.place for slot in starts)
    for key in found:
        cell, name, before, _ = changes[key]
        place = places.setdefault(key, Carried(cell, name, before, before))
        own = {slot.position: slot for slot in starts if slot.place == key}
        place.start = _filled(place.before, {at: starts[slot] for at, slot in own.items()})
        place.next = _filled(place.before, {at: starts[after[slot]] for at, slot in own.items()})
    return bool(found)


def _filled(before: Any, tensors: dict[int, View]) -> Any:
    """What a place held, with other tensors in it."""
    items = settled(before)
    if isinstance(items, View):
        return tensors[0]
    return tuple(tensors.get(position, item) for position, item in enumerate(items))


def _slots(key: tuple[int, Any], place: Carried | None, change: Change) -> Iterator[_Slot]:
    """The tensors in a place that are others after an iteration."""
    if place is not None and (place.next is not None or place.is_open):
        return
    before = settled(change[2] if place is None else place.before)
    values = before, before if place is None else settled(place.start), settled(change[3])
    if all(isinstance(value, tuple) for value in values) and len({len(value) for value in values}) == 1:
        parts = list(zip(*values, strict=True))
    else:
        parts = [values]
    for position, (first, start, now) in enumerate(parts):
        if not all(isinstance(view, View) for view in (first, start, now)) or first.base.kind == "merged":
            continue
        if not joining.same(first, now):
            yield _Slot(key, position, first, start, now)


def _rings(slots: list[_Slot]) -> Iterator[list[_Slot]]:
    """Slots of which each gets what the next one held, and the last what the first one did."""
    left = list(slots)
    while left:
        ring = [left[0]]
        while len(ring) <= MOST:
            following = next((slot for slot in left if joining.same(slot.start, ring[-1].now)), None)
            if following is None or following in ring:
                if following is ring[0] and _are_alike(ring):
                    yield ring
                break
            ring.append(following)
        left = [slot for slot in left if slot not in ring]


def _are_alike(ring: list[_Slot]) -> bool:
    first = ring[0].before
    return all(joining.same(first.shape, slot.before.shape) and first.memory == slot.before.memory for slot in ring)
