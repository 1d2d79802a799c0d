"""HBM, SBUF and PSUM: allocations, and the bytes at which directly placed ones live."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.memory import HBM, SBUF
from nkilint_rules.words.targets import Target
from reference_sim.report.sites import Site, assigned_name

from .dtypes import Array, sentinel, stored_type

Index = tuple[int, ...]

_BYTES: np.dtype[Any] = np.dtype(np.uint8)


@dataclass(frozen=True)
class Placement:
    """Where each block of a tensor lives on chip: a function of the block index to (first partition, first byte)."""

    locate: Callable[[Index, int, int], tuple[int, int]]


@dataclass(eq=False)
class PlacedTile:
    """One block of a directly placed tensor: a rectangle of partitions and bytes.

    It does not hold its storage, so that a tensor which the kernel has dropped is forgotten here too.
    """

    owner: int
    given_name: str
    site: Site
    memory: str
    block: Index
    partition: int
    partitions: int
    byte: int
    bytes: int
    array: Array
    notes: Any = None  # what is noted of its bytes

    @property
    def name(self) -> str:
        return self.given_name or assigned_name(self.site)

    def overlaps(self, other: PlacedTile) -> bool:
        """Whether the two rectangles share a byte."""
        return (
            self.partition < other.partition + other.partitions
            and other.partition < self.partition + self.partitions
            and self.byte < other.byte + other.bytes
            and other.byte < self.byte + self.bytes
        )


class Chip:
    """One on-chip memory of one program: 128 partitions of bytes, and what was placed in it."""

    def __init__(self, memory: str, target: Target) -> None:
        self.memory = memory
        self.row = target.sbuf_bytes if memory == SBUF else target.psum_bytes
        self.bytes = np.full((target.pmax, self.row), 0xFF, np.uint8)  # all ones are NaN in every float type
        self.flat = self.bytes.reshape(-1)
        self.tiles: weakref.WeakSet[PlacedTile] = weakref.WeakSet()

    def holds(self, tile: PlacedTile) -> bool:
        """Whether a rectangle lies inside of this memory."""
        partitions, row = self.bytes.shape
        last, end = tile.partition + tile.partitions, tile.byte + tile.bytes
        return min(tile.partition, tile.byte) >= 0 and last <= partitions and end <= row

    def view(self, partition: int, byte: int, shape: Sequence[int], stored: np.dtype[Any]) -> Array:
        """The bytes of a tile as an array of its own shape and type."""
        strides = [self.row]
        inner = stored.itemsize
        free: list[int] = []
        for size in reversed(shape[1:]):
            free.insert(0, inner)
            inner *= size
        offset = partition * self.row + byte
        return strided(self.flat, tuple(shape), stored, offset, tuple(strides + free))


def pointer(array: Array) -> int:
    """The address of the first element."""
    return int(array.__array_interface__["data"][0])


def strided(flat: Array, shape: Index, stored: np.dtype[Any], offset: int, strides: Index) -> Array:
    """An array over raw bytes, from a byte offset and byte strides."""
    if stored.isbuiltin == 1:
        return np.ndarray(shape, stored, flat, offset, strides)
    # Types that numpy does not know cannot pass through its buffer protocol: build the bytes and reinterpret them.
    raw = np.ndarray((*shape, stored.itemsize), np.uint8, flat, offset, (*strides, 1))
    return raw.view(stored)[..., 0]


RESULTS = frozenset({"result", "matmul"})
"""Kinds of allocations that operations make for what they give."""

GIVEN, HIDDEN, MIXED = 1, 2, 4
"""What elements come of, besides constants: the kernel's inputs; what the operands of a call do not tell; operations
that did more than give them."""


class Storage:
    """One allocation: its array, its type and its memory."""

    # What few storages have stands here once, so that making one stays cheap.
    flat: Any = None
    placed = False
    psum: Any = None  # what its elements hold, where matmuls add to some
    where: Any = None  # the part of a masked operation's result that it computed
    reduction: Any = None  # the operator of a `loop_reduce` that is still to be applied
    is_input = False
    loaded = False  # whether a DMA made it
    origins = GIVEN  # what has been written, where somebody looks
    written = False
    _address = 0
    birth = 0
    site: Site = None
    lent: Any = None  # loads that have not copied its elements yet
    put_off: Any = None  # of an HBM tensor, products that are still to be written
    viewed = False  # whether there are views of it, which see its array as it is
    followers: tuple[Any, ...] = ()  # that are told of what happens to it
    notes: Any = None  # what is noted of its content while loops run
    unread: Any = None  # what in it nothing has read yet, where somebody looks; until then, of a result:
    reads = 0  # how often something read it

    def __init__(
        self,
        array: Array | None,
        element: DType,
        memory: str,
        rank_blocks: int = 0,
        name: str = "",
        kind: str = "tensor",
    ) -> None:
        self.array = array
        self.element, self.memory, self.given_name, self.kind = element, memory, name, kind
        self.rank_blocks = rank_blocks
        self.shape: Index
        self.stored: np.dtype[Any]
        if array is None:
            self.shape, self.stored = (), _BYTES
            self.tiles: dict[Index, PlacedTile] = {}
        else:
            self.shape, self.stored = array.shape, array.dtype

    @property
    def name(self) -> str:
        """The name that the kernel gave, or the variable that the allocation was assigned to."""
        return self.given_name or assigned_name(self.site)

    @property
    def address(self) -> int:
        """The address of its first element: once a storage has an array, it keeps it."""
        if not self._address and self.array is not None:
            self._address = pointer(self.array)
        return self._address

    def raw(self) -> Array:
        """The bytes of the whole allocation, flat."""
        if self.flat is None:
            array = self.array
            if array is None:
                raise ValueError(f"blocks of {self.name or 'this tensor'} are placed one by one")
            self.flat = array.reshape(-1).view(np.uint8) if array.size else np.empty(0, np.uint8)
        return self.flat

    def free_elements(self) -> int:
        """Elements in a partition; in HBM, elements right of the first dimension."""
        total = 1
        for size in self.shape[self.rank_blocks + 1 :]:
            total *= size
        return total


def host_storage(array: Array, element: DType, name: str = "") -> Storage:
    """An HBM tensor over an array of the host, which has to be contiguous."""
    storage = Storage(array, element, HBM, 0, name, "input")
    storage.is_input = True
    return storage


def new_array(shape: Sequence[int], stored: np.dtype[Any], fill: Any) -> Array:
    """A fresh array; without a `fill` it holds what unwritten elements hold."""
    if min(shape, default=0) < 0:
        raise ValueError(f"{list(shape)} are no sizes of a tensor")
    value = sentinel(stored) if fill is None else fill
    if stored.kind in "fiub" and not value and not (isinstance(value, float) and np.isnan(value)):
        return np.zeros(shape, stored)
    array = np.empty(shape, stored)
    array[...] = value
    return array


def place(chip: Chip, storage: Storage, shape: Index, element: DType, placement: Placement, precise: bool) -> None:
    """Put every block of a tensor at its real bytes."""
    blocks = storage.rank_blocks
    # At real bytes a narrow float has its real width, in the fp32 mode too.
    stored = stored_type(element, True)
    free = 1
    for size in shape[blocks + 1 :]:
        free *= size
    storage.shape, storage.stored, storage.placed = shape, stored, True
    for block in product(*(range(size) for size in shape[:blocks])):
        partition, byte = placement.locate(block, shape[blocks], free * element.itemsize)
        tile = PlacedTile(
            owner=id(storage),
            given_name=storage.given_name,
            site=storage.site,
            memory=storage.memory,
            block=block,
            partition=partition,
            partitions=shape[blocks],
            byte=byte,
            bytes=free * element.itemsize,
            array=np.empty(0, stored),
        )
        storage.tiles[block] = tile
        if not chip.holds(tile):  # has been complained about; a run that goes on finds the data somewhere else
            tile.array = new_array(shape[blocks:], stored, None)
            continue
        tile.array = chip.view(partition, byte, shape[blocks:], stored)
        chip.tiles.add(tile)
    storage.flat = chip.flat
    if blocks == 0:
        storage.array = storage.tiles[()].array
