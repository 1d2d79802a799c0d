"""Launch grids: their dimensions, and how Beta 1 says which of them goes over NeuronCores."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from reference_sim.machine.program import program


class NeuronCores:
    """`nl.nc(n)`: a grid dimension over physical cores; times a number it is a dimension of both."""

    def __init__(self, count: int) -> None:
        self.count = int(count)

    def __mul__(self, other: Any) -> GridDimension:
        return GridDimension(self, other)

    def __rmul__(self, other: Any) -> GridDimension:
        return GridDimension(other, self)

    def __int__(self) -> int:
        return self.count

    __index__ = __int__


class GridDimension:
    """`nl.spmd_dim(a, b)`: a grid dimension of the product of its parts."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def __int__(self) -> int:
        total = 1
        for part in self.parts:
            total *= int(part)
        return total

    __index__ = __int__


def sizes(grid: Any) -> tuple[int, ...]:
    """The sizes of a launch grid written as `kernel[grid]`."""
    __tracebackhide__ = True
    found = tuple(_whole(dimension) for dimension in (grid if isinstance(grid, (tuple, list)) else (grid,)))
    if min(found, default=1) < 1:
        raise ValueError(f"a launch grid of {list(found)} has no programs")
    return found


def _whole(dimension: Any) -> int:
    __tracebackhide__ = True
    try:
        return operator.index(dimension)
    except TypeError:
        raise TypeError(f"a launch grid has sizes that are integers, not {dimension!r}") from None


def position(number: int, grid: Sequence[int]) -> tuple[int, ...]:
    """Where a program stands in its grid, by how many come before it; the last dimension is the fastest."""
    found: list[int] = []
    for size in reversed(grid):
        number, index = divmod(number, size)
        found.append(index)
    return tuple(reversed(found))


def program_id(axis: int = 0) -> int:
    """The position of this program along an axis of the grid."""
    index = program("language.program_id").index
    if not isinstance(axis, int):
        raise TypeError(f"program_id takes an axis as an integer, not {axis!r}")
    return index[axis] if axis < len(index) else 0


def num_programs(axes: Any = None) -> int:
    """The number of programs along some axes, all by default."""
    grid = program("language.num_programs").launch.grid
    chosen = range(len(grid)) if axes is None else (axes if isinstance(axes, (tuple, list)) else (axes,))
    total = 1
    for axis in chosen:
        if not isinstance(axis, int):
            raise TypeError(f"num_programs takes axes as integers, not {axis!r}")
        total *= grid[axis] if axis < len(grid) else 1
    return total


def program_ndim() -> int:
    """The number of dimensions of the grid."""
    return len(program("language.program_ndim").launch.grid)
