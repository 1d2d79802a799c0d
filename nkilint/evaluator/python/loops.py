"""Loops: unrolled where few and plain, otherwise summarised by one evaluation of the body at a symbolic iteration.

A summary replaces what the body carries from one iteration to the next by a closed form: an unchanged value,
`base + i * step`, a tensor of the same shape, or a list that grows by one element each time. What has no closed form
is unrolled when the trip count is known and small, and is unknown otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any

from nkilint.base import ir
from nkilint.base import walk as walking
from nkilint.symbolic.atoms import bounds
from nkilint.symbolic.conditions import And, Compare, Cond, Opaque, Or
from nkilint.symbolic.integers import Sym, sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.dataflow.early_return import EarlyReturn
from nkilint_rules.language.undefined_name import UndefinedName
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown, any_of, negation
from nkilint_rules.words.dialects import BETA1, NKI

from ..device.versions import advise, is_current
from ..state.machine import Machine, Stop, settled
from ..state.paths import Flow, Left, branch, frame, settle
from ..state.trace import Loop, Stale
from ..values import joining, substitution
from ..values.tensors import Declaration, View
from ..values.values import MISSING, Cell, Either, Environment, GrownItems, ListValue, RangeValue
from . import assignment, statements
from .carried import Iteration, Place, assumed, depends, fits, left, opened, solve
from .counting import Counted, counted
from .expressions import alternatives, evaluate, truth_of
from .iteration import items_of
from .liveness import ALIVE, Dead, dead_names

UNROLL_LIMIT = 512  # trips of one loop that may be unrolled when a summary does not do
CHEAP_UNROLL = 4  # trips unrolled without trying a summary, where the language unrolls anyway
UNROLLED_STEPS = 150_000


TRACED_ONCE = frozenset(("affine_range", "sequential_range"))  # loops of Beta 1 whose body the compiler runs once
ATTEMPTS = 4  # evaluations of a body until what it carries is known

Change = tuple[dict[Any, Any], Any, Any, Any]
Places = dict[tuple[int, Any], Place]


class _NoSummary(Exception):
    """The body carries something that has no closed form."""


def _stays(gone: Any, loop: Iteration) -> bool:
    """Whether a condition that holds in one iteration holds in all later ones too."""
    if isinstance(gone, bool):
        return True
    if isinstance(gone, (And, Or)):
        return all(_stays(part, loop) for part in gone.parts)
    if not isinstance(gone, Compare) or gone.relation != ">=":
        return isinstance(gone, Cond) and not any(depends(e, {loop.index.variable}) for e in gone.expressions())
    step = substitute(gone.left, {loop.index.variable: loop.index + 1}) - gone.left
    return bounds(step)[0] >= 0


def run_for(machine: Machine, node: ir.For, env: Environment) -> Flow:
    iterable = alternatives(machine, node.iterable, env)
    _forget(machine, env, _dead(machine, node, env).before)
    with frame(machine, Flow.BREAK) as opened:
        flow = _run_over(machine, node, iterable, env)
        if flow is Flow.NEXT and node.otherwise:
            flow = statements.run_block(machine, node.otherwise, env)
        return settle(machine, opened, flow)


def _run_over(machine: Machine, node: ir.For, iterable: Any, env: Environment) -> Flow:
    if isinstance(iterable, Either):
        first, second = iterable.then, iterable.otherwise
        return branch(
            machine,
            iterable.condition,
            lambda: _run_over(machine, node, first, env),
            lambda: _run_over(machine, node, second, env),
        )
    if isinstance(iterable, RangeValue):
        flow = _run_range(machine, node, iterable, env)
        _check_return(machine, node, iterable, flow)
        return flow
    if isinstance(iterable, ListValue) and isinstance(iterable.cell["items"], GrownItems):
        items = iterable.cell["items"]
        return _summarise(machine, node, RangeValue(0, items.length, 1, "range"), items.length, env, True, items)
    return _run_items(machine, node, items_of(machine, iterable, node.iterable.at), env)


def _dead(machine: Machine, node: ir.For, env: Environment) -> Dead:
    """The variables of a loop that are not read again."""
    if env.function is None:
        return ALIVE
    key = ("dead", id(env.function))
    if key not in machine.memo:
        machine.memo[key] = dead_names(env.function)
    found: Dead = machine.memo[key].get(id(node), ALIVE)
    return found


def _forget(machine: Machine, env: Environment, names: Iterable[str]) -> None:
    for name in sorted(names):
        if name in env.vars:
            machine.forget(env.vars, name)


def _check_return(machine: Machine, node: ir.For, values: RangeValue, flow: Flow) -> None:
    """A kernel that returns at the end of the first iteration leaves the others out."""
    found = _last_statement(node.body)
    if flow is Flow.RETURN and not machine.callers and isinstance(found, ir.Return):
        name = _loop_name(node)
        machine.need(EarlyReturn.message(loop=name, trips=values.trips), values.trips <= 1, found.at)


def _last_statement(body: tuple[ir.Stmt, ...]) -> ir.Stmt | None:
    """The statement that ends a block, within `with` and inner loops."""
    last = body[-1] if body else None
    return _last_statement(last.body) if isinstance(last, (ir.With, ir.For)) else last


def _run_items(machine: Machine, node: ir.For, items: Iterable[Any], env: Environment) -> Flow:
    """One evaluation of the body for each item."""
    for item in items:
        flow = _iteration(machine, node, item, env)
        if flow is not Flow.NEXT:
            return flow
    return Flow.NEXT


def _iteration(machine: Machine, node: ir.For, item: Any, env: Environment) -> Flow:
    with frame(machine, Flow.CONTINUE) as opened:
        assignment.assign(machine, node.target, item, env, node.iterable)
        return settle(machine, opened, statements.run_block(machine, node.body, env))


def _run_range(machine: Machine, node: ir.For, values: RangeValue, env: Environment) -> Flow:
    trips = values.trips
    if isinstance(trips, Unknown):
        raise IsUnknown(f"trip count: {trips.reason}")
    if isinstance(trips, int) and trips <= 1:
        return _unroll(machine, node, values, trips, env)
    static = values.kind in ("range", "static_range") or machine.unrolls
    if isinstance(trips, int) and trips <= UNROLL_LIMIT and machine.steps < UNROLLED_STEPS:
        if id(node) in machine.must_unroll or (static and trips <= CHEAP_UNROLL):
            return _unroll(machine, node, values, trips, env)
        return _summary_or_unroll(machine, node, values, trips, env)
    return _summarise(machine, node, values, trips, env, final=True)


def _summary_or_unroll(machine: Machine, node: ir.For, values: RangeValue, trips: int, env: Environment) -> Flow:
    start = Checkpoint(machine)
    with machine.recorded() as mark:
        try:
            return _summarise(machine, node, values, trips, env, final=False)
        except _NoSummary:
            machine.undo(mark)
    start.restore(machine)
    machine.must_unroll.add(id(node))
    return _unroll(machine, node, values, trips, env)


class Checkpoint:
    """What has been recorded so far, so that an attempt to follow a loop can be forgotten."""

    def __init__(self, machine: Machine) -> None:
        trace = machine.trace
        recorded: tuple[list[Any], ...] = (trace.events, trace.obligations, trace.assertions, trace.outside)
        self.lists = [(made, len(made)) for made in recorded]
        self.lists += [(f.left, len(f.left)) for f in machine.frames]
        self.state = dict(trace.proved), dict(machine.counters), machine.facts, machine.at, machine.loops
        self.bounds = len(machine.memo.get("bounds", ()))
        self.places = {k: (list(a), dict(b)) for k, (a, b) in machine.memo.get("places", {}).items()}

    def restore(self, machine: Machine) -> None:
        for made, length in self.lists:
            del made[length:]
        machine.trace.proved, machine.counters, machine.facts, machine.at, machine.loops = self.state
        for key in list(machine.memo.get("bounds", ()))[self.bounds :]:
            del machine.memo["bounds"][key]
        if "places" in machine.memo:
            machine.memo["places"] = self.places

    def left_early(self, machine: Machine) -> bool:
        """Whether some path left the loop, or the function around it, since."""
        return any(len(f.left) > length for f, (_, length) in zip(machine.frames, self.lists[4:], strict=True))

    def gone(self, machine: Machine) -> Any:
        """The condition under which an iteration leaves the loop early."""
        entries = [e for f, (_, length) in zip(machine.frames, self.lists[4:], strict=True) for e in f.left[length:]]
        return any_of(entry.condition for entry in entries)

    def reached(self, machine: Machine, loop: Iteration) -> Any:
        """What holds at the start of an iteration: the one before it did not leave."""
        gone = self.gone(machine)
        if not _stays(gone, loop):
            return Opaque(f"iteration `{loop.index}` is reached", "runtime")
        previous = substitute(gone, {loop.index.variable: loop.index - 1})
        return any_of((loop.index <= 0, negation(previous)))

    def leave_early(self, machine: Machine, loop: Iteration) -> str:
        """Of the paths that left since, no more is known than that they may have: in which iteration is open."""
        if not self.left_early(machine):
            return ""
        reason = f"the loop over `{loop.name}` may be left early"
        if not _stays(self.gone(machine), loop):
            made, length = machine.trace.obligations, self.lists[1][1]
            made[length:] = [replace(o, goal=Unknown(reason)) for o in made[length:]]
        for around, (_, length) in zip(machine.frames, self.lists[4:], strict=True):
            entries = around.left[length:]
            if not entries:
                continue
            gone = Opaque(machine.fresh(f"{reason} by `{around.catches.value}`"), "runtime")
            known = machine.changes(around.mark)
            changes = dict(known)
            for entry in entries:
                for key, (cell, name, before, now) in entry.changes.items():
                    if key not in known or not joining.same(known[key][3], now):
                        changes[key] = (cell, name, before, Unknown(reason))
            around.left[length:] = [Left(gone, changes, machine.facts)]
            machine.assume(negation(gone))
        return reason


def _unroll(machine: Machine, node: ir.For, values: RangeValue, trips: int, env: Environment) -> Flow:
    outer = machine.unrolled
    machine.memo["iterates", node.at] = (machine.functions[-1:], assignment.target_names(node.target))

    def iterations() -> Iterator[Any]:
        for i in range(trips):
            machine.unrolled = (*outer, (node.at, values.kind, i))
            yield values.start + i * values.step

    try:
        return _run_items(machine, node, iterations(), env)
    finally:
        machine.unrolled = outer


def _loop_name(node: ir.For) -> str:
    return node.target.id if isinstance(node.target, ir.Name) else "i"


def _summarise(
    machine: Machine,
    node: ir.For,
    values: RangeValue,
    trips: Any,
    env: Environment,
    final: bool,
    items: GrownItems | None = None,
) -> Flow:
    """One evaluation of the body stands for all; it is repeated where it left more behind than was known before.

    Unless it is `final`, what has no closed form raises _NoSummary.
    """
    name = _loop_name(node)
    index = machine.fresh_sym(name, "loop", 0, trips - 1, f"line {node.at.row}")
    loop = Iteration(index, trips, name, machine.dialect == BETA1 and values.kind in TRACED_ONCE)
    places = {(id(p.cell), p.key): p for p in _assigned(machine, node, env, loop)}
    reached: Any = True
    for attempt in range(ATTEMPTS):
        start, born = Checkpoint(machine), Cell.made
        with machine.recorded() as mark:
            machine.loops = (*machine.loops, Loop(name, values.kind, index, trips, node.at))
            if isinstance(trips, Sym):
                machine.assume(index < trips)
            machine.assume(reached)
            for place in places.values():
                machine.set(place.cell, place.key, place.start)
            item = values.start + index * values.step if items is None else items.at(index)
            flow = _iteration(machine, node, item, env)
            changes = machine.changes(mark, born)
            machine.undo(mark, born)
        machine.loops, machine.facts = start.state[4], start.state[2]
        if flow is not Flow.NEXT:
            start.restore(machine)
            return _first_only(machine, node, values.start if items is None else items.at(0), trips, env)
        unfit = [c for key, c in changes.items() if not _foreseen(places.get(key), c, loop)]
        unfit += [c for c in changes.values() if _read_early(machine, c, places, start)]
        if not final and (unfit or start.left_early(machine) or index.variable in machine.selecting):
            raise _NoSummary
        before, reached = reached, start.reached(machine, loop)
        counters = dict(machine.counters)
        stays = not _open(machine, unfit, places, loop) and joining.same(before, reached)
        if attempt == ATTEMPTS - 1 or stays:
            break
        named = {name: count for name, count in machine.counters.items() if count != counters.get(name)}
        start.restore(machine)
        machine.counters.update(named)  # the names of the new stand-ins stay taken
    over = {(id(env.vars), name) for name in _dead(machine, node, env).after}
    _finish(machine, places, changes, loop, start, final, over)
    return Flow.NEXT


def _first_only(machine: Machine, node: ir.For, item: Any, trips: Any, env: Environment) -> Flow:
    """A loop that every iteration leaves for good: the first one is the last."""
    runs = trips >= 1
    decided = machine.truth(runs)
    if decided is None:
        return branch(machine, runs, lambda: _iteration(machine, node, item, env), lambda: Flow.NEXT)
    return _iteration(machine, node, item, env) if decided else Flow.NEXT


def _assigned(machine: Machine, node: ir.For, env: Environment, loop: Iteration) -> Iterator[Place]:
    """The variables bound before the loop that its body assigns, with their stand-ins."""
    key = ("rebound", id(node))
    rebound = machine.memo.get(key)
    if rebound is None:
        rebound = machine.memo[key] = _rebound(node)
    for variable in sorted(node.assigned):
        target = env.redirected.get(variable, env) if env.redirected else env
        before = target.vars.get(variable, MISSING)
        if isinstance(settled(before), View) and variable not in rebound:
            continue
        if before is not MISSING:
            yield Place(target.vars, variable, before, assumed(machine, variable, before, loop))


def _rebound(node: ir.For) -> frozenset[str]:
    """Names that the loop binds to something else; `x += y` changes a tensor in place."""
    updated: set[str] = set()
    bound = assignment.target_names(node.target)
    for part in walking.statements(node.body):
        if isinstance(part, ir.AugAssign):
            updated |= assignment.target_names(part.target)
        elif isinstance(part, ir.For):
            bound |= assignment.target_names(part.target)
        elif isinstance(part, ir.With):
            targets = [target for _, target in part.items if target is not None]
            bound |= {name for target in targets for name in assignment.target_names(target)}
        elif isinstance(part, (ir.Assign, ir.AnnAssign)):
            bound |= statements.assigned_names(part)
    return frozenset(bound | (node.assigned - updated))


def _foreseen(place: Place | None, change: Change, loop: Iteration) -> bool:
    """Whether the start of an iteration took into account what one leaves at a place."""
    _, _, before, now = change
    if place is not None:
        return fits(place.start, settled(now)) or (place.is_open and loop.once)
    return before is MISSING or joining.same(before, now)


def _read_early(machine: Machine, change: Change, places: Places, start: Checkpoint) -> bool:
    """Whether a variable that the body makes was read before it was made."""
    cell, key, before, _ = change
    if before is not MISSING or (id(cell), key) in places:
        return False
    obligations, length = start.lists[1]
    return any(o.rule is UndefinedName and o.values.get("name") == key for o in obligations[length:])


def _open(machine: Machine, unfit: list[Change], places: Places, loop: Iteration) -> bool:
    """Stand-ins for places, now that it is known what an iteration leaves there; whether any of them is another."""
    symbols = {p.start.variable: 0 for p in places.values() if isinstance(p.start, Sym) and p.start.as_atom}
    other = False
    for cell, key, before, now in unfit:
        place = places.setdefault((id(cell), key), Place(cell, key, before, before))
        known = place.is_open or now is MISSING
        start = opened(machine, place, Unknown("") if known else now, loop, symbols)
        other = other or not joining.same(start, place.start)
        place.start, place.is_open = start, True
    return other


def _finish(
    machine: Machine,
    places: Places,
    changes: joining.Changes,
    loop: Iteration,
    start: Checkpoint,
    final: bool,
    over: Collection[tuple[int, Any]],
) -> None:
    """Put closed forms into what was recorded, and leave the state that the loop leaves, but for what is `over`."""
    left_behind = [(p, changes[key][3]) for key, p in places.items() if key in changes]
    solution = solve(left_behind, loop)
    if solution.open and not final:
        raise _NoSummary
    if solution.forms:
        substitution.in_trace(machine.trace, solution.forms, (start.lists[0][1], start.lists[1][1]))
    unfit = [c for key, c in changes.items() if not _foreseen(places.get(key), c, loop)]
    drifts = any(isinstance(p.start, Unknown) or depends(p.start, solution.open) for p in places.values() if p.is_open)
    if drifts or unfit:
        machine.trace.drifting.add(loop.index.variable)
    _note_stale(machine, left_behind, loop, start)
    early = start.leave_early(machine, loop)
    for cell, name, _, _ in (c for key, c in changes.items() if key in over):
        machine.forget(cell, name)
    changes = {key: change for key, change in changes.items() if key not in over}
    runs = loop.trips >= 1
    runs = True if changes and isinstance(runs, Cond) and machine.truth(runs) is True else runs
    for key, (cell, name, before, now) in changes.items():
        place = places.get(key, Place(cell, name, before, before))
        if early or any(c is changes[key] for c in unfit):
            value: Any = Unknown(early or f"`{name}` changes in the loop over `{loop.name}`")
        else:
            value = left(machine, place, now, loop, solution, runs)
        if value is MISSING:
            machine.forget(cell, name)
        else:
            machine.set(cell, name, value)


def _note_stale(machine: Machine, left_behind: list[tuple[Place, Any]], loop: Iteration, start: Checkpoint) -> None:
    """Names that are read and then bound to a new tensor, where the compiler takes the body once: it reads the old one
    in every iteration."""
    anew: dict[int, tuple[str, Declaration]] = {}
    for place, now in left_behind if loop.once else ():
        old, after = place.start, settled(now)
        if isinstance(old, View) and isinstance(after, View) and old.base.kind == "merged":
            here = any(around.index.variable is loop.index.variable for around in after.base.loops)
            anew |= {id(old.base): (place.name, after.base)} if here and after.base.kind != "merged" else {}
    for event in machine.trace.events[start.lists[0][1] :] if anew else ():
        for access in event.accesses:
            name, made = anew.pop(id(access.view.base), ("", None))
            if made is not None:
                machine.trace.stale[id(made)] = Stale(name, made, event.site, loop.index.variable, loop.trips)


def run_while(machine: Machine, node: ir.While, env: Environment) -> Flow:
    """A `while` loop is followed as long as its condition is decided; beyond that, what it changes is unknown."""
    with frame(machine, Flow.BREAK) as opened:
        return settle(machine, opened, _follow_while(machine, node, env))


def _follow_while(machine: Machine, node: ir.While, env: Environment) -> Flow:
    found = counted(machine, node, env)
    if found is not None and isinstance(found.values.trips, Sym):
        return _count_up(machine, found, env)
    for _ in range(UNROLL_LIMIT * 4):
        condition = truth_of(machine, alternatives(machine, node.test, env), node.test)
        decided = None if isinstance(condition, Unknown) else machine.truth(condition)
        if decided is False:
            return statements.run_block(machine, node.otherwise, env)
        if decided is None:
            found = counted(machine, node, env)
            return _open_while(machine, node, env) if found is None else _count_up(machine, found, env)
        flow = _once(machine, node, env)
        if flow is not Flow.NEXT:
            return flow
    raise Stop(f"the loop on line {node.at.row} does not end within {UNROLL_LIMIT * 4} iterations")


def _count_up(machine: Machine, found: Counted, env: Environment) -> Flow:
    flow = _run_range(machine, found.loop, found.values, env)
    if flow is Flow.NEXT:
        machine.assign(env, found.name, found.after)
    return flow


def _once(machine: Machine, node: ir.While, env: Environment) -> Flow:
    with frame(machine, Flow.CONTINUE) as opened:
        return settle(machine, opened, statements.run_block(machine, node.body, env))


def _is_register(value: Any) -> bool:
    return isinstance(value, Sym) and getattr(value.as_atom, "kind", "") == "runtime"


def _open_while(machine: Machine, node: ir.While, env: Environment) -> Flow:
    """The body once, for any iteration: all that it changes is unknown, within it and after it."""
    known = _is_register(evaluate(machine, node.test, env)) if machine.dialect == NKI else False
    times = "as often as the device says" if known else "an unknown number of times"
    reason = f"`while` on line {node.at.row} runs {times}"
    if known and is_current("0.6", machine.dialect, machine.version):
        advise(machine, "while", "while", "0.6", node.test.at)
    machine.unknown(IncompleteAnalysis, reason, node.test.at)
    trips = sym(machine.fresh("n"), "runtime", 1, None, reason)
    index = machine.fresh_sym("iteration", "loop", 0, trips - 1)
    changed: dict[tuple[int, Any], Change] = {}
    for _ in range(ATTEMPTS):
        start, born = Checkpoint(machine), Cell.made
        with machine.recorded() as mark:
            machine.loops = (*machine.loops, Loop("iteration", "while", index, trips, node.at))
            machine.assume(Opaque(reason, "runtime"))
            for cell, key, _, _ in changed.values():
                machine.set(cell, key, Unknown(reason))
            _once(machine, node, env)
            changes = machine.changes(mark, born)
            machine.undo(mark, born)
        machine.loops, machine.facts = start.state[4], start.state[2]
        if changes.keys() <= changed.keys():
            break
        start.restore(machine)
        changed.update(changes)
    start.leave_early(machine, Iteration(index, trips, "while"))
    for cell, key, _, _ in changed.values():
        machine.set(cell, key, Unknown(reason))
    return Flow.NEXT
