"""`while` loops: followed as long as the condition is decided; one that counts is a `for` loop."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.symbolic.conditions import Cond, Opaque, opaque_parts
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.work import spent
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import Unknown, negation
from nkilint_rules.words.dialects import NKI

from ..device.inputs import settled_number
from ..device.versions import advise, is_current
from ..state import joining
from ..state.machine import Machine, Stop
from ..state.paths import LEAVING, Flow, end_frame, frame, leave_where
from ..state.trace import ROUNDS, Loop, Obligation
from ..values.cells import Cell
from ..values.objects import Environment
from .changed_numbers import Changed, only_counts
from .checkpoints import Checkpoint
from .counting import Counted, counted
from .interpreter import evaluate, run_block, runs
from .iteration import Iteration
from .loops import MAX_FACTS, MAX_WAYS, MUCH_WORK, SOME_WAYS, UNROLL_LIMIT, end_of_loop, run_range, ways_out
from .summaries import ATTEMPTS
from .truths import condition_of


@runs(ir.While)
def _while(machine: Machine, node: ir.While, env: Environment) -> Flow:
    """A `while` loop is followed as long as its condition is decided; beyond that, what it changes is unknown."""
    with frame(machine, Flow.BREAK) as opened:
        return end_of_loop(machine, opened, _follow_while(machine, node, env), node.otherwise, env)


def _follow_while(machine: Machine, node: ir.While, env: Environment) -> Flow:
    found = counted(machine, node, env)
    if found is not None and isinstance(found.values.trips, Sym):
        return _count_up(machine, node, found, env)
    before, began, outer = ways_out(machine), spent(), machine.unrolled
    for count in range(UNROLL_LIMIT * 4):
        teaches = count > UNROLL_LIMIT and len(machine.fact_list()) > MAX_FACTS
        most = MAX_WAYS if spent() - began < MUCH_WORK else SOME_WAYS
        if teaches or ways_out(machine) - before > most:  # it may go on in this way
            return _open_while(machine, node, env)
        condition = condition_of(machine, node.test, env)
        decided = None if isinstance(condition, Unknown) else machine.truth(condition)
        if decided is False:
            return Flow.NEXT
        if decided is None:
            found = counted(machine, node, env)
            return _open_while(machine, node, env) if found is None else _count_up(machine, node, found, env)
        machine.unrolled = (*outer, (node.at, ROUNDS, count))
        try:
            flow = _once(machine, node, env)
        finally:
            machine.unrolled = outer
        if flow is not Flow.NEXT:
            return flow
    raise Stop(f"the loop on line {node.at.row} does not end within {UNROLL_LIMIT * 4} iterations")


def _count_up(machine: Machine, node: ir.While, found: Counted, env: Environment) -> Flow:
    """The loop as a `for` loop, if what it counts to and by is in the end what it was."""
    start = Checkpoint(machine)
    with machine.recorded() as mark:
        flow = run_range(machine, found.loop, found.values, env)
        if all(
            joining.same(settled_number(machine, evaluate(machine, part, env)), value) for part, value in found.kept
        ):
            if flow is Flow.NEXT:
                machine.assign(env, found.name, found.after)
            return flow
        machine.undo(mark)
    start.restore(machine)
    return _open_while(machine, node, env)


def _once(machine: Machine, node: ir.While, env: Environment) -> Flow:
    with frame(machine, Flow.CONTINUE) as opened:
        return end_frame(machine, opened, run_block(machine, node.body, env))


def _is_register(value: Any) -> bool:
    return isinstance(value, Sym) and getattr(value.as_atom, "kind", "") == "runtime"


def _open_while(machine: Machine, node: ir.While, env: Environment) -> Flow:
    """The body once, for any iteration: of numbers that it changes it is known at most how they change and that the
    loop goes on with them or does not, of all else that it changes nothing."""
    known = _is_register(evaluate(machine, node.test, env)) if machine.dialect == NKI else False
    times = "as often as the device says" if known else "an unknown number of times"
    reason = f"`while` on line {node.at.row} runs {times}"
    if known and is_current("0.6", machine.dialect, machine.version):
        advise(machine, "while", "while", "0.6", node.test.at)
    first = [] if known else _first_iteration(machine, node, env)
    trips = machine.fresh_sym("n", "runtime", 1, None, reason)
    index = machine.fresh_sym("iteration", "loop", 0, trips - 1)
    changed: dict[tuple[int, Any], Changed] = {}
    for attempt in range(ATTEMPTS):
        start, born = Checkpoint(machine), Cell.made
        with machine.recorded() as mark:
            machine.loops = (*machine.loops, Loop("iteration", "while", index, trips, node.at))
            machine.assume(Opaque(reason, "runtime" if known else "unknown"))
            starts = {key: place.put(machine, reason) for key, place in changed.items()}
            test: Any = None
            with start.attempt(machine):
                test = _holds(machine, node, env, True)
                flow = _once(machine, node, env)
                if flow is Flow.NEXT:
                    _tested_again(machine, node, env)
            if flow in LEAVING:
                leave_where(machine, flow, machine.undecided(reason), machine.raising)
            changes = machine.changes(mark, born)
            machine.undo(mark, born)
        new = {key: Changed.first(machine, change) for key, change in changes.items() if key not in changed}
        open_ones = [
            place for key, place in changed.items() if place.learn(machine, starts[key], changes[key][3], test)
        ]
        machine.loops, machine.facts = start.state[4], start.state[2]
        if not new and not open_ones:
            break
        start.restore(machine)
        changed |= new
        for place in (*changed.values(),) if known else (*new.values(), *open_ones) if attempt == ATTEMPTS - 2 else ():
            place.is_number = False
    plain = flow is Flow.NEXT and start.is_quiet(machine) and not start.left_early(machine)
    if known or not (plain and only_counts(changed.values())):
        machine.unknown(IncompleteAnalysis, reason, node.test.at)
    start.leave_early(machine, Iteration(index, trips, "while"))
    machine.trace.obligations += first
    for place in changed.values():
        place.put(machine, reason)
    _holds(machine, node, env, False)
    return Flow.NEXT


def _first_iteration(machine: Machine, node: ir.While, env: Environment) -> list[Obligation]:
    """What the first iteration asks, for the inputs with which there is one: there all is known that was before."""
    start, born, counters = Checkpoint(machine), Cell.made, dict(machine.counters)
    with machine.recorded() as mark:
        condition = condition_of(machine, node.test, env)
        if isinstance(condition, Cond) and not opaque_parts(condition) and not machine.changes(mark, born):
            machine.assume(condition)
            with start.attempt(machine):
                _once(machine, node, env)
        machine.undo(mark, born)
    asked = machine.trace.obligations[start.lists[1][1] :]
    start.restore_but_names(machine, counters)
    return [obligation for obligation in asked if not isinstance(obligation.goal, Unknown)]


def _tested_again(machine: Machine, node: ir.While, env: Environment) -> None:
    """The test after an iteration, for what it changes; what it needs was said the first time."""
    before = Checkpoint(machine)
    condition_of(machine, node.test, env)
    before.restore(machine)


def _holds(machine: Machine, node: ir.While, env: Environment, outcome: bool) -> Cond | None:
    """Take for a fact how the test has come out, of one that changes nothing; the test, if it is one."""
    before, born = Checkpoint(machine), Cell.made
    with machine.recorded() as mark:
        condition = condition_of(machine, node.test, env)
        is_pure = not machine.changes(mark, born)
        machine.undo(mark)
    before.restore(machine)
    if not is_pure or not isinstance(condition, Cond) or opaque_parts(condition):
        return None
    machine.assume(condition if outcome else negation(condition), "known")
    return condition
