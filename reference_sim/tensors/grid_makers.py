"""How kernels of Beta 1 make index grids: `nl.mgrid` and `nl.arange`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reference_sim.report import wording
from reference_sim.report.sites import here

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
        if not all(isinstance(s, slice) and s.stop is not None for s in slices):
            raise TypeError("nl.mgrid takes slices that say where they end, such as nl.mgrid[0:128, 0:512]")
        starts = [_end(s.start, 0) for s in slices]
        steps = [_end(s.step, 1) for s in slices]
        shape = tuple(_count(*ends) for ends in zip(starts, (_end(s.stop, 0) for s in slices), steps, strict=True))
        axes = range(len(shape))
        grids = [Grid(shape, starts[a], tuple(steps[a] if a == b else 0 for b in axes)) for a in axes]
        for grid in grids:
            grid.mesh = True
        return GridTuple(grids)


def arange(*arguments: Any) -> Grid:
    """Contiguous index values: `arange(stop)` or `arange(start, stop[, step])`."""
    if not 1 <= len(arguments) <= 3:
        raise TypeError(f"arange takes 1 to 3 numbers, {len(arguments)} given")
    numbers = [_whole(value, position) for position, value in enumerate(arguments)]
    start, stop, step = [0, *numbers, 1] if len(numbers) == 1 else [*numbers, 1][:3]
    return Grid((_count(start, stop, step),), start, (step,))


def _whole(value: Any, position: int) -> int:
    return wording.whole_number(value, "a trip count", lambda: wording.argument_text(here(), position))


def _end(value: Any, default: int) -> int:
    return default if value is None else wording.whole_number(value, "an index", str)


def _count(start: int, stop: int, step: int) -> int:
    """How many index values there are."""
    if step == 0:
        raise ValueError("the step of index values is not zero")
    return max(0, -((start - stop) // step))
