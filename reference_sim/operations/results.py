"""Where the values that an operation computed go: into `dst`, or into a tile of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.operands.shape_mismatch import ShapeMismatch
from nkilint_rules.operations.effects import RESULT
from nkilint_rules.operations.form import Result
from nkilint_rules.words.dtypes import FLOAT32, DType
from nkilint_rules.words.memory import PSUM, SBUF
from nkilint_rules.words.shapes import on_chip_shape
from reference_sim.machine.dtypes import Array, cast, element_type, stored_type
from reference_sim.machine.listeners import tell_read, tell_used, tell_written
from reference_sim.machine.memory import RESULTS, Storage
from reference_sim.machine.program import Program
from reference_sim.report.wording import complain
from reference_sim.tensors import accumulation
from reference_sim.tensors.deferred import KINDS, Pending, Sum
from reference_sim.tensors.deferred_sums import put_off
from reference_sim.tensors.elements import read, write
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .entries import TilePlan
from .numerics.alu import binary, name_of

if TYPE_CHECKING:
    from .operands import Operands


def assign(
    target: Tensor,
    values: Any,
    where: Where,
    current: Program,
    skip: bool = False,
    operands: Operands | None = None,
    matmul: bool = False,
) -> None:
    """Write values into a tensor, for a call with these operands or for an assignment."""
    if type(values) is not Sum or where is not None or not put_off(target, values):
        values = values.values() if type(values) is Sum else values
        if isinstance(values, np.ndarray) and values.shape != target.sizes:
            values = fitted(values, target.sizes)
        if target.element.is_integer and where is None and operands is not None:
            for told in current.listeners.converts:
                told(target.storage, target.element, values, operands)
        write(target, values, where, current.precise, skip)
    if target.storage.memory == PSUM:
        accumulation.note_written(target, where, matmul)
    if current.checks:
        tell_written(target, where, operands, current)


def fitted(values: Array, shape: tuple[int, ...]) -> Array:
    """Values under the shape of what they are written to: the same elements in order, or stretched."""
    total = 1
    for size in shape:
        total *= size
    if values.size == total:
        return values.reshape(shape)
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        complain(ShapeMismatch.assignment(value=list(values.shape), target=list(shape)))
        return np.resize(values, shape)  # a run that collects findings goes on with what there is


def finish(operands: Operands, value: Any) -> Any:
    """Write a value to `dst`, or make the tile that the operation gives."""
    target = operands.arguments.get("dst")
    if target is None and type(value) is np.ndarray:
        return new_tile(operands, value, operands.plan.tile or _unplanned(operands, value, operands.plan.result))
    if isinstance(target, Tensor):
        operands.write("dst", value)
        return None
    if isinstance(value, KINDS):
        return _pending_tile(operands, value)
    if isinstance(value, tuple):
        found = operands.plan.result if isinstance(operands.plan.result, tuple) else (None,) * len(value)
        return tuple(new_tile(operands, v, _unplanned(operands, v, r)) for v, r in zip(value, found, strict=True))
    return new_tile(operands, value, operands.plan.tile or _unplanned(operands, value, operands.plan.result))


def _pending_tile(operands: Operands, access: Pending) -> Tensor:
    """A float32 tile whose elements nothing has looked at yet."""
    plan = operands.plan.tile
    assert plan is not None
    kind = "matmul" if operands.entry.is_matmul else "result"
    tile = _tile(None, plan.element, plan.memory, operands.program, kind)
    tile.access = access
    tile.storage.loaded = operands.entry.operation.by_dma
    tile.storage.shape = tile.sizes = plan.shape
    tile.storage.stored = plan.stored
    listeners = operands.program.listeners
    for told in listeners.gave:
        told(tile, operands)
    if operands.marked:
        for told in listeners.gave_in_part:
            told(tile, operands)
    return tile


def new_tile(operands: Operands, values: Array, plan: TilePlan) -> Tensor:
    """A tile of its own with the values that an operation gave."""
    current = operands.program
    if plan.shape != values.shape:
        values = fitted(values, plan.shape)
    masked = operands.where is not None or operands.product is not None
    where = _left_by_mask(operands, values.shape) if masked else None
    if plan.as_is and values.dtype is plan.stored:
        array = values
    else:
        if plan.element.is_integer and where is None:
            for told in current.listeners.converts:
                told(None, plan.element, values, operands)
        array = cast(values, plan.element, plan.stored, current.precise)
    if array is values and (array.base is not None or not _is_fresh(array, operands)):
        array = array.copy()
    tile = _tile(array, plan.element, plan.memory, current, "matmul" if operands.entry.is_matmul else "result")
    tile.storage.loaded = operands.entry.operation.by_dma
    if where is not None:
        tile.storage.where = where
    for told in current.listeners.gave:
        told(tile, operands)
    if where is not None or operands.marked:
        for told in current.listeners.gave_in_part:
            told(tile, operands)
    return tile


def _is_fresh(array: Array, operands: Operands) -> bool:
    """Whether an array is the operation's own and not an operand's."""
    for name, _ in operands.plan.reads:
        value = operands.arguments[name]
        for each in (value,) if type(value) is Tensor else value:
            if isinstance(each, Tensor) and each._array is array:
                return False
    return True


def _unplanned(operands: Operands, values: Array, result: Any) -> TilePlan:
    """The tile where the rulebook leaves its type open: it follows the operands."""
    element, memory, shape = _natural(operands, values), SBUF, values.shape
    if isinstance(result, Result):
        if isinstance(result.dtype, DType):
            element = result.dtype
        memory = result.memory if result.memory in (SBUF, PSUM) else SBUF
        shape = tuple(int(size) for size in result.shape)
    if operands.entry.name == "language.divide" and not element.is_float and operands.get("dtype") is None:
        element = FLOAT32
    return TilePlan(element, memory, on_chip_shape(shape), stored_type(element, operands.program.precise))


def _natural(operands: Operands, values: Array) -> DType:
    dtype = operands.get("dtype")
    if dtype is not None:
        return element_type(dtype)
    for value in operands.arguments.values():
        if isinstance(value, Tensor):
            return value.element
    return element_type(values.dtype)


def _left_by_mask(operands: Operands, shape: tuple[int, ...]) -> Where:
    """The part of a result that a mask over the operands leaves; None for all of it."""
    if operands.product is not None:
        return operands.product.result
    written = operands.plan.effects.writes.get(RESULT)
    if written is not None and written.outside:
        return None
    if written is not None and written.is_transposed and len(operands.shape()) == 2:
        return _transposed(operands.where)
    return operands.where if shape == operands.shape() else _projected(operands.where, shape)


def _transposed(where: Where) -> Where:
    """A mask over a tile of two axes as one over its transpose."""
    return where[::-1] if isinstance(where, tuple) else None if where is None else where.T


def _projected(where: Where, shape: tuple[int, ...]) -> Where:
    """A mask over the data as one over a result with fewer columns: its partitions."""
    if isinstance(where, tuple):
        empty = any(isinstance(part, slice) and part.start == part.stop for part in where[1:])
        return (slice(0, 0) if empty else where[0], *(slice(0, size) for size in shape[1:]))
    rows = where.reshape(where.shape[0], -1).any(axis=1)
    return np.broadcast_to(rows.reshape(-1, *(1,) * (len(shape) - 1)), shape)


def wrap(array: Any, element: DType, memory: str, current: Program, kind: str = "result") -> Tensor:
    """A tensor over an array that nothing else holds."""
    tile = _tile(array, element, memory, current, kind)
    for told in current.listeners.gave:
        told(tile, None)
    return tile


def _tile(array: Any, element: DType, memory: str, current: Program, kind: str) -> Tensor:
    storage = Storage(array, element, memory, 0, "", kind)
    current.clock += 1
    storage.birth = current.clock
    return Tensor(array, storage, element)


def kept(value: Any, target: Tensor) -> Where:
    """What the mask of the operation that made a tile leaves of it: only that goes where the tile is assigned to."""
    whole = isinstance(value, Tensor) and value._array is value.storage.array and value.sizes == target.sizes
    return value.storage.where if whole else None


def copy_into(target: Tensor, value: Tensor, current: Program) -> None:
    """`target[...] = value`: the elements, cast; a tile goes where it is assigned to."""
    storage, values = value.storage, read(value)
    where = kept(value, target)
    if current.checks:
        _tell_copy(target, value, where, current)
    if storage.reduction is not None:
        values = binary(storage.reduction, read(target), fitted(values, target.sizes))
    assign(target, values, where, current, matmul=storage.kind == "matmul")


def _tell_copy(target: Tensor, value: Tensor, where: Where, current: Program) -> None:
    listeners, storage = current.listeners, value.storage
    for told in listeners.began:
        told(None)
    if storage.kind in RESULTS:
        tell_used(value, None, current)
    else:
        tell_read(value, None, None, current)
    for told in listeners.copies:
        told(target, value, where)
    if storage.reduction is not None:
        tell_used(target, None, current)
        for told in listeners.accumulates:
            told(target, name_of(storage.reduction))
