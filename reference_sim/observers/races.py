"""Iterations of an `affine_range` loop that depend on each other (NKI601, NKI602): what they touch is noted, and judged
when the loop ends."""

from __future__ import annotations

import numpy as np

from nkilint_rules.operations.effects import RESULT
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.reductions import family
from reference_sim.machine.loop import Loop
from reference_sim.machine.memory import Storage, pointer
from reference_sim.machine.program import Program
from reference_sim.operations.operands import Operands
from reference_sim.report.sites import here
from reference_sim.tensors.elements import accessed
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .accesses import READ, WRITE, Access, Record
from .dependences import report_dependences
from .loops import LoopObserver
from .protocol import Follower, follow, follower_of

_KINDS: dict[str, int] = {}  # of accumulations: from 2 on, one number for each family of operators


def _kind_of(family: str) -> int:
    return _KINDS.setdefault(family, len(_KINDS) + 2)


class Step(Follower):
    """The result of an operator in a loop that some of its operands outlive.

    Assigned to one of them and seen by nothing else, it stands for `t op= x`. `operands` are those it may be assigned
    to, with what the operator accumulates there and the read; `noted` are the accesses that were taken for an
    accumulation, with what they are otherwise.
    """

    __slots__ = ("noted", "operands")

    def __init__(self, operands: list[tuple[Storage, int, Access]]) -> None:
        self.operands = operands
        self.noted: list[tuple[Access, int]] = []

    def read(self, tensor: Tensor, where: Where, operands: Operands | None, current: Program) -> None:
        """Something else sees the value."""
        self.seen()

    def seen(self) -> None:
        """It stands for itself alone."""
        for access, kind in self.noted:
            access.kind = kind
        self.operands, self.noted = [], []


class Races(LoopObserver[Record]):
    """Notes the accesses of the iterations of independent loops."""

    DIALECT = BETA1
    AT_TIMES = ("iterated", "began", "read", "accumulates", "copies", "wrote", "gave")

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.reads: list[tuple[Tensor, Access]] = []  # of the operation that runs, what outlives a loop
        self.accumulated: Storage | None = None  # what an accumulation is about to write

    def notes_of(self, loop: Loop) -> Record | None:
        return Record(loop) if loop.independent else None

    def judge_loop(self, record: Record) -> None:
        for history in record.histories.values():
            report_dependences(record.loop, history)

    def began(self, operands: Operands | None) -> None:
        self.reads.clear()

    def read(self, tensor: Tensor, where: Where, operands: Operands | None) -> None:
        storage = tensor.storage
        if storage.birth >= self.loops[-1].started or storage.kind == "constant" or storage.is_input:
            return  # most are of tiles that the present iteration made
        if found := self._note(tensor, where, READ):
            self.reads.append((tensor, found))

    def wrote(self, target: Tensor, where: Where, operands: Operands | None) -> None:
        """An accumulation that goes on has been noted by `accumulates`."""
        if self.accumulated is target.storage:
            self.accumulated = None
        else:
            self._note(target, where, WRITE)

    def accumulates(self, target: Tensor, operator: str) -> None:
        """Where the order does not matter, iterations may share the sum; elsewhere `t op= x` reads and writes."""
        kind = family(operator)
        step = follower_of(target.storage, Step)
        if step is not None:
            step.seen()
        self._note(target, None, READ if kind is None else _kind_of(kind))
        if kind is not None:
            self.accumulated = target.storage

    def gave(self, tile: Tensor, operands: Operands | None) -> None:
        """An operator that read what outlives a loop gives a result, which may be the next step of an accumulation."""
        written = operands.plan.effects.writes.get(RESULT) if self.reads and operands is not None else None
        if operands is None or written is None or written.combines is None:
            return
        operator, left, right = written.combines
        candidates = []
        for tensor, read in self.reads:
            kind = family(operator, tensor is operands.arguments[left])
            if kind is not None and (tensor is operands.arguments[left]) != (tensor is operands.arguments[right]):
                candidates.append((tensor.storage, _kind_of(kind), read))
        if candidates:
            follow(tile.storage, Step(candidates))

    def copies(self, target: Tensor, value: Tensor, where: Where) -> None:
        """`t[...] = t[...] op x`, where the tile that is assigned is the one that the operator gave."""
        step = follower_of(value.storage, Step)
        if step is None:
            return
        chosen = [(kind, read) for storage, kind, read in step.operands if storage is target.storage]
        step.seen()
        write = self._note(target, where, WRITE) if len(chosen) == 1 else None
        if write is None:
            return
        self.accumulated = target.storage
        ((kind, read),) = chosen
        records = self._outlived_by(target.storage)
        if _same_part(read, write) and all(_goes_on(read, record, target.storage) for record in records):
            step.noted = [(read, READ), (write, WRITE)]
            read.kind = write.kind = kind

    def _outlived_by(self, storage: Storage) -> list[Record]:
        """The loops whose present iteration a tensor outlives."""
        return [record for record in self.loops if storage.birth < record.started]

    def _note(self, tensor: Tensor, where: Where, kind: int) -> Access | None:
        storage, array = tensor.storage, tensor._array
        if storage.birth >= self.loops[-1].started:
            return None
        place = (array, None) if where is None and array is not None else accessed(tensor, where)
        access = Access(self.program.clock, kind, place, tensor.tile, here(4))
        if where is None:
            access.keys = tensor.keys
        for record in self.loops:
            if storage.birth < record.started:
                record.note(storage, access)
        return access


def _same_part(a: Access, b: Access) -> bool:
    if a.view is None or b.view is None:
        return a.positions is not None and b.positions is not None and np.array_equal(a.positions, b.positions)
    return (a.view.shape, a.view.strides, pointer(a.view)) == (b.view.shape, b.view.strides, pointer(b.view))


def _goes_on(read: Access, record: Record, storage: Storage) -> bool:
    """Whether the last access, which writes, is the first to do so after `read`, in the same iteration."""
    if read.clock < record.started:
        return False
    for access in reversed(record.histories[id(storage)].accesses[:-1]):
        if access is read:
            return True
        if access.kind != READ:
            return False
    return False
