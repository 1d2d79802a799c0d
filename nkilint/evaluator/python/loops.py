"""`for` loops: unrolled where few and plain, otherwise summarised.

What has no closed form in a summary is unrolled when the trip count is known and small, and is unknown otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

from nkilint.base import ir
from nkilint.base.names import target_names
from nkilint.symbolic.atoms import bounds
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.work import spent
from nkilint_rules.dataflow.early_return import EarlyReturn
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..state.joining import same
from ..state.machine import Explained, Machine
from ..state.paths import Flow, Frame, branch, content_of, end_frame, frame
from ..state.protocols import escape_expression, items_of
from ..state.trace import ITEMS
from ..values.choices import Either, among
from ..values.containers import EXTENDED, ON_DEVICE, DictValue, ListValue, RangeValue
from ..values.grown import GrowingItems, GrownItems, LongTuple, item_of, pieces
from ..values.iterators import DictView, IteratorValue, Symbolic
from ..values.objects import Environment, Instance
from ..values.pairs import Pairs
from .checkpoints import Checkpoint
from .interpreter import alternatives, run_block, runs
from .summaries import BY_THEMSELVES, NoSummary, NotYet, dead_in, loop_name, run_iteration, summarise
from .types.iterators import all_at_once, in_the_midst, iterator_over, lists_in, pulled, undecided_source
from .types.long_dicts import pairs_in, taker

UNROLL_LIMIT = 512  # trips of one loop that may be unrolled when a summary does not do
CHEAP_UNROLL = 4  # trips unrolled without trying a summary, where the language unrolls anyway
UNROLLED_STEPS = 150_000
MAX_FACTS = 256  # that are known when a loop goes on and on
MAX_WAYS = 64  # of leaving a loop that goes on and on
SOME_WAYS = 8  # of leaving one that has taken much work by then
MUCH_WORK = 150_000


@runs(ir.For)
def _for(machine: Machine, node: ir.For, env: Environment) -> Flow:
    iterable = alternatives(machine, node.iterable, env)
    _forget(machine, env, dead_in(machine, node, env).before)
    with frame(machine, Flow.BREAK) as opened:
        return end_of_loop(machine, opened, _run_over(machine, node, iterable, env), node.otherwise, env)


def end_of_loop(machine: Machine, opened: Frame, flow: Flow, otherwise: tuple[ir.Stmt, ...], env: Environment) -> Flow:
    """What follows the iterations: the `else`, unless a `break` led out; one in there leaves the loop around."""
    if flow is Flow.NEXT and otherwise:
        opened.catches = Flow.NEXT
        flow = run_block(machine, otherwise, env)
    return end_frame(machine, opened, flow)


def _run_over(machine: Machine, node: ir.For, iterable: Any, env: Environment) -> Flow:
    if isinstance(iterable, Either):
        first, second = iterable.then, iterable.otherwise
        return branch(
            machine,
            iterable.condition,
            lambda: _run_over(machine, node, first, env),
            lambda: _run_over(machine, node, second, env),
        )
    if isinstance(content_of(iterable), Either):
        return _run_over_one(machine, node, iterable, iterable, env)
    if isinstance(iterable, RangeValue):
        flow = run_range(machine, node, iterable, env)
        _check_return(machine, node, iterable, flow)
        return flow
    if isinstance(iterable, LongTuple):
        return _run_pieces(machine, node, pieces(iterable.items), iterable.items.at, env)
    if isinstance(iterable, (DictValue, DictView)) and (pairs := pairs_in(iterable)) is not None:
        return _run_pairs(machine, node, iterable, pairs, env)
    if isinstance(iterable, ListValue) and isinstance(iterable.cell["items"], (GrowingItems, GrownItems)):
        return _run_grown(machine, node, iterable, env)
    if isinstance(iterable, IteratorValue) and (whole := all_at_once(machine, iterable)) is not None:
        return _run_whole(machine, node, iterable, whole, env)
    if isinstance(iterable, IteratorValue) and (source := undecided_source(iterable)) is not None:
        return _run_over_one(machine, node, iterable, source, env)
    if isinstance(iterable, (ListValue, DictValue, DictView, Instance, IteratorValue)):
        return _run_each(machine, node, pulled(machine, iterator_over(machine, iterable)), env)
    if isinstance(iterable, Unknown):
        return _run_unknown(machine, node, iterable.reason, env)
    try:
        found = items_of(machine, iterable, node.iterable.at)
    except IsUnknown as unknown:
        return _run_unknown(machine, node, unknown.reason, env)
    return _run_each(machine, node, found, env)


def _run_over_one(machine: Machine, node: ir.For, iterable: Any, source: Any, env: Environment) -> Flow:
    """A loop over a container that holds one of two contents, or over what takes from that."""
    content = source.cell["items"]
    first, second = content.then, content.otherwise

    def over(one: Any) -> Flow:
        machine.set(source.cell, "items", one)
        return _run_over(machine, node, iterable, env)

    return branch(machine, content.condition, lambda: over(first), lambda: over(second))


def _run_each(machine: Machine, node: ir.For, items: Iterable[Any], env: Environment) -> Flow:
    """One evaluation of the body for each of some items that are there, which the trace tells apart by number."""
    outer = machine.unrolled

    def numbered() -> Iterator[Any]:
        for number, item in enumerate(items):
            machine.unrolled = (*outer, (node.at, ITEMS, number))
            yield item
            machine.unrolled = outer  # while the next one is made

    try:
        return _run_items(machine, node, numbered(), env)
    finally:
        machine.unrolled = outer


def _run_unknown(
    machine: Machine, node: ir.For, reason: str, env: Environment, values: RangeValue | None = None
) -> Flow:
    """A loop of which nobody knows how often it runs, nor over what, unless it is over `values`."""
    machine.doubts += 1
    machine.unknown(IncompleteAnalysis, reason, node.at, hides_writes=False)
    trips = machine.fresh_sym("trips", "carried", 0, None, reason)
    if values is None:
        if not isinstance(reason, Explained):
            escape_expression(machine, node.iterable, env, reason)
        return summarise(
            machine, node, RangeValue(0, trips, 1, "range"), trips, env, True, lambda index: Unknown(reason)
        )
    return summarise(machine, node, values, trips, env, True)


def _run_pairs(machine: Machine, node: ir.For, iterable: Any, pairs: Pairs, env: Environment) -> Flow:
    """A loop over a dict of symbolic length, which it has to leave alone."""
    items = pairs.items
    if isinstance(items, GrowingItems):
        return _run_unknown(machine, node, EXTENDED, env)
    told = machine.trace.told
    at = items.at if isinstance(items, GrownItems) else partial(item_of, items)
    flow = _run_pieces(machine, node, pieces(items), taker(iterable, at), env)
    if pairs_in(iterable) is not pairs:
        _otherwise(machine, told, "a dict that changes while a loop goes over it")
    return flow


def _run_grown(machine: Machine, node: ir.For, iterable: ListValue, env: Environment) -> Flow:
    """A loop over a list of symbolic length, which it is to leave alone."""
    items = iterable.cell["items"]

    def item_at(position: Any) -> Any:
        return items.at(position) if isinstance(items, GrownItems) else among(EXTENDED, items.added, *items.held.all())

    told = machine.trace.told
    parts = pieces(items) if isinstance(items, GrownItems) else [(items.length, 1)]
    flow = _run_pieces(machine, node, parts, item_at, env)
    if iterable.cell["items"] is not items:
        _otherwise(machine, told, "a list that changes while a loop goes over it")
    return flow


def _run_pieces(
    machine: Machine, node: ir.For, parts: Sequence[tuple[Any, Any]], at: Callable[[Any], Any], env: Environment
) -> Flow:
    """A loop over items that were appended in several ways, one of these after the other."""
    outer, first = machine.unrolled, 0
    try:
        for number, (trips, count) in enumerate(parts):
            if len(parts) > 1:
                machine.unrolled = (*outer, (node.at, ITEMS, number))
            rest = number < len(parts) - 1
            flow = _run_piece(machine, node, trips, count, partial(_behind, at, first), env, rest)
            if flow is not Flow.NEXT:
                return flow
            first = first + trips * count
    finally:
        machine.unrolled = outer
    return Flow.NEXT


def _behind(at: Callable[[Any], Any], first: Any, position: Any) -> Any:
    return at(first + position)


def _run_piece(
    machine: Machine, node: ir.For, trips: Any, count: Any, at: Callable[[Any], Any], env: Environment, goes_on: bool
) -> Flow:
    """A loop over what was appended so often, so many items each time, which goes on with others or not."""
    if not isinstance(count, int) or bounds(trips)[0] < 0 or bounds(trips)[1] > 1:
        values = RangeValue(0, trips * count, 1, "range")
        return summarise(machine, node, values, values.trips, env, True, at, goes_on=goes_on)

    def each() -> Flow:
        return _run_items(machine, node, (at(position) for position in range(count)), env)

    there = machine.truth(trips >= 1)
    if there is None:
        return branch(machine, trips >= 1, each, lambda: Flow.NEXT)
    return each() if there else Flow.NEXT


def _otherwise(machine: Machine, told: tuple[int, int, int], reason: str) -> NoReturn:
    """A loop runs in another way than it was followed in."""
    machine.trace.forget(*told, reason)
    raise IsUnknown(reason)


def _run_whole(machine: Machine, node: ir.For, iterator: IteratorValue, whole: Symbolic, env: Environment) -> Flow:
    """A loop over an iterator of symbolic length; if it is left early, something may be left of that."""
    length, at = whole
    told = machine.trace.told
    parts = next((pieces(items) for items in lists_in(iterator) if same(items.length, length)), [(length, 1)])
    shared, end = in_the_midst(machine, iterator)
    left = [len(opened.exits) for opened in machine.frames]
    flow = _run_pieces(machine, node, parts, at, env)
    if shared():
        _otherwise(machine, told, "an iterator that something in a loop over it takes items of")
    if flow is Flow.NEXT and left == [len(opened.exits) for opened in machine.frames]:
        end()
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
    before, began = ways_out(machine), spent()
    for count, item in enumerate(items):
        ways = ways_out(machine) - before
        if (count > UNROLL_LIMIT and ways > MAX_WAYS) or (ways > SOME_WAYS and spent() - began > MUCH_WORK):
            raise IsUnknown("a loop that may be left in each of many iterations")
        if count > UNROLL_LIMIT and len(machine.fact_list()) > MAX_FACTS:
            raise IsUnknown("a loop that teaches something in each of many iterations")
        flow = run_iteration(machine, node, item, env)
        if flow is not Flow.NEXT:
            return flow
    return Flow.NEXT


def ways_out(machine: Machine) -> int:
    """How many paths have left blocks early so far."""
    return sum(len(opened.exits) for opened in machine.frames)


def run_range(machine: Machine, node: ir.For, values: RangeValue, env: Environment) -> Flow:
    trips = values.trips
    if isinstance(trips, Unknown):
        known = all(isinstance(v, (int, Sym)) for v in (values.start, values.step))
        return _run_unknown(machine, node, f"trip count: {trips.reason}", env, values if known else None)
    if values.kind in ON_DEVICE:
        return _first_by_themselves(machine, node, values, trips, env, 0)
    if isinstance(trips, int) and trips <= 1:
        return _unroll(machine, node, values, trips, env)
    static = values.kind in ("range", "static_range") or machine.unrolls
    few = isinstance(trips, int) and trips <= UNROLL_LIMIT and machine.steps < UNROLLED_STEPS
    if few and id(node) not in machine.like:
        if id(node) in machine.must_unroll or (static and trips <= CHEAP_UNROLL):
            return _unroll(machine, node, values, trips, env)
        return _summary_or_unroll(machine, node, values, trips, env)
    machine.trace.summarised.add(id(node))
    return _first_by_themselves(machine, node, values, trips, env, BY_THEMSELVES)


def _first_by_themselves(
    machine: Machine, node: ir.For, values: RangeValue, trips: Any, env: Environment, most: int
) -> Flow:
    """A summary, of what the first iterations leave to others where the loop may be left early, or takes items out of a
    list: what comes of that is often known once one iteration has been."""
    start = Checkpoint(machine)
    with machine.recorded() as mark:
        try:
            return summarise(machine, node, values, trips, env, final=True, to_its_end=most > 0)
        except NotYet:
            machine.undo(mark)
    start.restore(machine)

    def one_and_others() -> Flow:
        flow = run_iteration(machine, node, values.start, env)
        others = RangeValue(values.start + values.step, values.stop, values.step, values.kind)
        return flow if flow is not Flow.NEXT else _first_by_themselves(machine, node, others, trips - 1, env, most - 1)

    runs = trips >= 1
    decided = runs if isinstance(runs, bool) else machine.truth(runs)
    if decided is None:
        return branch(machine, runs, one_and_others, lambda: Flow.NEXT)
    return one_and_others() if decided else Flow.NEXT


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
