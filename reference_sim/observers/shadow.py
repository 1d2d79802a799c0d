"""Shadow memory of a tensor: which of its elements hold something that the kernel put there."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from reference_sim.machine.dtypes import Array
from reference_sim.machine.geometry import by_bytes, element_at, project, repeats
from reference_sim.machine.memory import Storage
from reference_sim.machine.program import Program
from reference_sim.operations.operands import Operands
from reference_sim.report.sites import Site, here
from reference_sim.tensors.access import DynamicAccess
from reference_sim.tensors.deferred import Keys
from reference_sim.tensors.elements import accessed
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .protocol import Follower, follower_of

Origin = tuple[Site, Storage, list[int]]
"""Where an undefined value was first read, of what, and which element that was."""


class Shadow(Follower):
    """Which elements hold nothing a kernel put there: none (`None`), all (`True`), or those marked.

    `count` is how many are marked, `origin` where the first of them came from, and `dynamic` says that positions which
    a value in memory chose were written. What plain slices write next to each other is kept as one part that is
    `pending`, until something asks for the marks.
    """

    __slots__ = ("_marks", "_pending", "_shape", "count", "dynamic", "origin")

    def __init__(self, undefined: Any = None, origin: Origin | None = None) -> None:
        self._marks, self.origin, self.dynamic = undefined, origin, False
        self._pending: Keys | None = None
        self._shape: tuple[int, ...] = ()
        self.count = int(np.count_nonzero(undefined)) if isinstance(undefined, np.ndarray) else 0

    @property
    def undefined(self) -> Any:
        """The marks as they are now."""
        if self._pending is not None:
            self._note_pending()
        return self._marks

    @property
    def is_defined(self) -> bool:
        """Whether nothing is marked any more, as far as that is known without noting what is pending."""
        return self._marks is None

    def read(self, tensor: Tensor, where: Where, operands: Operands | None, current: Program) -> None:
        if operands is not None and self.undefined is not None and undefined_in(tensor, where) is not None:
            operands.marked += (tensor,)

    def note(self, target: Tensor, where: Where, marks: Any) -> None:
        """What was written holds something now, apart from what is among the `marks`."""
        storage, array = target.storage, target._array
        if array is not None and where is None and marks is None:
            if array.nbytes == prod(storage.shape) * storage.stored.itemsize and not repeats(array):
                self._marks = self._pending = None
                return
            keys = target.keys
            if keys is not None and self._marks is not None:
                self._put_off(keys, storage.shape)
                return
        if isinstance(target.access, DynamicAccess):
            self.dynamic = True
        if self._marks is None and marks is None:
            return
        view, positions = accessed(target, where)
        if view is not None and not view.size:
            return
        self._mark_each(storage.shape)
        if positions is not None:
            self._note_positions(positions, where, marks)
        else:
            self._note_view(target, view, where, marks)
        if self.count <= 0:
            self._marks = None

    def _put_off(self, keys: Keys, shape: tuple[int, ...]) -> None:
        """A part was written: it is noted together with the one before, or the one before is noted."""
        both = keys if self._pending is None else _joined(self._pending, keys)
        if both is None:
            self._note_pending()
            both = keys
        self._pending, self._shape = both, shape

    def _note_pending(self) -> None:
        keys, self._pending = self._pending, None
        if self._marks is None or keys is None:
            return
        self._mark_each(self._shape)
        seen = self._marks[keys]
        self.count -= int(np.count_nonzero(seen))
        seen[...] = False
        if self.count <= 0:
            self._marks = None

    def _mark_each(self, shape: tuple[int, ...]) -> None:
        """Have a mark for each element."""
        if self._pending is not None:
            self._note_pending()
        if self._marks is None or self._marks is True:
            self.count = prod(shape) if self._marks is True else 0
            self._marks = np.full(shape, self._marks is True)

    def _note_positions(self, positions: Array, where: Where, marks: Any) -> None:
        if marks is not None and marks.size != positions.size:
            marks = np.broadcast_to(marks[where], positions.shape)
        self._marks.reshape(-1)[positions] = False if marks is None else marks.reshape(positions.shape)
        self.count = int(np.count_nonzero(self._marks))

    def _note_view(self, target: Tensor, view: Array, where: Where, marks: Any) -> None:
        seen = project(target.storage, view, self._marks, target.tile)
        if seen is None:
            self._note_bytes(target, view, where, marks)
            return
        repeated = repeats(seen)
        before = np.count_nonzero(seen)
        seen[...] = False if marks is None else (marks if where is None else marks[where])
        after = 0 if marks is None else np.count_nonzero(seen)
        self.count = int(np.count_nonzero(self._marks) if repeated else self.count + after - before)

    def _note_bytes(self, target: Tensor, view: Array, where: Where, marks: Any) -> None:
        """What was written through a view of another type; an element of which some bytes hold something does, too."""
        found = by_bytes(target.storage, view, self._marks)
        if found is None:
            self.count = 0
            return
        whole, seen = found
        seen[...] = False if marks is None else (marks if where is None else marks[where])[..., None]
        self._marks = whole.reshape(*self._marks.shape, -1).all(axis=-1)
        self.count = int(np.count_nonzero(self._marks))


def _joined(a: Keys, b: Keys) -> Keys | None:
    """Two parts as one, where the second follows the first along one axis and is the same along the others."""
    axis = None
    for number, (first, second) in enumerate(zip(a, b, strict=True)):
        if first != second:
            both = type(first) is slice and type(second) is slice and first.stop is not None
            if axis is not None or not both or first.stop != second.start:
                return None
            axis = number
    return a if axis is None else (*a[:axis], slice(a[axis].start, b[axis].stop), *a[axis + 1 :])


def undefined_in(tensor: Tensor, where: Where = None) -> Any:
    """Which elements of a masked access are undefined: None for none of them, else truth values of its shape."""
    shadow = follower_of(tensor.storage, Shadow)
    if shadow is None or shadow.undefined is None or tensor.size == 0:
        return None
    found: Array | None
    marks = shadow.undefined
    if marks is True:
        found = np.ones(tensor.sizes, bool)
    elif tensor._array is not None:
        found = _projected(tensor, tensor._array, marks)
    else:
        found = _undefined_at(tensor, where, marks)
    if found is not None and where is not None:
        found = _only(found, where)
    return found if found is not None and found.any() else None


def _projected(tensor: Tensor, view: Array, marks: Array) -> Array | None:
    """The marks of a view; one that sees its tensor as another type has those of the bytes of its elements."""
    found = project(tensor.storage, view, marks, tensor.tile)
    if found is not None:
        return found
    seen = by_bytes(tensor.storage, view, marks)
    return None if seen is None else np.asarray(seen[1].any(axis=-1))


def _only(marks: Array, where: Where) -> Array:
    """The marks that a mask leaves."""
    left = np.zeros(marks.shape, bool)
    left[where] = marks[where]
    return left


def _undefined_at(tensor: Tensor, where: Where, marks: Array) -> Array | None:
    view, positions = accessed(tensor, where)
    if view is not None:
        found = _projected(tensor, view, marks)
        if found is None or where is None:
            return found
        full = np.zeros(tensor.sizes, bool)
        full[where] = found
        return full
    chosen = marks.reshape(-1)[positions]
    if where is not None:
        full = np.zeros(tensor.sizes, bool)
        part = full[where]
        full[where] = chosen.reshape(part.shape) if chosen.size == part.size else chosen.any()
        return full
    if chosen.size == tensor.size:
        return np.asarray(chosen.reshape(tensor.sizes))
    return np.full(tensor.sizes, bool(chosen.any()))


def origin_of(tensor: Tensor, where: Where = None) -> Origin:
    """Where an undefined value was first read, of what, and which element that was."""
    shadow = follower_of(tensor.storage, Shadow)
    if shadow is not None and shadow.origin is not None:
        return shadow.origin
    return here(), tensor.storage, _first_undefined(tensor, where)


def _first_undefined(tensor: Tensor, where: Where) -> list[int]:
    marks = undefined_in(tensor, where)
    if marks is None or marks.shape != tensor.sizes:
        return [0] * len(tensor.storage.shape)
    view, positions = accessed(tensor, where)
    left = marks if where is None else marks[where]
    if positions is not None and positions.size != left.size:
        return [0] * len(tensor.storage.shape)
    return element_at(tensor.storage, view, positions, int(left.argmax()), tensor.tile)
