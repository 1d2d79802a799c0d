"""Reductions along free axes and across partitions, statistics, softmax and normalisation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from reference_sim.machine.dtypes import F32, Array

from .alu import reduce
from .registry import values

if TYPE_CHECKING:
    from ..operands import Operands


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """Axes as numbers from 0."""
    given = axis if isinstance(axis, (list, tuple)) else (axis,)
    if not all(isinstance(a, (int, np.integer)) for a in given):
        raise TypeError(f"an axis is an integer, or several are, not {axis!r}")
    return tuple(sorted({int(a) % rank for a in given}))


def kept_by_mask(operands: Operands, x: Array) -> Any:
    """The mask of a reduction as `where=`: True for everything."""
    where = operands.where
    if where is None:
        return True
    if isinstance(where, tuple):
        kept = np.zeros(x.shape, bool)
        kept[where] = True
        return kept
    return where


def _reduced(operands: Operands, op: str) -> Array:
    x = operands.array("x")
    axes = axes_of(operands.axis, x.ndim)
    return reduce(op, x, axes, kept_by_mask(operands, x))


_OPERATORS = {
    "sum": "add", "max": "maximum", "min": "minimum", "prod": "multiply", "all": "logical_and", "mean": "average",
}  # fmt: skip


@values(*(f"language.{name}" for name in _OPERATORS))
def language_reduction(operands: Operands) -> Array:
    return _reduced(operands, _OPERATORS[operands.entry.operation.leaf])


@values("language.var")
def var(operands: Operands) -> Array:
    x = operands.f32("x")
    axes = axes_of(operands.axis, x.ndim)
    where = kept_by_mask(operands, x)
    return reduce("average", np.square(x - reduce("average", x, axes, where)), axes, where)


@values("isa.tensor_reduce")
def tensor_reduce(operands: Operands) -> Array:
    x = operands.array("data")
    axes = axes_of(operands.axis, x.ndim)
    found = reduce(operands.op, x, axes, kept_by_mask(operands, x))
    return -found if operands.negate else found


@values("isa.tensor_partition_reduce")
def tensor_partition_reduce(operands: Operands) -> Array:
    x = operands.array("data")
    return reduce(operands.op, x, 0, kept_by_mask(operands, x))


@values("language.softmax")
def softmax(operands: Operands) -> Array:
    x = operands.f32("x")
    axes = axes_of(operands.axis, x.ndim)
    kept = kept_by_mask(operands, x)
    powers = np.exp(x - x.max(axis=axes, keepdims=True, where=kept, initial=-np.inf))
    powers /= powers.sum(axis=axes, keepdims=True, where=kept)
    return powers


@values("language.rms_norm")
def rms_norm(operands: Operands) -> Array:
    x, w = operands.f32("x"), operands.f32("w")
    axes = axes_of(operands.axis, x.ndim)
    mean = np.add.reduce(np.square(x), axis=axes, keepdims=True, where=kept_by_mask(operands, x)) / np.float32(
        operands.n
    )
    return x / np.sqrt(mean + np.float32(operands.epsilon)) * w


@values("isa.bn_stats")
def bn_stats(operands: Operands) -> Array:
    """For the even and the odd elements: how many, their mean, their variance times their number."""
    x = operands.f32("data")
    flat = x.reshape(x.shape[0], -1)
    kept = np.broadcast_to(kept_by_mask(operands, x), x.shape).reshape(flat.shape)
    result = np.zeros((x.shape[0], 6), F32)
    for first in (0, 1):
        part, counted = flat[:, first::2], kept[:, first::2]
        if part.shape[1]:
            count = counted.sum(axis=1, dtype=F32)
            mean = np.add.reduce(part, axis=1, where=counted) / np.maximum(count, 1)
            result[:, 3 * first] = count
            result[:, 3 * first + 1] = mean
            result[:, 3 * first + 2] = np.square(part - mean[:, None]).sum(axis=1, where=counted)
    return result


@values("isa.bn_aggr")
def bn_aggr(operands: Operands) -> Array:
    x = operands.f32("data")
    kept = kept_by_mask(operands, x)
    flat = (x if kept is True else np.where(kept, x, 0)).reshape(x.shape[0], -1, 3)
    count, mean, spread = flat[..., 0], flat[..., 1], flat[..., 2]
    total = count.sum(axis=1, keepdims=True)
    center = (count * mean).sum(axis=1, keepdims=True) / total
    deviation = spread + count * np.square(mean - center)
    return np.concatenate([center, deviation.sum(axis=1, keepdims=True) / total], axis=1)


@values("isa.max8")
def max8(operands: Operands) -> Array:
    x = operands.f32("src")
    flat = x.reshape(x.shape[0], -1)
    kept = kept_by_mask(operands, x)
    if kept is not True:
        flat = np.where(kept, x, -np.inf).reshape(x.shape[0], -1)
    highest = np.partition(flat, flat.shape[1] - 8, axis=1)[:, -8:]
    return -np.sort(-highest, axis=1)
