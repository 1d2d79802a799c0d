"""Tiles whose elements are computed when something looks at them: loads of whole tiles, their products, sums of those.

A tiled matmul loads tiles that nothing but a matmul reads, and adds up products that nothing reads before the sum is
complete. Here its loads cost nothing, and a sum is one product over all the rows that went into it.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reference_sim.machine.blas import threads_for
from reference_sim.machine.dtypes import F32, Array

if TYPE_CHECKING:
    from reference_sim.machine.memory import Storage

    from .tensor import Tensor

MANY = 4096  # references to loads, after which those to forgotten ones are dropped
MAX_PARTS = 32  # of a sum that is put off
SHARED_ROWS = 256  # up to which the threads of BLAS may share what they read

Keys = tuple[Any, ...]
"""Slices with a step of 1 and, before the last two axes, integers."""

Part = tuple[Array, Keys]
"""An array, and the rows and columns of it that are meant, after the indices of the axes before."""

DOWN, ACROSS = -2, -1

EVERYTHING = (slice(None), slice(None))


def joined(a: Part, b: Part, axis: int) -> Part | None:
    """Two parts as one, where the second follows the first along an axis."""
    (whole, first), (other, second) = a, b
    stop, across = first[axis].stop, DOWN + ACROSS - axis
    if whole is not other or stop is None or stop != second[axis].start or first[across] != second[across]:
        return None
    if first[:DOWN] != second[:DOWN]:
        return None
    both = slice(first[axis].start, second[axis].stop)
    return whole, (*first[:DOWN], both, first[ACROSS]) if axis == DOWN else (*first[:ACROSS], both)


class Load:
    """A part of an HBM tensor. Before that is written to, the elements are copied."""

    __slots__ = ("__weakref__", "part", "storage")

    def __init__(self, part: Part, storage: Storage) -> None:
        self.part, self.storage = part, storage
        lent: list[weakref.ref[Load]] = storage.lent or []
        if len(lent) > MANY:
            lent = [reference for reference in lent if reference() is not None]
        lent.append(weakref.ref(self))
        storage.lent = lent

    @property
    def source(self) -> Array:
        """The elements where they are."""
        return self.part[0][self.part[1]]

    @property
    def size(self) -> int:
        return int(self.source.size)

    def values(self) -> Array:
        """The elements, in an array of their own."""
        return self.source.copy()

    def same(self, other: Load) -> bool:
        """Whether both are one part of one tensor."""
        return self.part[0] is other.part[0] and self.part[1] == other.part[1]

    def joined(self, other: Load, axis: int) -> Load | None:
        """Both as one, where the other follows along an axis."""
        part = joined(self.part, other.part, axis)
        return None if part is None else Load(part, self.storage)


class Product:
    """`left.T @ right` of two loads."""

    __slots__ = ("left", "right")

    def __init__(self, left: Load, right: Load) -> None:
        self.left, self.right = left, right

    def values(self) -> Array:
        """The product."""
        return self.left.source.T @ self.right.source

    def plus(self, other: Product) -> Product | None:
        """The sum of both as one product, where the other is of the next rows."""
        left = self.left.joined(other.left, DOWN)
        right = None if left is None else self.right.joined(other.right, DOWN)
        return None if left is None or right is None else Product(left, right)


class Sum:
    """What is in an array (none of it counts when `fresh`), and products that are to be added to it."""

    __slots__ = ("array", "fresh", "products", "shape", "shared")

    def __init__(self, shape: tuple[int, ...], array: Array | None, fresh: bool) -> None:
        self.shape, self.array, self.fresh = shape, array, fresh
        self.products: list[Product] = []
        self.shared = False

    @property
    def size(self) -> int:
        return self.shape[0] * self.shape[1]

    def add(self, product: Product) -> None:
        """One more product."""
        products = self.products
        both = products[-1].plus(product) if products else None
        if both is not None:
            products[-1] = both
            return
        products.append(product)
        if len(products) >= MAX_PARTS:
            self.values()

    def place(self) -> Array:
        """The array that the sum will be in."""
        if self.array is None:
            self.array = np.empty(self.shape, F32)
        return self.array

    def values(self) -> Array:
        """The sum, in its array."""
        array = self.place()
        if self.products:
            left = _stacked([p.left.source for p in self.products])
            right = _stacked([p.right.source for p in self.products])
            if self.fresh:
                multiply(left, right, array)
            else:
                array += left.T @ right
            self.products.clear()
            self.fresh = False
        return array

    def copied(self) -> Sum | None:
        """The same sum for another tile, once: in the hope that nobody looks at this one, so that it costs nothing."""
        if self.shared or not self.fresh or not self.products:
            return None
        self.shared = True
        found = Sum(self.shape, None, True)
        found.products = self.products.copy()
        return found


Pending = Load | Product | Sum
KINDS = (Load, Product, Sum)


def multiply(left: Array, right: Array, out: Array) -> None:
    """Put `left.T @ right` into an array.

    BLAS takes many rows in several steps. Where what it computes is taller than wide, each of its threads has rows of
    its own; otherwise they share what they read and wait for each other at each step, which takes several times as long
    on a machine that is busy.
    """
    with threads_for(left.size * right.shape[1]):
        if left.shape[0] > SHARED_ROWS and right.shape[1] > left.shape[1]:
            out[...] = (right.T @ left).T
        else:
            np.matmul(left.T, right, out=out)


def _stacked(parts: Sequence[Array]) -> Array:
    """Arrays one below the other."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def is_plain(array: Array) -> bool:
    """Whether a product can take the rows of this array as they are."""
    return bool(array.ndim == 2 and array.dtype == F32 and array.strides[1] == array.itemsize and array.shape[1] > 1)


def copy_lent(storage: Storage) -> None:
    """Before a storage is written to, what was lent from it is copied."""
    if storage.lent:
        for reference in storage.lent:
            load = reference()
            if load is not None:
                load.part = (load.values(), EVERYTHING)
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
    if target.sizes != other.sizes:
        return False
    if array is None:
        if type(target.access) is not Sum or fresh:
            return False
        target.access.add(product)
        return True
    if array.dtype != F32 or array is not storage.array:
        return False
    target._array, target.access = None, Sum(target.sizes, array, fresh or not np.any(array))
    target.access.add(product)
    return True
