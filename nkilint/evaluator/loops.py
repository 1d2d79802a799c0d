"""Loops: unrolled where few and plain, otherwise summarised by one evaluation of the body at a symbolic iteration.

A summary replaces what the body carries from one iteration to the next by a closed form: an unchanged value, `base + i * step`,
a tensor of the same shape, or a list that grows by one element each time. What has no closed form is unrolled when the trip
count is known and small, and is unknown otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from nkilint_rules.conditions import IsUnknown, Unknown

from .. import ir
from ..symbolic.conditions import Cond, Opaque
from ..symbolic.integers import Sym, substitute, sym
from . import assignment, joining, statements, substitution
from .expressions import evaluate, truth_of
from .iteration import items_of
from .machine import Machine, Stop, settled
from .tensors import Declaration, View, whole_view
from .trace import Loop
from .values import MISSING, Cell, Environment, GrownItems, ListValue, RangeValue, Unbound

UNROLL_LIMIT = 512  # trips of one loop that may be unrolled when a summary does not do
CHEAP_UNROLL = 4  # trips unrolled without trying a summary, where the language unrolls anyway
UNROLLED_STEPS = 150_000


class _NoSummary(Exception):
    """The body carries something that has no closed form."""


def run_for(machine: Machine, node: ir.For, env: Environment) -> statements.Flow:
    iterable = evaluate(machine, node.iterable, env)
    if isinstance(iterable, RangeValue):
        flow = _run_range(machine, node, iterable, env)
    elif isinstance(iterable, ListValue) and isinstance(iterable.cell["items"], GrownItems):
        items = iterable.cell["items"]
        flow = _summarise(machine, node, RangeValue(0, items.length, 1, "range"), items.length, env, True, items)
    else:
        flow = _run_items(machine, node, items_of(machine, iterable, node.iterable.at), env)
    if flow is statements.Flow.NEXT and node.otherwise:
        return statements.run_block(machine, node.otherwise, env)
    return statements.Flow.NEXT if flow is statements.Flow.BREAK else flow


def _run_items(machine: Machine, node: ir.For, items: Iterable[Any], env: Environment) -> Any:
    """One evaluation of the body for each item."""
    for item in items:
        assignment.assign(machine, node.target, item, env, node.iterable)
        flow = statements.run_block(machine, node.body, env)
        if flow not in (statements.Flow.NEXT, statements.Flow.CONTINUE):
            return flow
    return statements.Flow.NEXT


def _run_range(machine: Machine, node: ir.For, values: RangeValue, env: Environment) -> Any:
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


def _summary_or_unroll(machine: Machine, node: ir.For, values: RangeValue, trips: int, env: Environment) -> Any:
    trace = machine.trace
    sizes = (len(trace.events), len(trace.obligations), len(trace.assertions), dict(trace.proved))
    facts, at = machine.facts, machine.at
    with machine.recorded() as mark:
        try:
            return _summarise(machine, node, values, trips, env, final=False)
        except _NoSummary:
            machine.undo(mark)
    machine.facts, machine.at = facts, at
    del trace.events[sizes[0] :], trace.obligations[sizes[1] :], trace.assertions[sizes[2] :]
    trace.proved = sizes[3]
    machine.must_unroll.add(id(node))
    return _unroll(machine, node, values, trips, env)


def _unroll(machine: Machine, node: ir.For, values: RangeValue, trips: int, env: Environment) -> Any:
    outer = machine.unrolled

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
) -> Any:
    name = _loop_name(node)
    index = machine.fresh_sym(name, "loop", 0, trips - 1, f"line {node.at.row}")
    loop = Loop(name, values.kind, index, trips, node.at)
    outer_loops, outer_facts = machine.loops, machine.facts
    start = len(machine.trace.events), len(machine.trace.obligations)
    born = Cell.made
    with machine.recorded() as mark:
        machine.loops = (*outer_loops, loop)
        if isinstance(trips, Sym):
            machine.assume(index < trips)
        carried = _carry(machine, node.assigned, env, index, name)
        item = values.start + index * values.step if items is None else items.at(index)
        assignment.assign(machine, node.target, item, env, node.iterable)
        flow = statements.run_block(machine, node.body, env)
        changes = machine.changes(mark, born)
        machine.loops, machine.facts = outer_loops, outer_facts
    if flow is statements.Flow.DEAD:
        # Raised in every iteration: what follows is reached only where the loop does not run.
        if isinstance(trips, int):
            return flow
        machine.assume(trips <= 0)
        return statements.Flow.NEXT
    if flow is statements.Flow.RETURN:
        if isinstance(trips, Sym):
            machine.assume(trips >= 1)
        return flow
    mapping = _solve(machine, carried, changes, index, trips, env, final, start)
    _leave(machine, changes, carried, mapping, index, trips, env, node, final)
    return statements.Flow.NEXT


class _Carried:
    """A variable bound before the loop that its body assigns."""

    __slots__ = ("before", "cell", "key", "phi")

    def __init__(self, cell: dict[Any, Any], key: str, before: Any, phi: Any) -> None:
        self.cell, self.key, self.before, self.phi = cell, key, before, phi


def _carry(machine: Machine, assigned: frozenset[str], env: Environment, index: Sym, name: str) -> list[_Carried]:
    """Put a stand-in for "the value at the start of this iteration" into each variable that the body assigns."""
    found: list[_Carried] = []
    for variable in sorted(assigned):
        target = env.redirected.get(variable, env) if env.redirected else env
        before = target.vars.get(variable, MISSING)
        if before is MISSING:
            continue
        phi = _stand_in(machine, variable, before, name)
        if isinstance(phi, Sym):
            machine.started[phi.variable] = settled(before)
        found.append(_Carried(target.vars, variable, before, phi))
        machine.set(target.vars, variable, phi)
    return found


def _stand_in(machine: Machine, variable: str, before: Any, loop: str) -> Any:
    plain = settled(before)
    if isinstance(plain, (int, Sym)) and not isinstance(plain, bool):
        return machine.fresh_sym(variable, "carried", None, None, f"`{variable}` carried by the loop over `{loop}`")
    if isinstance(plain, View):
        merged = Declaration(
            plain.base.name,
            plain.shape,
            plain.dtype,
            plain.memory,
            plain.base.at,
            "merged",
            0,
            plain.base.loops,
            plain.base.region,
            mutable=plain.base.mutable,
            sources=(plain,),
        )
        return plain if plain.base.kind == "input" else whole_view(merged) if not plain.base.blocks else plain
    if isinstance(plain, (ListValue, float)) or plain is None:
        return plain
    return plain


def _solve(
    machine: Machine,
    carried: list[_Carried],
    changes: joining.Changes,
    index: Sym,
    trips: Any,
    env: Environment,
    final: bool,
    start: tuple[int, int],
) -> dict[Any, Any]:
    """Closed forms of the integer stand-ins, as a substitution; it is applied to all that the body recorded."""
    mapping: dict[Any, Any] = {}
    stand_ins = {c.phi.variable for c in carried if isinstance(c.phi, Sym)}
    for variable in carried:
        after = settled(variable.cell.get(variable.key, MISSING))
        if isinstance(variable.phi, Sym):
            atom = variable.phi.variable
            before = settled(variable.before)
            step = after - variable.phi if isinstance(after, (int, Sym)) else None
            if step is not None and not isinstance(step, Unknown) and not _depends(step, {*stand_ins, index.variable}):
                mapping[atom] = before + index * step
            elif isinstance(after, (int, Sym)) and not _depends(after, stand_ins):
                continue  # assigned anew in each iteration
            elif not final:
                raise _NoSummary
        elif not final and not _keeps(variable, after):
            raise _NoSummary
    for _cell, key, before, now in changes.values():
        if any(c.cell is _cell and c.key == key for c in carried):
            continue
        if key == "items" and isinstance(before, tuple) and _extends(before, now):
            continue
        if before is not MISSING and not joining.same(before, now):
            if not final:
                raise _NoSummary
            machine.trace.drifting.add(index.variable)
    if mapping:
        substitution.in_trace(machine.trace, mapping, start)
    return mapping


def _extends(before: tuple[Any, ...], now: Any) -> bool:
    """Whether a list only got longer."""
    start = now.before if isinstance(now, GrownItems) else now[: len(before)] if isinstance(now, tuple) else None
    return start is not None and joining.same(start, before)


def _keeps(variable: _Carried, after: Any) -> bool:
    """Whether a stand-in that is no integer described every iteration's start."""
    if isinstance(variable.phi, View):
        return isinstance(after, View) and joining.same(after.shape, variable.phi.shape)
    return joining.same(variable.before, after)


