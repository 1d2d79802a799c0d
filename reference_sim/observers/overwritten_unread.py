"""Results that another statement overwrites whole before anything reads them (NKI708).

A statement is told of when each of its executions was lost so, in all programs, and the text leads from it to the one
that overwrites it always: a default that is replaced for the arguments of this run is there on purpose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any
from weakref import ref

import numpy as np

from nkilint_rules.dataflow.lost_write import LostWrite
from nkilint_rules.operations.effects import Exchanged
from nkilint_rules.words.memory import HBM
from reference_sim.machine.dtypes import Array
from reference_sim.machine.geometry import Box, box_of, project
from reference_sim.machine.loop import Loop
from reference_sim.machine.memory import GIVEN, HIDDEN, MIXED, RESULTS, Storage
from reference_sim.machine.program import Program
from reference_sim.operations.entries import Plan
from reference_sim.operations.operands import Operands
from reference_sim.report.sites import call_number, call_path
from reference_sim.report.wording import complain
from reference_sim.tensors.deferred_sums import carry_out
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from .carried import WHOLE, Key, overlap, part_of
from .protocol import Observer
from .straight_lines import Line, Path, line_between

KINDS = frozenset({"compute", "dma", "matmul"})
SUMMING = frozenset({"isa.nc_matmul", "isa.nc_matmul_mx"})
MANY = 8  # results in one tensor that are told apart

Around = tuple[tuple[Loop, int], ...]
"""The loops that run, with the numbers of their iterations."""

Part = tuple[Key, Array | None, Box | None]
"""A part of a tensor: a view where it is not the whole, and the elements that it touches where these are a box."""


class Statement:
    """One that writes, by the calls that led there: how often it did, and how often what it wrote was lost."""

    __slots__ = ("first", "key", "losses", "moves", "name", "path", "times")

    def __init__(self, path: Path, first: Storage, key: Key) -> None:
        self.path, self.name, self.first, self.key = path, first.name or "the tile", ref(first), key
        self.times = 0
        self.losses: list[Loss] = []
        self.moves = False  # from one part of a tensor to another, or between tensors


class Loss:
    """What was lost to a statement: whether something reads the tensor later, and whether that is outside the loops
    that only that one is in, so that it would have been read there without iterations."""

    __slots__ = ("by", "copied", "is_read", "line", "read_outside")

    def __init__(self, by: Statement, line: Line, copied: Unread | None) -> None:
        self.by, self.line, self.copied = by, line, copied
        self.is_read = self.read_outside = False

    @property
    def counts(self) -> bool:
        """Whether something reads what is there now, and nothing else has what was lost."""
        if not self.is_read or (self.copied is not None and self.copied.reads > 1):
            return False
        return self.by.moves or self.line.moves or not self.read_outside


class Result:
    """What a statement wrote to a part of a tensor and nothing has read yet; `left` marks what of it is still there."""

    __slots__ = ("around", "box", "copied", "key", "left", "operation", "statement", "view")

    def __init__(self, statement: Statement, part: Part, around: Around, operation: str, copied: Unread | None) -> None:
        self.key, self.view, self.box = part
        self.statement, self.around, self.operation, self.copied = statement, around, operation, copied
        self.left: Array | None = None

    def content(self, storage: Storage) -> int:
        """A number for what is in its part of the tensor: the same for the same elements."""
        if storage.put_off is not None:
            carry_out(storage)
        array: Any = storage.array if self.view is None else self.view
        return hash(array.tobytes())

    def overlaps(self, storage: Storage, view: Array | None, box: Box | None) -> bool:
        """Whether a part, which touches the elements in `box`, may have something of it."""
        if self.view is None or view is None:
            return True
        if box is None or self.box is None:
            return overlap(storage, self.view, view)
        for (low, high), (bottom, top) in zip(self.box, box, strict=True):
            if low > top or bottom > high:
                break
        else:
            return True
        return False

    def meets(self, storage: Storage, view: Array | None, box: Box | None) -> bool:
        """Whether a part may have something of what is left."""
        if not self.overlaps(storage, view, box):
            return False
        if self.left is None or view is None:
            return True
        seen = project(storage, view, self.left)
        return seen is None or bool(seen.any())

    def is_covered(self, storage: Storage, key: Key, view: Array | None) -> bool | None:
        """Whether a write to a part leaves nothing of it; None where that is not known."""
        if key is WHOLE or key == self.key:
            return True
        array = storage.array
        if view is None or array is None or storage.placed:
            return None
        if self.left is None:
            self.left = np.zeros(array.shape, bool)
            own = self.left if self.view is None else project(storage, self.view, self.left)
            if own is None:
                return None
            own[...] = True
        written = project(storage, view, self.left)
        if written is None:
            return None
        written[...] = False
        return not self.left.any()


class How:
    """What calls of a plan do: where what they give comes from besides their operands; whether they only copy; and the
    operand that they write, if they do nothing else. The plan is kept, so that no other takes its number."""

    __slots__ = ("copies", "operation", "origins", "plan", "target")

    def __init__(self, operation: str, origins: int, plan: Plan | None = None, target: str = "") -> None:
        self.operation, self.origins, self.plan, self.target = operation, origins, plan, target
        self.copies = operation in LostWrite.copies


ASSIGNED = How("", MIXED | HIDDEN)  # `t[...] = 0`, and operators in place
COPIED = How("language.copy", HIDDEN)  # `t[...] = tile`


class Unread:
    """A tensor: what in it nothing has read yet, what was lost there and how often something read it."""

    __slots__ = ("lost", "program", "reads", "results")

    def __init__(self, program: Program, reads: int) -> None:
        self.program, self.reads = program, reads
        self.results: Sequence[Result] = ()  # most tiles are made, read once and forgotten
        self.lost: Sequence[Loss] = ()

    def read_part(self, tensor: Tensor, where: Where) -> None:
        """Something reads a part."""
        if self.results:
            _, view, box = _part(tensor, where)
            storage = tensor.storage
            self.results = [result for result in self.results if not result.meets(storage, view, box)]
        if self.lost:
            path = call_path()
            for loss in self.lost:
                loss.is_read = True
                loss.read_outside = loss.read_outside or (bool(loss.line.loops) and not loss.line.has(path))
            self.lost = [loss for loss in self.lost if not loss.read_outside]


class Statements(dict[tuple[int, ...], Statement]):
    """All that write in a launch, by the numbers of their code; and how many programs have ended."""

    ended = 0


class OverwrittenUnread(Observer):
    """Follows what was written until something reads it or writes there, and what all elements come of."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.statements: Statements = program.launch.notes.setdefault(Statements, Statements())
        self.how = ASSIGNED
        self.origins = 0  # what comes of the present operation comes of these
        self.plans: dict[int, How] = {}  # by number
        self.source: Unread | None = None  # the tile that it only copies
        self.looked: tuple[Part, dict[Result, int]] | None = None
        """The part that it is about to write, and what was in the results that it may overwrite there."""

    def allocated(self, storage: Storage, filled: bool) -> None:
        storage.unread, storage.origins = Unread(self.program, 0), 0

    def gave(self, tile: Tensor, operands: Operands | None) -> None:
        tile.storage.origins = self.origins if operands is not None else self.origins | HIDDEN

    def began(self, operands: Operands | None) -> None:
        self.looked = self.source = None
        if operands is None:
            self.how, self.origins = ASSIGNED, ASSIGNED.origins
            return
        how = self.plans.get(id(operands.plan))
        if how is None:
            how = self.plans[id(operands.plan)] = _how(operands)
        self.how, self.origins = how, how.origins
        if how.target:
            target = operands.arguments[how.target]
            followed: Unread | None = target.storage.unread
            if followed is not None and followed.results and not _reads(operands, target.storage):
                self._look(target, operands.written(how.target, target), followed)

    def copies(self, target: Tensor, value: Tensor, where: Where) -> None:
        source = value.storage
        self.how = COPIED
        self.origins = source.origins | (HIDDEN if source.reduction is None else HIDDEN | MIXED)
        self.source = None if source.memory == HBM else self._unread(source)
        followed: Unread | None = target.storage.unread
        if followed is not None and followed.results:
            self._look(target, where, followed)

    def _look(self, target: Tensor, where: Where, known: Unread) -> None:
        """Keep in mind what is in a part that is about to be written, where nothing has read it."""
        part, storage = _part(target, where), target.storage
        _, view, box = part
        self.looked = part, {r: r.content(storage) for r in known.results if r.overlaps(storage, view, box)}

    def used(self, tensor: Tensor, where: Where, operands: Operands | None = None) -> None:
        storage = tensor.storage
        self.origins |= storage.origins
        if self.how.copies and storage.memory != HBM:
            self.source = self._unread(storage)
        known: Unread | None = storage.unread
        if known is None:
            storage.reads += 1
            return
        known.reads += 1
        if known.results or known.lost:
            if known.program is not self.program:
                known.results = ()
            known.read_part(tensor, where)

    read = used

    def wrote(self, target: Tensor, where: Where, operands: Operands | None) -> None:
        storage, how = target.storage, self.how
        known: Unread | None = storage.unread
        if known is None:
            if storage.kind not in RESULTS:
                return
            known = self._unread(storage)
        storage.origins |= self.origins & (GIVEN | HIDDEN) if operands is not None else self.origins & GIVEN | HIDDEN
        if how is ASSIGNED and self.origins & GIVEN:
            return  # an operator in place, which has read what it wrote
        if known.program is not self.program or storage.placed or self.program.launch.turns is not None:
            known.results = ()
            return
        part = _part(target, where) if self.looked is None else self.looked[0]
        statement = self._statement(storage, part[0])
        statement.times += 1
        if known.results:
            self._overwrite(known, statement, storage, part)
        if self.origins & (GIVEN | MIXED) == GIVEN and part[0] is not None:
            around = tuple([(loop, loop.number) for loop in self.program.loops])
            copied = self.source if how.copies and storage.memory != HBM else None
            known.results = [*known.results[1 - MANY :], Result(statement, part, around, how.operation, copied)]

    def _unread(self, storage: Storage) -> Unread:
        """What of a tensor nothing has read, from now on."""
        if storage.unread is None:
            storage.unread = Unread(self.program, storage.reads)
        known: Unread = storage.unread
        return known

    def _statement(self, storage: Storage, key: Key) -> Statement:
        number = call_number()
        found = self.statements.get(number)
        if found is None:
            found = self.statements[number] = Statement(call_path(), storage, key)
        elif found.first() is not storage or found.key != key:
            found.moves = True
        return found

    def _overwrite(self, known: Unread, statement: Statement, storage: Storage, part: Part) -> None:
        """A statement writes to a part of a tensor: what is there no longer is lost, or was replaced on purpose."""
        key, view, box = part
        before = None if self.looked is None else self.looked[1]
        if before is None:
            met = [result for result in known.results if result.overlaps(storage, view, box)]
        else:
            met = [result for result in known.results if result in before]
        if not met:
            return
        known.results = [result for result in known.results if result not in met]
        for result in met:
            if self.origins & MIXED or result.statement is statement or key is None:
                continue
            if before is None or before[result] == result.content(storage):
                continue
            if {result.operation, self.how.operation} <= SUMMING or not self._same_iterations(result.around):
                continue
            covered = result.is_covered(storage, key, view)
            if covered is False:
                known.results = [*known.results, result]
            elif covered:
                line = line_between(result.statement.path, statement.path)
                if line is not None:
                    loss = Loss(statement, line, result.copied)
                    loss.is_read = storage.memory == HBM
                    result.statement.losses.append(loss)
                    known.lost = [*known.lost, loss]

    def _same_iterations(self, around: Around) -> bool:
        """Whether the loops that ran then and still do are in the same iterations, and those that do so now only come
        in order."""
        numbers = {id(loop): number for loop, number in around}
        return all(numbers.get(id(loop), loop.number) == loop.number for loop in self.program.loops) and all(
            loop.ordered for loop in self.program.loops if id(loop) not in numbers
        )

    def ended(self, result: Any) -> None:
        self.statements.ended += 1
        if self.statements.ended < math.prod(self.program.launch.grid):
            return
        for statement in self.statements.values():
            losses = statement.losses
            if losses and len(losses) == statement.times and all(loss.counts for loss in losses):
                said = LostWrite.overwritten(tensor=statement.name)
                line = losses[0].line
                related = [("it is overwritten here", line.second)]
                complain(said, line.first, related, self.program.strictness)


