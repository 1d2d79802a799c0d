"""Access patterns: steps and counts in elements of a storage, whatever the shape of the tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nkilint_rules.words.memory import HBM
from reference_sim.machine.dtypes import Array
from reference_sim.machine.memory import strided

if TYPE_CHECKING:
    from .tensor import Tensor

Shape = tuple[int, ...]


def storage_elements(tensor: Tensor) -> int:
    """Elements of this type in the storage."""
    total = 1
    for size in tensor.storage.shape:
        total *= size
    return total * tensor.storage.element.itemsize // tensor.element.itemsize


def whole(tensor: Tensor) -> Tensor:
    """The storage as a tensor of its own shape."""
    storage = tensor.storage
    return type(tensor)(storage.array, storage, storage.element, storage.rank_blocks)


def patterned(tensor: Tensor, array: Array, first: int, steps: Sequence[int], counts: Shape) -> tuple[int, Array]:
    """The first partition and the strided view of a pattern in elements of the storage."""
    storage, size = tensor.storage, array.itemsize
    free = max(1, storage.free_elements() * storage.element.itemsize // tensor.element.itemsize)
    partition = first // free if storage.memory != HBM else 0
    if not storage.placed:
        return partition, strided(storage.raw(), counts, array.dtype, first * size, tuple(s * size for s in steps))
    tile = next(iter(storage.tiles.values()))
    row = tile.array.strides[0]
    byte = tile.partition * row + tile.byte + partition * row + first % free * size
    strides = tuple(s // free * row if s and s % free == 0 else s * size for s in steps)
    return partition, strided(storage.raw(), counts, array.dtype, byte, strides)
