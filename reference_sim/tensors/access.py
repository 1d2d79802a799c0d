"""Accesses that are resolved when an operation runs: grids that leave the tensor under a mask, and dynamic indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.indexing.out_of_bounds import OutOfBounds
from reference_sim.machine.dtypes import Array
from reference_sim.machine.memory import strided
from reference_sim.machine.program import running
from reference_sim.report import wording
from reference_sim.report.sites import Site, here

from .grids import Grid, Where, joint_shape

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

    __slots__ = ("indices", "shape", "site", "source")

    def __init__(self, source: Tensor, indices: Sequence[Grid], shape: Shape) -> None:
        self.source, self.indices, self.shape = source, tuple(indices), shape
        self.site = here()

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
            if self.meets(cut, tuple(part.stop - part.start for part in box)):
                return Resolved(grid_view(self.source, cut), None, box)
            where = np.zeros(self.shape, bool)
            where[box] = True
        elif where is None:
            if self.meets(self.indices, self.shape):
                return Resolved(grid_view(self.source, self.indices))
            where = np.ones(self.shape, bool)
        elif self.meets(self.indices, self.shape, where):
            return self._scattered(where)
        return self._scattered(where & self.inside())

    def _scattered(self, where: Array) -> Resolved:
        total: Any = self.source.offset
        for grid, size, stride in zip(self.indices, self.source.shape, self.source.strides, strict=True):
            total = total + np.clip(grid.array(), 0, size - 1) * stride
        return Resolved(self.source.array, np.broadcast_to(total, self.shape), where)

    def meets(self, indices: Sequence[Grid], shape: Shape, where: Array | None = None) -> bool:
        """Whether every index is in bounds wherever the mask holds; complains if not.

        A run that goes on after that leaves out what is out of bounds.
        """
        met = True
        if 0 in shape:
            return met
        for axis, (grid, size) in enumerate(zip(indices, self.source.shape, strict=True)):
            reach = _reach_outside(grid, size, shape, where)
            if reach is not None:
                out_of_bounds(self.source, axis, reach, self.site)
                met = False
        return met


def leaves(grid: Grid, size: int) -> bool:
    """Whether some index of a grid is none of an axis of `size` elements."""
    low, high = grid.bounds()
    return low < 0 or high >= size


def _reach_outside(grid: Grid, size: int, shape: Shape, where: Where) -> int | None:
    """The index that a grid reaches outside an axis where the mask holds; None where it stays inside."""
    if not leaves(grid, size):
        return None
    low, high = grid.bounds()
    if where is not None:
        kept = np.broadcast_to(grid.array(), shape)[where]
        low, high = (int(kept.min()), int(kept.max())) if kept.size else (0, 0)
    return high if high >= size else low if low < 0 else None


def _joint(indices: Sequence[Grid]) -> Shape:
    return joint_shape([grid.shape for grid in indices])


def _cut(grid: Grid, box: tuple[slice, ...], shape: Shape) -> Grid:
    """The grid over a box of its shape."""
    if grid.values is not None:
        return Grid.explicit(np.broadcast_to(grid.values, shape)[box])
    steps = [0 if size == 1 else step for size, step in zip(grid.shape, grid.coefficients, strict=True)]
    padded = (0,) * (len(shape) - len(steps)) + tuple(steps)
    base = grid.base + sum(c * part.start for c, part in zip(padded, box, strict=True))
    return Grid(tuple(part.stop - part.start for part in box), base, padded)


def out_of_bounds(source: Tensor, axis: int, reach: int, site: Site = None) -> None:
    """Report NKI301 for one index of one axis."""
    site = here() if site is None else site
    _, text = wording.subscript_text(site, axis, len(source.shape))
    tensor = wording.name_of(source.storage)
    said = OutOfBounds.message(index=text or reach, reach=reach, axis=axis, tensor=tensor, size=source.shape[axis])
    wording.complain(said, site)


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
        for axis, (size, coefficient) in enumerate(zip(grid.shape, grid.coefficients, strict=True)):
            if size != 1:  # a single value is the same along the whole axis
                strides[lead + axis] += coefficient * stride
    storage = source.storage
    if array is not storage.array or storage.placed:
        offset += source.byte_offset()
    return strided(source.raw(), shape, array.dtype, offset, tuple(strides))


@dataclass(frozen=True, slots=True)
class Lookup:
    """An index of a subscript that comes from a tile: its axis, whether it varies within a partition, whether it was
    itself taken from the tile with `nl.mgrid`."""

    axis: int
    spread: bool
    mesh: bool


class DynamicAccess:
    """Positions that depend on values in memory or registers, known when the operation runs.

    `positions` gives flat element positions in the storage; `view`, where there is one, the same as a strided view, or
    None when that would leave the tensor. `source` is the tensor that was indexed, `indices` gives the index of each of
    its axes, where a subscript did that, and `fixed` names the axes whose index is no such value but leaves the axis.
    """

    __slots__ = ("fixed", "indices", "lookups", "positions", "shape", "site", "source", "view")

    def __init__(
        self,
        source: Tensor,
        shape: Shape,
        positions: Callable[[], Array],
        view: Callable[[], Array | None] | None = None,
        lookups: tuple[Lookup, ...] = (),
        indices: Callable[[], Sequence[Grid]] = tuple,
        fixed: tuple[int, ...] = (),
    ) -> None:
        self.source, self.shape, self.positions, self.view = source, shape, positions, view
        self.lookups, self.indices, self.fixed = lookups, indices, fixed
        self.site = here()

    def resolve(self, size: int, where: Where, skip: bool) -> tuple[Array, Array | None]:
        """The positions in a storage of `size` elements, and which of them are outside (None: none is).

        Complains about those that the mask leaves; with `skip` only where values in memory are no reason.
        """
        current = running()
        if current is None:
            return self._resolved(size, where, skip)
        before, current.addressing = current.addressing, None if where is None else _marked(where, self.shape)
        try:
            return self._resolved(size, where, skip)
        finally:
            current.addressing = before

    def _resolved(self, size: int, where: Where, skip: bool) -> tuple[Array, Array | None]:
        self._check_fixed(where)
        positions = self.positions()
        bad = self.outside(positions, size)
        if bad is not None and not skip:
            wrong = bad if where is None else bad & _marked(where, self.shape)
            if wrong.any():
                self._complain(positions, wrong, size)
        return positions, bad

    def outside(self, positions: Array, size: int) -> Array | None:
        """Which elements are none of the tensor's; None where all are."""
        if positions.size == 0:
            return None
        found = None if positions.min() >= 0 and positions.max() < size else (positions < 0) | (positions >= size)
        for grid, length in zip(self.indices(), self.source.shape, strict=False):
            if leaves(grid, length):
                values = grid.array()
                beyond = np.broadcast_to((values < 0) | (values >= length), self.shape)
                found = beyond if found is None else found | beyond
        return found

    def _check_fixed(self, where: Where) -> None:
        for axis in self.fixed if 0 not in self.shape else ():
            reach = _reach_outside(self.indices()[axis], self.source.shape[axis], self.shape, where)
            if reach is not None:
                out_of_bounds(self.source, axis, reach, self.site)

    def _complain(self, positions: Array, wrong: Array, size: int) -> None:
        """Report the first element that values in memory put outside the storage, or outside its axis."""
        position = int(positions[wrong][0])
        if not 0 <= position < size:
            runtime_index_error(position, 0, size, self.site)
        for axis, (grid, length) in enumerate(zip(self.indices(), self.source.shape, strict=False)):
            reach = None if axis in self.fixed else _reach_outside(grid, length, self.shape, wrong)
            if reach is not None:
                runtime_index_error(reach, axis, length, self.site)


def _marked(where: Where, shape: Shape) -> Array:
    """A mask as truth values."""
    if isinstance(where, tuple):
        kept = np.zeros(shape, bool)
        kept[where] = True
        return kept
    return np.asarray(where)


def kept_inside(where: Where, bad: Array | None, shape: Shape) -> Array | None:
    """What a mask leaves of what is not outside; None for everything."""
    if where is None:
        return None if bad is None else ~bad
    return _marked(where, shape) if bad is None else _marked(where, shape) & ~bad


def runtime_index_error(index: int, axis: int, size: int, made: Site) -> None:
    """The error that the device's runtime raises for a dynamic index; its exact text is relied upon by tests.

    It is a plain `IndexError` whose cause is the `NkiError` that names the rule, and where the access was made.
    """
    used = here()
    try:
        said = OutOfBounds.known_at_run_time(index=index, axis=axis, size=size)
        wording.complain(said, made, [("it is used here", used)] if used != made else ())
    except IndexError as error:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {size}") from error
