"""Directly placed tiles that are overwritten through another tile while they are needed (NKI501 to NKI503)."""

from __future__ import annotations

from typing import Any

import numpy as np

from nkilint_rules.lifetime.interleaved_accumulation import InterleavedAccumulation
from nkilint_rules.lifetime.overlapping_tensors import OverlappingTensors
from nkilint_rules.lifetime.too_few_tiles import TooFewTiles
from nkilint_rules.words.memory import PSUM
from reference_sim.machine.dtypes import Array
from reference_sim.machine.geometry import tile_of
from reference_sim.machine.memory import PlacedTile, Storage, pointer, strided
from reference_sim.machine.program import Program, running
from reference_sim.operations.operands import Operands
from reference_sim.report.sites import Site, here
from reference_sim.report.wording import complain, name_of
from reference_sim.tensors.elements import accessed
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .protocol import Follower, Observer, follow


class Bytes:
    """For each partition and byte of a tile whether something was written, and whether something else was written over
    it since; and what did that."""

    __slots__ = ("clobbered", "culprit", "written")

    def __init__(self, tile: PlacedTile) -> None:
        self.written = np.zeros((tile.partitions, tile.bytes), bool)
        self.clobbered: Any = None
        self.culprit: tuple[PlacedTile, Site] | None = None


def _known(tile: PlacedTile) -> Bytes | None:
    """What is known of the bytes of a tile, once something was written."""
    found: Bytes | None = tile.notes
    return found


