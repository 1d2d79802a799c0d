"""What the iterations of a loop touch: accesses to what outlives an iteration, as they happen."""

from __future__ import annotations

from reference_sim.machine.dtypes import Array
from reference_sim.machine.loop import Loop
from reference_sim.machine.memory import PlacedTile, Storage
from reference_sim.report.sites import Site
from reference_sim.tensors.tensor import Tensor

READ, WRITE = 0, 1
"""Kinds of accesses; greater numbers are accumulations, whose order does not matter among those of one kind."""

Touched = tuple[Array | None, Array | None]
"""A view of the storage, or positions in it."""


class Access:
    """One access of an iteration."""

    __slots__ = ("kind", "number", "positions", "site", "tile", "view")

    def __init__(self, number: int, kind: int, touched: Touched, tile: PlacedTile | None, site: Site) -> None:
        self.number, self.kind, self.tile, self.site = number, kind, tile, site
        self.view, self.positions = touched


class Record:
    """A loop that runs, with the accesses of its iterations by tensor."""

    __slots__ = ("events", "loop", "started")

    def __init__(self, loop: Loop) -> None:
        self.loop, self.started = loop, 0
        self.events: dict[int, tuple[Storage, list[Access]]] = {}

    def note(self, kind: int, tensor: Tensor, where: Touched, site: Site) -> Access:
        """Note an access of the present iteration."""
        storage = tensor.storage
        entry = self.events.get(id(storage))
        if entry is None:
            entry = self.events[id(storage)] = (storage, [])
        access = Access(self.loop.number, kind, where, tensor.tile, site)
        entry[1].append(access)
        return access
