"""Results that another statement overwrites whole before anything reads them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nkilint.base.ir import Span
from nkilint.evaluator.device.effects import is_turned
from nkilint.evaluator.state.trace import Event, Loop, over_ranges
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover import Verdict
from nkilint.prover.elimination import Existence
from nkilint.symbolic.atoms import bounds
from nkilint.symbolic.conditions import Cond, conjuncts
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import is_integer
from nkilint.symbolic.work import charge
from nkilint_rules.dataflow.lost_write import LostWrite
from nkilint_rules.operations.effects import Exchanged
from nkilint_rules.words.conditions import Unknown, any_of
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import HBM

from .findings import Analysis
from .lost_sums import OPERATIONS as SUMMING
from .questions.accesses import (
    READS,
    WRITES,
    Touch,
    Touches,
    common_loops,
    is_inside,
    occurrence,
    precedes,
    real_views,
    same_element,
    same_instance,
    same_layout,
)
from .questions.copies import is_read_elsewhere
from .questions.coverage import is_shared
from .questions.equal_values import values_differ
from .questions.iterations import STEADY, is_bound
from .questions.operands import indices
from .questions.straight_lines import Line, StraightLines
from .registry import decides

KINDS = frozenset({"compute", "dma", "matmul"})
MAX_READS = 24  # that are asked about one write
MAX_WRITES = 2000  # to one tensor, of which none is asked about where there are more
MAX_LATER = 200  # accesses after a write that are looked at


@decides(LostWrite, finished=True)
def check_overwritten(analysis: Analysis) -> None:
    """NKI708 for each statement of which every result, made of what the kernel is given, is overwritten by another
    statement that the text leads to always, while nothing may read any of it before.

    What conditions decide is left alone, though they are constants of a launch: a default that is sometimes replaced is
    there on purpose. So are the results of operations that give others besides, and tensors that nothing reads."""
    if analysis.incomplete:
        return
    overwriting = Overwriting(analysis)
    for statement in _statements(analysis):
        found: list[Loss] = []
        for write in statement:
            loss = overwriting.of(write)
            if loss is None:
                break
            found.append(loss)
        else:
            for loss in _told_once(found):
                _state(analysis, loss)


@dataclass(frozen=True, slots=True, eq=False)
class Loss:
    """A write, the one that overwrites it, how the text leads there, and when nothing is lost."""

    write: Touch
    later: Touch
    line: Line
    unless: Any


def _statements(analysis: Analysis) -> Iterator[list[Touch]]:
    """What each statement writes, where it may be worth a question: that of each of its executions."""
    found: dict[Any, list[Touch]] = {}
    touches = analysis.coverage.touches
    for base in touches.bases.values():
        writes = touches.writes.get(id(base), ())
        for write in writes if 1 < len(writes) <= MAX_WRITES else ():
            site = write.event.site
            found.setdefault((site.at, site.callers), []).append(write)
    for statement in found.values():
        if all(_is_plain(touches, write) and len(touches.writes_of(write.base)) > 1 for write in statement):
            yield sorted(statement, key=lambda write: write.position)


def _is_plain(touches: Touches, write: Touch) -> bool:
    """Whether a write puts known elements where they were not, and its operation does nothing else."""
    event = write.event
    if write.role != "write" or write.problem or not write.sure or event.effects is None:
        return False
    written = event.effects.writes.get(write.access.operand)
    if written is not None and written.partitions is not None:
        return False
    if is_turned(event.effects, event.arguments.get("mask"), event.accesses):
        return False
    return is_made_for_itself(touches, event)


def is_made_for_itself(touches: Touches, event: Event) -> bool:
    """Whether an operation does nothing but write one operand, as do those that made the tiles of their own which it
    takes."""
    seen: set[int] = set()
    events = [event]
    while events:
        event = events.pop()
        if not _only_writes(event):
            return False
        seen.add(id(event))
        results = (a.view.base for a in event.accesses if a.role in READS and a.view.base.kind == "result")
        events += (w.event for base in results for w in touches.writes_of(base) if id(w.event) not in seen)
    return True


def _only_writes(event: Event) -> bool:
    """Whether an operation does nothing but write one operand."""
    if event.kind != "operation" or event.operation is None or event.operation.kind not in KINDS:
        return False
    if event.effects is None or event.effects.ordered or event.effects.synchronises:
        return False
    exchanged = (how for written in event.effects.writes.values() for how in written.sources.values())
    if any(isinstance(how, Exchanged) for how in exchanged):
        return False
    return sum(access.role in WRITES for access in event.accesses) == 1


@dataclass(slots=True)
class Overwriting:
    """Finds what overwrites a write."""

    analysis: Analysis
    lines: StraightLines = field(init=False)
    given: set[int] = field(init=False)  # ids of events whose results come of what the kernel is given
    hidden: set[int] = field(init=False)  # ids of tensors whose reads may not all be known
    synchronises: bool = field(init=False)
    beta1: bool = field(init=False)
    accesses: dict[int, list[Touch]] = field(default_factory=dict)  # in their order, by tensor
    others: dict[Any, bool] = field(default_factory=dict)  # whether calls have other results

    def __post_init__(self) -> None:
        run = self.analysis.run
        self.lines = StraightLines(run)
        self.given = given(self.analysis)
        events = run.trace.events
        self.hidden = {id(i.view.base) for e in events for a in e.accesses for i in indices(a)}
        self.synchronises = any(e.effects is not None and e.effects.synchronises for e in events)
        self.beta1 = run.request is not None and run.request.dialect == BETA1

    def of(self, write: Touch) -> Loss | None:
        """How all of a write is lost, if it is."""
        base = write.base
        if id(write.event) not in self.given or id(base) in self.hidden or base.placement is not None:
            return None
        if self.synchronises and is_shared(base):
            return None
        touches = self.analysis.coverage.touches
        if base.memory != HBM and is_read_elsewhere(touches, write.event):
            return None
        reads = touches.reads_of(base)
        if id(base) not in self.accesses:
            every = [*(w for w in touches.writes_of(base) if w.role == "write"), *reads]
            self.accesses[id(base)] = sorted(every, key=lambda t: (t.position, t.role != "read"))
        accesses = self.accesses[id(base)]
        first = bisect_right(accesses, write.position, key=lambda t: t.position)
        for touch in accesses[first : first + MAX_LATER]:
            charge(1)
            if _are_apart(write, touch):
                continue
            if touch.role in READS:
                if _sees(write, touch):
                    return None
            elif _is_plain(touches, touch) and (loss := self._by(write, touch, reads)) is not None:
                return loss
        return None

    def _by(self, write: Touch, later: Touch, reads: Sequence[Touch]) -> Loss | None:
        """How it is lost to one other write, if it is."""
        a, b = write.event, later.event
        if (a.site.at, a.site.callers) == (b.site.at, b.site.callers):
            return None
        names = {e.operation.name for e in (a, b) if e.operation is not None}
        if names <= SUMMING or not any(read.position > later.position for read in reads):
            return None
        line = self.lines.between(a.site, b.site)
        if line is None or not _same_iterations(a, b, line) or self._has_other_results(write, line):
            return None
        common = common_loops(write, later)
        extra = later.loops[len(common) :]
        if isinstance(later.view.when, Cond) and not _mentions(later.view.when, later.loops):
            return None  # inputs choose the tensor
        if not all(self._is_steady(loop) for loop in extra):
            return None
        for number in range(len(extra), -1, -1):
            for iteration in (0, 1) if number else (0,):
                pinned = dict.fromkeys(extra[:number], iteration)
                loss = self._in_iterations(write, later, reads, line, extra, pinned)
                if loss is not None:
                    return loss
        return None

    def _is_steady(self, loop: Loop) -> bool:
        ordered = loop.kind in STEADY and not (self.beta1 and loop.kind == "affine_range")
        return ordered and loop.index.variable not in self.analysis.run.trace.drifting

    def _has_other_results(self, write: Touch, line: Line) -> bool:
        """Whether the call that a write is in does something else that is used: this may be what it was called for."""
        callers = write.event.site.callers
        call = callers[: line.depth + 1]
        if line.depth >= len(callers):
            return False
        if (call, id(write.base)) not in self.others:
            self.others[call, id(write.base)] = writes_others(self.analysis, call, write.base)
        return self.others[call, id(write.base)]

    def _in_iterations(
        self,
        write: Touch,
        later: Touch,
        reads: Sequence[Touch],
        line: Line,
        extra: Sequence[Loop],
        pinned: Mapping[Loop, int],
    ) -> Loss | None:
        """How it is lost to the other write in the iterations `pinned` of some of the loops that only that one is in,
        and in any of the others."""
        analysis = self.analysis
        common = common_loops(write, later)
        start = [loop.index == iteration for loop, iteration in pinned.items()]
        first = occurrence(write, "", shared=write.loops)
        second = occurrence(later, "'", shared=common, extra=start)
        if same_instance(first, second) is False or not values_differ(analysis.coverage.touches, write, later, pinned):
            return None
        least = {loop: pinned.get(loop, 0) + (2 if _is_guarded(later, loop) else 1) for loop in extra}
        runs = [loop.trips >= trips for loop, trips in least.items()]
        if any(c is False for c in runs):
            return None
        covered = analysis.coverage.overwritten(first, second)
        if not self._shows(covered.condition, [*first.conditions, *runs]):
            return None
        before = _between(reads, write, later, len(common))
        if len(before) > MAX_READS:
            return None
        met = same_element(first, second)
        for read in before:
            third = occurrence(read, '"')
            seen = same_element(first, third)
            asked = [*first.conditions, *second.conditions, *third.conditions, met, seen]
            asked += [precedes(first, third), precedes(third, second)]
            if any(isinstance(c, Unknown) for c in asked):
                return None
            if not any(c is False for c in asked) and not self._shows(False, conjuncts(asked)):
                return None
        stays = (extra or line.loops) and not self._moves(later, extra)
        if stays and any(r.position > write.position and not self._is_in_loops(r, line, extra) for r in reads):
            return None  # without iterations it is read there
        return Loss(write, later, line, any_of(loop.trips < trips for loop, trips in least.items()) if extra else False)

    def _shows(self, goal: Any, facts: Sequence[Any]) -> bool:
        if isinstance(goal, Unknown):
            return False
        known = [fact for fact in facts if isinstance(fact, Cond)]
        return self.analysis.prover.decide(goal, known).verdict is Verdict.PROVED

    def _is_in_loops(self, read: Touch, line: Line, extra: Sequence[Loop]) -> bool:
        return self.lines.is_inside(read.event.site, line) or (bool(extra) and is_inside(read, extra[0]))

    def _moves(self, later: Touch, extra: Sequence[Loop]) -> bool:
        """Whether a write goes from tile to tile in the loops that only it is in, as those of prefetches do."""
        view = later.view
        mask = [view.when] if isinstance(view.when, Cond) else []
        found = set(variables(*view.index, *(view.instance or ()), *mask))
        if any(loop.index.variable in found for loop in extra):
            return True
        site = later.event.site
        touches = self.analysis.coverage.touches
        others = [
            w
            for base in touches.bases.values()
            for w in touches.writes_of(base)
            if (w.event.site.at, w.event.site.callers) == (site.at, site.callers)
        ]
        return any(w.base is not later.base or not same_layout(w.view.index, view.index) for w in others)


def writes_others(analysis: Analysis, call: tuple[Span, ...], own: Declaration) -> bool:
    """Whether a call writes to another tensor, which something outside of it reads."""

    def is_in(event: Event) -> bool:
        return event.site.callers[: len(call)] == call

    touches = analysis.coverage.touches
    for event in filter(is_in, analysis.run.trace.events):
        for access in event.accesses:
            for view, _ in real_views(access.view) if access.role in WRITES else ():
                if view.base is not own and not all(is_in(r.event) for r in touches.reads_of(view.base)):
                    return True
    return False


def _mentions(condition: Cond, loops: Sequence[Loop]) -> bool:
    found = set(variables(condition))
    return any(loop.index.variable in found for loop in loops)


def _is_guarded(write: Touch, loop: Loop) -> bool:
    """Whether only some iterations come to a write."""
    conditions = (c for c in write.event.site.path() if not is_bound(c, loop))
    return any(loop.index.variable in variables(c) for c in conditions)


def _same_iterations(a: Event, b: Event, line: Line) -> bool:
    """Whether both are in the same iterations of the unrolled loops over ranges that both are in."""
    both = zip(over_ranges(a.site.unrolled), over_ranges(b.site.unrolled), strict=False)
    for (at, _, number), (other, _, second) in both:
        if at != other:
            return True
        if number != second:
            return False
    return True


def _are_apart(a: Touch, b: Touch) -> bool:
    """Whether two accesses meet nowhere, as the bounds of their indices tell."""
    indices_known = all(map(is_integer, (*a.view.index, *b.view.index)))
    if a.problem or b.problem or not indices_known or not same_layout(a.view.layout, b.view.layout):
        return False
    ranges = [(bounds(x), bounds(y)) for x, y in zip(a.view.index, b.view.index, strict=True)]
    return any(high < other_low or other_high < low for (low, high), (other_low, other_high) in ranges)


def _sees(write: Touch, read: Touch) -> bool:
    """Whether a read later in the text takes what was written there, as far as can be told at once; nothing lies
    between them."""
    if read.problem or read.view.whole:
        return True
    a, b = write.view, read.view
    return same_layout(a.layout, b.layout) and same_layout(a.index, b.index) and same_layout(a.shape, b.shape)


def _between(reads: Sequence[Touch], write: Touch, later: Touch, common: int) -> list[Touch]:
    """The reads that may come between two writes."""
    return [
        read
        for read in reads
        if write.position < read.position <= later.position
        or len(common_loops(read, write)) > common
        or len(common_loops(read, later)) > common
    ]


def given(analysis: Analysis) -> set[int]:
    """The operations whose results come of what the kernel is given, by what they read and what that was made of."""
    filled: set[int] = set()
    found: set[int] = set()
    for event in analysis.run.trace.events:
        reads = [view.base for a in event.accesses if a.role in READS for view, _ in real_views(a.view)]
        if event.kind == "operation" and any(base.kind == "input" or id(base) in filled for base in reads):
            found.add(id(event))
            writes = (access for access in event.accesses if access.role in WRITES)
            filled.update(id(view.base) for access in writes for view, _ in real_views(access.view))
    return found


def _told_once(found: Sequence[Loss]) -> Iterator[Loss]:
    """The executions of a statement are told of once: the first that is always lost, or the first."""
    always = [loss for loss in found if loss.unless is False]
    yield from (always or found)[:1]


def _state(analysis: Analysis, loss: Loss) -> None:
    site, line = loss.write.event.site, loss.line
    analysis.require(
        LostWrite.overwritten(tensor=loss.write.base.told),
        Existence(loss.unless),
        replace(site, at=line.first, callers=site.callers[: line.depth]),
        related=[("it is overwritten here", line.second)],
        missing=analysis.incomplete,
    )
