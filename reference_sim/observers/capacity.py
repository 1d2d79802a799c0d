"""How much of SBUF and PSUM holds data at once, from the first write of each tile to its last read (NKI410)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nkilint_rules.words.memory import HBM, PSUM, SBUF
from reference_sim.machine.memory import Storage
from reference_sim.machine.program import Program
from reference_sim.operations.operands import Operands
from reference_sim.report.sites import Site, assigned_name, here
from reference_sim.report.wording import complain
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .protocol import Follower, Observer, follow

SMALL = 8192  # bytes over all partitions, below which a tile is not counted
MOST = 200_000  # tiles that are followed; a longer run is judged by those
SHOWN = 6  # tensors named in a finding


class Life(Follower):
    """A tile that holds data: its bytes over all partitions, and when it was written first and read last.

    Of a tensor with blocks one tile is counted, since the compiler may let its blocks take turns.
    """

    __slots__ = ("area", "end", "memory", "row", "site", "start", "tiles")

    def __init__(self, storage: Storage, tiles: list[Life]) -> None:
        row = storage.element.itemsize
        for size in storage.shape[storage.rank_blocks + 1 :]:
            row *= size
        self.memory, self.row, self.tiles = storage.memory, row, tiles
        self.area = row * (storage.shape[storage.rank_blocks] if len(storage.shape) > storage.rank_blocks else 1)
        self.start = self.end = 0
        self.site: Site = None

    @property
    def name(self) -> str:
        return assigned_name(self.site)

    def begin(self, now: int, site: Site) -> None:
        """Something is written to the tile for the first time."""
        self.start = self.end = now
        self.site = site
        if len(self.tiles) < MOST:
            self.tiles.append(self)

    def used(self, tensor: Tensor, current: Program) -> None:
        self.end = current.clock

    def wrote(self, tensor: Tensor, where: Where, current: Program) -> None:
        if self.start == 0:
            self.begin(current.clock, here())


class Capacity(Observer):
    """Follows the tiles that the compiler places; a program that places its tensors itself is told about overlaps."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.tiles: list[Life] = []
        self.places_itself = False

    def allocated(self, storage: Storage, filled: bool) -> None:
        self.places_itself = self.places_itself or storage.placed
        life = self._life_of(storage)
        if life is not None and filled:
            life.begin(self.program.clock, here())

    def gave(self, tile: Tensor, operands: Operands | None) -> None:
        array = tile.storage.array
        if array is not None and array.nbytes < SMALL:
            return
        life = self._life_of(tile.storage)
        if life is not None:  # a result is written where it is made
            life.begin(self.program.clock, tile.storage.site or here())

    def _life_of(self, storage: Storage) -> Life | None:
        array = storage.array
        if storage.memory == HBM or storage.placed or (array is not None and array.nbytes < SMALL):
            return None
        life = Life(storage, self.tiles)
        follow(storage, life)
        return life

    def ended(self, result: Any) -> None:
        """Advise about each memory that the program exceeds."""
        if self.places_itself:
            return
        target = self.program.launch.target
        for memory, capacity in ((SBUF, target.sbuf_bytes), (PSUM, target.psum_bytes)):
            tiles = [life for life in self.tiles if life.memory == memory and life.row <= capacity]
            if sum(life.area for life in tiles) <= capacity * target.pmax:
                continue
            there = _most(tiles)
            area = sum(life.area for life in there)
            if area > capacity * target.pmax:
                complain(
                    "NKI410", None, _last(there), [(_told(x, target.pmax), x.site) for x in there[:SHOWN]],
                    who="1 tensor needs" if len(there) == 1 else f"{len(there)} tensors need",
                    bytes=-(-area // target.pmax), capacity=capacity, memory=memory.upper(), target=target,
                )  # fmt: skip


def _most(lives: Sequence[Life]) -> list[Life]:
    """The tiles that hold data when most of the memory does, the largest first."""
    changes = sorted(change for x in lives for change in ((x.end, 0, -x.area), (x.start, 1, x.area)))
    now = most = when = 0
    for time, _, change in changes:
        now += change
        if now > most:
            most, when = now, time
    return sorted((x for x in lives if x.start <= when < x.end), key=lambda x: -x.area)


def _last(lives: Sequence[Life]) -> Site:
    return max(lives, key=lambda x: x.start).site


def _told(life: Life, partitions: int) -> str:
    return f"`{life.name or 'a result'}` takes {-(-life.area // partitions)} bytes"
