"""Accesses that are resolved when an operation runs: grids that leave the tensor under a mask, and dynamic indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .context import report
from .dtypes import Array
from .errors import CannotSimulate, finding_at
from .grids import Grid, Where, joint_shape
from .memory import strided

if TYPE_CHECKING:
    from .tensor import Tensor

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Resolved:
    """What an access touches: a strided view, or flat positions in `base`.

    `where` is the part of the access that is inside (None: all of it); the view or the positions cover just that part
    when it is a box, else `positions` is full and only marked elements count.
    """

    base: Array
    positions: Array | None = None
    where: Where = None


class GridAccess:
    """`t[grid, grid, ...]` whose affine indices leave the tensor somewhere, so that a mask has to say where to stop."""

    __slots__ = ("indices", "shape", "source")

    def __init__(self, source: Tensor, indices: Sequence[Grid], shape: Shape) -> None:
        self.source, self.indices, self.shape = source, tuple(indices), shape

    def inside(self) -> Array:
        """Where the indices are in bounds."""
        found: Any = np.ones(self.shape, bool)
        for grid, size in zip(self.indices, self.source.shape, strict=True):
            values = grid.array()
            found = found & ((values >= 0) & (values < size))
        return found

    def resolve(self, where: Where) -> Resolved:
        box = where if isinstance(where, tuple) else None
        if box is not None:
            if any(part.stop <= part.start for part in box):
                return Resolved(np.empty(tuple(p.stop - p.start for p in box), self.source.array.dtype), None, box)
            cut = [_cut(grid, box, self.shape) for grid in self.indices]
            self.require(cut, tuple(part.stop - part.start for part in box))
            return Resolved(grid_view(self.source, cut), None, box)
        if where is None:
            self.require(self.indices, self.shape)
            return Resolved(grid_view(self.source, self.indices))
        outside = ~self.inside() & where
        if outside.any():
            self.complain(tuple(int(i) for i in np.argwhere(outside)[0]))
        total: Any = self.source.offset
        for grid, size, stride in zip(self.indices, self.source.shape, self.source.strides, strict=True):
            total = total + np.clip(grid.array(), 0, size - 1) * stride
        return Resolved(self.source.array, np.broadcast_to(total, self.shape), where)

    def require(self, indices: Sequence[Grid], shape: Shape) -> None:
        """Complain unless every index is in bounds."""
        for grid, size in zip(indices, self.source.shape, strict=True):
            low, high = grid.bounds()
            if low < 0 or high >= size:
                values = np.broadcast_to(grid.array(), shape)
                self.complain(tuple(int(i) for i in np.argwhere((values < 0) | (values >= size))[0]), indices)

    def complain(self, point: Shape, indices: Sequence[Grid] | None = None) -> None:
        element = [int(np.broadcast_to(g.array(), self.shape if indices is None else _joint(indices))[point])
                   for g in (indices or self.indices)]  # fmt: skip
        axis = next(a for a, (e, size) in enumerate(zip(element, self.source.shape, strict=True)) if not 0 <= e < size)
        out_of_bounds(self.source, axis, element[axis])


def _joint(indices: Sequence[Grid]) -> Shape:
    return joint_shape([grid.shape for grid in indices])


def _cut(grid: Grid, box: tuple[slice, ...], shape: Shape) -> Grid:
    """The grid over a box of its shape."""
    if grid.values is not None:
        return Grid.explicit(np.broadcast_to(grid.values, shape)[box])
    padded = (0,) * (len(shape) - len(grid.shape)) + grid.coefficients
    base = grid.base + sum(c * part.start for c, part in zip(padded, box, strict=True))
    return Grid(tuple(part.stop - part.start for part in box), base, padded)


def out_of_bounds(source: Tensor, axis: int, index: int) -> None:
    """Report NKI301 for one index of one axis."""
    name = f"`{source.storage.name}`" if source.storage.name else "the tensor"
    report(
        finding_at("NKI301", f"index {index} is out of bounds for axis {axis} of {name} with size {source.shape[axis]}")
    )


def grid_view(source: Tensor, indices: Sequence[Grid]) -> Array:
    """The view that affine, in-bounds indices give; explicit ones give a copy."""
    array = source.array
    shape = _joint(indices)
    if any(grid.values is not None for grid in indices):
        return array[tuple(np.broadcast_to(grid.array(), shape) for grid in indices)]
    rank = len(shape)
    strides = [0] * rank
    offset = 0
    for grid, stride in zip(indices, array.strides, strict=True):
        offset += grid.base * stride
        lead = rank - len(grid.shape)
        for axis, coefficient in enumerate(grid.coefficients):
            strides[lead + axis] += coefficient * stride
    storage = source.storage
    if array is not storage.array or storage.placed:
        offset += source.byte_offset()
    return strided(source.raw(), shape, array.dtype, offset, tuple(strides))


class DynamicAccess:
    """Positions that depend on values in memory or registers, known when the operation runs.

    `positions` gives flat element positions in the storage; `view`, where there is one, the same as a strided view, or
    None when that would leave the storage. `source` is the tensor that was indexed.
    """

    __slots__ = ("positions", "shape", "source", "view")

    def __init__(
        self,
        source: Tensor,
        shape: Shape,
        positions: Callable[[], Array],
        view: Callable[[], Array | None] | None = None,
    ) -> None:
        self.source, self.shape, self.positions, self.view = source, shape, positions, view


def outside(positions: Array, size: int) -> Array | None:
    """Where flat positions leave a storage of `size` elements; None when nowhere."""
    if positions.size == 0 or (positions.min() >= 0 and positions.max() < size):
        return None
    return (positions < 0) | (positions >= size)


def runtime_index_error(position: int, size: int) -> None:
    """The error that the device's runtime raises for a dynamic index; its exact text is relied upon by tests.

    It is a plain `IndexError` whose cause is the `NkiError` that names the line and the rule.
    """
    text = f"index {position} is out of bounds for axis 0 with size {size}"
    try:
        report(finding_at("NKI301", f"dynamic {text}"))
    except IndexError as error:
        raise IndexError(text) from error


__all__ = ["CannotSimulate", "DynamicAccess", "GridAccess", "Resolved", "grid_view", "out_of_bounds", "outside"]
