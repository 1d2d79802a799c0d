"""Whether the cores of a launch come together: barriers, exchanges of tiles, and collectives (NKI606), and whether what
one sends fits where the other puts it (NKI204)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import AtWitness, Event, Loop, Obligation
from nkilint.symbolic.atoms import Var
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, choose, key_of, sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.operands.shape_mismatch import ShapeMismatch
from nkilint_rules.parallel.divergent_barrier import DivergentBarrier
from nkilint_rules.words.conditions import Unknown, all_of, any_of, negation, product
from nkilint_rules.words.records import dataclass
from nkilint_rules.words.shapes import equal_shapes_condition

from .registry import states

POSITION = "program_id(0)"


@dataclass(frozen=True, slots=True)
class _Meeting:
    """A statement at which cores wait for one another, the path to it, and the loops around it."""

    event: Event
    path: Any
    loops: tuple[Loop, ...]

    @property
    def leaf(self) -> str:
        assert self.event.operation is not None
        return self.event.operation.leaf

    @property
    def kind(self) -> tuple[str, str]:
        """Meetings of one kind can be each other's counterparts."""
        return self.leaf, str(self.pipe)

    @property
    def pipe(self) -> Any:
        return self.event.arguments.get("pipe_id")

    def shape(self, operand: str) -> tuple[Any, ...] | None:
        """The sizes of what one operand accesses."""
        return next((access.view.shape for access in self.event.accesses if access.operand == operand), None)

    def hangs_on(self, core: Var) -> bool:
        """Whether how often a core comes here depends on which one it is."""
        return core in variables(self.path, *(loop.trips for loop in self.loops))


@states(DivergentBarrier)
def state_meetings(run: Run) -> Iterator[Obligation]:
    """All cores come to each meeting, and those who exchange tiles pair."""
    meetings = list(_meetings(run))
    position = run.trace.positions.get(POSITION)
    mine = None if position is None else position.variable
    if not meetings or position is None or not isinstance(mine, Var):
        return
    other = sym("the other core", "program", 0, mine.high)
    for kind in dict.fromkeys(m.kind for m in meetings):
        alike = [m for m in meetings if m.kind == kind]
        yield from _together(alike, position, other)
        yield from _paired(alike, position)
    yield from _joined([m for m in meetings if isinstance(m.pipe, (int, Sym))], position, other)


@states(ShapeMismatch)
def state_exchanged_sizes(run: Run) -> Iterator[Obligation]:
    """What a core receives has the shape of what it is put into, where that hangs on the core."""
    position = run.trace.positions.get(POSITION)
    if position is None or not isinstance(position.variable, Var):
        return
    exchanges = [m for m in _meetings(run) if m.event.operation is not None and m.leaf == "sendrecv"]
    for meeting in exchanges:
        sender, target = meeting.event.arguments.get("recv_from_rank"), meeting.shape("dst")
        if isinstance(sender, (int, Sym)) and target is not None:
            alike = [m for m in exchanges if m.kind == meeting.kind]
            yield from _received(meeting, alike, position, sender, target)


def _received(
    meeting: _Meeting, alike: Sequence[_Meeting], position: Sym, sender: Any, target: tuple[Any, ...]
) -> Iterator[Obligation]:
    mine = position.variable
    assert isinstance(mine, Var)
    in_step = not any(m.hangs_on(mine) for m in alike)
    senders = [m.shape("src") for m in ([meeting] if in_step else alike)]
    if not any(mine in variables(*shape) for shape in (*senders, target) if shape is not None):
        return  # what one core exchanges has the sizes of what the other does: the call itself asks for that
    for shape in senders:
        sent = () if shape is None else tuple(substitute(size, {mine: sender}) for size in shape)
        if len(sent) != len(target):
            continue
        goal = equal_shapes_condition(sent, target)
        if not in_step:
            goal = goal is True or Unknown("which exchanges meet hangs on the core")
        first: dict[Any, Any] = {mine: 0} if goal is False else {}  # where it is so on each core, the first
        core, other, *sizes = (substitute(value, first) for value in (position, sender, *target, *sent))
        message = ShapeMismatch.received(
            core=AtWitness(core),
            value=AtWitness(tuple(sizes[: len(target)])),
            other=AtWitness(other),
            expected=AtWitness(tuple(sizes[len(target) :])),
        )
        yield Obligation(ShapeMismatch if isinstance(goal, Unknown) else message, goal, meeting.event.site)


