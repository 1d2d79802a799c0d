"""What loops carry: into which values something of an earlier iteration went. Followed by tensor, and by the parts of
it that were written as one, while loops run whose iterations come in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reference_sim.machine.dtypes import Array
from reference_sim.machine.geometry import box_of, repeats
from reference_sim.machine.loop import Loop
from reference_sim.machine.memory import Storage, pointer
from reference_sim.tensors.access import GridAccess
from reference_sim.tensors.deferred import KINDS
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

UNKNOWN = -1
"""Carried through any loop there is."""

WHOLE = ("whole",)
MANY = 64  # parts of a tensor that are told apart

Key = tuple[Any, ...] | None
"""A part of a tensor, None for one that is not known."""


class RunningLoop:
    """A loop that runs: the clock when it began, when its present iteration started and when the one before did.

    `bit` stands for it where loops around a value are told by bits.
    """

    __slots__ = ("began", "bit", "loop", "previous", "started")

    def __init__(self, loop: Loop, clock: int, around: Sequence[RunningLoop]) -> None:
        self.loop = loop
        self.began = self.started = self.previous = clock
        taken: int = 0
        for one in around:
            taken |= one.bit
        self.bit: int = ~taken & (taken + 1)

    def iterate(self, clock: int) -> None:
        """A new iteration starts."""
        self.previous, self.started = self.started, clock


class Content:
    """What is in a tensor: when it was written, and the bits of the loops that carried something into it; `parts` says
    the same of those that were written later than the whole. A clock of 0 is before any loop."""

    __slots__ = ("bits", "clock", "parts")

    def __init__(self, clock: int = 0, bits: int = 0) -> None:
        self.clock, self.bits = clock, bits
        self.parts: dict[Key, tuple[int, int, Array | None]] | None = None

    def put(self, key: Key, view: Array | None, clock: int, bits: int) -> None:
        """A part was written."""
        if key is WHOLE:
            self.clock, self.bits, self.parts = clock, bits, None
            return
        if self.parts is None:
            self.parts = {}
        elif len(self.parts) >= MANY:
            self.parts.clear()
            self.parts[None] = (clock, UNKNOWN, None)
        self.parts.pop(key, None)
        self.parts[key] = (clock, UNKNOWN if key is None else bits, view)

    def carried(self, storage: Storage, key: Key, view: Array | None, loops: Sequence[RunningLoop]) -> int:
        """The loops that carried something into a part."""
        found = 0
        for other, (clock, bits, written) in reversed((self.parts or {}).items()):
            if other == key or key is WHOLE or overlap(storage, view, written):
                found |= _carried(clock, bits, loops)
            if other == key:
                return found
        return found | _carried(self.clock, self.bits, loops)


def _carried(clock: int, bits: int, loops: Sequence[RunningLoop]) -> int:
    """The loops through which what was written then comes from an earlier iteration of theirs."""
    if clock >= loops[-1].started:
        return bits
    found = 0
    for one in loops:
        if clock >= one.began and (clock < one.started or bits & one.bit):
            found |= one.bit
    return found


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
    if array is whole or (whole is not None and array.nbytes == whole.nbytes and not repeats(array)):
        return WHOLE, None
    keys = tensor.keys
    if keys is None or whole is None or where is not None:
        return (pointer(array) - storage.address, array.shape, array.strides), array
    offset = 0
    for key, stride in zip(keys, whole.strides, strict=True):
        offset += ((key.start or 0) if type(key) is slice else key) * stride
    return (offset, array.shape, array.strides), array


def read_part_of(tensor: Tensor, where: Where = None) -> tuple[Key, Array | None]:
    """The same for a read, which may be by affine indices that leave the tensor; what depends on values in memory has
    no part that is known."""
    key, view = part_of(tensor, where)
    access = tensor.access
    if key is None and isinstance(access, GridAccess) and all(grid.values is None for grid in access.indices):
        key = tuple((grid.base, grid.shape, grid.coefficients) for grid in access.indices)
    return key, view


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
