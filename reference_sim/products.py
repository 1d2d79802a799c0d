"""Products over the rows of two matrices, as the Tensor Engine contracts partitions."""

from __future__ import annotations

from .dtypes import Array


def product(left: Array, right: Array) -> Array:
    """`left.T @ right`, perhaps as a view of its transpose.

    Where a product is taller than wide, BLAS gives each of its threads rows of its own. Otherwise the threads share
    what they read and wait for each other, which takes several times as long on a machine that is busy.
    """
    return (right.T @ left).T if right.shape[1] > left.shape[1] else left.T @ right


__all__ = ["product"]
