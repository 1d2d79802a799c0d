"""Subscripts of tensors: slices and integers, Beta 1 grids, and indices that are known only at run time."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.words.memory import HBM
from reference_sim.machine.memory import strided
from reference_sim.report import wording
from reference_sim.report.errors import CannotSimulate, finding_at
from reference_sim.report.reporting import report
from reference_sim.report.wording import complain

from .access import DynamicAccess, GridAccess, Lookup, grid_view, out_of_bounds
from .deferred import KINDS, look
from .elements import read
from .grids import Grid, GridTuple, Mask, is_integer, joint_shape

if TYPE_CHECKING:
    from .tensor import Tensor


@dataclass(frozen=True, slots=True)
class DynamicSlice:
    """`nl.ds(start, size)`: `size` elements from `start` on; the start may be known only at run time."""

    start: Any
    size: int


def is_dynamic(value: Any) -> bool:
    """Whether an index is a value in memory or in a register."""
    return hasattr(value, "storage") or hasattr(value, "register_value")


def current_value(value: Any) -> Any:
    """The present value of a dynamic index: an int, or an array of a tile's integers."""
    if hasattr(value, "register_value"):
        return value.register_value()
    if isinstance(value, Grid):
        return value.array()
    if hasattr(value, "storage"):
        array = read(value)
        return int(array.reshape(-1)[0]) if array.size == 1 else array.astype(np.int64)
    return int(value)


def get(tensor: Tensor, key: Any) -> Tensor:
    """The view that a subscript selects."""
    keys = key if isinstance(key, tuple) else (key,)
    if tensor._array is None and isinstance(tensor.access, KINDS) and keys != (...,):
        look(tensor)
    found = _sliced(tensor, keys)
    if found is not None:
        return found
    if len(keys) == 1:
        if keys[0] is ...:
            return tensor
        if isinstance(keys[0], Mask):
            return _operand_mask(tensor, keys[0])
    if any(isinstance(k, GridTuple) for k in keys):
        keys = tuple(grid for k in keys for grid in (k if isinstance(k, GridTuple) else (k,)))
    if tensor._array is None and tensor.access is None:
        tensor, keys = _fixed_blocks(tensor, keys)
    advanced = dynamic = False
    for k in keys:
        if isinstance(k, Grid):
            advanced = True
        elif k is not None and k is not ... and not isinstance(k, (int, slice, np.integer)):
            dynamic = dynamic or is_dynamic(k.start if isinstance(k, DynamicSlice) else k)
    if tensor._array is None and tensor.access is not None:
        raise CannotSimulate("indexing", "an access that is resolved at run time cannot be indexed again")
    if advanced or dynamic:
        return _advanced(tensor, keys, dynamic)
    return _basic(tensor, keys)


def _sliced(tensor: Tensor, keys: tuple[Any, ...]) -> Tensor | None:
    """The view of one plain slice with a step of 1 for each axis, in bounds; None for any other subscript."""
    array, shape = tensor._array, tensor.sizes
    if array is None or len(keys) != len(shape):
        return None
    for key, size in zip(keys, shape, strict=False):
        if type(key) is not slice or key.step is not None:
            return None
        start, stop = key.start, key.stop
        if (start is not None and (type(start) is not int or start < 0)) or (
            stop is not None and (type(stop) is not int or stop > size or stop < (start or 0))
        ):
            return None
    start = tensor.start
    if tensor.storage.memory != HBM:
        start += keys[tensor.blocks].start or 0
    found = tensor.derive(array[keys], None, start)
    found.part = array, keys
    return found


def _fixed_blocks(tensor: Tensor, keys: tuple[Any, ...]) -> tuple[Tensor, tuple[Any, ...]]:
    """One block of a tensor whose blocks are placed one by one."""
    count = tensor.blocks
    if len(keys) < count or not all(is_integer(k) for k in keys[:count]):
        raise CannotSimulate("indexing", "a block of a directly placed tensor is not chosen by integers")
    block = tuple(int(k) for k in keys[:count])
    for axis, index in enumerate(block):
        if not 0 <= index < tensor.sizes[axis]:
            out_of_bounds(tensor, axis, index)
            block = (*block[:axis], _nearest(index, tensor.sizes[axis]), *block[axis + 1 :])
    found = tensor.derive(tensor.storage.tiles[block].array, 0, 0)
    found.tile = tensor.storage.tiles[block]
    return found, keys[count:] or (...,)


