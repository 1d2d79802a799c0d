"""The accumulator registers of the engines: what goes on from them goes on from what an earlier call began."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import Any

from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import Event, Loop, Obligation, Site, over_ranges
from nkilint.evaluator.values.tensors import Declaration
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import over_inputs, variables
from nkilint.symbolic.integers import Sym, key_of
from nkilint_rules.dataflow.uninitialised_read import UninitialisedRead
from nkilint_rules.operations.engine_registers import BEGINS, NOT_KNOWN, RUNNING, command_of, is_undefined, takes
from nkilint_rules.words.conditions import Unknown, all_of, negation
from nkilint_rules.words.records import dataclass

from .questions.accesses import WRITES, common_prefix
from .questions.iterations import is_bound
from .registry import states

REASON = "what the registers of the {} Engine hold here"
RESULTS = ("reduce_res", "dst")


@dataclass(frozen=True, slots=True)
class _Use:
    """A call that has to do with an engine's registers; `taken` are the operands that get what they hold."""

    position: int
    event: Event
    engine: str
    command: str
    taken: tuple[str, ...]

    @property
    def site(self) -> Site:
        return self.event.site

    @property
    def leaf(self) -> str:
        return "" if self.event.operation is None else self.event.operation.leaf

    @property
    def may_begin(self) -> bool:
        return self.command in BEGINS or self.command == NOT_KNOWN

    @property
    def begins(self) -> bool:
        return self.command in BEGINS and self.event.arguments.get("mask") in (None, True)

    @property
    def disturbs(self) -> bool:
        """Whether the registers may hold anything afterwards."""
        return self.command == NOT_KNOWN or is_undefined(self.leaf, self.command)

    @property
    def result(self) -> Declaration | None:
        """The tensor that gets what they hold."""
        operand = "dst" if self.leaf == RUNNING else "reduce_res"
        return next((a.view.base for a in self.event.accesses if a.operand == operand), None)

    def interrupts(self, use: _Use, uses: Sequence[_Use]) -> bool:
        """Whether it is of another sum than a call whose own was under way by then."""
        if None in (self.result, use.result) or self.result is use.result or self.engine != use.engine:
            return False
        return any(u.result is use.result and u.position < self.position for u in uses)

    @property
    def rows(self) -> Any:
        """The partitions whose registers it uses."""
        read = next((a.view for a in self.event.accesses if a.role == "read" and a.view.shape), None)
        return None if read is None else key_of(read.shape[0])


@states(UninitialisedRead)
def state_registers(run: Run) -> Iterator[Obligation]:
    """What goes on from registers that no call of the kernel begins holds nothing, so that it counts as not written;
    where it is not certain that one begins them, that is left open."""
    uses = list(_uses(run))
    begun = {u.engine for u in uses if u.may_begin}
    undefined = [u for u in uses if u.taken and (is_undefined(u.leaf, u.command) or u.engine not in begun)]
    for use in undefined:
        run.trace.events[use.position] = _without(use.event, use.taken)
    filled = _written(run, {u.position for u in undefined})
    for use in uses:
        if use in undefined:
            open_ = any(id(a.view.base) in filled for a in use.event.accesses if a.operand in use.taken)
        else:
            open_ = bool(use.taken) and not _is_begun(use, uses)
        if open_:
            yield Obligation(UninitialisedRead, Unknown(REASON.format(use.engine.capitalize())), use.site)


def _uses(run: Run) -> Iterator[_Use]:
    dialect = "" if run.request is None else run.request.dialect
    for position, event in enumerate(run.trace.events):
        operation = event.operation
        if event.kind != "operation" or operation is None:
            continue
        command = command_of(operation.leaf, event.arguments, dialect, run.version)
        if command:
            given = [name for name in RESULTS if event.arguments.get(name) is not None]
            taken = takes(operation.leaf, command, "reduce_res" in given)
            yield _Use(position, event, operation.engines[0], command, tuple(given[:1]) if taken else ())


