"""Subscripts of integers and slices, which give strided views."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nkilint_rules.words.memory import HBM
from reference_sim.report.errors import CannotSimulate, finding_at
from reference_sim.report.reporting import report

from .access import GridAccess, out_of_bounds
from .grids import Grid, is_integer
from .keys import DynamicSlice, bounds_of, filled

if TYPE_CHECKING:
    from .tensor import Tensor


def plain_slices(tensor: Tensor, keys: tuple[Any, ...]) -> Tensor | None:
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


class _Selection:
    """The key of each axis as a view takes it, and what that makes of the block dimensions and the first partition."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor, self.on_chip = tensor, tensor.storage.memory != HBM
        self.blocks, self.start = tensor.blocks, tensor.start
        self.keys: list[Any] = []
        self.axis = self.kept = 0
        self.inside = True

    def take(self, key: Any) -> None:
        """The key of the next axis, or None for a new one."""
        if key is None:
            self.keys.append(None)
            self.kept += 1
            return
        size = self.tensor.sizes[self.axis]
        if isinstance(key, slice):
            self._slice(*bounds_of(key, size), size)
        elif isinstance(key, DynamicSlice):
            self._slice(int(key.start), int(key.start) + int(key.size), None, size)
        else:
            self._integer(key, size)
        self.axis += 1

    def _slice(self, low: int, high: int, step: int | None, size: int) -> None:
        self.inside = self.inside and low >= 0 and high <= size
        if self.on_chip and self.axis == self.tensor.blocks:
            self.start += low
        self.keys.append(slice(low, high, step))
        self.kept += 1

    def _integer(self, key: Any, size: int) -> None:
        index = operator.index(key)
        if index < 0:
            index += size
        if not 0 <= index < size:
            out_of_bounds(self.tensor, self.axis, int(key))
            index = _nearest(index, size)
        if self.on_chip and self.axis == self.tensor.blocks:  # the partition dimension stays
            self.start += index
            self.keys.append(slice(index, index + 1))
            self.kept += 1
            return
        self.keys.append(index)
        if self.on_chip and self.axis < self.tensor.blocks:
            self.blocks -= 1

    def at_least_two(self) -> None:
        """A tile keeps a free dimension."""
        rank = len(self.tensor.sizes)
        if self.on_chip and self.kept - self.blocks < 2 and rank - self.tensor.blocks >= 2:
            last = self.keys[-1]
            if not isinstance(last, slice) and last is not None:
                self.keys[-1] = slice(last, last + 1)


def basic(tensor: Tensor, keys: tuple[Any, ...]) -> Tensor:
    """The view that integers, slices and new axes select."""
    rank = len(tensor.sizes)
    full = filled(keys, rank)
    given = sum(key is not None for key in full)
    if given > rank:
        report(finding_at("NKI105", f"{given} subscripts index a tensor of rank {rank}"))
    selection = _Selection(tensor)
    for key in full:
        selection.take(key)
    selection.at_least_two()
    chosen = selection.keys
    if not selection.inside:
        return _beyond(tensor, chosen)
    if not selection.kept:
        chosen.append(...)  # one element stays a view, not a number
    found = tensor.derive(tensor.array[tuple(chosen)], selection.blocks, selection.start)
    if len(chosen) == rank and _is_box(chosen):
        found.part = tensor.array, tuple(chosen)
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
