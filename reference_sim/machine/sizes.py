"""Sizes in shapes: plain integers, and the partition dimension that Beta 1 marks with `nl.par_dim`."""

from __future__ import annotations

from typing import Any

from reference_sim.report import wording


class PartitionSize(int):
    """The size of the dimension that is the partition dimension."""

    partition = True


def shape_of(shape: Any) -> tuple[int, ...]:
    """A shape argument as plain integers."""
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    for position, size in enumerate(sizes):
        if isinstance(size, float):
            _not_an_integer(size, position)
    return tuple(int(size) for size in sizes)


def _not_an_integer(size: float, position: int) -> None:
    wording.not_an_integer(size, "a size", wording.element_text(wording.here(), position))


def block_rank(shape: Any) -> int:
    """How many block dimensions stand before the partition dimension."""
    if isinstance(shape, (tuple, list)):
        for axis, size in enumerate(shape):
            if isinstance(size, PartitionSize):
                return axis
    return 0
