"""Views of a storage carried over to arrays that run parallel to it, such as masks of what was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .dtypes import Array
from .memory import strided

if TYPE_CHECKING:
    from .tensor import Tensor


def project(tensor: Tensor, parallel: Array) -> Array | None:
    """The part of `parallel`, an array of the storage's shape, that a strided view of the storage shows.

    None where the view is not made of whole elements of the storage, or is resolved only at run time.
    """
    array = tensor._array
    if array is None or not array.size:
        return None
    storage = tensor.storage
    if array is storage.array:
        return parallel
    if tensor.element.itemsize != storage.element.itemsize or array.dtype.itemsize != storage.stored.itemsize:
        return None
    if storage.array is None and not storage.placed:
        return None
    size = parallel.itemsize
    try:
        strides = tuple(stride * size for stride in tensor.strides)
        offset = tensor.offset * size
    except ValueError:
        return None
    if storage.rank_blocks and storage.placed:
        return _in_block(tensor, parallel)
    return strided(np.asarray(parallel).reshape(-1).view(np.uint8), array.shape, parallel.dtype, offset, strides)


def _in_block(tensor: Tensor, parallel: Array) -> Array | None:
    """The same for one block of a tensor whose blocks are placed one by one."""
    storage = tensor.storage
    pointer = tensor.array.__array_interface__["data"][0]
    for block, tile in storage.tiles.items():
        first = tile.array.__array_interface__["data"][0]
        row = tile.array.strides[0]
        partition, byte = divmod(pointer - first, row)
        if 0 <= partition < tile.partitions and 0 <= byte < tile.bytes:
            part = np.ascontiguousarray(parallel[block]) if not parallel[block].flags.c_contiguous else parallel[block]
            size = parallel.itemsize
            offset = (partition * storage.free_elements() + byte // storage.stored.itemsize) * size
            strides = tuple(stride * size for stride in tensor.strides)
            return strided(part.reshape(-1).view(np.uint8), tensor.array.shape, parallel.dtype, offset, strides)
    return None
