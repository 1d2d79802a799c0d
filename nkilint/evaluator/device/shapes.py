"""The sizes that a tensor is made with, one of which may be marked as that of the partition dimension."""

from __future__ import annotations

from typing import Any

from nkilint_rules.words.shapes import PartitionSize, block_rank


class MarkedSize(PartitionSize):
    """`nl.par_dim(size)`."""

    __slots__ = ("size",)

    def __init__(self, size: Any) -> None:
        self.size = size


def creation_shape(sizes: tuple[Any, ...]) -> tuple[tuple[Any, ...], int]:
    """Sizes without markers, and the number of dimensions before the one marked as the partition dimension."""
    return tuple(size.size if isinstance(size, PartitionSize) else size for size in sizes), block_rank(sizes)
