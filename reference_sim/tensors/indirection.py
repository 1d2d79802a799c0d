"""Views addressed by values in memory or registers: selection, patterns with offsets, tensor indirection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reference_sim.machine.dtypes import Array
from reference_sim.report.errors import CannotSimulate

from . import patterns
from .access import DynamicAccess
from .keys import current_value

if TYPE_CHECKING:
    from .tensor import Tensor

Shape = tuple[int, ...]


class Indirection:
    """Tensor indirection: the columns of a tile chosen by offsets that stand in a snake over groups of partitions."""

    __slots__ = ("count", "index", "source")

    def __init__(self, source: Tensor, index: Tensor, count: int) -> None:
        self.source, self.index, self.count = source, index, count

    def offsets(self, group: int) -> Array:
        """The column for each partition and element, with `group` partitions sharing one snake."""
        index = np.asarray(current_value(self.index)).reshape(self.index.shape)
        rows: list[Array] = []
        for first in range(0, self.source.shape[0], group):
            snake = index[first : first + group].T.reshape(-1)[: self.count]
            if snake.size < self.count:
                raise CannotSimulate("indirect", f"{self.count} offsets are asked of {snake.size} in a partition group")
            rows += [snake] * min(group, self.source.shape[0] - first)
        return np.stack(rows)


def _lattice(first: int, steps: Sequence[int], counts: Shape) -> Array:
    """Flat positions of a pattern."""
    total: Any = np.full((1,) * len(counts), first, np.int64)
    for axis, (step, count) in enumerate(zip(steps, counts, strict=True)):
        total = total + (np.arange(count) * step).reshape((-1,) + (1,) * (len(counts) - axis - 1))
    return np.broadcast_to(total, counts)


def pattern(
    base: Tensor, first: int, steps: Sequence[int], counts: Shape, scalar: Any, vector: Any, scale: int
) -> Tensor:
    """A pattern shifted by a run-time offset, one for all (`scalar`) or one for each leading index (`vector`)."""

    def positions() -> Array:
        if vector is None:
            return _lattice(first + int(current_value(scalar)) * scale, steps, counts)
        rows = np.asarray(current_value(vector)).reshape(vector.shape).T.reshape(-1)[: counts[0]]
        inner = _lattice(first, [0, *steps[1:]], counts)
        return inner + (rows * scale).reshape((-1,) + (1,) * (len(counts) - 1))

    def view() -> Array | None:
        start = first + int(current_value(scalar)) * scale
        reach = start + sum(max(0, s * (n - 1)) for s, n in zip(steps, counts, strict=True))
        if start < 0 or reach >= patterns.storage_elements(base):
            return None
        return patterns.patterned(base, base.array, start, steps, counts)[1]

    return base.deferred(DynamicAccess(base, counts, positions, view if vector is None else None))


def select(tensor: Tensor, dim: int, index: Any) -> Tensor:
    """One element of a dimension, chosen at run time."""
    steps = [s for axis, s in enumerate(tensor.strides) if axis != dim]
    counts = tuple(n for axis, n in enumerate(tensor.sizes) if axis != dim)
    return pattern(tensor, tensor.offset, steps, counts, index, None, tensor.strides[dim])


def vector_select(tensor: Tensor, vector_offset: Tensor) -> Tensor:
    """For each partition a row of its own, chosen at run time."""
    counts = (vector_offset.shape[0], *tensor.sizes[1:])
    return pattern(tensor, tensor.offset, list(tensor.strides), counts, None, vector_offset, tensor.strides[0])


def columns(tensor: Tensor, index: Tensor, count: int | None) -> Tensor:
    """A view under tensor indirection."""
    group = min(16, tensor.sizes[0])
    wanted = index.size // max(1, tensor.sizes[0] // group) if count is None else int(count)
    found = Indirection(tensor, index, wanted)
    free = 1
    for size in tensor.sizes[1:]:
        free *= size

    def positions() -> Array:
        rows = np.arange(tensor.sizes[0])[:, None] * tensor.strides[0]
        return tensor.offset + rows + found.offsets(group)

    result = tensor.deferred(DynamicAccess(tensor, (tensor.sizes[0], wanted), positions))
    result.indirection = found
    return result