def _depends(value: Any, atoms: set[Any]) -> bool:
    if not isinstance(value, Sym):
        return False
    stack = list(value.atoms())
    while stack:
        atom = stack.pop()
        if atom in atoms:
            return True
        for child in atom.children():
            stack.extend(child.atoms())
    return False


def _leave(
    machine: Machine,
    changes: joining.Changes,
    carried: list[_Carried],
    mapping: dict[Any, Any],
    index: Sym,
    trips: Any,
    env: Environment,
    node: ir.For,
    final: bool,
) -> None:
    """The state after the loop: the last iteration's, or the one before where it does not run."""
    last = {index.variable: trips - 1}
    runs = trips >= 1
    by_place = {(id(c.cell), c.key): c for c in carried}
    for place, (cell, key, before, now) in changes.items():
        variable = by_place.get(place)
        if variable is not None:
            before = variable.before
            if isinstance(variable.phi, Sym) and variable.phi.variable in mapping:
                step = substitute(mapping[variable.phi.variable], {index.variable: index + 1})
                machine.set(cell, key, substitute(step, last))
                continue
        if now is MISSING:
            continue
        if key == "items" and isinstance(before, tuple):
            if isinstance(now, tuple) and len(now) > len(before) and joining.same(now[: len(before)], before):
                machine.set(cell, key, GrownItems(before, now[len(before) :], index, trips))
                continue
            if isinstance(now, GrownItems) and joining.same(now.before, before):
                machine.set(
                    cell, key, GrownItems(before, GrownItems((), now.added, now.index, now.trips), index, trips)
                )
                continue
        value = substitution.in_value(settled(now), {**mapping, **last})
        if runs is True or joining.same(before, now):
            machine.set(cell, key, value)
        elif before is MISSING:
            machine.set(cell, key, Unbound(runs, value, f"the loop over `{_loop_name(node)}` runs"))
        elif isinstance(runs, Cond):
            machine.set(cell, key, joining.join(machine, runs, value, before, str(key)))
        else:
            machine.set(cell, key, value)


