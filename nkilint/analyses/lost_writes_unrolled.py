"""Results of an iteration that the next one overwrites unread, in loops that were evaluated iteration by iteration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from nkilint.evaluator.state.trace import ITEMS, ROUNDS, Access, Event, Loop
from nkilint.prover.elimination import Existence
from nkilint.symbolic.conditions import Cond
from nkilint_rules.dataflow.lost_write import LostWrite
from nkilint_rules.words.dialects import BETA1

from .findings import Analysis
from .lost_writes import read_after
from .questions.accesses import READS, Touch, real_views, same_layout
from .questions.copies import is_read_elsewhere
from .questions.coverage import covers_plainly
from .questions.operands import open_in, told_apart
from .questions.unrolled import UnrolledRun, by_position, in_each_iteration, loop_name, unrolled_runs
from .registry import decides

KINDS = frozenset({"sequential_range", "static_range", "range", ITEMS, ROUNDS})
MAX_EVENTS = 100  # that are followed back from one write


@decides(LostWrite, finished=True)
def check_lost_unrolled(analysis: Analysis) -> None:
    """NKI708 as in loops that are summarised: one statement writes the same elements in each iteration, of a value that
    is another each time and does not build on the one before, and nothing reads them before the loop ends."""
    request = analysis.run.request
    beta1 = request is not None and request.dialect == BETA1
    runs = unrolled_runs(analysis.run.trace, KINDS if beta1 else KINDS | {"affine_range"})
    writes = _writes(analysis) if runs else {}
    for run in runs:
        for statement in in_each_iteration(analysis.run.trace, run, writes, lambda w: (id(w.base), w.access.operand)):
            before, last = statement[-2:]
            if is_read_elsewhere(analysis.coverage.touches, before.event):
                continue
            alike = _same_elements(statement) and read_after(analysis, last, run.has)
            values = Values(analysis, run)
            differ = alike and values.differ(before.event, last.event)
            if differ or (differ is False and values.open):
                related = [("the loop", run.at)]
                analysis.require(
                    LostWrite.message(tensor=last.base.told, loop=loop_name(analysis.run, run.at)),
                    Existence(False),
                    last.event.site,
                    related=related,
                    missing=("" if differ else values.open) or analysis.incomplete,
                )


def _writes(analysis: Analysis) -> dict[int, list[Touch]]:
    """What operations write to tensors that are made apart, by position."""
    touches = analysis.coverage.touches
    bases = (base for base in touches.bases.values() if base.kind != "result")
    writes = (touch for base in bases for touch in touches.writes_of(base) if touch.event.kind == "operation")
    return by_position(writes, lambda touch: touch.position)


def _same_elements(writes: list[Touch]) -> bool:
    """Whether all of them write, wherever the one before does, and the same elements."""
    first = writes[0]
    operation = first.event.operation
    if operation is None or operation.kind == "collective":
        return False
    for before, write in pairwise(writes):
        same = _same_loops(before.loops, write.loops)
        known = {c.key for c in before.event.site.conditions() if isinstance(c, Cond)}
        if any(isinstance(c, Cond) and told_apart(c, same) not in known for c in write.event.site.conditions()):
            return False
    return all(w.role == "write" and not w.problem and _where(first, w) == _where(first, first) for w in writes)


def _where(first: Touch, write: Touch) -> Any:
    """The elements that a write is to, in the loops of the first one where its own are the same as these."""
    view, loops = write.view, [loop.index for loop in write.loops]
    parts = loops, write.mask, view.shape, view.index, view.instance or ()
    return told_apart(parts, _same_loops(first.loops, write.loops))


@dataclass(slots=True)
class Values:
    """Compares what two iterations compute, back to what the loop reads."""

    analysis: Analysis
    run: UnrolledRun
    followed: set[tuple[int, int]] = field(default_factory=set)
    positions: dict[int, int] = field(default_factory=dict)  # by id of the event
    open: str = ""  # why it is not known of a number whether it is the same in both

    def __post_init__(self) -> None:
        self.positions = {id(self.analysis.run.trace.events[p]): p for p in self.run.iterations}

    def differ(self, a: Event, b: Event) -> bool | None:
        """None where one of them hangs on an earlier iteration, or on more than can be told."""
        if (id(a), id(b)) in self.followed:
            return False  # it has been looked at by another way
        self.followed.add((id(a), id(b)))
        if a.operation is not b.operation or a.operation is None or len(self.followed) > MAX_EVENTS:
            return None
        if any(e.effects is not None and e.effects.ordered for e in (a, b)):
            return None  # registers may bring in what earlier iterations left there
        same = _same_loops(a.site.loops, b.site.loops)
        found = any(told_apart(v) != told_apart(b.arguments.get(name), same) for name, v in a.arguments.items())
        self.open = open_in(b) or self.open
        reads = [[x for x in e.accesses if x.role in READS] for e in (a, b)]
        if len(reads[0]) != len(reads[1]):
            return None
        for x, y in zip(*reads, strict=True):
            other = self._reads_differ(a, x, b, y)
            if other is None:
                return None
            found = found or other
        return found

    def _reads_differ(self, a: Event, x: Access, b: Event, y: Access) -> bool | None:
        """Of what is read through a name that stands for one of several tensors, each is compared with itself."""
        ones, others = self._touches(a, x), self._touches(b, y)
        several = len(ones) > 1 or len(others) > 1
        if not ones or (several and [t.base for t in ones] != [t.base for t in others]) or not others:
            return None
        found = False
        for first, second in zip(ones, others, strict=True):
            other = self._read_differs(first, second)
            if other is None:
                return None
            found = found or other
        return found

    def _read_differs(self, first: Touch, second: Touch) -> bool | None:
        inside = [self._writes(t) for t in (first, second)]
        same = _same_loops(first.loops, second.loops)
        where = [(t.view.index, t.view.when) for t in (first, second)]
        moved = bool(told_apart(where[0]) != told_apart(where[1], same))
        if inside == [[], []]:
            return first.base is not second.base or moved
        made = [self._made_of(t, writes) for t, writes in zip((first, second), inside, strict=True)]
        if made[0] is None or made[1] is None or len(made[0]) != len(made[1]):
            return None
        found = moved
        for w, v in zip(*made, strict=True):
            other = self.differ(w.event, v.event)
            if other is None:
                return None
            found = found or other
        return found

    def _touches(self, event: Event, access: Access) -> list[Touch]:
        """What the access reaches; nothing where that is not known."""
        position = self.positions[id(event)]
        touches = [Touch(position, event, access, view, sure) for view, sure in real_views(access.view)]
        return [] if any(touch.problem for touch in touches) else touches

    def _writes(self, read: Touch) -> list[Touch]:
        writes = self.analysis.coverage.touches.writes_of(read.base)
        return list(filter(self.run.has, writes))

    def _made_of(self, read: Touch, writes: list[Touch]) -> list[Touch] | None:
        """The writes of its own iteration that the read sees, if it sees no others."""
        number = self.run.iterations[read.position]
        own = [w for w in writes if self.run.iterations[w.position] == number and w.position < read.position]
        covering = [n for n, w in enumerate(own) if covers_plainly(w, read)]
        if covering:
            return own[covering[-1] :]
        anew = all(
            self.run.iterations.get(w.position) == number for w in self.analysis.coverage.touches.writes_of(read.base)
        )
        return own if anew else None


def _same_loops(ones: Sequence[Loop], others: Sequence[Loop]) -> dict[Any, Any]:
    """By what counts the iterations of an inner loop of one iteration, what does so in the same loop of another."""
    pairs = zip(ones, others, strict=False)
    alike = [(one, other) for one, other in pairs if one.at == other.at and same_layout([one.trips], [other.trips])]
    return {other.index.variable: one.index for one, other in alike if one is not other}
