"""Loads, stores, DMA, gathers, shuffles: data moved and cast, not computed with."""

from __future__ import annotations

from contextlib import suppress
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.indexing.out_of_bounds import OutOfBounds
from nkilint_rules.operations.isa_results import TRANSPOSES
from nkilint_rules.words.dialects import BETA1
from reference_sim.machine.dtypes import HOST, Array, as_float
from reference_sim.report.errors import CannotSimulate
from reference_sim.report.wording import complain
from reference_sim.report.wording import name_of as titled
from reference_sim.tensors.access import DynamicAccess, kept_inside
from reference_sim.tensors.deferred import EVERYTHING, Load, Sum, copy_lent, is_plain
from reference_sim.tensors.elements import flat_elements, gather, inside, read
from reference_sim.tensors.tensor import Tensor

from .alu import binary, name_of
from .registry import chooses, effect, gathers, values

if TYPE_CHECKING:
    from ..operands import Operands


@values("language.load")
def load(operands: Operands) -> Array | Load:
    array = operands.array("src")
    if not _may_wait(operands, array):
        return array
    source = operands.src
    return Load(source.part or (array, EVERYTHING), source.storage)


def _may_wait(operands: Operands, array: Array) -> bool:
    """Whether a load need not copy yet: the kernel reads whole rows of an input as they are."""
    source, plan = operands.arguments["src"], operands.plan.tile
    return (
        isinstance(source, Tensor)
        and source.storage.is_input
        and plan is not None
        and plan.element is source.element
        and plan.shape == array.shape
        and operands.where is None
        and is_plain(array)
        and source._array is array
    )


@effect("language.store")
def store(operands: Operands) -> None:
    value = operands.arguments["value"]
    if isinstance(value, Tensor) and type(value.access) is Sum:
        operands.write("dst", value.access)
        return
    value = operands.array("value")
    operands.write("dst", value if isinstance(value, np.ndarray) else np.asarray(value))


@effect("language.atomic_rmw")
def atomic_rmw(operands: Operands) -> None:
    _combine(operands, operands.dst, operands.array("value"), operands.op)


def _is_dynamic(tensor: Tensor) -> bool:
    return isinstance(tensor.access, DynamicAccess)


def _combine(operands: Operands, target: Any, added: Any, op: Any, skip: bool = False) -> None:
    """`target = target op added`; positions that occur twice are combined twice."""
    if isinstance(target.access, DynamicAccess):
        where, flat = operands.kept(target), flat_elements(target)
        positions, bad = target.access.resolve(flat.size, where, skip)
        values_ = np.broadcast_to(np.asarray(added), positions.shape)
        if name_of(op) != "add":
            raise CannotSimulate("a read-modify-write", f"only additions are documented, not `{name_of(op)}`")
        copy_lent(target.storage)
        kept = kept_inside(where, bad, positions.shape)
        chosen = slice(None) if kept is None else kept
        np.add.at(flat, positions[chosen], values_[chosen].astype(flat.dtype))
        now = gather(target, np.zeros((), flat.dtype), where) if skip else read(target, where)
        operands.write("dst", now, skip)
        return
    operands.write("dst", binary(op, read(target), np.asarray(added).reshape(target.shape)))


@chooses("isa.dma_copy", "isa.dma_compute")
def found(operands: Operands) -> Array:
    """Where the elements come from inside a tensor."""
    sources = operands.get("srcs") or [operands.src]
    return np.logical_and.reduce([inside(source).reshape(operands.dst.sizes) for source in sources])


@effect("isa.dma_copy")
def dma_copy(operands: Operands) -> None:
    skip = operands.leaf("oob_mode") == "skip"
    target, op = operands.dst, operands.get("dst_rmw_op")
    if operands.dialect == BETA1 and _would_stretch(operands.src, target):
        raise CannotSimulate("a copy by DMA", "no page of Beta 1 says that it stretches a smaller `src`")
    if op is not None:
        _combine(operands, target, operands.array("src"), op, skip)
        return
    if skip and _is_dynamic(operands.src):
        old = read(target).reshape(operands.src.sizes)
        operands.write("dst", gather(operands.src, old, operands.kept(operands.src)))
        return
    operands.write("dst", _through_float(operands, operands.array("src")), skip)


def _would_stretch(source: Tensor, target: Tensor) -> bool:
    """Whether NumPy would repeat the elements of a smaller tensor to fill a larger one."""
    with suppress(ValueError):
        return prod(source.sizes) < prod(np.broadcast_shapes(source.sizes, target.sizes)) == prod(target.sizes)
    return False


