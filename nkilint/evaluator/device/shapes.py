"""The sizes that a tensor is made with, one of which may be marked as that of the partition dimension."""

from __future__ import annotations

from typing import Any


def creation_shape(sizes: tuple[Any, ...]) -> tuple[tuple[Any, ...], int]:
    """Sizes without markers, and the number of dimensions before the one marked as the partition dimension."""
    blocks = 0
    plain = []
    for position, size in enumerate(sizes):
        if isinstance(size, PartitionSize):
            blocks = position
            size = size.size
        plain.append(size)
    return tuple(plain), blocks


class PartitionSize:
    """`nl.par_dim(size)`."""

    __slots__ = ("size",)

    def __init__(self, size: Any) -> None:
        self.size = size
