"""Programs of a launch grid that touch the same elements of shared HBM (NKI603), or all write the same (NKI605)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import sha1
from typing import Any

import numpy as np

from nkilint_rules.dataflow.lost_write import LostWrite
from nkilint_rules.parallel.program_conflict import ProgramConflict
from nkilint_rules.parallel.redundant_write import RedundantWrite
from nkilint_rules.rule import Wording
from reference_sim.machine.dtypes import Array
from reference_sim.machine.geometry import element_at, locate, project
from reference_sim.machine.memory import Storage
from reference_sim.machine.program import Program
from reference_sim.operations.operands import Operands
from reference_sim.report.wording import complain, name_of
from reference_sim.tensors.deferred_sums import carry_out
from reference_sim.tensors.elements import accessed
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .protocol import Follower, Observer, follow

_NOBODY, _SEVERAL = -1, -2


class Owners(Follower):
    """For each element of a shared tensor the program that wrote it, the one that read it, and whether one read it
    before it wrote there itself; of the first program what it wrote, one part after the other, and of each how many
    parts it wrote."""

    __slots__ = ("before", "counts", "early", "parts", "readers", "same", "staying", "times", "writers")

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """After a barrier every program sees what the others wrote."""
        self.parts: list[Part | None] = []
        self.counts: dict[int, int] = {}
        self.before: Part | None = None  # what an operation that writes to the tensor has read of it
        self.same: set[int] = set()  # which of the parts the first program found as it wrote them
        self.times: Any = None  # how often the first program wrote each element
        self.writers: Any = None
        self.readers: Any = None
        self.early: Any = None
        self.staying: Tensor | None = None  # what an operation goes on to copy onto itself, which changes nothing

    def _marks(self, marks: Any, tensor: Tensor) -> Array:
        return np.full(tensor.storage.shape, _NOBODY, np.int16) if marks is None else marks

    def wrote(self, tensor: Tensor, where: Where, current: Program) -> None:
        """Report an element that another program wrote or read."""
        me, staying, self.staying = current.number, self.staying, None
        if tensor is staying:
            return
        self.writers = self._marks(self.writers, tensor)
        found, put = _seen(tensor, where, self.writers)
        if found is None:
            return
        repeats = self._repeats(tensor, where, me)
        if np.any((found != _NOBODY) & (found != me)):
            if repeats:
                complain(RedundantWrite.message(tensor=name_of(tensor.storage)))
            else:
                _complain(tensor, where, found, current, ProgramConflict.message)
        put(me)
        if self.readers is None:
            return
        read_by, _ = _seen(tensor, where, self.readers)
        if read_by is not None and np.any((read_by != _NOBODY) & (read_by != me)):
            if repeats and self._wrote_once(tensor, where):  # who wrote first sees the same as before
                early, _ = _seen(tensor, where, self.early)
                read_by = np.where(np.asarray(early), read_by, _NOBODY)
            if np.any((read_by != _NOBODY) & (read_by != me)):
                _complain(tensor, where, read_by, current, ProgramConflict.read)

    def _repeats(self, tensor: Tensor, where: Where, me: int) -> bool:
        """Whether a write has the place and the values that the first program's write of the same number had."""
        part = _part(tensor, where)
        number = self.counts.get(me, 0)
        self.counts[me] = number + 1
        if me == 0:
            if part is not None and part == self.before:
                self.same.add(number)
            self.parts.append(part)
            self.times = self.before = None
        return part is not None and self.parts[number : number + 1] == [part]

    def _wrote_once(self, tensor: Tensor, where: Where) -> bool:
        """Whether the first program wrote nothing else to a part, so that it finds there what it put there once."""
        if self.times is None:
            self.times = np.zeros(tensor.storage.shape, np.int32)
            flat = self.times.reshape(-1)
            for number, part in enumerate(self.parts):
                if part is not None and number not in self.same:
                    part.add_one(flat)
        times, _ = _seen(tensor, where, self.times)
        return times is not None and None not in self.parts and bool(np.all(times == 1))

    def read(self, tensor: Tensor, where: Where, operands: Operands | None, current: Program) -> None:
        """Report an element that another program wrote."""
        me, found = current.number, None
        target = None if operands is None else operands.arguments.get("dst")
        writes = me == 0 and isinstance(target, Tensor) and target.storage is tensor.storage
        self.before = _part(tensor, where) if writes else None
        self.staying = target if operands is not None and _stays(operands, tensor, where) else None
        if self.writers is not None:
            found, _ = _seen(tensor, where, self.writers)
            if found is not None and np.any((found != _NOBODY) & (found != me)):
                _complain(tensor, where, found, current, ProgramConflict.read)
        self.readers = self._marks(self.readers, tensor)
        read_by, put = _seen(tensor, where, self.readers)
        if read_by is not None:
            put(np.where((read_by == _NOBODY) | (read_by == me), me, _SEVERAL))
            if self.early is None:
                self.early = np.zeros(tensor.storage.shape, bool)
            early, put = _seen(tensor, where, self.early)
            put(True if found is None else early | (found != me))


