"""What the rulebook sees of a tensor."""

from __future__ import annotations

from typing import Any

from .conditions import product


class Tile:
    """What the rulebook sees of a tensor or a view of one. Sizes are ints or symbolic ints.

    `shape` leaves block dimensions out (an access fixes them); on chip, `shape[0]` is the partition dimension.
    """

    __slots__ = ()

    shape: tuple[Any, ...]
    dtype: Any  # DType, or a symbolic dtype of the same interface
    memory: Any  # HBM, SBUF or PSUM
    start_partition: Any  # first partition, where known
    partition_step: Any  # distance between consecutive partitions, 1 as a rule

    @property
    def indirect(self) -> bool:
        """Whether values that tensors hold say which elements these are."""
        return False

    @property
    def gathered(self) -> bool:
        """Whether its columns are chosen by offsets in a tile, as `.indirect` of 0.x does."""
        return False

    @property
    def span(self) -> tuple[Any, Any] | None:
        """The first and the last element that it has in a partition, counted from the start of its tensor; None where
        that is not known."""
        return None

    @property
    def steps(self) -> tuple[Any, ...] | None:
        """How many elements lie between two that follow one another in a dimension, for each; None where that is not
        known."""
        return None

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def partitions(self) -> Any:
        return self.shape[0] if self.shape else 1

    @property
    def free(self) -> Any:
        """Elements in a partition."""
        return product(self.shape[1:])

    @property
    def size(self) -> Any:
        return product(self.shape)

    @property
    def row(self) -> Any:
        """Elements in a partition of the whole tensor, whatever part of it is seen."""
        return self.free
