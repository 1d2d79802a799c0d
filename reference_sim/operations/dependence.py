"""Which elements of a result come from marked elements of the operands: effects as functions of arrays of marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.operations import effects as rule
from reference_sim.machine.dtypes import Array

from .numerics.registry import CHOICES, GATHERS

if TYPE_CHECKING:
    from .operands import Operands

Shape = tuple[int, ...]


def carried(how: rule.Dependence, marks: Array, shape: Shape, operands: Operands) -> Array:
    """The elements of a result of `shape` that depend on marked elements of an operand."""
    if not marks.size or 0 in shape:
        return np.zeros(shape, bool)
    return _READINGS[type(how)](how, marks, shape, operands)


def _flat(marks: Array) -> Array:
    return marks.reshape(marks.shape[0], -1)


def _stretched(rows: Array, shape: Shape) -> Array:
    """One mark for each partition, over the elements that the result has there; over all if partitions differ."""
    column = rows.reshape(-1)
    if column.size != shape[0]:
        return np.full(shape, bool(column.any()))
    return np.broadcast_to(column.reshape(-1, *(1,) * (len(shape) - 1)), shape)


def _in_order(marks: Array, shape: Shape) -> Array:
    """The marks under another shape of as many elements, or stretched to it."""
    if marks.size == prod(shape):
        return marks.reshape(shape)
    if marks.size == marks.shape[0] == shape[0]:
        return _stretched(marks, shape)
    try:
        return np.broadcast_to(marks, shape)
    except ValueError:
        return _stretched(_flat(marks).any(axis=1), shape)


def _aligned(how: rule.Aligned, marks: Array, shape: Shape, operands: Operands) -> Array:
    return _in_order(marks, shape)


def _rows(how: rule.Rows, marks: Array, shape: Shape, operands: Operands) -> Array:
    return _stretched(_flat(marks).any(axis=1), shape)


def _scanned(how: rule.Scanned, marks: Array, shape: Shape, operands: Operands) -> Array:
    return _in_order(np.logical_or.accumulate(_flat(marks), axis=1), shape)


def _reduced(how: rule.Reduced, marks: Array, shape: Shape, operands: Operands) -> Array:
    found = marks.any(axis=how.axes, keepdims=True)
    if how.kept and found.ndim == len(shape):
        return np.broadcast_to(found, shape)
    return _in_order(found, shape)


def _permuted(how: rule.Permuted, marks: Array, shape: Shape, operands: Operands) -> Array:
    flat = _flat(marks) if len(how.order) == 2 else marks
    return _in_order(flat.transpose(how.order), shape)


def _contracted(how: rule.Contracted, marks: Array, shape: Shape, operands: Operands) -> Array:
    columns = marks.reshape(marks.shape[0] * how.rows, -1).any(axis=0)
    if how.axis == 0:
        return _stretched(columns, shape)
    return np.broadcast_to(columns, (shape[0], columns.size)).reshape(shape)


def _blocks(how: rule.Blocks, marks: Array, shape: Shape, operands: Operands) -> Array:
    flat = _flat(marks)
    if not how.columns:
        flat = flat.any(axis=1, keepdims=True)
    rows = np.logical_or.reduceat(flat, np.arange(0, flat.shape[0], how.partitions), axis=0)
    spread = np.repeat(rows, how.partitions, axis=0)[: flat.shape[0]]
    if not how.columns:
        return _stretched(spread, shape)
    return _in_order(np.logical_or.reduceat(spread, np.arange(0, flat.shape[1], how.columns), axis=1), shape)


def _shuffled(how: rule.Shuffled, marks: Array, shape: Shape, operands: Operands) -> Array:
    flat, size = _flat(marks), len(how.sources)
    found = np.zeros((shape[0], flat.shape[1]), bool)
    for partition in range(shape[0]):
        origin = partition // size * size + how.sources[partition % size]
        if origin < flat.shape[0]:
            found[partition] = flat[origin]
    return _in_order(found, shape)


def _anything(how: rule.Everything, marks: Array, shape: Shape, operands: Operands) -> Array:
    return np.full(shape, bool(marks.any()))


def _possible(how: rule.Possible, marks: Array, shape: Shape, operands: Operands) -> Array:
    return np.zeros(shape, bool) if how.surely is None else carried(how.surely, marks, shape, operands)


def _exchanged(how: rule.Exchanged, marks: Array, shape: Shape, operands: Operands) -> Array:
    return np.zeros(shape, bool)  # what is marked here says nothing of what arrives


def _chosen(how: rule.Chosen, marks: Array, shape: Shape, operands: Operands) -> Array:
    choice = CHOICES.get(operands.entry.name)
    chosen = operands.array(how.by) != 0 if choice is None else choice(operands)
    if how.negated:
        chosen = ~chosen
    return carried(how.of, _in_order(marks, chosen.shape) & chosen, shape, operands)


def _gathered(how: rule.Gathered, marks: Array, shape: Shape, operands: Operands) -> Array:
    columns = GATHERS[operands.entry.name](operands)
    return _in_order(np.take_along_axis(_flat(marks), columns, axis=1), shape)


_READINGS: Mapping[type[rule.Dependence], Callable[[Any, Array, Shape, Operands], Array]] = {
    rule.Aligned: _aligned,
    rule.Rows: _rows,
    rule.Scanned: _scanned,
    rule.Reduced: _reduced,
    rule.Permuted: _permuted,
    rule.Contracted: _contracted,
    rule.Blocks: _blocks,
    rule.Shuffled: _shuffled,
    rule.Everything: _anything,
    rule.Possible: _possible,
    rule.Exchanged: _exchanged,
    rule.Chosen: _chosen,
    rule.Gathered: _gathered,
}
