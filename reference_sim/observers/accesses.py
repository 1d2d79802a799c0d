"""What the iterations of a loop touch: accesses to what outlives an iteration, as they happen."""

from __future__ import annotations

from reference_sim.machine.dtypes import Array
from reference_sim.machine.loop import Loop
from reference_sim.machine.memory import PlacedTile, Storage
from reference_sim.report.sites import Site
from reference_sim.tensors.deferred import Keys

READ, WRITE = 0, 1
"""Kinds of accesses; greater numbers are accumulations, whose order does not matter among those of one kind."""

Accessed = tuple[Array | None, Array | None]
"""A view of the storage, or positions in it."""


class Access:
    """One access, and the clock when it happened. The loops around share it.

    `keys` are those that chose the view, one for each axis of the tensor, where that is known.
    """

    __slots__ = ("clock", "keys", "kind", "positions", "site", "tile", "view")

    def __init__(self, clock: int, kind: int, accessed: Accessed, tile: PlacedTile | None, site: Site) -> None:
        self.clock, self.kind, self.tile, self.site = clock, kind, tile, site
        self.view, self.positions = accessed
        self.keys: Keys | None = None


class History:
    """The accesses to one tensor in a loop, and the iterations in which they happened."""

    __slots__ = ("accesses", "numbers", "storage")

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.accesses: list[Access] = []
        self.numbers: list[int] = []


class Record:
    """A loop that runs, with the accesses of its iterations by tensor."""

    __slots__ = ("histories", "loop", "started")

    def __init__(self, loop: Loop) -> None:
        self.loop, self.started = loop, 0
        self.histories: dict[int, History] = {}

    def iterate(self, clock: int) -> None:
        """Its next iteration begins."""
        self.started = clock

    def note(self, storage: Storage, access: Access) -> None:
        """Note an access of the present iteration."""
        history = self.histories.get(id(storage))
        if history is None:
            history = self.histories[id(storage)] = History(storage)
        history.accesses.append(access)
        history.numbers.append(self.loop.number)
