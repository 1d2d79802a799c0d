"""What the iterations of an `affine_range` loop touch, and whether they depend on each other.

Accesses to what outlives an iteration are recorded as they happen; at the end of the loop they are replayed over one
number for each element: the iteration that wrote it last, and the one that read it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.operation import PSUM

from .context import report
from .dtypes import Array
from .errors import finding_at
from .geometry import box_of, project
from .memory import Storage
from .sites import Site, here
from .tensor import Tensor, touched

if TYPE_CHECKING:
    from .context import Program
    from .grids import Where

READ, WRITE, SUM = 0, 1, 2

_NONE, _SEVERAL = -1, -2


class Loop:
    """One run of a loop, with the accesses of its iterations by storage."""

    __slots__ = ("depth", "events", "iteration", "number", "started")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.iteration = self.started = 0
        self.number = -1
        self.events: dict[int, tuple[Storage, list[Any]]] = {}

    def begin(self, iteration: int, clock: int) -> None:
        """A new iteration starts."""
        self.iteration, self.started = iteration, clock
        self.number += 1

    def record(self, storage: Storage, kind: int, view: Array | None, positions: Array | None, site: Site) -> None:
        """Note an access of the present iteration."""
        entry = self.events.get(id(storage))
        if entry is None:
            entry = self.events[id(storage)] = (storage, [])
        entry[1].append((self.number, kind, view, positions, site))

    def judge(self) -> None:
        """Report dependencies between iterations."""
        for storage, events in self.events.values():
            written = any(kind == WRITE for _, kind, *_ in events)
            if written and events[0][0] != events[-1][0] and not _apart(storage, events):
                _replay(storage, events)
        self.events.clear()


_MANY = 2000


def _apart(storage: Storage, events: list[Any]) -> bool:
    """Whether the boxes that different iterations touch are plainly disjoint wherever one of them writes."""
    if len(events) > _MANY:
        return False
    boxes = []
    for _, _, view, _, _ in events:
        box = None if view is None else box_of(storage, view)
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
            loop.record(tensor.storage, kind, view, positions, site)


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


def _replay(storage: Storage, events: list[Any]) -> None:
    wrote_last = np.full(storage.shape, _NONE, np.int32)
    read_last = np.full(storage.shape, _NONE, np.int32)
    sites: dict[int, Site] = {}
    name = f"`{storage.name}`" if storage.name else f"a {storage.memory} tensor"
    for number, kind, view, positions, site in events:
        written, put_written = _marks(storage, wrote_last, view, positions)
        seen, put_seen = _marks(storage, read_last, view, positions)
        if written is None or seen is None:
            return
        if kind == READ:
            if np.any((written != _NONE) & (written != number)):
                _complain(
                    f"an iteration reads an element of {name} that another one writes", site, sites, written, number
                )
                return
            put_seen(np.where((seen == _NONE) | (seen == number), number, _SEVERAL))
        elif kind == WRITE:
            if np.any((seen != _NONE) & (seen != number)):
                _complain(f"an iteration writes an element of {name} that another one reads", site, sites, seen, number)
                return
            if np.any((written != _NONE) & (written != number)):
                text = f"two iterations write the same element of {name}"
                _complain(text, site, sites, written, number, "NKI602")
                return
            put_written(number)
            sites[number] = site


def _complain(text: str, site: Site, sites: dict[int, Site], marks: Array, number: int, code: str = "NKI601") -> None:
    other = int(marks[(marks != _NONE) & (marks != number)].reshape(-1)[0])
    related = [("the other access", sites[other])] if other in sites else []
    report(finding_at(code, text, site, related, "use sequential_range for iterations that depend on each other"))


def _marks(storage: Storage, marks: Array, view: Array | None, positions: Array | None) -> tuple[Any, Any]:
    if view is None:
        flat = marks.reshape(-1)
        return flat[positions], lambda value: flat.__setitem__(positions, value)
    found = project(storage, view, marks)
    return found, None if found is None else lambda value: found.__setitem__(..., value)


__all__ = ["PSUM", "Loop", "accumulated", "here", "read", "wrote"]
