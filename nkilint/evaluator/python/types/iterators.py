"""Iterators, and how one is made of what can be iterated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown, product

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.paths import Flow, frame, may_have_raised
from ...state.protocols import Args, Keywords, items_of
from ...state.trace import Loop
from ...values.cells import Cell
from ...values.choices import Either
from ...values.containers import DictValue, ListValue, RangeValue
from ...values.grown import GrownItems, Made
from ...values.iterators import DictView, End, InTheMidst, IteratorValue, Symbolic
from ...values.objects import BoundMethod, Environment, Instance
from ..exceptions import meets
from ..library.registry import MOST

protocols.truths.of(IteratorValue)(lambda machine, value, node: True)


def pull(machine: Machine, iterator: IteratorValue) -> Any:
    """The next item; raises End where there is none."""
    machine.step()
    if iterator.is_over:
        raise End
    try:
        iterator.prepare(machine, False)
        return iterator.advance(machine, iterator.cell)
    except End:
        machine.set(iterator.cell, "over", True)
        raise
    except IsUnknown as unknown:
        machine.set(iterator.cell, "over", Unknown(unknown.reason))
        raise


def pulled(machine: Machine, iterator: IteratorValue) -> Iterator[Any]:
    """All items that are left, each when it is asked for."""
    for _ in range(MOST):
        try:
            item = pull(machine, iterator)
        except End:
            return
        yield item
    raise IsUnknown("an iterator that does not end")


def fixed(items: Any) -> IteratorValue:
    """An iterator over items that do not change."""
    held = tuple(items)
    return over_positions(lambda: held, lambda: held)


def _never(machine: Machine) -> Symbolic | None:
    return None


def over_positions(items: Callable[[], Any], parts: Callable[[], tuple[Any, ...]]) -> IteratorValue:
    """An iterator over what stands at one position after the other, as it is then."""
    made: IteratorValue

    def advance(machine: Machine, cell: Cell) -> Any:
        held = items()
        return _next_of_many(machine, made, len(held), held.__getitem__)

    made = IteratorValue(advance, parts)
    return made


def _next_of_many(machine: Machine, iterator: IteratorValue, length: Any, at: Callable[[Any], Any]) -> Any:
    """The item at the position that an iterator has come to."""
    position = iterator.count()
    more = machine.truth(length > position)
    if more is None:
        raise IsUnknown(_PERHAPS)
    if not more:
        raise End
    machine.set(iterator.cell, "position", position + 1)
    return at(position)


def symbolically(length: Sym, at: Callable[[Any], Any], source: Any) -> IteratorValue:
    """An iterator over so many items as a symbol says, of a source that does not change."""
    made = IteratorValue(
        lambda machine, cell: _next_of_many(machine, made, length, at),
        lambda: (source,),
        lambda machine: (length, at) if made.count() == 0 else None,
    )
    return made


def _over_list(value: ListValue) -> IteratorValue:
    """An iterator over the items of a list as they are when it comes to them."""
    items = _items_of_list(value)

    def now(machine: Machine) -> Symbolic:
        if (found := protocols.symbolic_items(machine, value)) is not None:
            return found
        held = items()
        return len(held), held.__getitem__

    def whole(machine: Machine) -> Symbolic | None:
        return protocols.symbolic_items(machine, value) if made.count() == 0 else None

    made = IteratorValue(lambda machine, cell: _next_of_many(machine, made, *now(machine)), lambda: (value,), whole)
    return made


def backwards(machine: Machine, value: ListValue) -> IteratorValue:
    """`reversed(value)`, which begins at the item that is the last now."""
    count, before = value.length, value.cell["items"]
    if isinstance(count, Unknown):
        raise IsUnknown(count.reason)

    def now(machine: Machine) -> Symbolic:
        items = value.cell["items"]
        longer = isinstance(items, tuple) and isinstance(before, tuple) and len(items) >= len(before)
        if items is not before and not (longer and value.kind == "list"):
            raise IsUnknown("a list that changes while something goes over it backwards")
        found = protocols.symbolic_items(machine, value)
        at = value.items.__getitem__ if found is None else found[1]
        return count, lambda position: at(count - 1 - position)

    made = IteratorValue(
        lambda machine, cell: _next_of_many(machine, made, *now(machine)),
        lambda: (value,),
        lambda machine: now(machine) if isinstance(count, Sym) and made.count() == 0 else None,
    )
    return made


def iterator_over(machine: Machine, value: Any) -> IteratorValue:
    """`iter(value)`."""
    if isinstance(value, IteratorValue):
        return value
    if isinstance(value, ListValue):
        return _over_list(value)
    symbolic = protocols.symbolic_items(machine, value)
    if symbolic is not None:
        return symbolically(*symbolic, value)
    if isinstance(value, (DictValue, DictView)):
        return _over_dict(machine, value)
    if isinstance(value, Instance) and value.cls.kind != "namedtuple":
        method = value.cls.lookup("__iter__")
        own = None if method is None else protocols.call(machine, method, [value], {})
        if isinstance(own, IteratorValue):
            return own
        if isinstance(own, Instance) and own.cls.lookup("__next__") is not None:
            return taken_from(own)
        raise IsUnknown(f"iteration over an object of `{value.cls.name}`")
    return fixed(items_of(machine, value))


def _items_of_list(value: ListValue) -> Callable[[], Any]:
    """The items of a list as they are; a deque may not change meanwhile."""
    if value.kind == "list":
        return lambda: value.items
    before = value.items

    def unchanged() -> Any:
        if len(value.items) != len(before):
            raise Fault("RuntimeError")
        if value.items is not before:
            raise IsUnknown("a deque that changes while something goes over it")
        return before

    return unchanged


def taken_from(value: Instance) -> IteratorValue:
    """An iterator that calls the `__next__` of an object of the project."""
    return IteratorValue(lambda machine, cell: _next_of(machine, value), lambda: (value,))


def _over_dict(machine: Machine, value: DictValue | DictView) -> IteratorValue:
    owner = value.owner if isinstance(value, DictView) else value
    before = items_of(machine, value)
    count = len(before)

    def items() -> Any:
        if len(owner.items) != count:
            if owner.kind == "OrderedDict":  # which only asks where something is left
                raise IsUnknown("an ordered dict that changes while something goes over it")
            raise Fault("RuntimeError")
        return before if isinstance(value, DictValue) else value.items

    return over_positions(items, lambda: (owner,))


def _next_of(machine: Machine, value: Instance) -> Any:
    """The next item as an object of the project gives it, which raises StopIteration behind the last one."""
    before, facts = machine.recording, machine.facts
    with frame(machine, Flow.RAISE, lambda raised: meets(raised, _STOP) is not False) as opened:
        try:
            item = protocols.call(machine, value.cls.lookup("__next__"), [value], {})
        except Fault as fault:
            if fault.raised is not None and meets(fault.raised, _STOP) and not opened.exits:
                raise End from None
            if meets(fault.raised, _STOP) is False and not opened.exits:
                raise
            item = None
        if opened.exits or item is None:
            machine.facts = facts
            protocols.escape(machine, [value], _PERHAPS)
            raise IsUnknown(_PERHAPS)
    assert machine.recording == before
    return item


_STOP = "StopIteration"
_PERHAPS = "an iterator of which it is not known whether it has more"


@protocols.iterated.of(IteratorValue)
def _items(machine: Machine, value: IteratorValue, at: Span | None, count: int | None) -> list[Any]:
    if not value.is_over:
        value.prepare(machine, True)
    return list(pulled(machine, value))


@protocols.iterated_symbolically.of(IteratorValue)
def _symbolic_items(machine: Machine, value: IteratorValue) -> Symbolic | None:
    """All items of an iterator that nothing has been taken from; it has none after that."""
    found = all_at_once(machine, value)
    if found is not None:
        machine.set(value.cell, "over", True)
    return found


def all_at_once(machine: Machine, iterator: IteratorValue) -> Symbolic | None:
    """All items of an iterator that nothing has been taken from, where their number is symbolic."""
    if iterator.is_over:
        return None
    iterator.prepare(machine, False)
    return iterator.whole(machine)


def column_of(machine: Machine, value: Any) -> Symbolic | None:
    """How many items there are, and the one at a position, where that is an expression of the position."""
    if isinstance(value, RangeValue) and type(value.trips) is int:
        return value.trips, lambda position: value.start + position * value.step
    return protocols.symbolic_items(machine, value)


def in_product(columns: Sequence[Symbolic]) -> Symbolic:
    """All tuples of items of which each column gives one, the last of them the fastest."""

    def at(position: Any) -> tuple[Any, ...]:
        found = []
        for count, item in reversed(columns[1:]):
            found.append(item(position % count))
            position = position // count
        return (columns[0][1](position), *reversed(found))

    return product(count for count, _ in columns), at


def in_the_midst(machine: Machine, iterator: IteratorValue) -> tuple[Callable[[], bool], Callable[[], None]]:
    """Something goes over all items of an iterator: meanwhile it is not known what is left of it, nor of those that it
    takes them from. What is given back tells whether something else took items or changed the lists that they stand
    in, and says that nothing is left."""
    machine.set(iterator.cell, "over", True)
    taken = [(each.cell, each.cell.get("over", False)) for each in _with_sources(iterator)]
    parts = [part for each in _with_sources(iterator) for part in each.parts()]
    held = [(part.cell, part.cell["items"]) for part in parts if isinstance(part, (ListValue, DictValue))]
    marks = [(cell, InTheMidst()) for cell, _ in taken]
    for cell, mark in marks:
        machine.set(cell, "over", mark)

    def shared() -> bool:
        taken_from = any(mark.is_asked or cell.get("over") is not mark for cell, mark in marks)
        return taken_from or any(cell["items"] is not items for cell, items in held)

    def end() -> None:
        for cell, over in taken:
            machine.set(cell, "over", over)

    return shared, end


def lists_in(iterator: IteratorValue) -> Iterator[GrownItems]:
    """What lists of symbolic length hold that an iterator takes from."""
    for _, held in _lists_under(iterator):
        if isinstance(held.cell["items"], GrownItems):
            yield held.cell["items"]


def undecided_source(iterator: IteratorValue) -> ListValue | None:
    """A list that holds one of two contents and that an iterator takes from, of which it has taken nothing."""
    for each, held in _lists_under(iterator):
        if isinstance(held.cell["items"], Either):
            return held if each.count() == 0 else None
    return None


def _lists_under(iterator: IteratorValue) -> Iterator[tuple[IteratorValue, ListValue]]:
    """The lists that an iterator takes from, each with the one that goes over it."""
    for each in _with_sources(iterator):
        yield from ((each, part) for part in each.parts() if isinstance(part, ListValue))


def _with_sources(iterator: IteratorValue) -> Iterator[IteratorValue]:
    yield iterator
    for part in iterator.parts():
        if isinstance(part, IteratorValue):
            yield from _with_sources(part)


@protocols.memberships.of(IteratorValue)
def _contains(machine: Machine, value: IteratorValue, item: Any) -> Any:
    """Items are taken up to the one that is equal."""
    for taken in pulled(machine, value):
        found = True if taken is item else machine.truth(protocols.equal(machine, taken, item))
        if found is None:
            protocols.escape(machine, [value], "how far a search in an iterator goes")
            raise IsUnknown("how far a search in an iterator goes")
        if found:
            return True
    return False


@protocols.attributes.of(IteratorValue)
def _attribute(machine: Machine, value: IteratorValue, name: str, node: ir.Attr) -> Any:
    if name not in ("__next__", "__iter__"):
        raise IsUnknown(f"attribute `{name}` of an iterator")
    return BoundMethod(value, name)


@protocols.methods.of(IteratorValue)
def _method(
    machine: Machine, receiver: IteratorValue, name: str, args: Args, kwargs: Keywords, node: ir.Call | None
) -> Any:
    if name == "__iter__" and not args:
        return receiver
    if name != "__next__" or args:
        raise IsUnknown(f"method `{name}` of an iterator")
    try:
        return pull(machine, receiver)
    except End:
        raise Fault(_STOP) from None


def own_cells(value: Any) -> set[int]:
    """The cells that nothing but an iterator itself changes, when an item is taken from it."""
    if isinstance(value, Environment):
        return {id(value.vars)}
    if not isinstance(value, IteratorValue):
        return set()
    return {id(value.cell), *(cell for part in value.parts() for cell in own_cells(part))}


def at_symbol(
    machine: Machine, length: Sym, name: str, at: Span, compute: Callable[[Sym], Any], own: Collection[int]
) -> GrownItems:
    """What is computed for each position of a list of symbolic length, which changes nothing but its `own` cells."""
    index = machine.fresh_sym(name, "loop", 0, length - 1, f"line {at.row}")
    loops, facts, born = machine.loops, machine.facts, Cell.made
    doubts, told = machine.doubts, machine.trace.told
    machine.loops = (*loops, Loop(name, "static_range", index, length, at))
    machine.assume(index < length)
    try:
        with machine.recorded() as mark:
            item = compute(index)
            changes = [c for c in machine.changes(mark, born).values() if id(c[0]) not in own]
    finally:
        machine.loops, machine.facts = loops, facts
    if changes:
        reason = f"`{name}` changes something a number of times that is not known"
        for cell, key, _, _ in changes:
            machine.set(cell, key, Unknown(reason))
        raise IsUnknown(reason)
    if may_have_raised(machine, doubts) and len(machine.trace.events) != told[0]:
        reason = f"an element of many, with `{name}`, may raise what is handled"
        machine.trace.forget(*told, reason)
        raise IsUnknown(reason)
    return GrownItems((), (item,), index, length, Made(born))


# --- views of dicts ---

protocols.lengths.of(DictView)(lambda machine, value: len(value.items))
protocols.truths.of(DictView)(lambda machine, value, node: bool(value.items))


@protocols.iterated.of(DictView)
def _items_of_view(machine: Machine, value: DictView, at: Span | None, count: int | None) -> list[Any]:
    return value.items
