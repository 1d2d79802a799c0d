"""Summaries of loops: one evaluation of the body at a symbolic iteration stands for all.

A summary replaces what the body carries from one iteration to the next by a closed form: an unchanged value,
`base + i * step`, a tensor of the same shape, or a list that grows by one element each time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from nkilint.base import ir
from nkilint.base.names import own_names, target_names
from nkilint.base.walk import statements
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym, is_integer
from nkilint_rules.language.undefined_name import UndefinedName
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dialects import BETA1

from ..state import joining
from ..state.havoc import changeable
from ..state.machine import Machine
from ..state.paths import Flow, branch, end_frame, frame
from ..state.rewriting import in_trace
from ..state.sides import Change, Changes
from ..state.trace import Loop, Stale
from ..values.cells import MISSING, Attributes, Cell, Missing
from ..values.choices import Unbound, among, settled
from ..values.containers import ON_DEVICE, ListValue, RangeValue
from ..values.inheritance import in_words
from ..values.objects import Environment
from ..values.tensors import Declaration, View
from . import left_behind
from .assignment import assign
from .bound_by_some import bound_by_one, defined_in, is_deleted
from .carried import Carried, assumed, containers_in, fits, left, opened, solve
from .checkpoints import Checkpoint
from .expected import expected, misjudged, remember
from .held_by_several import change_earlier_ones, forgotten, link, made_in, misses, shared
from .interpreter import run_block
from .iteration import Iteration, depends
from .liveness import ALIVE, Dead, dead_names
from .taking_turns import take_turns
from .traced_once import traced_once

ATTEMPTS = 4  # evaluations of a body until what it carries is known
BY_THEMSELVES = 3  # first iterations of a loop that may be others than those after them
TRACED_ONCE = frozenset(("affine_range", "sequential_range"))  # loops of Beta 1 whose body the compiler runs once

AllCarried = dict[tuple[int, Any], Carried]


class NoSummary(Exception):
    """The body carries something that has no closed form."""


class NotYet(Exception):
    """The loop may be left in its first iterations, or does something else in these; it asks nothing of the device."""


def loop_name(node: ir.For) -> str:
    return node.target.id if isinstance(node.target, ir.Name) else "i"


def dead_in(machine: Machine, node: ir.For, env: Environment) -> Dead:
    """The variables of a loop that are not read again."""
    if env.function is None:
        return ALIVE
    key = ("dead", id(env.function))
    if key not in machine.memo:
        machine.memo[key] = dead_names(env.function)
    found: Dead = machine.memo[key].get(id(node), ALIVE)
    return found


def run_iteration(machine: Machine, node: ir.For, item: Any, env: Environment) -> Flow:
    with frame(machine, Flow.CONTINUE) as opened:
        assign(machine, node.target, item, env, node.iterable)
        return end_frame(machine, opened, run_block(machine, node.body, env))


def summarise(
    machine: Machine,
    node: ir.For,
    values: RangeValue,
    trips: Any,
    env: Environment,
    final: bool,
    item_at: Callable[[Any], Any] | None = None,
    to_its_end: bool = False,
    goes_on: bool = False,
) -> Flow:
    """One evaluation of the body stands for all; it is repeated where it left more behind than was known before. Unless
    it is `final`, what has no closed form raises NoSummary. A loop on the host of which the first iterations may be
    others than those after them raises NotYet if it is to be followed `to_its_end`. It may be one that `goes_on`."""
    name = loop_name(node)
    index = machine.fresh_sym(name, "loop", 0, trips - 1, f"line {node.at.row}")
    item_at = item_at or (lambda position: values.start + position * values.step)
    loop = Iteration(index, trips, name, machine.dialect == BETA1 and values.kind in TRACED_ONCE)
    inside = Loop(name, values.kind, index, trips, node.at, values.start + index * values.step)
    places = {(id(p.cell), p.key): p for p in _assigned(machine, node, env, loop)}
    likely = _expected(machine, node, env, places, loop) if final else set()
    reached: Any = True
    for attempt in range(-bool(likely), ATTEMPTS):
        start = Checkpoint(machine)
        _doubt_bound(machine, places, loop, attempt)
        with start.attempt(machine):
            body = partial(_run_at, machine, node, values.kind, item_at, index, env)
            flow, changes = _attempted(machine, start, inside, reached, places, loop, body)
            if flow is not Flow.NEXT:
                start.restore(machine)
                return _first_only(machine, node, item_at(0), trips, env)
            counters = dict(machine.counters)
            again = _withdrawn(likely, places, changes) or _bound_later(machine, places, changes, loop)
            if again or (attempt < ATTEMPTS - 2 and take_turns(machine, places, changes, loop, inside)):
                start.restore_but_names(machine, counters)
                continue
            unfit = _unfit(machine, places, changes, loop)
            unfit += [*_read_early(machine, changes, places, start), *_let_go(machine, changes, places, loop)]
            _give_up_early(machine, start, loop, unfit, final, to_its_end)
            before, reached = reached, start.reached(machine, loop)
            counters = dict(machine.counters)
            known = joining.same(before, reached) or start.leaves_first(machine, loop)
            if (not _open(machine, unfit, places, loop, attempt) and known) or attempt == ATTEMPTS - 1:
                break
            start.restore_but_names(machine, counters)
    over = set() if goes_on else {(id(env.vars), name) for name in dead_in(machine, node, env).after}
    remember(machine, node, env, places.values())
    with start.attempt(machine):
        _finish(machine, places, changes, loop, start, final, over)
    return Flow.NEXT


def _run_at(
    machine: Machine, node: ir.For, kind: str, item_at: Callable[[Any], Any], index: Any, env: Environment
) -> Flow:
    run = partial(run_iteration, machine, node, item_at(index), env)
    return traced_once(machine, node, kind, env, run) if kind in ON_DEVICE else run()


def _attempted(
    machine: Machine,
    start: Checkpoint,
    inside: Loop,
    reached: Any,
    places: AllCarried,
    loop: Iteration,
    run: Callable[[], Flow],
) -> tuple[Flow, Changes]:
    """How the symbolic iteration ends, and what it changes, which is undone."""
    born = Cell.made
    machine.loops = (*machine.loops, inside)
    with machine.recorded() as mark:
        if isinstance(loop.trips, Sym):
            machine.assume(loop.index < loop.trips)
        machine.assume(reached)
        for place in places.values():
            machine.set(place.cell, place.key, place.at_start(loop))
        with _borrowed(places):
            flow = run()
            left_behind.tell(machine, places.values())
        changes = _taken_back(machine, mark, born, loop)
    machine.loops, machine.facts = start.state[4], start.state[2]
    return flow, changes


@contextmanager
def _borrowed(places: AllCarried) -> Iterator[None]:
    """Within an iteration stand-ins may be there for what an object has of its class."""
    carried = [(p.cell, p.key) for p in places.values() if p.bound is not None]
    cells = [(cell, key, cell.borrowed) for cell, key in carried if isinstance(cell, Attributes)]
    for cell, key, _ in cells:
        cell.borrowed |= {key}
    try:
        yield
    finally:
        for cell, _, before in reversed(cells):
            cell.borrowed = before


def _give_up_early(
    machine: Machine, start: Checkpoint, loop: Iteration, unfit: list[Change], final: bool, to_its_end: bool
) -> None:
    """Raise what says that a summary will not do, as `summarise` is asked to."""
    early = start.left_early(machine)
    if not final and (unfit or early or loop.index.variable in machine.selecting):
        raise NoSummary
    if to_its_end and (early or any(_gets_shorter(c[2], c[3]) for c in unfit)) and start.is_quiet(machine):
        raise NotYet


def _gets_shorter(before: Any, now: Any) -> bool:
    """Whether an iteration leaves fewer items in a list, which it cannot do forever."""
    held = [v.cell["items"] if isinstance(v, ListValue) else v for v in (before, now)]
    return all(type(items) is tuple for items in held) and len(held[1]) < len(held[0]) <= BY_THEMSELVES


def _expected(
    machine: Machine, node: ir.For, env: Environment, places: AllCarried, loop: Iteration
) -> set[tuple[int, Any]]:
    """Places that the loop is likely to carry, put among the others with their stand-ins."""
    found = {(id(p.cell), p.key): p for p in expected(machine, node, env, loop)}
    found = {key: place for key, place in found.items() if key not in places}
    places |= found
    return set(found)


def _withdrawn(likely: set[tuple[int, Any]], places: AllCarried, changes: Changes) -> bool:
    """Whether places were expected in vain, which are so no more."""
    wrong = {key for key in likely if misjudged(places[key], changes[key][3])}
    likely -= wrong
    for key in wrong:
        del places[key]
    return bool(wrong)


def _bound_later(machine: Machine, places: AllCarried, changes: Changes, loop: Iteration) -> bool:
    """Whether something reads variables that an earlier iteration may have bound, of which that was not known yet."""
    read = machine.memo.get("read unbound", ())
    found = [p for key, p in places.items() if p.may_lack and p.later is False and p.key in read and key in changes]
    for place in found:
        place.later = bound_by_one(machine, place.name, defined_in(changes[(id(place.cell), place.key)][3]), loop)
    return any(place.later is not False for place in found)


def _doubt_bound(machine: Machine, places: AllCarried, loop: Iteration, attempt: int) -> None:
    """The last attempt does not find out any more whether an earlier iteration has bound a variable."""
    for place in places.values() if attempt == ATTEMPTS - 1 else ():
        if place.may_lack and place.later is False:
            place.later = machine.undecided(f"an iteration of the loop over `{loop.name}` binds it")


def _taken_back(machine: Machine, mark: int, born: int, loop: Iteration) -> Changes:
    """What an iteration changed, undone."""
    changes = machine.changes(mark, born)
    loop.changed.update(place for place, _ in changes)
    made_before = bisect_right(machine.undetermined, loop.index.variable.uid, key=lambda v: v.uid)
    made_inside = machine.undetermined[made_before:]
    loop.own.update(dict.fromkeys(made_inside, Unknown("what is not known of an iteration")))
    machine.undo(mark, born)
    return changes


def _first_only(machine: Machine, node: ir.For, item: Any, trips: Any, env: Environment) -> Flow:
    """A loop that every iteration leaves for good: the first one is the last."""
    runs = trips >= 1
    decided = machine.truth(runs)
    if decided is None:
        return branch(machine, runs, lambda: run_iteration(machine, node, item, env), lambda: Flow.NEXT)
    return run_iteration(machine, node, item, env) if decided else Flow.NEXT


def _assigned(machine: Machine, node: ir.For, env: Environment, loop: Iteration) -> Iterator[Carried]:
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
            yield Carried(target.vars, variable, before, assumed(machine, variable, before, loop))


def _rebound(node: ir.For) -> frozenset[str]:
    """Names that the loop binds to something else; `x += y` changes a tensor in place."""
    updated: set[str] = set()
    bound = target_names(node.target)
    for part in statements(node.body):
        if isinstance(part, ir.AugAssign):
            updated |= own_names(part)
        else:
            bound |= own_names(part)
    return frozenset(bound | (node.assigned - updated))


def _unfit(machine: Machine, places: AllCarried, changes: Changes, loop: Iteration) -> list[Change]:
    """What iterations leave that the start of one did not take into account."""
    return [change for key, change in changes.items() if not _foreseen(machine, places.get(key), change, loop)]


def _foreseen(machine: Machine, place: Carried | None, change: Change, loop: Iteration) -> bool:
    """Whether the start of an iteration took into account what one leaves at a place."""
    cell, _, before, now = change
    if place is not None:
        if place.next is not None:
            return joining.same(place.next, settled(now))
        stays = place.may_lack and not is_deleted(machine, place.name)
        known = stays or place.bound is not None or isinstance(place.start, Unbound)
        seen = place.is_open or not misses(place.start, now, loop)
        return seen and (known or not isinstance(now, (Unbound, Missing))) and fits(place.start, settled(now), loop)
    return (before is MISSING and not isinstance(cell, Attributes)) or joining.same(before, now)


def _read_early(machine: Machine, changes: Changes, places: AllCarried, start: Checkpoint) -> list[Change]:
    """The variables that the body makes and that were read before they were made."""
    obligations, length = start.lists[1]
    undefined = {o.values.get("name") for o in obligations[length:] if o.rule is UndefinedName}
    undefined.update(machine.memo.get("read unbound", ()))
    return [
        change
        for place, change in changes.items()
        if change[2] is MISSING and change[1] in undefined and place not in places
    ]


def _let_go(machine: Machine, changes: Changes, places: AllCarried, loop: Iteration) -> Iterator[Change]:
    """The places whose stand-ins hold what earlier iterations made, once an iteration is found to change such."""
    if loop.meddles or not change_earlier_ones(machine, changes, loop):
        return
    loop.meddles = True
    for key, place in places.items():
        if key in changes and place.is_open and any(True for _ in made_in(loop, [place.start])):
            yield changes[key]


def _open(machine: Machine, unfit: list[Change], places: AllCarried, loop: Iteration, attempt: int) -> bool:
    """Stand-ins for places, now that it is known what an iteration leaves there; whether any of them is another. They
    stand for nothing that earlier iterations have made where it does not come out any more whether that is changed."""
    careful = loop.meddles or attempt == ATTEMPTS - 2
    symbols = {p.start.variable: 0 for p in places.values() if isinstance(p.start, Sym) and p.start.as_atom}
    other = False
    for cell, key, before, now in unfit:
        place = places.setdefault((id(cell), key), Carried(cell, key, before, before))
        start = opened(machine, place, Unknown("") if place.is_open else now, loop, symbols)
        start = forgotten(start, loop, place.name) if careful else start
        other = other or not joining.same(start, place.start)
        place.start, place.is_open, place.next = start, True, None
    return other


def _finish(
    machine: Machine,
    places: AllCarried,
    changes: Changes,
    loop: Iteration,
    start: Checkpoint,
    final: bool,
    over: Collection[tuple[int, Any]],
) -> None:
    """Put closed forms into what was recorded, and leave the state that the loop leaves, but for what is `over`."""
    left_behind = [(p, changes[key][3]) for key, p in places.items() if key in changes]
    solution = solve(machine, left_behind, loop)
    if solution.open and not final:
        raise NoSummary
    if solution.forms:
        in_trace(machine.trace, solution.forms, (start.lists[0][1], start.lists[1][1]))
    unfit = _unfit(machine, places, changes, loop)
    drifts = any(isinstance(p.start, Unknown) or depends(p.start, solution.open) for p in places.values() if p.is_open)
    if drifts or unfit:
        machine.trace.drifting.add(loop.index.variable)
    _note_stale(machine, left_behind, loop, start)
    early = start.leave_early(machine, loop)
    for cell, name, _, _ in (c for key, c in changes.items() if key in over):
        machine.forget(cell, name)
    changes = {key: change for key, change in changes.items() if key not in over}
    together = shared(changes, loop)
    stand_ins = {id(each) for place in places.values() for each in containers_in(place.start) if place.is_open}
    runs = loop.trips >= 1
    runs = True if changes and isinstance(runs, Cond) and machine.truth(runs) is True else runs
    for key, (cell, name, before, now) in changes.items():
        place = places.get(key, Carried(cell, name, before, before))
        leaks = stand_ins and any(id(each) in stand_ins for each in changeable(machine, [now]))
        if early and is_integer(place.before) and joining.same(now, place.start):
            value: Any = place.before  # no iteration that stays in the loop changes it
        elif early or leaks or any(c is changes[key] for c in unfit):
            why = early or f"{in_words(name)} changes in the loop over `{loop.name}`"
            value = among(why, before, now, place.before)
            if (early and place.before is MISSING) or isinstance(now, Unbound):
                value = Unbound(machine.undecided(why), value, why)
        else:
            value = left(machine, place, now, loop, solution, runs)
        if value is MISSING:
            machine.forget(cell, name)
        else:
            machine.set(cell, name, forgotten(value, loop, str(name)) if loop.meddles else value)
    link(together, loop)


def _note_stale(machine: Machine, left_behind: list[tuple[Carried, Any]], loop: Iteration, start: Checkpoint) -> None:
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
