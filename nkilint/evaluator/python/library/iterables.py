"""Python's built-in functions over the items of what they are given."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from nkilint.base import ir
from nkilint.symbolic.integers import is_integer
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, any_of, minimum

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.paths import content_of
from ...state.protocols import (
    Args,
    Keywords,
    items_of,
    length_of,
    symbolic_items,
    truth_of,
)
from ...values.cells import Cell
from ...values.choices import Text
from ...values.containers import DictValue, ListValue, RangeValue
from ...values.grown import GrownItems, LongTuple
from ...values.inputs import ShapeOf
from ...values.iterators import End, IteratorValue
from ...values.keys import shown
from ...values.numbers import is_number
from ...values.objects import Environment, Instance
from ..types.dict_methods import members_of, pairs_of
from ..types.iterators import (
    all_at_once,
    backwards,
    fixed,
    iterator_over,
    own_cells,
    pull,
    pulled,
    symbolically,
    taken_from,
)
from ..types.list_methods import in_order
from ..types.long_lists import counted, sum_of
from ..types.ranges import all_items, of_positions
from .registry import ANY, models


def truth(machine: Machine, value: Any) -> Any:
    """`bool(value)`."""
    return truth_of(machine, value, ir.Const(machine.at, None))


@models("builtins.len")
def _len(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return length_of(machine, args[0])


@models("builtins.sum", keywords=("start",))
def _sum(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    values, total = args[0], kwargs.get("start", args[1] if len(args) > 1 else 0)
    if isinstance(total, (str, bytes, Text)):
        raise Fault("TypeError")
    symbolic = symbolic_items(machine, values)
    if symbolic is not None:
        content = counted(machine, values) if isinstance(values, ListValue) else of_positions(machine, *symbolic)
        return protocols.binary(machine, "+", total, sum_of(content), machine.at)
    items = unordered_items(machine, values)
    if len(items) > 1 and isinstance(values, DictValue) and values.is_set and not all(map(is_integer, items)):
        raise IsUnknown("the order of a set")
    for item in items:
        if is_number(total) and isinstance(item, _NO_SUMMANDS):
            raise Fault("TypeError")
        total = protocols.binary(machine, "+", total, item, machine.at)
    return total


_NO_SUMMANDS = (str, bytes, type(None), tuple, ListValue, DictValue)
"""What cannot be added to a number."""


def unordered_items(machine: Machine, value: Any) -> list[Any]:
    """All items, in any order."""
    return list(map(shown, value.items)) if isinstance(value, DictValue) else items_of(machine, value)


@models("builtins.zip", keywords=("strict",))
def _zip(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    strict = decided(machine, kwargs.get("strict", False))
    sources = [iterator_over(machine, a) for a in args]

    def advance(machine: Machine, cell: Cell) -> Any:
        if not sources:
            raise End
        row = []
        for source in sources:
            try:
                row.append(pull(machine, source))
            except End:
                if strict and (row or any(more(machine, other) for other in sources[1:])):
                    raise Fault("ValueError") from None
                raise
        return tuple(row)

    def more(machine: Machine, source: IteratorValue) -> bool:
        try:
            pull(machine, source)
        except End:
            return False
        return True

    def whole(machine: Machine) -> Any:
        columns = [all_at_once(machine, source) for source in sources]
        if all(column is None for column in columns):
            return None
        known = [column for column in columns if column is not None]
        if len(known) < len(columns):
            raise IsUnknown("`zip` of lists whose lengths may differ")
        alike = all((length == known[0][0]) is True for length, _ in known)
        if strict and not alike:
            raise IsUnknown("a strict `zip` of lists whose lengths may differ")
        if not alike and any(isinstance(part, (IteratorValue, Environment)) for s in sources for part in s.parts()):
            raise IsUnknown("`zip` of iterators that may differ in length")
        for source in sources:
            machine.set(source.cell, "over", alike or Unknown("what `zip` leaves of the longer ones"))
        return reduce(minimum, (length for length, _ in known)), lambda i: tuple(item(i) for _, item in known)

    return IteratorValue(advance, lambda: tuple(sources), whole)


@models("builtins.enumerate", keywords=("start",))
def _enumerate(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    start: Any = kwargs.get("start", args[1] if len(args) > 1 else 0)
    source = iterator_over(machine, args[0])

    def advance(machine: Machine, cell: Cell) -> Any:
        item, position = pull(machine, source), made.count()
        machine.set(cell, "position", position + 1)
        return start + position, item

    def whole(machine: Machine) -> Any:
        found = symbolic_items(machine, source) if made.count() == 0 else None
        return None if found is None else (found[0], lambda i: (start + i, found[1](i)))

    made = IteratorValue(advance, lambda: (source,), whole)
    return made


@models("builtins.tuple")
def _tuple(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if args and isinstance(args[0], ShapeOf):
        return args[0]
    symbolic = symbolic_items(machine, args[0]) if args else None
    if symbolic is not None:
        content = content_of(args[0])
        return LongTuple(content if isinstance(content, GrownItems) else of_positions(machine, *symbolic))
    return tuple(items_of(machine, args[0])) if args else ()


@models("builtins.list")
def _list(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return ListValue(all_items(machine, args[0]) if args else ())


@models("builtins.dict", keywords=ANY)
def _dict(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return DictValue({**(pairs_of(machine, args[0]) if args else {}), **kwargs})


@models("builtins.set")
def _set(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return DictValue(members_of(machine, args[0]) if args else {}, "set")


@models("builtins.frozenset")
def _frozen_set(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return DictValue(members_of(machine, args[0]) if args else {}, "frozenset")


@models("builtins.sorted", keywords=("key", "reverse"))
def _sorted(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    items = unordered_items(machine, args[0])
    is_set = isinstance(args[0], DictValue) and args[0].is_set
    return ListValue(in_order(machine, items, kwargs.get("key"), kwargs.get("reverse", False), is_set))


@models("builtins.reversed")
def _reversed(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (value,) = args
    if isinstance(value, Instance) and value.cls.lookup("__reversed__") is not None:
        return protocols.call(machine, value.cls.lookup("__reversed__"), [value], {})
    if isinstance(value, (Instance, IteratorValue)):
        raise IsUnknown("`reversed` of what is no sequence")
    if isinstance(value, DictValue) and value.is_set:
        raise Fault("TypeError")
    if isinstance(value, RangeValue):
        last = value.start + (value.trips - 1) * value.step
        return RangeValue(last, value.start - value.step, -value.step, value.kind)
    if isinstance(value, ListValue):
        return backwards(machine, value)
    symbolic = symbolic_items(machine, value)
    if symbolic is not None:
        length, at = symbolic
        return symbolically(length, lambda i: at(length - 1 - i), value)
    return fixed(items_of(machine, value)[::-1])


@models("builtins.map")
def _map(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if args[0] is None:
        raise IsUnknown("a call of None")
    function, sources = args[0], [iterator_over(machine, a) for a in args[1:]]
    return IteratorValue(
        lambda machine, cell: protocols.call(machine, function, [pull(machine, s) for s in sources], {}),
        lambda: (function, *sources),
    )


@models("builtins.filter")
def _filter(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    test, source = args[0], iterator_over(machine, args[1])

    def advance(machine: Machine, cell: Cell) -> Any:
        for item in pulled(machine, source):
            if decided(machine, item if test is None else protocols.call(machine, test, [item], {})):
                return item
        raise End

    return IteratorValue(advance, lambda: (test, source))


def decided(machine: Machine, value: Any) -> bool:
    """The truth of a value, which is to be known."""
    keep = machine.truth(truth(machine, value))
    if keep is None:
        raise IsUnknown("a choice of items that depends on the input")
    return keep


@models("builtins.iter")
def _iter(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if len(args) != 1:
        raise IsUnknown("an iterator that calls a function")
    return iterator_over(machine, args[0])


@models("builtins.next")
def _next(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    iterator, *default = args
    if isinstance(iterator, Instance) and iterator.cls.lookup("__next__") is not None:
        iterator = taken_from(iterator)
    if not isinstance(iterator, IteratorValue):
        raise IsUnknown("`next` of something that is no iterator")
    try:
        return pull(machine, iterator)
    except End:
        if not default:
            raise Fault("StopIteration") from None
        return default[0]


def _any_all(combine: Callable[[Any], Any], decisive: bool) -> Callable[[Machine, Args, Keywords], Any]:
    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        if isinstance(args[0], DictValue):
            return combine([truth(machine, item) for item in map(shown, args[0].items)])
        source, found = iterator_over(machine, args[0]), []
        for item in pulled(machine, source):
            found.append(truth(machine, item))
            known = None if isinstance(found[-1], Unknown) else machine.truth(found[-1])
            if known is decisive:
                break
            if known is None:
                return combine([*found, *_perhaps(machine, source)])
        return combine(found)

    return call


def _perhaps(machine: Machine, source: IteratorValue) -> list[Any]:
    """The truths of further items, which may not be looked at: what taking them changes is not known."""
    with machine.recorded() as mark:
        found = [truth(machine, item) for item in pulled(machine, source)]
        changes = machine.changes(mark)
    reason = "an iterator of which a part may have been looked at"
    own = own_cells(source)
    for cell, key, _, _ in changes.values():
        if id(cell) not in own:
            machine.set(cell, key, Unknown(reason))
    machine.set(source.cell, "over", Unknown(reason))
    return found


models("builtins.any")(_any_all(any_of, True))
models("builtins.all")(_any_all(all_of, False))
