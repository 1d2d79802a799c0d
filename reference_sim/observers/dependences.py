"""Whether the iterations of an `affine_range` loop depend on each other: their accesses to one tensor, replayed.

For each element the replay knows which iteration wrote it last, which read it, and which accumulated into it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from reference_sim.machine.dtypes import Array
from reference_sim.machine.geometry import box_of, element_at, project
from reference_sim.machine.loop import Loop
from reference_sim.machine.memory import Storage
from reference_sim.report.sites import Site
from reference_sim.report.wording import complain, name_of, rule_of

from .accesses import READ, WRITE, Access

_NONE, _SEVERAL = -1, -2
_MANY = 2000


def judge(loop: Loop, storage: Storage, events: Sequence[Access]) -> None:
    """Report the first access of each kind that depends on what another iteration did."""
    kinds = {event.kind for event in events}
    in_order = WRITE in kinds or (len(kinds) > 1 and kinds != {READ})
    if in_order and events[0].number != events[-1].number and not _apart(storage, events):
        _replay(loop, storage, events)


def _apart(storage: Storage, events: Sequence[Access]) -> bool:
    """Whether the boxes that different iterations touch are plainly disjoint wherever their order matters."""
    if len(events) > _MANY:
        return False
    boxes = []
    for event in events:
        box = None if event.view is None else box_of(storage, event.view, event.tile)
        if box is None:
            return False
        boxes.append(box)
    ends = np.array(boxes, np.int64).reshape(len(boxes), -1, 2)
    low, high = ends[:, :, 0], ends[:, :, 1]
    numbers = np.array([event.number for event in events])
    kinds = np.array([event.kind for event in events])
    writers = np.flatnonzero(kinds != READ)
    alike = (kinds[writers, None] == kinds[None, :]) & (kinds[writers, None] != WRITE)
    clash = (numbers[writers, None] != numbers[None, :]) & ~alike
    for axis in range(low.shape[1]):
        clash &= low[writers, None, axis] <= high[None, :, axis]
        clash &= low[None, :, axis] <= high[writers, None, axis]
    return not clash.any()


class _Marks:
    """For each element of a tensor the iteration that did something to it last: a number, none, or several."""

    def __init__(self, storage: Storage) -> None:
        self.storage, self.marks = storage, np.full(storage.shape, _NONE, np.int32)

    def at(self, event: Access) -> Any:
        """The marks of what an access touches; None where its place in the tensor is not known."""
        if event.view is None:
            return self.marks.reshape(-1)[event.positions]
        return project(self.storage, event.view, self.marks, event.tile)

    def put(self, event: Access, value: Any) -> None:
        """Mark what an access touches."""
        if event.view is None:
            self.marks.reshape(-1)[event.positions] = value
        else:
            self.at(event)[...] = value

    def add(self, event: Access, only: Any = True) -> None:
        """The iteration of an access did something to what it touches, perhaps as one of several."""
        before = self.at(event)
        now = np.where((before == _NONE) | (before == event.number), event.number, _SEVERAL)
        self.put(event, np.where(only, now, before))


def _replay(loop: Loop, storage: Storage, events: Sequence[Access]) -> None:
    wrote, read = _Marks(storage), _Marks(storage)
    summed: defaultdict[int, _Marks] = defaultdict(lambda: _Marks(storage))
    sites: dict[tuple[bool, int], Site] = {}  # where an iteration read or wrote last
    reported: dict[str, Site] = {}
    for event in events:
        if wrote.at(event) is None:
            return
        earlier = [wrote, *(marks for kind, marks in summed.items() if kind != event.kind)]
        found: list[tuple[Array, str, str | None]]
        if event.kind == READ:
            found = [(m, "NKI601", None) for m in _of_others(earlier, event)]
        else:
            found = [(m, "NKI601", "written_later") for m in _of_others([read], event)]
            found += [(m, "NKI602", None) for m in _of_others(earlier, event)]
        for marks, code, variant in found:
            _complain(loop, code, variant, event, storage, marks, sites, reported)
        if len(reported) == 2:
            return
        sites[event.kind == READ, event.number] = event.site
        if event.kind == READ:
            read.add(event, wrote.at(event) != event.number)
            continue
        if event.kind == WRITE:
            wrote.put(event, event.number)
            for marks in summed.values():
                marks.put(event, _NONE)
        else:
            summed[event.kind].add(event)


def _of_others(all_marks: Sequence[_Marks], event: Access) -> Iterator[Array]:
    """The marks of other iterations on what an access touches."""
    for marks in all_marks:
        found = marks.at(event)
        if np.any((found != _NONE) & (found != event.number)):
            yield found


def _complain(
    loop: Loop, code: str, variant: str | None, event: Access, storage: Storage, marks: Array,
    sites: Mapping[tuple[bool, int], Site], reported: dict[str, Site],
) -> None:  # fmt: skip
    """Report what the event of one iteration meets of another's, at the first element where it does.

    The place is that of the access which comes later in the kernel's text. Each code is reported once, and not where
    another explains it.
    """
    others = np.asarray((marks != _NONE) & (marks != event.number))
    position = int(np.flatnonzero(others)[0])
    other = int(np.asarray(marks).reshape(-1)[position])
    site, place = event.site, sites.get((variant == "written_later", other))
    if site is not None and place is not None and site[0] is place[0] and place[1] > site[1]:
        site, place = place, site
    if code in reported or any(code in rule_of(c).before and at == site for c, at in reported.items()):
        return
    reported[code] = site
    related = [] if place in (None, site) else [("the other access", place)]
    complain(
        code, variant, site, related, first=loop.trip(other), second=loop.trip(event.number), loop=loop.name,
        element=element_at(storage, event.view, event.positions, position, event.tile), tensor=name_of(storage),
    )  # fmt: skip