def _without(event: Event, operands: Sequence[str]) -> Event:
    """The call, which writes nothing to these operands."""
    accesses = (replace(a, mask=False) if a.operand in operands else a for a in event.accesses)
    return replace(event, accesses=tuple(accesses))


def _written(run: Run, others: Set[int]) -> set[int]:
    """The tensors that operations write, those at `others` left out, or that stand for several."""
    found = set()
    for position, event in enumerate(run.trace.events):
        for access in event.accesses if event.kind == "operation" else ():
            base = access.view.base
            if base.kind == "merged" or (access.role in WRITES and position not in others):
                found.add(id(base))
    return found


def _is_begun(use: _Use, uses: Sequence[_Use]) -> bool:
    """Whether what a call goes on from is begun each time: by one call, or on either side of a branch."""
    firsts = [u for u in uses if u.engine == use.engine and u.begins]
    if any(_begins(first, use, uses) for first in firsts):
        return True
    known = {c.key for c in use.site.path()}
    for first in firsts:
        for condition in first.site.path():
            other = negation(condition)
            if condition.key in known or not over_inputs(condition) or not isinstance(other, Cond):
                continue
            if _begins(first, use, uses, condition) and any(_begins(f, use, uses, other) for f in firsts):
                return True
    return False


def _begins(first: _Use, use: _Use, uses: Sequence[_Use], given: Cond | None = None) -> bool:
    """Whether the one call begins what the other goes on from, each time that this comes about where `given` holds."""
    if not first.begins or first.rows != use.rows or _in_any_order(first.site, use.site):
        return False
    if first.interrupts(use, uses):
        return False
    loops, depth = first.site.loops, len(common_prefix(first.site.loops, use.site.loops))
    own, known = loops[depth:], {c.key for c in use.site.path()}
    starts = {c.key: loop for loop in loops for c in (loop.index == 0,) if isinstance(c, Cond)}
    known |= {given.key} if given is not None else set()
    asked = [c for c in first.site.path() if c.key not in known and not any(is_bound(c, loop) for loop in own)]
    if any(c.key not in starts for c in asked):
        return False
    once = [starts[c.key] for c in asked]
    inside = any(c.key in known for c in (negation(all_of(asked)),) if asked and isinstance(c, Cond))
    if first.position > use.position and (own or not inside):
        return False
    if not all(map(_runs, own)) or any(_hangs_on(loop, once) for loop in loops):
        return False
    carried = [*once, *use.site.loops[depth:]]
    if any(loop.kind == "affine_range" for loop in carried):
        return False
    within = {id(loop) for loop in carried if not any(loop is o for o in own)}
    if use.result is not None and any(id(loop) in within for loop in use.result.loops):
        return False  # a tensor for each iteration, and one sum for all of them
    return not any(
        ((other.disturbs and other.engine == use.engine) or other.interrupts(use, uses))
        and (first.position < other.position < use.position or any(id(loop) in within for loop in other.site.loops))
        for other in uses
    )


def _runs(loop: Loop) -> bool:
    """Whether a loop has iterations whatever the inputs are."""
    return (loop.trips.bounds[0] if isinstance(loop.trips, Sym) else loop.trips) >= 1


def _hangs_on(loop: Loop, others: Sequence[Loop]) -> bool:
    """Whether the iterations of other loops decide how often a loop runs."""
    found = variables(loop.trips)
    return any(variable in found for other in others for variable in variables(other.index))


def _in_any_order(first: Site, second: Site) -> bool:
    """Whether the calls are in iterations of an unrolled `affine_range` that may come in any order."""
    earlier, later = over_ranges(first.unrolled), over_ranges(second.unrolled)
    for one, other in zip(earlier, later, strict=False):
        if one != other:
            return one[:2] == other[:2] and one[1] == "affine_range"
    return any(kind == "affine_range" for _, kind, _ in later[len(earlier) :])
