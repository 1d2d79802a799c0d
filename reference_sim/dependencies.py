"""What the iterations of an `affine_range` loop touch, and whether they depend on each other.

Accesses to what outlives an iteration are recorded as they happen; at the end of the loop they are replayed over one
number for each element: the iteration that wrote it last, and the one that read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .dtypes import Array
from .geometry import box_of, element_at, project
from .memory import PlacedTile, Storage
from .sites import Site, here
from .tensor import Tensor, touched
from .wording import complain, name_of

if TYPE_CHECKING:
    from .context import Program
    from .grids import Where

READ, WRITE, SUM = 0, 1, 2

_NONE, _SEVERAL = -1, -2


class Loop:
    """One run of a loop, with the accesses of its iterations by storage."""

    __slots__ = ("events", "name", "number", "sites", "started", "trips")

    def __init__(self, trips: Sequence[int], name: str) -> None:
        self.trips, self.name = trips, name or "_"
        self.started = 0
        self.number = -1
        self.events: dict[int, tuple[Storage, list[Any]]] = {}
        self.sites: dict[tuple[int, int], Site] = {}  # where an iteration wrote to a storage

    def begin(self, clock: int) -> None:
        """A new iteration starts."""
        self.started = clock
        self.number += 1

    def trip(self, number: int) -> Any:
        """The value of the loop variable in an iteration; several iterations have none."""
        return self.trips[number] if number >= 0 else "several"

    def record(self, kind: int, tensor: Tensor, view: Array | None, positions: Array | None, site: Site) -> None:
        """Note an access of the present iteration."""
        storage = tensor.storage
        entry = self.events.get(id(storage))
        if entry is None:
            entry = self.events[id(storage)] = (storage, [])
        entry[1].append((self.number, kind, view, positions, site, tensor.tile))

    def judge(self) -> None:
        """Report dependencies between iterations."""
        for storage, events in self.events.values():
            written = any(kind == WRITE for _, kind, *_ in events)
            if written and events[0][0] != events[-1][0] and not _apart(storage, events):
                _replay(self, storage, events)
        self.events.clear()


_MANY = 2000


def _apart(storage: Storage, events: list[Any]) -> bool:
    """Whether the boxes that different iterations touch are plainly disjoint wherever one of them writes."""
    if len(events) > _MANY:
        return False
    boxes = []
    for _, _, view, _, _, tile in events:
        box = None if view is None else box_of(storage, view, tile)
        if box is None:
            return False
        boxes.append(box)
    ends = np.array(boxes, np.int64).reshape(len(boxes), -1, 2)
    low, high = ends[:, :, 0], ends[:, :, 1]
    numbers = np.array([event[0] for event in events])
    writes = np.array([event[1] == WRITE for event in events])
    writers = np.flatnonzero(writes)
    clash = numbers[writers, None] != numbers[None, :]
    for axis in range(low.shape[1]):
        clash &= low[writers, None, axis] <= high[None, :, axis]
        clash &= low[None, :, axis] <= high[writers, None, axis]
    clash &= np.array([event[1] != SUM for event in events])[None, :]
    return not clash.any()


def _outliving(storage: Storage, current: Program) -> list[Loop]:
    return [loop for loop in current.loops if storage.birth < loop.started]


def _note(tensor: Tensor, where: Where, current: Program, kind: int) -> None:
    loops = _outliving(tensor.storage, current)
    if loops:
        view, positions = touched(tensor, where)
        site = here()
        for loop in loops:
            loop.record(kind, tensor, view, positions, site)


def read(tensor: Tensor, where: Where, current: Program) -> None:
    """An operation reads."""
    if tensor.storage.kind != "constant":
        _note(tensor, where, current, READ)


def wrote(tensor: Tensor, where: Where, current: Program) -> None:
    """An operation writes; a sum that goes on is noted by `accumulated` instead."""
    if current.summing is tensor.storage:
        current.summing = None
        return
    _note(tensor, where, current, WRITE)


def accumulated(tensor: Tensor, current: Program) -> None:
    """`t += x`: an associative reduction, which iterations may share."""
    _note(tensor, None, current, SUM)
    current.summing = tensor.storage


def _replay(loop: Loop, storage: Storage, events: list[Any]) -> None:
    wrote_last = np.full(storage.shape, _NONE, np.int32)
    read_last = np.full(storage.shape, _NONE, np.int32)
    for event in events:
        number, kind, view, positions, site, tile = event
        written, put_written = _marks(storage, wrote_last, view, positions, tile)
        seen, put_seen = _marks(storage, read_last, view, positions, tile)
        if written is None or seen is None:
            return
        if kind == READ:
            if np.any((written != _NONE) & (written != number)):
                _complain(loop, "NKI601", None, event, storage, written)
                return
            put_seen(np.where((seen == _NONE) | (seen == number), number, _SEVERAL))
        elif kind == WRITE:
            if np.any((seen != _NONE) & (seen != number)):
                _complain(loop, "NKI601", "before", event, storage, seen)
                return
            if np.any((written != _NONE) & (written != number)):
                _complain(loop, "NKI602", None, event, storage, written)
                return
            put_written(number)
            loop.sites[id(storage), number] = site


def _complain(loop: Loop, code: str, variant: str | None, event: Any, storage: Storage, marks: Array) -> None:
    """Report what the event of one iteration meets of another's, at the first element where it does."""
    number, _, view, positions, site, tile = event
    others = np.asarray((marks != _NONE) & (marks != number))
    position = int(np.flatnonzero(others)[0])
    other = int(np.asarray(marks).reshape(-1)[position])
    related = [("the other access", loop.sites[id(storage), other])] if (id(storage), other) in loop.sites else []
    complain(
        code, variant, site, related, first=loop.trip(other), second=loop.trip(number), loop=loop.name,
        element=element_at(storage, view, positions, position, tile), tensor=name_of(storage),
    )  # fmt: skip


def _marks(
    storage: Storage, marks: Array, view: Array | None, positions: Array | None, tile: PlacedTile | None
) -> tuple[Any, Any]:
    if view is None:
        flat = marks.reshape(-1)
        return flat[positions], lambda value: flat.__setitem__(positions, value)
    found = project(storage, view, marks, tile)
    return found, None if found is None else lambda value: found.__setitem__(..., value)


__all__ = ["Loop", "accumulated", "here", "read", "wrote"]