def _nearest(index: int, size: int) -> int:
    """Where a run goes on that records findings instead of stopping."""
    return min(max(index, 0), size - 1)


def _filled(keys: tuple[Any, ...], rank: int) -> list[Any]:
    """One key for each axis, `...` and missing ones written out, None kept."""
    given = sum(k is not None and k is not ... for k in keys)
    filler = [slice(None)] * (rank - given)
    full: list[Any] = []
    seen = False
    for k in keys:
        if k is ...:
            if not seen:
                full += filler
            seen = True
        else:
            full.append(k)
    return full if seen else full + filler


def _bounds(key: slice, size: int) -> tuple[int, int, int]:
    for bound in (key.start, key.stop, key.step):
        if isinstance(bound, float):
            wording.not_an_integer(bound, "an index", wording.bound_text(wording.here(), bound))
    step = 1 if key.step is None else int(key.step)
    start = 0 if key.start is None else int(key.start)
    stop = size if key.stop is None else int(key.stop)
    if start < 0:
        start += size
    if stop < 0:
        stop += size
    return start, max(start, stop), step


def _basic(tensor: Tensor, keys: tuple[Any, ...]) -> Tensor:
    shape, blocks = tensor.sizes, tensor.blocks
    on_chip = tensor.storage.memory != HBM
    new_blocks, start = blocks, tensor.start
    full: list[Any] = []
    axis = 0
    kept = 0
    inside = True
    filled = _filled(keys, len(shape))
    if sum(k is not None for k in filled) > len(shape):
        subscripts = f"{sum(k is not None for k in filled)} subscripts index a tensor of rank {len(shape)}"
        report(finding_at("NKI105", subscripts))
    for k in filled:
        if k is None:
            full.append(None)
            kept += 1
            continue
        size = shape[axis]
        if isinstance(k, slice):
            low, high, step = _bounds(k, size)
            if high > size or low < 0:
                inside = False
            if on_chip and axis == blocks:
                start += low
            full.append(slice(low, high, step))
            kept += 1
        elif isinstance(k, DynamicSlice):
            low = int(k.start)
            if low < 0 or low + int(k.size) > size:
                inside = False
            if on_chip and axis == blocks:
                start += low
            full.append(slice(low, low + int(k.size)))
            kept += 1
        else:
            index = operator.index(k)
            if index < 0:
                index += size
            if not 0 <= index < size:
                out_of_bounds(tensor, axis, int(k))
                index = _nearest(index, size)
            if on_chip and axis < blocks:
                new_blocks -= 1
                full.append(index)
            elif on_chip and axis == blocks:
                start += index
                full.append(slice(index, index + 1))
                kept += 1
            else:
                full.append(index)
        axis += 1
    if on_chip and kept - new_blocks < 2 and len(shape) - blocks >= 2:
        last = full[-1]
        if not isinstance(last, slice) and last is not None:
            full[-1] = slice(last, last + 1)
    if not inside:
        return _beyond(tensor, full)
    if not kept:
        full.append(...)  # one element stays a view, not a number
    found = tensor.derive(tensor.array[tuple(full)], new_blocks, start)
    if len(full) == len(shape) and _is_box(full):
        found.part = tensor.array, tuple(full)
    return found


def _is_box(keys: Sequence[Any]) -> bool:
    """Whether integers, and after them two slices with a step of 1, choose a matrix."""
    plain = all(type(k) is slice and k.step in (None, 1) for k in keys[-2:])
    return plain and len(keys) > 1 and not any(isinstance(k, slice) or k is None for k in keys[:-2])


