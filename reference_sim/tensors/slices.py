"""Subscripts of integers and slices, which give strided views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nkilint_rules.limits.rank_limit import RankLimit
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import HBM
from reference_sim.machine.program import running
from reference_sim.report import wording
from reference_sim.report.errors import CannotSimulate
from reference_sim.report.sites import here
from reference_sim.report.wording import complain

from .access import GridAccess, out_of_bounds
from .grids import Grid, is_integer
from .keys import DynamicSlice, bounds_of, filled

if TYPE_CHECKING:
    from .tensor import Tensor


def plain_slices(tensor: Tensor, keys: tuple[Any, ...]) -> Tensor | None:
    """The view of one plain slice with a step of 1 for each axis, in bounds, or in HBM of an integer for some; None for
    any other subscript."""
    array, shape = tensor._array, tensor.sizes
    if array is None or len(keys) != len(shape):
        return None
    numbers = 0
    for key, size in zip(keys, shape, strict=False):
        if type(key) is slice and key.step is None:
            start, stop = key.start, key.stop
            if type(start) is type(stop) is int and 0 <= start <= stop <= size:
                continue
            if (start is not None and (type(start) is not int or start < 0)) or (
                stop is not None and (type(stop) is not int or stop > size or stop < (start or 0))
            ):
                return None
        elif type(key) is int and 0 <= key < size:
            numbers += 1
        else:
            return None
    start = tensor.start
    if tensor.storage.memory != HBM:
        if numbers:
            return None
        start += keys[tensor.blocks].start or 0
    elif numbers == len(keys):
        return None
    found = tensor.derive(array[keys], None, start)
    if not numbers or _is_box(keys):
        found.part = array, keys
    return found


def fixed_block(tensor: Tensor, keys: tuple[Any, ...]) -> tuple[Tensor, tuple[Any, ...]]:
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


def basic(tensor: Tensor, keys: tuple[Any, ...]) -> Tensor:
    """The view that integers, slices and new axes select."""
    shape, blocks, on_chip = tensor.sizes, tensor.blocks, tensor.storage.memory != HBM
    start, new_blocks, axis, kept, inside = tensor.start, blocks, 0, 0, True
    chosen: list[Any] = []
    full = filled(keys, len(shape))
    given = len(full) - full.count(None)
    if given > len(shape):
        complain(RankLimit.subscript(given=given, rank=len(shape)))
    for key in full:
        if key is None:
            chosen.append(None)
            kept += 1
            continue
        size = shape[axis]
        if isinstance(key, (slice, DynamicSlice)):
            low, high, step = bounds_of(key, tensor, axis)
            inside = inside and low >= 0 and high <= size
            chosen.append(slice(low, high, step))
            kept += 1
        else:
            low = _index(tensor, axis, key, size)
            inside = inside and 0 <= low < size
            stays = on_chip and axis == blocks  # the partition dimension, dimensions of blocks go
            chosen.append(slice(low, low + 1) if stays else low)
            kept += stays
            new_blocks -= on_chip and axis < blocks
        if on_chip and axis == blocks:
            start += low
        axis += 1
    if on_chip and kept - new_blocks < 2 and len(shape) - blocks >= 2 and isinstance(chosen[-1], int):
        chosen[-1] = slice(chosen[-1], chosen[-1] + 1)  # a tile keeps a free dimension
    if not inside:
        return _beyond(tensor, chosen)
    if not kept:
        chosen.append(...)  # one element stays a view, not a number
    found = tensor.derive(tensor.array[tuple(chosen)], new_blocks, start)
    if len(chosen) == len(shape) and _is_box(chosen):
        found.part = tensor.array, tuple(chosen)
    return found


def _index(tensor: Tensor, axis: int, key: Any, size: int) -> int:
    """An integer as an index from the start of an axis. One that is outside is reported in 0.x; in Beta 1 it stays as
    it is, for a mask may still save the access."""
    index = key if type(key) is int else wording.whole_number(key, "an index", lambda: _text_of(axis, tensor))
    counted = index + size if index < 0 else index
    if 0 <= counted < size:
        return counted
    current = running()
    if current is not None and current.dialect == BETA1:
        return index
    out_of_bounds(tensor, axis, index)
    return _nearest(counted, size)


def _text_of(axis: int, tensor: Tensor) -> str:
    return wording.subscript_text(here(), axis, len(tensor.sizes))[1]


def _is_box(keys: Sequence[Any]) -> bool:
    """Whether integers, and after them two slices with a step of 1, choose a matrix."""
    if len(keys) < 2:
        return False
    for k in keys[-2:]:
        if type(k) is not slice or k.step not in (None, 1):
            return False
    for k in keys[:-2]:  # noqa: SIM110 (a generator takes twice as long)
        if k is None or type(k) is slice:
            return False
    return True


def _beyond(tensor: Tensor, full: Sequence[Any]) -> Tensor:
    """Slices and integers that leave the tensor: a mask may still save the access, so its use decides."""
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