def _bytes_of(tile: PlacedTile, view: Array, marks: Array) -> Array:
    """The part of `marks`, one for each partition and byte of a tile, that a view of the tile covers."""
    row = tile.array.strides[0]
    partition, byte = divmod(pointer(view) - pointer(tile.array), row)
    strides = [s // row * tile.bytes if s and s % row == 0 else s for s in view.strides]
    raw = marks.reshape(-1).view(np.uint8)
    shape = (*view.shape, view.itemsize)
    return strided(raw, shape, np.dtype(np.bool_), partition * tile.bytes + byte, (*strides, 1))


PlacedPart = tuple[PlacedTile, Array | None, Any]
"""A tile, and a view of it or flat positions in it."""


def _place(tensor: Tensor, where: Where) -> PlacedPart | None:
    """The tile that an access touches, and where."""
    view, positions = accessed(tensor, where)
    storage = tensor.storage
    if view is not None:
        tile = (tensor.tile or tile_of(storage, view)) if view.size else None
        return None if tile is None else (tile, view, None)
    tile = tensor.tile or (next(iter(storage.tiles.values())) if len(storage.tiles) == 1 else None)
    if tile is None or positions is None or not positions.size:
        return None
    block = 0
    for index, extent in zip(tile.block, storage.shape, strict=False):
        block = block * extent + index
    return tile, None, positions - block * tile.partitions * storage.free_elements()


def _mark(place: PlacedPart, marks: Array, value: bool) -> None:
    """Set the marks of the bytes that an access touches."""
    tile, view, positions = place
    if view is not None:
        _bytes_of(tile, view, marks)[...] = value
    else:
        marks.reshape(-1, tile.array.itemsize)[positions] = value


def _overlapping(tile: PlacedTile, current: Program) -> list[PlacedTile]:
    chip = current.chips.get(tile.memory)
    return [] if chip is None else [t for t in chip.tiles if t is not tile and t.overlaps(tile)]


class Places(Follower):
    """A directly placed tensor."""

    __slots__ = ()

    def wrote(self, tensor: Tensor, where: Where, current: Program) -> None:
        """Note a write through one tile in all tiles that share its bytes."""
        place = _place(tensor, where)
        if place is None:
            return
        tile = place[0]
        known = tile.notes = _known(tile) or Bytes(tile)
        if known.clobbered is not None:
            _mark(place, known.clobbered, False)
        _mark(place, known.written, True)
        others = _overlapping(tile, current)
        if not others:
            return
        stamp = np.zeros((tile.partitions, tile.bytes), bool)
        _mark(place, stamp, True)
        _clobber(tile, stamp, others, here())

    def read(self, tensor: Tensor, where: Where, operands: Operands | None, current: Program) -> None:
        _read(tensor, where, False)

    def used(self, tensor: Tensor, current: Program) -> None:
        _read(tensor, None, tensor.storage.memory == PSUM)


class Overwritten(Observer):
    """Follows the tensors that a kernel places itself."""

    def allocated(self, storage: Storage, filled: bool) -> None:
        if storage.placed:
            follow(storage, Places())


def shares_bytes(storage: Storage) -> bool:
    """Whether another tile lives where a directly placed tensor does, so that its bytes are read under another name."""
    current = running()
    return current is not None and any(_overlapping(tile, current) for tile in storage.tiles.values())


def _clobber(tile: PlacedTile, stamp: Array, others: list[PlacedTile], site: Site) -> None:
    """Note in other tiles which of their bytes a write through a tile hit."""
    for other in others:
        known = _known(other)
        if known is None:
            continue
        if known.clobbered is None:
            known.clobbered = np.zeros((other.partitions, other.bytes), bool)
        mine, theirs = _shared(tile, other)
        if known.culprit is None or not known.clobbered.any():
            known.culprit = (tile, site)
        part = known.clobbered[theirs]
        part |= stamp[mine] & known.written[theirs]


def _shared(a: PlacedTile, b: PlacedTile) -> tuple[Any, Any]:
    """The bytes that two tiles share, as slices of the one and of the other."""
    first, last = max(a.partition, b.partition), min(a.partition + a.partitions, b.partition + b.partitions)
    low, high = max(a.byte, b.byte), min(a.byte + a.bytes, b.byte + b.bytes)
    slices = [(slice(first - t.partition, last - t.partition), slice(low - t.byte, high - t.byte)) for t in (a, b)]
    return slices[0], slices[1]


def _read(tensor: Tensor, where: Where, accumulating: bool) -> None:
    """Report a read of bytes that something else was written over."""
    place = _place(tensor, where)
    known = None if place is None else _known(place[0])
    if place is None or known is None or known.clobbered is None or known.culprit is None:
        return
    tile = place[0]
    before = int(np.count_nonzero(known.clobbered))
    _mark(place, known.clobbered, False)
    if np.count_nonzero(known.clobbered) == before:
        return
    other, site = known.culprit
    victim, culprit = _name(tile), _name(other)
    related = [
        (f"`{culprit}` overwrites it here", site),
        (f"`{name_of(tile)}` is allocated here: {_rectangle(tile)}", tile.site),
    ]
    if other.owner != tile.owner:
        related.append((f"`{name_of(other)}` is allocated here: {_rectangle(other)}", other.site))
    rule = InterleavedAccumulation if accumulating else TooFewTiles if other.owner == tile.owner else OverlappingTensors
    complain(rule.message(victim=victim, other=culprit, bytes=_shared_bytes(tile, other)), None, related)


def _name(tile: PlacedTile) -> str:
    """A block as a subscript of its tensor."""
    return f"{name_of(tile)}[{', '.join(map(str, tile.block))}]" if tile.block else name_of(tile)


def _rectangle(tile: PlacedTile) -> str:
    last = tile.partition + tile.partitions - 1
    return f"partitions {tile.partition} to {last}, bytes {tile.byte} to {tile.byte + tile.bytes - 1}"


def _shared_bytes(a: PlacedTile, b: PlacedTile) -> str:
    """What two tiles have in common, in words."""
    first, last = max(a.partition, b.partition), min(a.partition + a.partitions, b.partition + b.partitions)
    low, high = max(a.byte, b.byte), min(a.byte + a.bytes, b.byte + b.bytes)
    return f"bytes {low} to {high - 1} of partitions {first} to {last - 1}"