class Programs(Observer):
    """Follows what is in shared HBM where a grid has several programs."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.several = any(size > 1 for size in program.launch.grid)
        self.made: list[tuple[Storage, Owners]] = []

    def allocated(self, storage: Storage, filled: bool) -> None:
        if self.several and storage.kind == "shared":
            self.made.append((storage, Owners()))
            follow(storage, self.made[-1][1])

    def met(self) -> None:
        for _, owners in self.made:
            owners.forget()


@dataclass(frozen=True)
class Part:
    """A part of a tensor, a view or positions in it, and what is in it."""

    shape: tuple[int, ...]
    place: tuple[int, tuple[int, ...]] | None
    positions: bytes
    digest: bytes

    def add_one(self, flat: Array) -> None:
        """Add one to the numbers that lie in this part."""
        if self.place is None:
            flat[np.frombuffer(self.positions, np.int64)] += 1
            return
        offset, strides = self.place
        size = flat.itemsize
        view = np.ndarray(self.shape, flat.dtype, flat, offset * size, tuple(size * stride for stride in strides))
        view += 1


def _stays(operands: Operands, tensor: Tensor, where: Where) -> bool:
    """Whether an operation only copies what it reads onto itself."""
    target = operands.arguments.get("dst")
    if operands.entry.operation.name not in LostWrite.copies or not isinstance(target, Tensor):
        return False
    if target.storage is not tensor.storage or operands.get("dst_rmw_op") is not None:
        return False
    (view, _), (other, _) = accessed(tensor, where), accessed(target, where)
    if view is None or other is None or view.shape != other.shape:
        return False
    place = locate(tensor.storage, view)
    return place is not None and place == locate(tensor.storage, other)


def _part(tensor: Tensor, where: Where) -> Part | None:
    """The part that an access touches, as it is now; None where that is nothing, or is not known."""
    storage = tensor.storage
    if storage.put_off is not None:
        carry_out(storage)
    view, positions = accessed(tensor, where)
    if view is not None:
        place = locate(storage, view)
        return None if place is None else Part(view.shape, place, b"", sha1(view.tobytes()).digest())
    if positions is None or storage.array is None:
        return None
    flat = np.asarray(positions, np.int64).reshape(-1)
    return Part(flat.shape, None, flat.tobytes(), sha1(storage.array.reshape(-1)[flat].tobytes()).digest())


def _seen(tensor: Tensor, where: Where, marks: Array) -> tuple[Array | None, Any]:
    """The marks of what an access touches, and how to write them back."""
    view, positions = accessed(tensor, where)
    if view is None:
        flat = marks.reshape(-1)
        return flat[positions], lambda value: flat.__setitem__(positions, value)
    found = project(tensor.storage, view, marks)
    return found, (lambda value: found.__setitem__(..., value)) if found is not None else None


def _complain(tensor: Tensor, where: Where, marks: Array, current: Program, wording: Wording[...]) -> None:
    """Name the first element that another program has touched, and both programs."""
    me = current.number
    others = np.asarray((marks != _NOBODY) & (marks != me))
    position = int(np.flatnonzero(others)[0])
    other = int(np.asarray(marks).reshape(-1)[position])
    view, positions = accessed(tensor, where)
    element = element_at(tensor.storage, view, positions, position)
    if other == _SEVERAL and math.prod(current.launch.grid) == 2:
        other = 1 - me
    first, second = sorted((other, me)) if other >= 0 else ("several", me)
    complain(wording(first=first, second=second, element=element, tensor=name_of(tensor.storage)))