def _part(tensor: Tensor, where: Where) -> Part:
    """The part of its storage that an access touches."""
    key, view = part_of(tensor, where)
    return key, view, box_of(tensor.storage, view) if view is not None and view.size else None


def _reads(operands: Operands, storage: Storage) -> bool:
    """Whether a call reads a tensor, which it may write to."""
    for name, _ in operands.plan.reads:
        value = operands.arguments[name]
        if type(value) is Tensor and value.storage is storage:
            return True
    return False


def _how(operands: Operands) -> How:
    """What calls of a plan do."""
    entry, plan, arguments = operands.entry, operands.plan, operands.arguments
    effects, hidden = plan.effects, HIDDEN if plan.opaque else 0
    mixed = How(entry.name, MIXED | hidden, plan)
    names = [name for name, role, _ in entry.roles if role != "read" and arguments.get(name) is not None]
    plain = entry.operation.kind in KINDS and not (effects.ordered or effects.synchronises or plan.partial)
    if not plain or len(names) > 1 or isinstance(plan.result, tuple):
        return mixed
    for name in names:
        written = effects.writes.get(name)
        if not isinstance(arguments[name], Tensor) or written is None or name in written.sources:
            return mixed
        if any(isinstance(how, Exchanged) for how in written.sources.values()):
            return mixed
    return How(entry.name, hidden, plan, names[0] if names else "")
