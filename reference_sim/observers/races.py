"""What the iterations of an `affine_range` loop touch: accesses to what outlives an iteration, as they happen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.words.reductions import family, operator_of
from reference_sim.machine.dtypes import Array
from reference_sim.machine.geometry import pointer
from reference_sim.machine.memory import PlacedTile, Storage
from reference_sim.report.sites import Site, here
from reference_sim.tensors.tensor import Tensor, touched

from .replay import READ, WRITE, judge

if TYPE_CHECKING:
    from reference_sim.machine.program import Program
    from reference_sim.operations.operands import Operands
    from reference_sim.tensors.grids import Where

Touched = tuple[Array | None, Array | None]
"""A view of the storage, or positions in it."""

_KINDS: dict[str, int] = {}  # of accumulations: from 2 on, one number for each family of operators


def _kind_of(family: str) -> int:
    return _KINDS.setdefault(family, len(_KINDS) + 2)


class Access:
    """One access of an iteration."""

    __slots__ = ("kind", "number", "positions", "site", "tile", "view")

    def __init__(self, number: int, kind: int, touched: Touched, tile: PlacedTile | None, site: Site) -> None:
        self.number, self.kind, self.tile, self.site = number, kind, tile, site
        self.view, self.positions = touched


class Loop:
    """One run of a loop, with the accesses of its iterations by storage."""

    __slots__ = ("events", "name", "number", "started", "trips")

    def __init__(self, trips: Sequence[int], name: str) -> None:
        self.trips, self.name = trips, name or "_"
        self.started = 0
        self.number = -1
        self.events: dict[int, tuple[Storage, list[Access]]] = {}

    def begin(self, clock: int) -> None:
        """A new iteration starts."""
        self.started = clock
        self.number += 1

    def trip(self, number: int) -> Any:
        """The value of the loop variable in an iteration; several iterations have none."""
        return self.trips[number] if number >= 0 else "several"

    def record(self, kind: int, tensor: Tensor, where: Touched, site: Site) -> Access:
        """Note an access of the present iteration."""
        storage = tensor.storage
        entry = self.events.get(id(storage))
        if entry is None:
            entry = self.events[id(storage)] = (storage, [])
        access = Access(self.number, kind, where, tensor.tile, site)
        entry[1].append(access)
        return access

    def judge(self) -> None:
        """Report dependencies between iterations."""
        for storage, events in self.events.values():
            judge(self, storage, events)
        self.events.clear()


def _outliving(storage: Storage, current: Program) -> list[Loop]:
    birth = storage.birth
    return [loop for loop in current.loops if birth < loop.started]


def _note(tensor: Tensor, where: Where, current: Program, kind: int) -> list[Access]:
    loops = _outliving(tensor.storage, current)
    if not loops:
        return []
    found, site = touched(tensor, where), here()
    return [loop.record(kind, tensor, found, site) for loop in loops]


def read(tensor: Tensor, where: Where, current: Program) -> None:
    """An operation reads."""
    storage = tensor.storage
    if storage.partial is not None:
        storage.partial.seen()
    if storage.kind != "constant" and (found := _note(tensor, where, current, READ)):
        current.reads.append((tensor, found))


def wrote(tensor: Tensor, where: Where, current: Program) -> None:
    """An operation writes; an accumulation that goes on is noted by `accumulated` instead."""
    if current.summing is tensor.storage:
        current.summing = None
        return
    _note(tensor, where, current, WRITE)


def accumulated(tensor: Tensor, operator: str, current: Program) -> None:
    """`t op= x`: where the order does not matter, iterations may share it; elsewhere it reads and writes."""
    kind = family(operator)
    if tensor.storage.partial is not None:
        tensor.storage.partial.seen()
    _note(tensor, None, current, READ if kind is None else _kind_of(kind))
    if kind is not None:
        current.summing = tensor.storage


class Partial:
    """The result of an operator in a loop that some of its operands outlive.

    Assigned to one of them and seen by nothing else, it stands for `t op= x`. `operands` are those it may be assigned
    to, with what the operator accumulates there and the reads; `noted` are the accesses that were taken for an
    accumulation, with what they are otherwise.
    """

    __slots__ = ("noted", "operands")

    def __init__(self, operands: list[tuple[Storage, int, list[Access]]]) -> None:
        self.operands = operands
        self.noted: list[tuple[Access, int]] = []

    def seen(self) -> None:
        """Something else sees the value."""
        for access, kind in self.noted:
            access.kind = kind
        self.operands, self.noted = [], []


def made(tile: Tensor, operands: Operands, current: Program) -> None:
    """An operation that read what outlives a loop gives a result."""
    found = operator_of(operands.entry.name, {"op": operands.leaf("op")})
    if found is None:
        return
    operator, left, right = found
    candidates = []
    for tensor, reads in current.reads:
        kind = family(operator, tensor is operands.arguments[left])
        if kind is not None and (tensor is operands.arguments[left]) != (tensor is operands.arguments[right]):
            candidates.append((tensor.storage, _kind_of(kind), reads))
    if candidates:
        tile.storage.partial = Partial(candidates)


def assigned(target: Tensor, partial: Partial, where: Where, current: Program) -> None:
    """`t[...] = t[...] op x`, where the tile that is assigned is the one that the operator gave."""
    chosen = [(kind, reads) for storage, kind, reads in partial.operands if storage is target.storage]
    partial.seen()
    if len(chosen) != 1:
        return
    ((kind, reads),) = chosen
    writes = _note(target, where, current, WRITE)
    current.summing = target.storage
    between = [loop.events[id(target.storage)][1] for loop in _outliving(target.storage, current)]
    if len(reads) == len(writes) and all(map(_same_part, reads, writes)) and all(map(_next_write, reads, between)):
        partial.noted = [*((r, READ) for r in reads), *((w, WRITE) for w in writes)]
        for access in (*reads, *writes):
            access.kind = kind


def _same_part(a: Access, b: Access) -> bool:
    if a.view is None or b.view is None:
        same = a.positions is not None and b.positions is not None and np.array_equal(a.positions, b.positions)
    else:
        same = (a.view.shape, a.view.strides, pointer(a.view)) == (b.view.shape, b.view.strides, pointer(b.view))
    return same and a.number == b.number


def _next_write(read: Access, events: list[Access]) -> bool:
    """Whether the last access, which writes, is the first to do so after `read`."""
    for event in reversed(events[:-1]):
        if event is read:
            return True
        if event.kind != READ:
            return False
    return False


__all__ = ["Loop", "accumulated", "assigned", "made", "read", "wrote"]
