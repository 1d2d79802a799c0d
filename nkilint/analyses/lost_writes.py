"""Results of an iteration that the next one overwrites before anything reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from nkilint.evaluator.state.trace import Event, Loop
from nkilint.evaluator.values.choices import Either
from nkilint.prover.elimination import Existence
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint_rules.dataflow.lost_write import LostWrite
from nkilint_rules.words.conditions import any_of, negation
from nkilint_rules.words.dialects import BETA1

from .findings import Analysis, without_iterations
from .questions.accesses import Touch, is_inside, is_its_own
from .questions.copies import is_read_elsewhere
from .questions.iterations import STEADY, changes, is_bound, is_counted
from .questions.operands import arguments_of, open_in
from .registry import decides

MAX_EVENTS = 200  # that are followed back from one write


@decides(LostWrite, finished=True)
def check_lost(analysis: Analysis) -> None:
    """NKI708 for each write to elements that stay the same, of a value that is another in each iteration of a loop,
    while nothing reads the tensor before the loop ends but what goes on writing to it.

    A value that builds on the one of the iteration before, such as a running sum, may be written again and again. A sum
    that each iteration begins anew is lost at the last write to it.
    """
    reads: dict[int, list[Touch]] = {}
    for touch in (t for found in analysis.coverage.touches.reads.values() for t in found):
        reads.setdefault(id(touch.event), []).append(touch)
    for base in list(analysis.coverage.touches.bases.values()):
        for write in analysis.coverage.touches.writes_of(base):
            if write.event.kind != "operation" or write.role != "write" or write.problem:
                continue
            if not is_read_elsewhere(analysis.coverage.touches, write.event):
                for loop, kept, why in _losing(analysis, write, reads):
                    _state(analysis, write, loop, kept, why)
                    if kept is False:
                        break


def _losing(analysis: Analysis, write: Touch, reads: dict[int, list[Touch]]) -> Iterator[tuple[Loop, Any, str]]:
    """The loops whose iterations overwrite what the one before wrote, outermost first, the condition under which they
    do not, besides that there is one alone, and why that may be wrong."""
    request = analysis.run.request
    ordered = request is not None and request.dialect == BETA1
    for depth, loop in enumerate(write.loops):
        if any(loop is around for around in write.base.loops) or not (loop.kind in STEADY or is_counted(loop)):
            continue
        if ordered and loop.kind == "affine_range":
            continue  # iterations without an order: NKI602
        moves = _moves(write, loop)
        if loop.index.variable in analysis.run.trace.drifting or moves is True:
            continue
        if read_after(analysis, write, partial(is_inside, loop=loop)):
            value = Value(analysis, reads, loop, depth)
            varies = value.of(write.event)
            if varies is False and value.open:
                yield loop, moves, value.open
            elif varies is not None and varies is not False:
                yield loop, any_of([moves, negation(varies)]), ""


def _moves(write: Touch, loop: Loop) -> Any:
    """Under which condition some iterations do not write, or write other elements."""
    conditions = [c for c in write.event.site.path() if not is_bound(c, loop)]  # others hold in each iteration
    mask = [write.mask] if isinstance(write.mask, Cond) else []
    values = (*write.view.index, *write.view.shape, *(write.view.instance or ()), *mask, *conditions)
    if any(v.kind == "runtime" for v in variables(*values)):
        return True
    return any_of([changes(value, loop) for value in values])


def read_after(analysis: Analysis, write: Touch, is_within: Callable[[Touch], bool]) -> bool:
    """Whether the tensor is read after the loop, and in it only by what writes to it, of which this is the last."""
    touches = analysis.coverage.touches
    reads = touches.reads_of(write.base)
    inside = list(filter(is_within, reads))
    if inside and not all(map(is_its_own, inside)):
        return False
    last = not inside or all(w.position <= write.position for w in touches.writes_of(write.base) if is_within(w))
    return last and any(read.position > write.position for read in reads if not is_within(read))


@dataclass(slots=True)
class Value:
    """Follows what is written back to what the loop reads."""

    analysis: Analysis
    reads: dict[int, list[Touch]]  # by id of the event
    loop: Loop
    depth: int
    followed: set[int] = field(default_factory=set)
    open: str = ""  # why it is not known of a number whether it is the same in each iteration

    def of(self, event: Event) -> Any:
        """Under which condition the value is not the same in all iterations; None where it hangs on an earlier one, or
        on more than can be told. What has been looked at, by another way or because it builds on itself in one and the
        same iteration, such as a sum, adds nothing."""
        if id(event) in self.followed:
            return False
        self.followed.add(id(event))
        if event.operation is None or len(self.followed) > MAX_EVENTS:
            return None
        if event.effects is not None and event.effects.ordered:
            return None  # registers may bring in what earlier iterations left there
        found = any_of([self._changes(value) for value in arguments_of(event)])
        self.open = open_in(event) or self.open
        for touch in self.reads.get(id(event), ()):
            other = self._read(touch)
            if other is None:
                return None
            found = any_of([found, other])
        return found

    def _read(self, touch: Touch) -> Any:
        if touch.problem:
            return None
        writes = [w for w in self.analysis.coverage.touches.writes_of(touch.base) if is_inside(w, self.loop)]
        if not writes:
            return self._moves(touch)
        if not any(around is self.loop for around in touch.base.loops):
            before = self.analysis.coverage.written_before(touch, within=self.depth + 1)
            if before.condition is not True or not before.exact:
                return None
        found = self._moves(touch)
        for write in writes:
            other = self.of(write.event)
            if other is None:
                return None
            found = any_of([found, other])
        return found

    def _moves(self, touch: Touch) -> Any:
        """Under which condition iterations read other elements, or another one of the tensors that a loop made."""
        return any_of([self._changes(where) for where in (*touch.view.index, *(touch.view.instance or ()))])

    def _changes(self, value: Any) -> Any:
        return changes(value.condition if isinstance(value, Either) else value, self.loop)


def _state(analysis: Analysis, write: Touch, loop: Loop, kept: Any, why: str) -> None:
    related = [("the loop", loop.at)]
    others = [w for w in analysis.coverage.touches.writes_of(write.base) if is_inside(w, loop)]
    if others[0].position < write.position and any(
        is_inside(r, loop) for r in analysis.coverage.touches.reads_of(write.base)
    ):
        related.append(("each iteration begins anew here", others[0].event.site.at))
    said = LostWrite.message if loop.kind in STEADY else LostWrite.on_device
    analysis.require(
        said(tensor=write.base.told, loop=loop.name if loop.kind in STEADY else loop.kind),
        Existence(any_of([loop.trips <= 1, kept])),
        without_iterations(write.event.site),
        related=related,
        missing=why or analysis.incomplete,
    )