def _beyond(tensor: Tensor, full: Sequence[Any]) -> Tensor:
    """Slices that leave the tensor: a mask may still save the access, so it is decided when the access is used."""
    sizes = [len(range(k.start, k.stop, k.step or 1)) for k in full if isinstance(k, slice)]
    grids: list[Grid] = []
    axis = 0
    for k in full:
        if isinstance(k, slice):
            coefficients = tuple((k.step or 1) if a == axis else 0 for a in range(len(sizes)))
            grids.append(Grid(tuple(sizes), k.start, coefficients))
            axis += 1
        elif k is None:
            raise CannotSimulate("indexing", "a new axis in a subscript that leaves the tensor")
        else:
            grids.append(Grid((1,) * len(sizes), k, (0,) * len(sizes)))
    return tensor.deferred(GridAccess(tensor, grids, tuple(sizes)))


def _operand_mask(tensor: Tensor, mask: Mask) -> Tensor:
    """`t[mask]`: the operand cut to the box where the mask holds."""
    box = mask.over(tensor.sizes)
    if box is None:
        return tensor
    if not isinstance(box, tuple):
        raise CannotSimulate("an operand mask", "it does not leave a box of the operand")
    if isinstance(tensor.access, GridAccess):
        return tensor.derive(tensor.access.resolve(box).base)
    return tensor.derive(tensor.array[box])


def _advanced(tensor: Tensor, keys: tuple[Any, ...], dynamic: bool) -> Tensor:
    rank = len(tensor.sizes)
    filled = _filled(keys, rank)
    grids = [k for k in filled if isinstance(k, Grid)]
    tiles = [k for k in filled if hasattr(k, "storage")]
    if grids and any(isinstance(k, (slice, DynamicSlice)) for k in keys):
        complain("NKI303", tensor=_indexed(tensor))
    joint = joint_shape([*(k.shape for k in grids), *(t.shape for t in tiles)])
    if grids and len(joint) == 1:
        axis = next(i for i, k in enumerate(filled) if isinstance(k, Grid))
        _, text = wording.subscript_text(wording.here(), axis, rank)
        complain("NKI302", tensor=_indexed(tensor), index=text or "an index grid")
    indices = _as_grids(tensor, filled, joint)
    if dynamic:
        return _dynamic(tensor, indices)
    shape = joint_shape([g.shape for g in indices])
    start = tensor.start
    if tensor.storage.memory != HBM:
        start += max(0, indices[tensor.blocks].bounds()[0])
        _partition_first(tensor, indices[tensor.blocks], shape)
    for grid, size in zip(indices, tensor.sizes, strict=True):
        low, high = grid.bounds()
        if low < 0 or high >= size:
            found = tensor.deferred(GridAccess(tensor, indices, shape))
            found.start = start
            return found
    view = grid_view(tensor, indices)
    if any(grid.values is not None for grid in indices):
        return tensor.deferred(_explicit(tensor, indices, shape))
    found = tensor.derive(view, 0, start)
    found.mesh = any(grid.mesh for grid in grids)
    if [grid.coefficients for grid in indices] == [(1, 0), (0, 1)]:
        found.part = tensor.array, tuple(slice(g.base, g.base + n) for g, n in zip(indices, shape, strict=True))
    return found


def _indexed(tensor: Tensor) -> str:
    """What is indexed here, as messages call it."""
    text, _ = wording.subscript_text(wording.here(), 0, len(tensor.sizes))
    return text or wording.name_of(tensor.storage)


def _explicit(tensor: Tensor, indices: Sequence[Grid], shape: tuple[int, ...]) -> DynamicAccess:
    """Indices that follow no affine rule: positions that happen to be known."""
    lookups = tuple(Lookup(axis, False, False) for axis, grid in enumerate(indices) if grid.looked_up)
    return DynamicAccess(
        tensor, shape, lambda: _flat_positions(tensor, [g.array() for g in indices], shape), None, lookups
    )


def _partition_first(tensor: Tensor, grid: Grid, shape: tuple[int, ...]) -> None:
    """On chip, the first axis of the access runs over partitions and no other axis does."""
    if grid.values is not None:
        return
    lead = len(shape) - len(grid.shape)
    moving = [lead + a for a, (c, n) in enumerate(zip(grid.coefficients, grid.shape, strict=True)) if c and n > 1]
    if any(axis != 0 for axis in moving) or (not moving and shape[0] > 1):
        report(finding_at("NKI107", "the first dimension of the access is not the partition dimension"))


