"""Whether the iterations of an `affine_range` loop depend on each other: their accesses to one tensor, replayed.

For each element the replay knows which iteration wrote it last, which read it, and which accumulated into it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nkilint_rules.parallel.loop_carried_dependency import LoopCarriedDependency
from nkilint_rules.parallel.output_dependency import OutputDependency
from nkilint_rules.rule import Rule, Wording
from reference_sim.machine.dtypes import Array
from reference_sim.machine.geometry import Box, box_of, element_at, project
from reference_sim.machine.loop import Loop
from reference_sim.machine.memory import Storage
from reference_sim.report.sites import Site
from reference_sim.report.wording import complain, name_of

from .accesses import READ, WRITE, Access, History

_NONE, _SEVERAL = -1, -2


def report_dependences(loop: Loop, history: History) -> None:
    """Report the first access of each kind that depends on what another iteration did."""
    kinds = {access.kind for access in history.accesses}
    in_order = WRITE in kinds or (len(kinds) > 1 and kinds != {READ})
    if in_order and history.numbers[0] != history.numbers[-1] and not are_apart(history):
        _replay(loop, history)


def are_apart(history: History) -> bool:
    """Whether the boxes that different iterations touch are plainly disjoint wherever their order matters.

    Along one axis after the other, what touches is split where nothing reaches over; what one iteration alone has part
    in, or what does not mind the order, is left out.
    """
    storage, boxes = history.storage, []
    for access in history.accesses:
        box = _box(storage, access)
        if box is None:
            return False
        boxes.append(box)
    ends = np.array(boxes, np.int64).reshape(len(boxes), -1, 2)
    numbers = np.array(history.numbers)
    kinds = np.array([access.kind for access in history.accesses])
    groups = np.zeros(len(boxes), np.int64)
    for axis in (*range(ends.shape[1]), *range(ends.shape[1])):
        groups = _split(groups, ends[:, axis, 0], ends[:, axis, 1])
        left = _minding(groups, numbers, kinds)[groups]
        if not left.any():
            return True
        ends, numbers, kinds, groups = ends[left], numbers[left], kinds[left], groups[left]
    return False


def _box(storage: Storage, access: Access) -> Box | None:
    """First and last index along each axis that an access touches."""
    view = access.view
    if view is None or access.keys is None or not view.size:
        return None if view is None else box_of(storage, view, access.tile)
    return tuple([_ends(key, size) for key, size in zip(access.keys, storage.shape, strict=True)])


def _ends(key: Any, size: int) -> tuple[int, int]:
    """The first and the last index that a key chooses of an axis."""
    if type(key) is not slice:
        return key, key
    return key.start or 0, (size if key.stop is None else key.stop) - 1


def _split(groups: Array, low: Array, high: Array) -> Array:
    """Groups of intervals, each split where no interval of it reaches over, numbered from 0."""
    order = np.lexsort((low, groups))
    shift = groups[order] * (int(high.max()) + 1)  # keeps the groups apart
    reach = np.maximum.accumulate(high[order] + shift)
    begins = np.ones(len(order), np.int64)
    begins[0] = 0
    begins[1:] = low[order][1:] + shift[1:] > reach[:-1]
    found = np.empty(len(order), np.int64)
    found[order] = np.cumsum(begins)
    return found


def _minding(groups: Array, numbers: Array, kinds: Array) -> Array:
    """Of each group whether several iterations are in it and their order matters."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    first, last = (f.reduceat(numbers[order], starts) for f in (np.minimum, np.maximum))
    least, most = (f.reduceat(kinds[order], starts) for f in (np.minimum, np.maximum))
    return np.asarray((first != last) & ((least != most) | (least == WRITE)))


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

    def add(self, event: Access, number: int, only: Any = True) -> None:
        """An iteration did something to what an access touches, perhaps as one of several."""
        before = self.at(event)
        now = np.where((before == _NONE) | (before == number), number, _SEVERAL)
        self.put(event, np.where(only, now, before))


def _replay(loop: Loop, history: History) -> None:
    storage = history.storage
    wrote, read = _Marks(storage), _Marks(storage)
    summed: defaultdict[int, _Marks] = defaultdict(lambda: _Marks(storage))
    sites: dict[tuple[bool, int], Site] = {}  # where an iteration read or wrote last
    reported: dict[type[Rule], Site] = {}
    for event, number in zip(history.accesses, history.numbers, strict=True):
        if wrote.at(event) is None:
            return
        earlier = [wrote, *(marks for kind, marks in summed.items() if kind != event.kind)]
        found: list[tuple[Array, Wording[...]]]
        if event.kind == READ:
            found = [(m, LoopCarriedDependency.message) for m in _of_others(earlier, event, number)]
        else:
            found = [(m, LoopCarriedDependency.written_later) for m in _of_others([read], event, number)]
            found += [(m, OutputDependency.message) for m in _of_others(earlier, event, number)]
        for marks, wording in found:
            _complain(loop, wording, event, number, storage, marks, sites, reported)
        if len(reported) == 2:
            return
        sites[event.kind == READ, number] = event.site
        if event.kind == READ:
            read.add(event, number, wrote.at(event) != number)
        elif event.kind == WRITE:
            wrote.put(event, number)
            for marks in summed.values():
                marks.put(event, _NONE)
        else:
            summed[event.kind].add(event, number)


def _of_others(all_marks: Sequence[_Marks], event: Access, number: int) -> Iterator[Array]:
    """The marks of other iterations on what an access touches."""
    for marks in all_marks:
        found = marks.at(event)
        if np.any((found != _NONE) & (found != number)):
            yield found


def _complain(
    loop: Loop, wording: Wording[...], event: Access, number: int, storage: Storage, marks: Array,
    sites: Mapping[tuple[bool, int], Site], reported: dict[type[Rule], Site],
) -> None:  # fmt: skip
    """Report what the event of one iteration meets of another's, at the first element where it does.

    The place is that of the access which comes later in the kernel's text. Each rule is reported once, and not where
    another explains it.
    """
    others = np.asarray((marks != _NONE) & (marks != number))
    position = int(np.flatnonzero(others)[0])
    other = int(np.asarray(marks).reshape(-1)[position])
    site, place = event.site, sites.get((wording is LoopCarriedDependency.written_later, other))
    if site is not None and place is not None and site[0] is place[0] and place[1] > site[1]:
        site, place = place, site
    rule = wording.rule
    if rule in reported or any(rule.code in other.before and at == site for other, at in reported.items()):
        return
    reported[rule] = site
    related = [] if place in (None, site) else [("the other access", place)]
    said = wording(
        first=loop.trip(other), second=loop.trip(number), loop=loop.name,
        element=element_at(storage, event.view, event.positions, position, event.tile), tensor=name_of(storage),
    )  # fmt: skip
    complain(said, site, related)