def _meetings(run: Run) -> Iterator[_Meeting]:
    for event in run.trace.events:
        collective = event.operation is not None and event.operation.kind == "collective"
        if collective or (event.effects is not None and event.effects.synchronises):
            yield _Meeting(event, all_of(event.site.path()), event.site.loops)


def _together(alike: Sequence[_Meeting], position: Sym, other: Sym) -> Iterator[Obligation]:
    """A core that comes to a meeting comes to those of its kind as often as any other core."""
    mine = position.variable
    assert isinstance(mine, Var)
    apart = [m for m in alike if m.hangs_on(mine)]
    if not apart:
        return
    shared = _shared([m.loops for m in apart])
    unlike = [loop for m in apart for loop in m.loops[shared:]]
    counted: Any = 0
    for meeting in apart:
        counted = counted + choose(meeting.path, product(loop.trips for loop in meeting.loops[shared:]), 0)
    goal: Any = counted <= substitute(counted, {mine: other})
    if any(loop.index.variable in variables(counted) for loop in unlike):
        goal = Unknown("how often each core comes here hangs on the iteration")
    for meeting in apart:
        message = DivergentBarrier.message(operation=meeting.leaf, first=AtWitness(position), second=AtWitness(other))
        yield Obligation(message if not isinstance(goal, Unknown) else DivergentBarrier, goal, meeting.event.site)


def _shared(loops: Sequence[tuple[Loop, ...]]) -> int:
    """How many loops, from the outermost on, are around all."""
    count = 0
    while all(len(around) > count and around[count] is loops[0][count] for around in loops):
        count += 1
    return count


def _paired(alike: Sequence[_Meeting], position: Sym) -> Iterator[Obligation]:
    """The core that one receives from sends to it, in the same statement and iteration if all cores come to all."""
    mine = position.variable
    assert isinstance(mine, Var)
    in_step = not any(m.hangs_on(mine) for m in alike)
    for meeting in alike:
        sender = meeting.event.arguments.get("recv_from_rank")
        if not isinstance(sender, (int, Sym)) or any(v.kind == "program" and v != mine for v in variables(sender)):
            continue
        there: dict[Any, Any] = {mine: sender}
        goal = any_of(
            all_of((substitute(m.path, there), substitute(_receiver(m), there) == position))
            for m in ([meeting] if in_step else alike)
            if isinstance(_receiver(m), (int, Sym))
        )
        first, second = (position, sender) if goal is not False else (0, substitute(sender, {mine: 0}))
        message = DivergentBarrier.ranks(operation=meeting.leaf, first=AtWitness(first), second=AtWitness(second))
        yield Obligation(message, goal, meeting.event.site)
        last = position.variable.high if isinstance(position.variable, Var) else None
        alone = last <= 0 if last is not None else False
        other = any_of((negation(position == sender), alone))
        core = 0 if key_of(sender) == key_of(position) else position  # where it is so on each core, the first
        yield Obligation(
            DivergentBarrier.itself(operation=meeting.leaf, core=AtWitness(core)), other, meeting.event.site
        )


def _joined(exchanges: Sequence[_Meeting], position: Sym, other: Sym) -> Iterator[Obligation]:
    """All cores name the same `pipe_id`; those that name different ones may still meet, each in another exchange."""
    mine = position.variable
    for meeting in exchanges:
        if mine not in variables(meeting.pipe):
            continue
        goal: Any = substitute(meeting.pipe, {mine: other}) == meeting.pipe
        if len(exchanges) > 1 or meeting.loops:
            goal = goal is True or Unknown("which exchanges `pipe_id` joins hangs on the core")
        message = DivergentBarrier.message(operation=meeting.leaf, first=AtWitness(position), second=AtWitness(other))
        yield Obligation(DivergentBarrier if isinstance(goal, Unknown) else message, goal, meeting.event.site)


def _receiver(meeting: _Meeting) -> Any:
    return meeting.event.arguments.get("send_to_rank")
