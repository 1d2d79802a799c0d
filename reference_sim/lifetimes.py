"""Directly placed tiles that are overwritten through another tile while they are still needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .dtypes import Array
from .geometry import pointer, tile_of
from .memory import PlacedTile, strided
from .sites import here
from .tensor import Tensor, touched
from .wording import complain, name_of

if TYPE_CHECKING:
    from .context import Program
    from .grids import Where


def _bytes_of(tile: PlacedTile, view: Array, marks: Array) -> Array:
    """The part of `marks`, one for each partition and byte of a tile, that a view of the tile covers."""
    row = tile.array.strides[0]
    partition, byte = divmod(pointer(view) - pointer(tile.array), row)
    strides = [s // row * tile.bytes if s and s % row == 0 else s for s in view.strides]
    raw = marks.reshape(-1).view(np.uint8)
    shape = (*view.shape, view.itemsize)
    return strided(raw, shape, np.dtype(np.bool_), partition * tile.bytes + byte, (*strides, 1))


def _overlapping(tile: PlacedTile, current: Program) -> list[PlacedTile]:
    chip = current.chips.get(tile.memory)
    return [] if chip is None else [t for t in chip.tiles if t is not tile and t.overlaps(tile)]


def wrote(target: Tensor, where: Where, current: Program) -> None:
    """Note a write through one tile in all tiles that share its bytes."""
    view, _ = touched(target, where)
    if view is None or not view.size:
        return
    tile = target.tile or tile_of(target.storage, view)
    if tile is None:
        return
    if tile.clobbered is not None:
        _bytes_of(tile, view, tile.clobbered)[...] = False
    if tile.written is None:
        tile.written = np.zeros((tile.partitions, tile.bytes), bool)
    _bytes_of(tile, view, tile.written)[...] = True
    others = _overlapping(tile, current)
    if not others:
        return
    stamp = np.zeros((tile.partitions, tile.bytes), bool)
    _bytes_of(tile, view, stamp)[...] = True
    site = here()
    for other in others:
        if other.written is None:
            continue
        if other.clobbered is None:
            other.clobbered = np.zeros((other.partitions, other.bytes), bool)
        mine, theirs = _shared(tile, other)
        if other.culprit is None or not other.clobbered.any():
            other.culprit = (tile, site)
        part = other.clobbered[theirs]
        part |= stamp[mine] & other.written[theirs]


def _shared(a: PlacedTile, b: PlacedTile) -> tuple[Any, Any]:
    """The bytes that two tiles share, as slices of the one and of the other."""
    first, last = max(a.partition, b.partition), min(a.partition + a.partitions, b.partition + b.partitions)
    low, high = max(a.byte, b.byte), min(a.byte + a.bytes, b.byte + b.bytes)
    slices = [(slice(first - t.partition, last - t.partition), slice(low - t.byte, high - t.byte)) for t in (a, b)]
    return slices[0], slices[1]


def read(tensor: Tensor, where: Where, accumulating: bool) -> None:
    """Report a read of bytes that something else was written over."""
    view, _ = touched(tensor, where)
    if view is None or not view.size:
        return
    tile = tensor.tile or tile_of(tensor.storage, view)
    if tile is None or tile.clobbered is None:
        return
    marks = _bytes_of(tile, view, tile.clobbered)
    if not marks.any():
        return
    other, site = tile.culprit
    marks[...] = False
    victim, culprit = _name(tile), _name(other)
    related = [
        (f"`{culprit}` overwrites it here", site),
        (f"`{name_of(tile)}` is allocated here: {_rectangle(tile)}", tile.site),
    ]
    if other.owner != tile.owner:
        related.append((f"`{name_of(other)}` is allocated here: {_rectangle(other)}", other.site))
    code = "NKI503" if accumulating else "NKI502" if other.owner == tile.owner else "NKI501"
    complain(code, None, None, related, victim=victim, other=culprit, bytes=_shared_bytes(tile, other))


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
