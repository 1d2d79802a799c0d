"""`for` loops: unrolled where few and plain, otherwise summarised.

What has no closed form in a summary is unrolled when the trip count is known and small, and is unknown otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from nkilint.base import ir
from nkilint_rules.dataflow.early_return import EarlyReturn
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..state.machine import Machine
from ..state.paths import Flow, branch, frame, settle
from ..state.protocols import items_of
from ..values.choices import Either
from ..values.containers import ITERATOR, GrownItems, ListValue, RangeValue
from ..values.objects import Environment
from .checkpoints import Checkpoint
from .interpreter import alternatives, run_block, runs
from .names import target_names
from .summaries import NoSummary, dead_in, loop_name, run_iteration, summarise

UNROLL_LIMIT = 512  # trips of one loop that may be unrolled when a summary does not do
CHEAP_UNROLL = 4  # trips unrolled without trying a summary, where the language unrolls anyway
UNROLLED_STEPS = 150_000


@runs(ir.For)
def _for(machine: Machine, node: ir.For, env: Environment) -> Flow:
    iterable = alternatives(machine, node.iterable, env)
    _forget(machine, env, dead_in(machine, node, env).before)
    with frame(machine, Flow.BREAK) as opened:
        flow = _run_over(machine, node, iterable, env)
        if flow is Flow.NEXT and node.otherwise:
            flow = run_block(machine, node.otherwise, env)
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
        flow = run_range(machine, node, iterable, env)
        _check_return(machine, node, iterable, flow)
        return flow
    if isinstance(iterable, ListValue) and isinstance(iterable.cell["items"], GrownItems):
        items = iterable.cell["items"]
        return summarise(machine, node, RangeValue(0, items.length, 1, "range"), items.length, env, True, items)
    each = items_of(machine, iterable, node.iterable.at)
    if not isinstance(iterable, ListValue) or iterable.kind != ITERATOR:
        return _run_items(machine, node, each, env)
    machine.set(iterable.cell, "items", Unknown("what is left of an iterator in a loop over it"))
    left = [len(opened.left) for opened in machine.frames]
    flow = _run_items(machine, node, each, env)
    if flow is Flow.NEXT and left == [len(opened.left) for opened in machine.frames]:
        machine.set(iterable.cell, "items", ())
    return flow


def _forget(machine: Machine, env: Environment, names: Iterable[str]) -> None:
    for name in sorted(names):
        if name in env.vars:
            machine.forget(env.vars, name)


def _check_return(machine: Machine, node: ir.For, values: RangeValue, flow: Flow) -> None:
    """A kernel that returns at the end of the first iteration leaves the others out."""
    found = _last_statement(node.body)
    if flow is Flow.RETURN and not machine.callers and isinstance(found, ir.Return):
        name = loop_name(node)
        machine.need(EarlyReturn.message(loop=name, trips=values.trips), values.trips <= 1, found.at)


def _last_statement(body: tuple[ir.Stmt, ...]) -> ir.Stmt | None:
    """The statement that ends a block, within `with` and inner loops."""
    last = body[-1] if body else None
    return _last_statement(last.body) if isinstance(last, (ir.With, ir.For)) else last


def _run_items(machine: Machine, node: ir.For, items: Iterable[Any], env: Environment) -> Flow:
    """One evaluation of the body for each item."""
    for item in items:
        flow = run_iteration(machine, node, item, env)
        if flow is not Flow.NEXT:
            return flow
    return Flow.NEXT


def run_range(machine: Machine, node: ir.For, values: RangeValue, env: Environment) -> Flow:
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
    return summarise(machine, node, values, trips, env, final=True)


def _summary_or_unroll(machine: Machine, node: ir.For, values: RangeValue, trips: int, env: Environment) -> Flow:
    start = Checkpoint(machine)
    with machine.recorded() as mark:
        try:
            return summarise(machine, node, values, trips, env, final=False)
        except NoSummary:
            machine.undo(mark)
    start.restore(machine)
    machine.must_unroll.add(id(node))
    return _unroll(machine, node, values, trips, env)


def _unroll(machine: Machine, node: ir.For, values: RangeValue, trips: int, env: Environment) -> Flow:
    outer = machine.unrolled
    machine.memo["iterates", node.at] = (machine.functions[-1:], target_names(node.target))

    def iterations() -> Iterator[Any]:
        for i in range(trips):
            machine.unrolled = (*outer, (node.at, values.kind, i))
            yield values.start + i * values.step

    try:
        return _run_items(machine, node, iterations(), env)
    finally:
        machine.unrolled = outer
