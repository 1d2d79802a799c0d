"""Loads, stores, DMA, gathers, shuffles: data moved and cast, not computed with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from reference_sim.machine.dtypes import F32, Array, as_float
from reference_sim.report.errors import CannotSimulate
from reference_sim.tensors.access import DynamicAccess
from reference_sim.tensors.deferred import EVERYTHING, Load, Sum, is_plain, settle
from reference_sim.tensors.tensor import Tensor

from .alu import binary, name_of
from .registry import effect, values

if TYPE_CHECKING:
    from ..calls import Operands


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
        and not operands.tainted
        and operands.program.direct is None
        and is_plain(array)
        and source._array is array
    )


@values("language.load_transpose2d")
def load_transpose2d(operands: Operands) -> Array:
    source = operands.array("src")
    return source.reshape(source.shape[0], -1).T


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


def _combine(operands: Operands, target: Any, added: Any, op: Any) -> None:
    """`target = target op added`; positions that occur twice are combined twice."""
    from reference_sim.tensors.tensor import _flat, _positions, read

    from .. import calls

    if _is_dynamic(target):
        positions = _positions(target)
        flat = _flat(target)
        read(target)  # complains about what is out of bounds
        values_ = np.broadcast_to(np.asarray(added), positions.shape)
        if name_of(op) != "add":
            raise CannotSimulate("a read-modify-write", f"only additions are documented, not `{name_of(op)}`")
        settle(target.storage)
        np.add.at(flat, positions, values_.astype(flat.dtype))
        calls.assign(target, read(target), None, operands.program)
        return
    operands.write("dst", binary(op, read(target), np.asarray(added).reshape(target.shape)))


@effect("isa.dma_copy")
def dma_copy(operands: Operands) -> None:
    skip = operands.leaf("oob_mode") == "skip"
    target, op = operands.dst, operands.get("dst_rmw_op")
    if op is not None:
        _combine(operands, target, operands.array("src"), op)
        return
    if skip and _is_dynamic(operands.src):
        from reference_sim.tensors.tensor import gather, read

        from .. import calls

        old = read(target)
        operands.write("dst", gather(operands.src, calls.fitted(old, operands.src.shape)))
        return
    operands.write("dst", _through_float(operands, operands.array("src")), skip)


def _through_float(operands: Operands, source: Array) -> Array:
    """DMA casts by way of float32; equal types are copied as bits."""
    same = operands.src.element is operands.dst.element
    return source if same or source.dtype.fields is not None else as_float(source)


@effect("isa.dma_compute")
def dma_compute(operands: Operands) -> None:
    from reference_sim.tensors.tensor import read

    from .. import calls

    target = operands.dst
    sources = list(operands.srcs)
    indirect = [s for s in sources if _is_dynamic(s)]
    if _is_dynamic(target) and indirect:
        added = [s for s in sources if s not in indirect]
        for source in added:
            _combine(operands, target, read(source), operands.reduce_op)
        return
    total: Any = None
    for source in sources:
        values_ = as_float(read(source)).reshape(target.shape)
        total = values_ if total is None else binary(operands.reduce_op, total, values_)
    calls.assign(target, total, None, operands.program)


_PERMUTATIONS = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}


@values("isa.dma_transpose")
def dma_transpose(operands: Operands) -> Array:
    source = operands.array("src")
    axes = operands.get("axes") or _PERMUTATIONS.get(source.ndim)
    if axes is None:
        raise CannotSimulate("dma_transpose", f"a tile of {source.ndim} dimensions has no documented permutation")
    return source.transpose(tuple(axes))


@values("language.broadcast_to")
def broadcast_to(operands: Operands) -> Array:
    source = operands.array("x" if "x" in operands.arguments else "src")
    return np.broadcast_to(source, tuple(int(s) for s in operands.arguments["shape"]))


@values("language.gather_flattened", "isa.nc_n_gather")
def gather_flattened(operands: Operands) -> Array:
    data, indices = operands.array("data"), operands.array("indices")
    if operands.taint:
        from reference_sim.tensors.tensor import read

        indices = read(operands.indices)
    rows = data.reshape(data.shape[0], -1)
    chosen = indices.reshape(indices.shape[0], -1).astype(np.int64)
    if chosen.size and (chosen.min() < 0 or chosen.max() >= rows.shape[1]):
        reason = f"index {int(chosen.max())} lies outside the {rows.shape[1]} elements of a partition"
        raise CannotSimulate("a gather", reason)
    return np.take_along_axis(rows, chosen, axis=1).reshape(indices.shape)


@values("isa.local_gather")
def local_gather(operands: Operands) -> Array:
    """Each group of 16 partitions gathers with the indices that its own partitions hold, partition by partition."""
    source, index = operands.array("src_buffer"), operands.array("index")
    if operands.taint:
        return np.full(operands.plan.result.shape if operands.plan.result else source.shape, source.max())
    width = int(operands.num_elem_per_idx)
    flat = source.reshape(source.shape[0], -1)
    index = index.reshape(index.shape[0], -1)
    parts = []
    for first in range(0, source.shape[0], 16):
        snake = index[first : first + 16].T.reshape(-1).astype(np.int64)
        if operands.num_valid_indices is not None:
            snake = snake[: int(operands.num_valid_indices)]
        columns = (snake[:, None] + np.arange(width)).reshape(-1)
        parts.append(flat[first : first + 16][:, columns])
    return np.concatenate(parts, axis=0)


@effect("isa.nc_stream_shuffle")
def nc_stream_shuffle(operands: Operands) -> None:
    """Within each quadrant of 32 partitions, partition i takes what partition `shuffle_mask[i]` has; 255 keeps it."""
    from reference_sim.tensors.tensor import read

    source, target = operands.array("src"), operands.dst
    result = np.array(read(target)).reshape(target.shape[0], -1)
    rows = source.reshape(source.shape[0], -1)
    for first in range(0, target.shape[0], 32):
        for i, chosen in enumerate(operands.shuffle_mask):
            origin = first + int(chosen)
            if int(chosen) == 255 or first + i >= target.shape[0]:
                continue
            if origin >= rows.shape[0]:
                raise CannotSimulate("nc_stream_shuffle", f"partition {origin} of the source does not exist")
            result[first + i] = rows[origin]
    operands.write("dst", result.reshape(target.shape))


__all__ = ["F32", "load", "store"]
