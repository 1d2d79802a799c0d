"""How much of SBUF and PSUM holds data at once: one tile, one instruction, and what lives from its first write to its
last read (NKI410)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import prod
from typing import Any

from nkilint_rules.placement import capacity as rulebook
from nkilint_rules.placing.shares import Held, fullest
from nkilint_rules.rule import Need
from nkilint_rules.words.memory import HBM, PSUM, SBUF
from reference_sim.machine.memory import Storage
from reference_sim.machine.program import Program
from reference_sim.operations.operands import Operands
from reference_sim.report.sites import Site, assigned_name, here
from reference_sim.report.wording import complain, require
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .protocol import Follower, Observer, follow

SMALL = 8192  # bytes over all partitions, below which a tile is not counted; one that is put off is
MOST = 200_000  # tiles that are followed; a longer run is judged by those
LARGE = {SBUF: 24 * 1024, PSUM: 4 * 1024}  # bytes of a partition, up to which the tiles of an instruction surely fit
RULE = rulebook.Capacity()


class Life(Follower):
    """A tile that holds data: its bytes over all partitions, and when it was written first and read last.

    Of a tensor with blocks one tile is counted, since the compiler may let its blocks take turns.
    """

    __slots__ = ("area", "end", "memory", "row", "site", "start", "tiles")

    def __init__(self, storage: Storage, tiles: list[Life]) -> None:
        self.memory, self.tiles = storage.memory, tiles
        self.row, self.area = _sizes(storage.shape, storage.rank_blocks, storage.element.itemsize)
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

    def read(self, tensor: Tensor, where: Where, operands: Operands | None, current: Program) -> None:
        self.end = current.clock

    def used(self, tensor: Tensor, current: Program) -> None:
        self.end = current.clock

    def wrote(self, tensor: Tensor, where: Where, current: Program) -> None:
        if self.start == 0:
            self.begin(current.clock, here())


class Capacity(Observer):
    """Follows the tiles that the compiler places; a program that places its tensors itself is told about overlaps.
    Instructions are looked at from the first large tile on."""

    AT_TIMES = ("began",)

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.tiles: list[Life] = []
        self.places_itself = self.looks = self.crowded = False

    def allocated(self, storage: Storage, filled: bool) -> None:
        self.places_itself = self.places_itself or storage.placed
        self._alone(storage)
        life = self._life_of(storage)
        if life is not None and filled:
            life.begin(self.program.clock, here())

    def gave(self, tile: Tensor, operands: Operands | None) -> None:
        storage = tile.storage
        life = self._life_of(storage)
        if life is not None:  # a result is written where it is made
            site = storage.site
            if site is None:
                # `gave` is told by `wrap` and its like, for functions of the simulator.
                site = storage.site = (None if operands is None else operands.site) or here(3)
            life.begin(self.program.clock, site)
            if life.row > LARGE[life.memory] and (operands is None or not _has_blocks(operands)):
                self._alone(storage)  # of operands with block dimensions something else is said

    def began(self, operands: Operands | None) -> None:
        if operands is None or operands.entry.operation.kind == "create":
            return
        storages = {id(s): s for s in _storages(operands.arguments.values()) if s.memory != HBM and not s.placed}
        tiles = [(s.memory, Held(s.shape[s.rank_blocks], _row(s))) for s in storages.values()]
        made = operands.plan.tile
        if made is not None and not isinstance(operands.get("dst"), Tensor):
            tiles.append((made.memory, Held(made.shape[0], prod(made.shape[1:]) * made.element.itemsize)))
        target = self.program.launch.target
        for memory in (SBUF, PSUM):
            there = [tile for where, tile in tiles if where == memory]
            if len(there) > 1 and all(RULE.check_tile(tile, memory, target).condition for tile in there):
                self._require(RULE.check_instruction(operands.entry.operation.leaf, there, memory, target))

    def _alone(self, storage: Storage) -> None:
        """A tile in SBUF fits; tiles in PSUM have a rule of their own."""
        if storage.memory == HBM or storage.placed or _row(storage) <= LARGE[storage.memory]:
            return
        if not self.looks:
            self.looks = True
            self.start()
        if storage.memory == SBUF:
            self._require(RULE.check_tile(Held(1, _row(storage)), SBUF, self.program.launch.target))

    def _require(self, need: Need) -> None:
        if not require(need):
            self.crowded = True

    def _life_of(self, storage: Storage) -> Life | None:
        array = storage.array
        if storage.memory == HBM or storage.placed or (array is not None and array.nbytes < SMALL):
            return None
        life = Life(storage, self.tiles)
        follow(storage, life)
        return life

    def ended(self, result: Any) -> None:
        """Advise about each memory that the program exceeds, unless one instruction does."""
        lives = list(self.tiles)
        self.tiles.clear()  # each of them holds the list
        if self.places_itself or self.crowded:
            return
        target = self.program.launch.target
        for memory, capacity in ((SBUF, target.sbuf_bytes), (PSUM, target.psum_bytes)):
            tiles = [life for life in lives if life.memory == memory and life.row <= capacity]
            if RULE.check_together(tiles, memory, target).condition:
                continue
            there = fullest(tiles)
            need = RULE.check_together(there, memory, target)
            if not need.condition:
                complain(need.message, _last(there), [(text, x.site) for text, x in RULE.largest(there, target)])


def _row(storage: Storage) -> int:
    """Bytes of a tile in each partition."""
    return _sizes(storage.shape, storage.rank_blocks, storage.element.itemsize)[0]


@lru_cache(maxsize=1024)
def _sizes(shape: tuple[int, ...], blocks: int, itemsize: int) -> tuple[int, int]:
    """Bytes of a tile in each partition, and in all of them."""
    row = itemsize * prod(shape[blocks + 1 :])
    return row, row * (shape[blocks] if len(shape) > blocks else 1)


def _has_blocks(operands: Operands) -> bool:
    return any(isinstance(v, Tensor) and v.blocks for v in operands.arguments.values())


def _storages(values: Iterable[Any]) -> Iterator[Storage]:
    """What the tensors among arguments are stored in, those of lists one by one."""
    for value in values:
        if isinstance(value, Tensor):
            yield value.storage
        elif isinstance(value, (list, tuple)):
            yield from _storages(value)


def _last(lives: Sequence[Life]) -> Site:
    return max(lives, key=lambda x: x.start).site
