"""Patterns, predicates and searches: iota, the selections, the searches for eight values, top-k, sequence bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reference_sim.machine.dtypes import F32, Array, as_float
from reference_sim.report import wording
from reference_sim.tensors.grids import Grid, Mask
from reference_sim.tensors.keys import current_value

from . import engine_registers
from .alu import binary
from .reductions import kept_by_mask
from .registry import chooses, effect, values

if TYPE_CHECKING:
    from ..operands import Operands


def _pattern(operands: Operands, partitions: int) -> Array:
    """`offset + partition * channel_multiplier + sum(step * index)` over a pattern."""
    total: Any = np.zeros((), np.int64)
    wording.whole_numbers([n for pair in operands.pattern for n in pair])
    for step, count in operands.pattern:
        total = total[..., None] + np.arange(int(count)) * int(step)
    rows = current_value(operands.offset) + np.arange(partitions) * int(operands.channel_multiplier)
    return np.asarray(rows[:, None] + total.reshape(1, -1))


@values("isa.iota")
def iota(operands: Operands) -> Array:
    if "expr" in operands.arguments:
        expr = operands.expr
        found = expr.array() if isinstance(expr, Grid) else np.full((1, 1), int(expr))
        return found.astype(np.int32)
    return _pattern(operands, operands.dst.shape[0])


@chooses("isa.affine_select")
def affinely_chosen(operands: Operands) -> Array:
    shape = operands.on_true_tile.sizes
    if "pred" in operands.arguments:
        pred = operands.pred
        chosen = pred.array() if isinstance(pred, Mask) else np.asarray(pred)
        return np.broadcast_to(chosen, shape)
    return np.asarray(binary(operands.cmp_op, _pattern(operands, shape[0]).astype(np.int32), 0).reshape(shape) != 0)


@values("isa.affine_select")
def affine_select(operands: Operands) -> Array:
    x = operands.array("on_true_tile")
    return np.where(affinely_chosen(operands), as_float(x), np.float32(operands.on_false_value))


@chooses("isa.range_select")
def within_range(operands: Operands) -> Array:
    shape = operands.on_true_tile.sizes
    low, high = operands.column("bound0", len(shape)), operands.column("bound1", len(shape))
    columns = np.arange(int(np.prod(shape[1:])), dtype=F32).reshape(1, *shape[1:])
    index = np.float32(operands.range_start) + columns
    chosen = (binary(operands.comp_op0, index, low) != 0) & (binary(operands.comp_op1, index, high) != 0)
    return np.broadcast_to(chosen, shape)


@values("isa.range_select")
def range_select(operands: Operands) -> Array:
    x = operands.f32("on_true_tile")
    found = np.where(within_range(operands), x, np.float32(operands.on_false_value))
    engine_registers.accumulate(operands, found, "vector", op="maximum")
    return found


@values("isa.select_reduce")
def select_reduce(operands: Operands) -> Array:
    shape = operands.dst.shape
    predicate = operands.array("predicate").reshape(shape)
    on_true = operands.f32("on_true").reshape(shape)
    on_false = operands.column("on_false", len(shape))
    chosen = predicate != 0
    found = np.where(~chosen if operands.reverse_pred else chosen, on_true, on_false)
    engine_registers.accumulate(operands, found, "vector", op="maximum")
    return found


def _rows(x: Array) -> Array:
    return x.reshape(x.shape[0], -1)


def occurrences(data: Array, sought: Array, descending: bool) -> Array:
    """For each partition and sought value the column of its occurrence, -1 where there is none.

    A value that is sought several times takes successive occurrences, in the order of the slots or against it.
    """
    found = np.full(sought.shape, -1, np.int64)
    open_ = np.ones(data.shape, bool)
    slots: Sequence[int] = range(sought.shape[1])
    for slot in reversed(slots) if descending else slots:
        hits = (data == sought[:, slot : slot + 1]) & open_
        rows = np.flatnonzero(hits.any(axis=1))
        columns = hits[rows].argmax(axis=1)
        found[rows, slot] = columns
        open_[rows, columns] = False
    return found


def _searched(operands: Operands) -> tuple[Array, Array]:
    data = operands.f32("data")
    kept = kept_by_mask(operands, data)
    if kept is not True:
        data = np.where(kept, data, np.nan)
    return _rows(data), _rows(operands.f32("vals"))


@values("isa.nc_find_index8")
def nc_find_index8(operands: Operands) -> Array:
    data, sought = _searched(operands)
    found = occurrences(data, sought, descending=False)
    target = operands.get("dst")
    element = target.element if target is not None else None
    missing = 0xFFFF if (element is not None and element.itemsize == 2) else 0xFFFFFFFF
    return np.where(found < 0, missing, found)


@values("isa.nc_match_replace8")
def nc_match_replace8(operands: Operands) -> Array:
    """Each sought value replaced once; `dst_idx` gets where."""
    raw = operands.array("data")
    data, sought = _searched(operands)
    found = occurrences(data, sought, descending=True)
    result = _rows(as_float(raw)).copy()
    rows, slots = np.nonzero(found >= 0)
    result[rows, found[rows, slots]] = np.float32(operands.imm)
    target = operands.get("dst_idx")
    if target is not None:
        missing = 0xFFFF if target.element.itemsize == 2 else 0xFFFFFFFF
        operands.write("dst_idx", np.where(found < 0, missing, found))
    return result.reshape(raw.shape)


@effect("isa.nonzero_with_count")
def nonzero_with_count(operands: Operands) -> None:
    source = _rows(operands.array("src"))
    result = np.array(_rows(operands.dst.array))
    for partition in range(0, source.shape[0], 16):
        (hits,) = np.nonzero(source[partition])
        result[partition, :] = int(operands.padding_val)
        result[partition, : hits.size] = hits + int(operands.index_offset)
        result[partition, -1] = hits.size
    operands.write("dst", result.reshape(operands.dst.shape))


@effect("isa.topk")
def topk(operands: Operands) -> None:
    """The largest values of each group of 16 partitions, whose elements stand in a snake; written to all 16 of them."""
    source = operands.f32("src")
    count, k = int(operands.n), operands.val_dst.shape[-1]
    values_ = np.zeros((source.shape[0], k), F32)
    indices = np.zeros((source.shape[0], k), np.int64)
    for first in range(0, source.shape[0], 16):
        snake = source[first : first + 16].T.reshape(-1)[:count]
        order = np.argsort(snake, kind="stable")[-k:]
        values_[first : first + 16], indices[first : first + 16] = snake[order], order
    operands.write("val_dst", values_)
    operands.write("idx_dst", indices)


@values("isa.sequence_bounds")
def sequence_bounds(operands: Operands) -> Array:
    """For each element where its segment begins and where the next one does; padding (segment 0) gets `n` and -1."""
    ids = _rows(operands.array("segment_ids"))
    n = ids.shape[1]
    columns = np.arange(n)
    begins = np.hstack([np.ones((ids.shape[0], 1), bool), ids[:, 1:] != ids[:, :-1]])
    first = np.maximum.accumulate(np.where(begins, columns, 0), axis=1)
    ends = np.where(np.hstack([begins[:, 1:], np.ones((ids.shape[0], 1), bool)]), columns + 1, n)
    last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    padding = ids == 0
    return np.stack([np.where(padding, n, first), np.where(padding, -1, last)], axis=1).astype(F32)
