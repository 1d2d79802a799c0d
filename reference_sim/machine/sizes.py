"""Sizes in shapes: plain integers, and the partition dimension that Beta 1 marks with `nl.par_dim`."""

from __future__ import annotations

from typing import Any

from nkilint_rules.words.shapes import PartitionSize
from reference_sim.report import wording
from reference_sim.report.sites import here


class MarkedSize(int, PartitionSize):
    """What `nl.par_dim(size)` gives: a number that is marked."""

    @property
    def size(self) -> int:
        return int(self)


def shape_of(shape: Any) -> tuple[int, ...]:
    """A shape argument as plain integers."""
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    for position, size in enumerate(sizes):
        if isinstance(size, float):
            _not_an_integer(size, position)
    return tuple(int(size) for size in sizes)


def _not_an_integer(size: float, position: int) -> None:
    wording.not_an_integer(size, "a size", wording.element_text(here(), position))
