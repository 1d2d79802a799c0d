"""Where a strided view lies in its storage, in elements, and the same view of arrays that run parallel to it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .dtypes import Array
from .memory import PlacedTile, Storage, pointer, strided

Shape = tuple[int, ...]


def repeats(array: Array) -> bool:
    """Whether a view may have an element more than once, as those of access patterns may."""
    if array.flags.c_contiguous:
        return False
    extent = array.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape, strict=True)):
        if size > 1 and stride < extent:
            return True
        extent += stride * (size - 1)
    return False


def tile_of(storage: Storage, array: Array) -> PlacedTile | None:
    """The block of a directly placed tensor that a view lies in."""
    if len(storage.tiles) == 1:
        return next(iter(storage.tiles.values()))
    address = pointer(array)
    for tile in storage.tiles.values():
        partition, byte = divmod(address - pointer(tile.array), tile.array.strides[0])
        if 0 <= partition < tile.partitions and 0 <= byte < tile.bytes:
            return tile
    return None


def locate(storage: Storage, array: Array, tile: PlacedTile | None = None) -> tuple[int, Shape] | None:
    """Offset and strides of a view in elements of the storage's own shape; None where it is not made of whole ones."""
    size = storage.stored.itemsize
    if array.dtype.itemsize != size:
        return None
    if not storage.placed:
        offset = pointer(array) - storage.address
        if offset % size:
            return None
        return offset // size, tuple(stride // size for stride in array.strides)
    if tile is None:
        tile = tile_of(storage, array)
    if tile is None:
        return None
    row, free = tile.array.strides[0], storage.free_elements()
    partition, byte = divmod(pointer(array) - pointer(tile.array), row)
    block = 0
    for index, extent in zip(tile.block, storage.shape, strict=False):
        block = block * extent + index
    offset = (block * tile.partitions + partition) * free + byte // size
    return offset, tuple(s // row * free if s and s % row == 0 else s // size for s in array.strides)


Box = tuple[tuple[int, int], ...]


def box_of(storage: Storage, array: Array, tile: PlacedTile | None = None) -> Box | None:
    """First and last index along each axis of the storage that a view touches; None where that is not a plain box."""
    found = locate(storage, array, tile)
    if found is None or not array.size:
        return None
    offset, strides = found
    reach = _reach(storage.shape, strides, array.shape)
    if reach is None:
        return None
    box = []
    for step, size, further in zip(_steps(storage.shape), storage.shape, reach, strict=True):
        low, offset = divmod(offset, step)
        if low + further >= size:
            return None
        box.append((low, low + further))
    return tuple(box)


@lru_cache(maxsize=1024)
def _steps(shape: Shape) -> Shape:
    """How many elements lie between neighbours along each axis of a contiguous array."""
    steps = [1] * len(shape)
    for axis in range(len(steps) - 2, -1, -1):
        steps[axis] = steps[axis + 1] * shape[axis + 1]
    return tuple(steps)


@lru_cache(maxsize=1024)
def _reach(whole: Shape, strides: Shape, shape: Shape) -> Shape | None:
    """How far a view reaches along each axis of its storage; None where its steps are not along the axes."""
    steps, reach = _steps(whole), [0] * len(whole)
    for stride, size in zip(strides, shape, strict=True):
        if stride == 0 or size == 1:
            continue
        axis = next((a for a, step in enumerate(steps) if stride >= step), len(steps) - 1)
        if stride < 0 or stride % steps[axis]:
            return None
        reach[axis] += stride // steps[axis] * (size - 1)
    return tuple(reach)


def element_at(
    storage: Storage, view: Array | None, positions: Array | None, number: int, tile: PlacedTile | None = None
) -> list[int]:
    """The index into the storage of one element of an access, counted through the access."""
    flat = -1
    if positions is not None:
        flat = int(positions.reshape(-1)[number])
    elif view is not None and (found := locate(storage, view, tile)) is not None:
        flat, strides = found
        for index, stride in zip(np.unravel_index(number, view.shape), strides, strict=True):
            flat += int(index) * stride
    elif view is not None and not storage.placed:  # it sees the storage as another type
        flat = pointer(view) - storage.address
        for index, stride in zip(np.unravel_index(number, view.shape), view.strides, strict=True):
            flat += int(index) * stride
        flat //= storage.stored.itemsize
    return [int(index) for index in np.unravel_index(flat, storage.shape)] if flat >= 0 else []


def project(storage: Storage, array: Array, parallel: Array, tile: PlacedTile | None = None) -> Array | None:
    """The part of `parallel`, a contiguous array of the storage's shape, that corresponds to a view of the storage."""
    if array is storage.array:
        return parallel
    if not array.size:
        return np.empty(array.shape, parallel.dtype)
    found = locate(storage, array, tile)
    if found is None:
        return None
    offset, strides = found
    size = parallel.itemsize
    raw = parallel.reshape(-1).view("u1")
    return strided(raw, array.shape, parallel.dtype, offset * size, tuple(stride * size for stride in strides))


def by_bytes(storage: Storage, array: Array, marks: Array) -> tuple[Array, Array] | None:
    """Marks of elements as marks of bytes: all of them, contiguous, and those of a view that sees the storage as
    another type, with an axis for the bytes of each of its elements. None for tensors that are placed by hand."""
    if storage.placed:
        return None
    whole = np.repeat(marks.reshape(-1), storage.stored.itemsize)
    offset = pointer(array) - storage.address
    shape, strides = (*array.shape, array.itemsize), (*array.strides, 1)
    return whole, strided(whole.view("u1"), shape, marks.dtype, offset, strides)