def _as_grids(tensor: Tensor, filled: Sequence[Any], joint: tuple[int, ...]) -> list[Any]:
    """Each index as a grid or a dynamic value over one shape; full slices get axes of their own at the end."""
    free = [axis for axis, k in enumerate(filled) if isinstance(k, (slice, DynamicSlice))]
    rank = len(joint) + len(free)
    indices: list[Any] = []
    for axis, k in enumerate(filled):
        if isinstance(k, Grid):
            lead = len(joint) - len(k.shape)
            key = (None,) * lead + (slice(None),) * len(k.shape) + (None,) * len(free)
            indices.append(k[key] if len(key) > len(k.shape) else k)
        elif isinstance(k, (slice, DynamicSlice)):
            position = len(joint) + free.index(axis)
            if isinstance(k, DynamicSlice):
                low, size, step = k.start, k.size, 1
            else:
                low, high, step = _bounds(k, tensor.sizes[axis])
                size = len(range(low, high, step))
            shape = tuple(size if a == position else 1 for a in range(rank))
            coefficients = tuple(step if a == position else 0 for a in range(rank))
            grid = Grid(shape, 0 if is_dynamic(low) else int(low), coefficients)
            indices.append(_Shifted(low, grid) if is_dynamic(low) else grid)
        elif is_dynamic(k):
            indices.append(_Shifted(k, Grid((1,) * rank, 0, (0,) * rank)))
        else:
            index = operator.index(k)
            indices.append(Grid((1,) * rank, index + tensor.sizes[axis] if index < 0 else index, (0,) * rank))
    return indices


class _Shifted:
    """A dynamic index plus a grid."""

    __slots__ = ("grid", "origin")

    def __init__(self, origin: Any, grid: Grid) -> None:
        self.origin, self.grid = origin, grid

    @property
    def shape(self) -> tuple[int, ...]:
        if not hasattr(self.origin, "shape"):
            return self.grid.shape
        rank = len(self.grid.shape)
        own = self.origin.shape
        padded = own + (1,) * (rank - len(own)) if len(own) <= rank else own
        return np.broadcast_shapes(padded, self.grid.shape)

    def now(self) -> Grid:
        value = current_value(self.origin)
        if isinstance(value, int):
            moved: Grid = self.grid + value
            return moved
        rank = len(self.grid.shape)
        return Grid.explicit(value.reshape(value.shape + (1,) * (rank - value.ndim)) + self.grid.array())


def _dynamic(tensor: Tensor, indices: Sequence[Any]) -> Tensor:
    shape = np.broadcast_shapes(*(i.shape for i in indices))
    scalars = all(isinstance(i, Grid) or not hasattr(i.origin, "shape") or i.origin.size == 1 for i in indices)

    def present() -> list[Grid]:
        return [i.now() if isinstance(i, _Shifted) else i for i in indices]

    def positions() -> Any:
        return _flat_positions(tensor, [g.array() for g in present()], shape)

    def view() -> Any:
        grids = present()
        for grid, size in zip(grids, tensor.sizes, strict=True):
            low, high = grid.bounds()
            if low < 0 or high >= size:
                return None
        return grid_view(tensor, grids)

    lookups = tuple(
        Lookup(axis, i.origin.size > i.origin.shape[0], i.origin.mesh and i.origin.size > 1)
        for axis, i in enumerate(indices)
        if isinstance(i, _Shifted) and hasattr(i.origin, "storage")
    )
    return tensor.deferred(DynamicAccess(tensor, shape, positions, view if scalars else None, lookups))


def _flat_positions(tensor: Tensor, indices: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Flat element positions in the storage."""
    total: Any = tensor.offset
    for index, stride in zip(indices, tensor.strides, strict=True):
        total = total + index * stride
    return np.broadcast_to(total, shape)


__all__ = ["DynamicSlice", "current_value", "get", "is_dynamic", "strided"]