def run_while(machine: Machine, node: ir.While, env: Environment) -> statements.Flow:
    """A `while` loop is followed as long as its condition is decided; beyond that, what it assigns is unknown."""
    for _ in range(UNROLL_LIMIT * 4):
        condition = truth_of(machine, evaluate(machine, node.test, env), node.test)
        decided = None if isinstance(condition, Unknown) else machine.truth(condition)
        if decided is False:
            return statements.run_block(machine, node.otherwise, env)
        if decided is None:
            return _open_while(machine, node, env)
        flow = statements.run_block(machine, node.body, env)
        if flow is statements.Flow.BREAK:
            return statements.Flow.NEXT
        if flow in (statements.Flow.RETURN, statements.Flow.DEAD):
            return flow
    raise Stop(f"the loop on line {node.at.row} does not end within {UNROLL_LIMIT * 4} iterations")


def _open_while(machine: Machine, node: ir.While, env: Environment) -> statements.Flow:
    reason = f"`while` on line {node.at.row} runs an unknown number of times"
    machine.unknown("NKI003", reason, node.test.at)
    for name in node.assigned:
        if machine.lookup(env, name) is not MISSING:
            machine.assign(env, name, Unknown(reason))
    facts = machine.facts
    machine.assume(Opaque(reason, "runtime"))
    trips = sym(machine.fresh("n"), "runtime", 1, None, reason)
    index = machine.fresh_sym("iteration", "loop", 0, trips - 1)
    outer = machine.loops
    machine.loops = (*outer, Loop("iteration", "while", index, trips, node.at))
    statements.run_block(machine, node.body, env)
    machine.loops, machine.facts = outer, facts
    for name in node.assigned:
        machine.assign(env, name, Unknown(reason))
    return statements.Flow.NEXT