def _through_float(operands: Operands, source: Array) -> Array:
    """DMA casts by way of float32; equal types are copied as bits."""
    same = operands.src.element is operands.dst.element
    return source if same or source.dtype.fields is not None else as_float(source)


@effect("isa.dma_compute")
def dma_compute(operands: Operands) -> None:
    target = operands.dst
    sources = list(operands.srcs)
    if _is_dynamic(target) and any(map(_is_dynamic, sources)):
        for source in (s for s in sources if not _is_dynamic(s)):
            _combine(operands, target, read(source), operands.reduce_op)
        return
    total: Any = None
    skip = operands.leaf("oob_mode") == "skip"
    for source in sources:
        values_ = gather(source, np.zeros((), HOST[source.element])) if skip else read(source)
        values_ = as_float(values_).reshape(target.shape)
        total = values_ if total is None else binary(operands.reduce_op, total, values_)
    operands.write("dst", np.where(found(operands), total, read(target)) if skip else total)


@values("isa.dma_transpose")
def dma_transpose(operands: Operands) -> Array:
    axes = operands.get("axes") or TRANSPOSES.get(operands.src.ndim)
    if axes is None:
        raise CannotSimulate("dma_transpose", f"a tile of {operands.src.ndim} dimensions has no documented permutation")
    if operands.leaf("oob_mode") != "skip":
        return operands.array("src").transpose(tuple(axes))
    old = read(operands.dst)
    moved = gather(operands.src, np.zeros((), HOST[operands.src.element])).transpose(tuple(axes)).reshape(old.shape)
    return np.where(inside(operands.src).transpose(tuple(axes)).reshape(old.shape), moved, old)


@values("language.broadcast_to")
def broadcast_to(operands: Operands) -> Array:
    source = operands.array("x" if "x" in operands.arguments else "src")
    return np.broadcast_to(source, tuple(int(s) for s in operands.arguments["shape"]))


def _held(operands: Operands) -> Array:
    indices = operands.array("indices")
    return np.asarray(indices.reshape(indices.shape[0], -1).astype(np.int64))


@gathers("language.gather_flattened", "isa.nc_n_gather")
def named_columns(operands: Operands) -> Array:
    columns = int(np.prod(operands.data.sizes[1:]))
    return np.clip(_held(operands), 0, columns - 1)


@values("language.gather_flattened", "isa.nc_n_gather")
def gather_flattened(operands: Operands) -> Array:
    data = operands.array("data")
    rows, held = data.reshape(data.shape[0], -1), _held(operands)
    outside = held[(held < 0) | (held >= rows.shape[1])]
    if outside.size:
        said = {"tensor": titled(operands.data.storage), "size": rows.shape[1]}
        complain(OutOfBounds.gathered(indices=titled(operands.indices.storage), reach=int(outside.max()), **said))
    return np.take_along_axis(rows, named_columns(operands), axis=1).reshape(operands.indices.sizes)


@gathers("isa.local_gather")
def shared_columns(operands: Operands) -> Array:
    """Each group of 16 partitions gathers with the indices that its own partitions hold."""
    index, width = operands.array("index"), int(operands.num_elem_per_idx)
    index = index.reshape(index.shape[0], -1)
    parts = []
    for first in range(0, index.shape[0], 16):
        snake = index[first : first + 16].T.reshape(-1).astype(np.int64)
        if operands.num_valid_indices is not None:
            snake = snake[: int(operands.num_valid_indices)]
        columns = (snake[:, None] + np.arange(width)).reshape(-1)
        parts.append(np.broadcast_to(columns, (16, columns.size)))
    return np.concatenate(parts, axis=0)


@values("isa.local_gather")
def local_gather(operands: Operands) -> Array:
    source = operands.array("src_buffer")
    return np.take_along_axis(source.reshape(source.shape[0], -1), shared_columns(operands), axis=1)


@effect("isa.nc_stream_shuffle")
def nc_stream_shuffle(operands: Operands) -> None:
    """Within each quadrant of 32 partitions, partition i takes what partition `shuffle_mask[i]` has; 255 keeps it."""
    source, target = operands.array("src"), operands.dst
    rows = source.reshape(source.shape[0], -1)
    result = np.array(target.array).reshape(target.shape[0], -1)
    for first in range(0, target.shape[0], 32):
        for i, chosen in enumerate(operands.shuffle_mask):
            origin = first + int(chosen)
            if int(chosen) == 255 or first + i >= target.shape[0]:
                continue
            if origin >= rows.shape[0]:
                raise CannotSimulate("nc_stream_shuffle", f"partition {origin} of the source does not exist")
            result[first + i] = rows[origin]
    operands.write("dst", result.reshape(target.shape))
