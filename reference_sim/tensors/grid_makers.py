"""How kernels of Beta 1 make index grids: `nl.mgrid` and `nl.arange`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .grids import Grid


class GridTuple:
    """What `nl.mgrid[...]` gives: one dense grid per dimension, also as `p`, `x`, `y`, `z`, `w`."""

    __slots__ = ("grids",)

    def __init__(self, grids: Sequence[Grid]) -> None:
        self.grids = tuple(grids)

    def __iter__(self) -> Iterator[Grid]:
        return iter(self.grids)

    def __len__(self) -> int:
        return len(self.grids)

    def __getitem__(self, position: int) -> Grid:
        return self.grids[position]

    def __getattr__(self, name: str) -> Grid:
        position = "pxyzw".find(name) if len(name) == 1 else -1
        if not 0 <= position < len(self.grids):
            raise AttributeError(name)
        return self.grids[position]


class GridMaker:
    """`nl.mgrid`: indexing it with slices gives a `GridTuple`."""

    def __getitem__(self, key: Any) -> GridTuple:
        slices = key if isinstance(key, tuple) else (key,)
        starts = [0 if s.start is None else int(s.start) for s in slices]
        steps = [1 if s.step is None else int(s.step) for s in slices]
        pairs = zip(slices, starts, steps, strict=True)
        shape = tuple(max(0, -((start - int(s.stop)) // step)) for s, start, step in pairs)
        axes = range(len(shape))
        grids = [Grid(shape, starts[a], tuple(steps[a] if a == b else 0 for b in axes)) for a in axes]
        for grid in grids:
            grid.mesh = True
        return GridTuple(grids)


def arange(*arguments: Any) -> Grid:
    """Contiguous index values: `arange(stop)` or `arange(start, stop[, step])`."""
    start, stop, step = 0, 0, 1
    if len(arguments) == 1:
        (stop,) = arguments
    else:
        start, stop, *rest = arguments
        step = rest[0] if rest else 1
    size = max(0, -((int(start) - int(stop)) // int(step)))
    return Grid((size,), int(start), (int(step),))
