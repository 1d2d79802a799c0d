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
    return tuple([s if type(s) is int else _whole(s, position) for position, s in enumerate(sizes)])


def _whole(size: Any, position: int) -> int:
    return wording.whole_number(size, "a size", lambda: wording.element_text(here(), position))
