"""What values were made of: which loops around carried something of an earlier iteration into them. Followed by storage
and by the parts of it that were written as one, while loops run whose iterations come in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from reference_sim.machine.dtypes import Array
from reference_sim.machine.geometry import box_of, pointer
from reference_sim.tensors.access import GridAccess
from reference_sim.tensors.deferred import KINDS
from reference_sim.tensors.tensor import Tensor

if TYPE_CHECKING:
    from reference_sim.machine.memory import Storage
    from reference_sim.machine.program import Program
    from reference_sim.operations.entries import Plan
    from reference_sim.tensors.grids import Where

UNKNOWN = -1
"""Carried through any loop there is."""

WHOLE = ("whole",)
MANY = 64  # parts of a storage that are told apart

Key = tuple[Any, ...] | None
"""A part of a storage, None for one that is not known."""


class Made:
    """What is in a part of a storage: when it was written, and the bits of the loops that carried something into it."""

    __slots__ = ("bits", "clock", "view")

    def __init__(self, clock: int, bits: int, view: Array | None = None) -> None:
        self.clock, self.bits, self.view = clock, bits, view


def part_of(tensor: Tensor, where: Where = None) -> tuple[Key, Array | None]:
    """The part of its storage that an access touches, and a view of it where it is not the whole."""
    array, storage = tensor._array, tensor.storage
    if array is None:
        return (WHOLE if isinstance(tensor.access, KINDS) else None), None
    if where is not None:
        if not isinstance(where, tuple):
            return None, None
        array = array[where]
    whole = storage.array
    if array is whole or (whole is not None and array.nbytes == whole.nbytes and 0 not in array.strides):
        return WHOLE, None
    first = storage.first
    if whole is not None and not first:
        first = storage.first = pointer(whole)
    return (pointer(array) - first, array.shape, array.strides), array


def overlap(storage: Storage, a: Array | None, b: Array | None) -> bool:
    """Whether two parts may share elements; None is the whole, or one that is not known."""
    if a is None or b is None:
        return True
    if not np.may_share_memory(a, b):
        return False
    boxes = [box_of(storage, view) if view.size else None for view in (a, b)]
    if boxes[0] is None or boxes[1] is None:
        return bool(a.size and b.size)
    return all(low <= top and bottom <= high for (low, high), (bottom, top) in zip(*boxes, strict=True))


def begin(current: Program, plan: Plan | None = None) -> None:
    """An operation starts, of whose operands nothing is known yet."""
    current.carried = UNKNOWN if plan is not None and plan.opaque else 0


def read(tensor: Tensor, where: Where, current: Program) -> None:
    """The operation takes what is in a tensor."""
    storage, array = tensor.storage, tensor._array
    whole = where is None and array is not None and array is storage.array
    key, view = (WHOLE, None) if whole else part_of(tensor, where)
    if key is None:
        key = _key_of(tensor)
    known = storage.made
    if key is None or (current.launch.turns is not None and storage.kind == "shared"):
        current.carried = UNKNOWN
    elif type(known) is Made:
        current.carried |= _carried(known, current)
    elif known is not None:
        for other, made in reversed(known.items()):
            if other == key or key is WHOLE or overlap(storage, view, made.view):
                current.carried |= _carried(made, current)
            if other == key:
                break


def _key_of(tensor: Tensor) -> Key:
    """An access by affine indices that leave the tensor; what depends on values in memory has none."""
    access = tensor.access
    if not isinstance(access, GridAccess) or any(grid.values is not None for grid in access.indices):
        return None
    return tuple((grid.base, grid.shape, grid.coefficients) for grid in access.indices)


def _carried(made: Made, current: Program) -> int:
    """The loops through which it comes from an earlier iteration of theirs."""
    nest, clock, bits = current.nest, made.clock, made.bits
    if clock >= nest[-1].started:
        return bits
    found = 0
    for loop in nest:
        if clock >= loop.began and (clock < loop.started or bits & loop.bit):
            found |= loop.bit
    return found


def made(storage: Storage, current: Program) -> None:
    """A tensor as the operation that runs makes it."""
    storage.made = Made(current.clock, current.carried)


def wrote(target: Tensor, part: tuple[Key, Array | None], current: Program) -> None:
    """The operation that runs put its value into a part of a tensor."""
    storage, (key, view) = target.storage, part
    if key is WHOLE:
        made(storage, current)
        return
    known = storage.made
    if type(known) is not dict:
        known = storage.made = {} if known is None else {WHOLE: known}
    if len(known) >= MANY:
        known.clear()
        known[None] = Made(current.clock, UNKNOWN)
    known.pop(key, None)
    known[key] = Made(current.clock, UNKNOWN if key is None else current.carried, view)
