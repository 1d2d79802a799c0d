"""Subscripts with index grids of Beta 1, or with values that are known only at run time."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.indexing.mixed_indexing import MixedIndexing
from nkilint_rules.indexing.one_dimensional_arange import OneDimensionalArange
from nkilint_rules.limits.partition_not_first import PartitionNotFirst
from nkilint_rules.words.memory import HBM
from reference_sim.report import wording
from reference_sim.report.sites import here
from reference_sim.report.wording import complain

from .access import DynamicAccess, GridAccess, Lookup, grid_view, leaves
from .affine import affine
from .grids import Grid, joint_shape
from .keys import DynamicSlice, bounds_of, current_value, filled, is_dynamic

if TYPE_CHECKING:
    from .tensor import Tensor


def advanced(tensor: Tensor, keys: tuple[Any, ...], dynamic: bool) -> Tensor:
    """What a subscript selects in which there are index grids, or dynamic values."""
    found = None if dynamic else affine(tensor, keys)
    if found is not None:
        return found
    rank = len(tensor.sizes)
    full = filled(keys, rank)
    grids = [k for k in full if isinstance(k, Grid)]
    tiles = [k for k in full if hasattr(k, "storage")]
    if grids and any(isinstance(k, (slice, DynamicSlice)) for k in keys):
        complain(MixedIndexing.message(tensor=_indexed(tensor)))
    joint = joint_shape([*(k.shape for k in grids), *(t.shape for t in tiles)])
    if grids and len(joint) == 1:
        axis = next(i for i, k in enumerate(full) if isinstance(k, Grid))
        _, text = wording.subscript_text(here(), axis, rank)
        complain(OneDimensionalArange.message(tensor=_indexed(tensor), index=text or "an index grid"))
    indices = _as_grids(tensor, full, joint)
    if dynamic:
        return _dynamic(tensor, indices)
    shape = joint_shape([g.shape for g in indices])
    start = tensor.start
    if tensor.storage.memory != HBM:
        start += max(0, indices[tensor.blocks].bounds()[0])
        _partition_first(tensor, indices[tensor.blocks], shape)
    for grid, size in zip(indices, tensor.sizes, strict=True):
        if leaves(grid, size):
            found = tensor.deferred(GridAccess(tensor, indices, shape))
            found.start = start
            return found
    view = grid_view(tensor, indices)
    if any(grid.values is not None for grid in indices):
        return tensor.deferred(_explicit(tensor, indices, shape))
    found = tensor.derive(view, 0, start)
    found.mesh = any(grid.mesh for grid in grids)
    if [grid.coefficients for grid in indices] == [(1, 0), (0, 1)]:
        found.part = tensor.array, tuple(slice(g.base, g.base + n) for g, n in zip(indices, shape, strict=True))
    return found


def _indexed(tensor: Tensor) -> str:
    """What is indexed here, as messages call it."""
    text, _ = wording.subscript_text(here(), 0, len(tensor.sizes))
    return text or wording.name_of(tensor.storage)


def _explicit(tensor: Tensor, indices: Sequence[Grid], shape: tuple[int, ...]) -> DynamicAccess:
    """Indices that follow no affine rule: positions that happen to be known."""
    lookups = tuple(Lookup(axis, False, False) for axis, grid in enumerate(indices) if grid.looked_up)
    return DynamicAccess(
        tensor, shape, lambda: _flat_positions(tensor, [g.array() for g in indices], shape), None, lookups
    )


def _partition_first(tensor: Tensor, grid: Grid, shape: tuple[int, ...]) -> None:
    """On chip, the first axis of the access runs over partitions and no other axis does."""
    if grid.values is not None:
        return
    lead = len(shape) - len(grid.shape)
    moving = [lead + a for a, (c, n) in enumerate(zip(grid.coefficients, grid.shape, strict=True)) if c and n > 1]
    if any(axis != 0 for axis in moving) or (not moving and shape[0] > 1):
        complain(PartitionNotFirst.access(tensor=_indexed(tensor)))


def _as_grids(tensor: Tensor, full: Sequence[Any], joint: tuple[int, ...]) -> list[Any]:
    """Each index as a grid or a dynamic value over one shape; full slices get axes of their own at the end."""
    free = [axis for axis, k in enumerate(full) if isinstance(k, (slice, DynamicSlice))]
    rank = len(joint) + len(free)
    indices: list[Any] = []
    for axis, k in enumerate(full):
        if isinstance(k, Grid):
            lead = len(joint) - len(k.shape)
            key = (None,) * lead + (slice(None),) * len(k.shape) + (None,) * len(free)
            indices.append(k[key] if len(key) > len(k.shape) else k)
        elif isinstance(k, (slice, DynamicSlice)):
            position = len(joint) + free.index(axis)
            if isinstance(k, DynamicSlice):
                low, size, step = k.start, k.size, 1
            else:
                low, high, step = bounds_of(k, tensor, axis)
                size = len(range(low, high, step))
            shape = tuple(size if a == position else 1 for a in range(rank))
            coefficients = tuple(step if a == position else 0 for a in range(rank))
            grid = Grid(shape, 0 if is_dynamic(low) else int(low), coefficients)
            indices.append(_Shifted(low, grid) if is_dynamic(low) else grid)
        elif is_dynamic(k):
            indices.append(_Shifted(k, Grid((1,) * rank, 0, (0,) * rank)))
        else:
            index = operator.index(k)
            indices.append(Grid((1,) * rank, index + tensor.sizes[axis] if index < 0 else index, (0,) * rank))
    return indices


class _Shifted:
    """A dynamic index plus a grid."""

    __slots__ = ("grid", "origin")

    def __init__(self, origin: Any, grid: Grid) -> None:
        self.origin, self.grid = origin, grid

    @property
    def shape(self) -> tuple[int, ...]:
        if not hasattr(self.origin, "shape"):
            return self.grid.shape
        rank = len(self.grid.shape)
        own = self.origin.shape
        padded = own + (1,) * (rank - len(own)) if len(own) <= rank else own
        return np.broadcast_shapes(padded, self.grid.shape)

    def now(self) -> Grid:
        value = current_value(self.origin)
        if isinstance(value, int):
            moved: Grid = self.grid + value
            return moved
        rank = len(self.grid.shape)
        return Grid.explicit(value.reshape(value.shape + (1,) * (rank - value.ndim)) + self.grid.array())


def _dynamic(tensor: Tensor, indices: Sequence[Any]) -> Tensor:
    shape = np.broadcast_shapes(*(i.shape for i in indices))
    scalars = all(isinstance(i, Grid) or not hasattr(i.origin, "shape") or i.origin.size == 1 for i in indices)

    def present() -> list[Grid]:
        return [i.now() if isinstance(i, _Shifted) else i for i in indices]

    def positions() -> Any:
        return _flat_positions(tensor, [g.array() for g in present()], shape)

    def view() -> Any:
        grids = present()
        if any(map(leaves, grids, tensor.sizes)):
            return None
        return grid_view(tensor, grids)

    lookups = tuple(
        Lookup(axis, i.origin.size > i.origin.shape[0], i.origin.mesh and i.origin.size > 1)
        for axis, i in enumerate(indices)
        if isinstance(i, _Shifted) and hasattr(i.origin, "storage")
    )
    fixed = tuple(
        axis
        for axis, (index, size) in enumerate(zip(indices, tensor.sizes, strict=True))
        if isinstance(index, Grid) and leaves(index, size)
    )
    return tensor.deferred(DynamicAccess(tensor, shape, positions, view if scalars else None, lookups, present, fixed))


def _flat_positions(tensor: Tensor, indices: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Flat element positions in the storage."""
    total: Any = tensor.offset
    for index, stride in zip(indices, tensor.strides, strict=True):
        total = total + index * stride
    return np.broadcast_to(total, shape)
