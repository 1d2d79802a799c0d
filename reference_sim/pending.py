"""Tiles whose elements are computed when something looks at them: loads of whole tiles, their products, sums of those.

A tiled matmul loads tiles that nothing but a matmul reads, and adds up products that nothing reads before the sum is
complete. Here its loads cost nothing, and a sum is one product over all the rows that went into it.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .dtypes import F32, Array

if TYPE_CHECKING:
    from .memory import Storage
    from .tensor import Tensor

MANY = 4096  # references to loads, after which those to forgotten ones are dropped
MAX_ROWS = 4096  # of a sum that is put off
SHARED_ROWS = 256  # up to which the threads of BLAS may share what they read


class Load:
    """A part of an HBM tensor. Before that is written to, the elements are copied."""

    __slots__ = ("__weakref__", "source")

    def __init__(self, source: Array, storage: Storage) -> None:
        self.source = source
        lent: list[weakref.ref[Load]] = storage.lent or []
        if len(lent) > MANY:
            lent = [reference for reference in lent if reference() is not None]
        lent.append(weakref.ref(self))
        storage.lent = lent

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.source.shape)

    @property
    def size(self) -> int:
        return int(self.source.size)

    def values(self) -> Array:
        """The elements, in an array of their own."""
        return self.source.copy()


class Product:
    """`left.T @ right` of two loads."""

    __slots__ = ("left", "right")

    def __init__(self, left: Load, right: Load) -> None:
        self.left, self.right = left, right

    @property
    def shape(self) -> tuple[int, ...]:
        return self.left.source.shape[1], self.right.source.shape[1]

    def values(self) -> Array:
        """The product."""
        return self.left.source.T @ self.right.source


class Sum:
    """What is in an array (none of it counts when `fresh`), and products that are to be added to it."""

    __slots__ = ("array", "fresh", "products", "rows")

    def __init__(self, array: Array, fresh: bool) -> None:
        self.array, self.fresh = array, fresh
        self.products: list[Product] = []
        self.rows = 0

    def add(self, product: Product) -> None:
        """One more product."""
        self.products.append(product)
        self.rows += product.left.source.shape[0]
        if self.rows >= MAX_ROWS:
            self.values()

    def values(self) -> Array:
        """The sum, in its array."""
        if self.products:
            left = _stacked([p.left.source for p in self.products])
            right = _stacked([p.right.source for p in self.products])
            if self.fresh:
                self.array[...] = _product(left, right)
            else:
                self.array += _product(left, right)
            self.products.clear()
            self.fresh, self.rows = False, 0
        return self.array


Pending = Load | Product | Sum
KINDS = (Load, Product, Sum)


def _product(left: Array, right: Array) -> Array:
    """`left.T @ right`, perhaps as a view of its transpose.

    BLAS takes many rows in several steps. Where what it computes is taller than wide, each of its threads has rows of
    its own; otherwise they share what they read and wait for each other at each step, which takes several times as long
    on a machine that is busy.
    """
    turned = left.shape[0] > SHARED_ROWS and right.shape[1] > left.shape[1]
    return (right.T @ left).T if turned else left.T @ right


def _stacked(parts: Sequence[Array]) -> Array:
    """Arrays one below the other: a view, where they are neighbours in memory already."""
    first = parts[0]
    if len(parts) == 1:
        return first
    step = first.strides[0] * first.shape[0]
    pointers = [part.__array_interface__["data"][0] for part in parts]
    alike = all(part.strides == first.strides and part.shape == first.shape for part in parts)
    # Neighbours of one base are part of one array, whose view reaches from the first row to the last.
    if alike and all(b - a == step for a, b in pairwise(pointers)) and _one_base(parts):
        shape = (first.shape[0] * len(parts), *first.shape[1:])
        return np.lib.stride_tricks.as_strided(first, shape, first.strides, writeable=False)
    return np.concatenate(parts)


def _one_base(parts: Sequence[Array]) -> bool:
    base = parts[0].base
    return isinstance(base, np.ndarray) and all(part.base is base for part in parts)


def is_plain(array: Array) -> bool:
    """Whether a product can take the rows of this array as they are."""
    return bool(array.ndim == 2 and array.dtype == F32 and array.strides[1] == array.itemsize and array.shape[1] > 1)


def settle(storage: Storage) -> None:
    """Before a storage is written to, what was lent from it is copied."""
    if storage.lent:
        for reference in storage.lent:
            load = reference()
            if load is not None:
                load.source = load.source.copy()
    storage.lent = None


def look(tensor: Tensor) -> Array:
    """The elements of a pending tile, from now on in its storage."""
    access: Any = tensor.access
    array = access.values()
    tensor.storage.array, tensor._array, tensor.access = array, array, None
    return array


def summed(target: Tensor, other: Tensor, fresh: bool) -> bool:
    """Put off `target += other` if that is possible: `fresh` says that nothing in `target` counts."""
    product, storage = other.access, target.storage
    if type(product) is not Product or storage.placed or storage.viewed:
        return False
    array: Any = target._array
    if array is None:
        if type(target.access) is not Sum or fresh:
            return False
        target.access.add(product)
        return True
    if array.dtype != F32 or array.shape != other.shape or array is not storage.array:
        return False
    target._array, target.access = None, Sum(array, fresh or not np.any(array))
    target.access.add(product)
    return True


__all__ = ["KINDS", "Load", "Pending", "Product", "Sum", "is_plain", "look", "settle", "summed"]
