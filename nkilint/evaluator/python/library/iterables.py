"""Python's built-in functions over the items of what they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint_rules.words.conditions import IsUnknown, all_of, any_of

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.protocols import (
    Args,
    Keywords,
    items_of,
    length_of,
    symbolic_items,
    truth_of,
)
from ...values.containers import ITERATOR, DictValue, ListValue, RangeValue
from ...values.inputs import ShapeOf
from ...values.objects import Instance
from ..types.dict_methods import members_of, pairs_of
from ..types.list_methods import in_order
from ..types.ranges import list_of
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
    for item in unordered_items(machine, values):
        total = protocols.binary(machine, "+", total, item, machine.at)
    return total


def unordered_items(machine: Machine, value: Any) -> list[Any]:
    """All items, in any order."""
    return list(value.items) if isinstance(value, DictValue) else items_of(machine, value)


@models("builtins.zip", keywords=("strict",))
def _zip(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    symbolic = [symbolic_items(a) for a in args]
    if any(s is not None for s in symbolic):
        columns = [s for s in symbolic if s is not None]
        if len(columns) < len(args) or any((length == columns[0][0]) is not True for length, _ in columns):
            raise IsUnknown("`zip` of lists whose lengths may differ")
        return list_of(machine, columns[0][0], lambda i: tuple(item(i) for _, item in columns))
    return ListValue(zip(*(items_of(machine, a) for a in args), strict=False), ITERATOR)


@models("builtins.enumerate", keywords=("start",))
def _enumerate(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    start: Any = kwargs.get("start", args[1] if len(args) > 1 else 0)
    symbolic = symbolic_items(args[0])
    if symbolic is not None:
        length, at = symbolic
        return list_of(machine, length, lambda i: (start + i, at(i)))
    return ListValue(((start + i, item) for i, item in enumerate(items_of(machine, args[0]))), ITERATOR)


@models("builtins.tuple")
def _tuple(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if args and isinstance(args[0], ShapeOf):
        return args[0]
    return tuple(items_of(machine, args[0])) if args else ()


@models("builtins.list")
def _list(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    symbolic = symbolic_items(args[0]) if args else None
    if symbolic is not None:
        return list_of(machine, *symbolic)
    return ListValue(items_of(machine, args[0]) if args else ())


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
    return ListValue(in_order(machine, items, kwargs.get("key"), kwargs.get("reverse", False)))


@models("builtins.reversed")
def _reversed(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value = args[0]
    if isinstance(value, RangeValue):
        last = value.start + (value.trips - 1) * value.step
        return RangeValue(last, value.start - value.step, -value.step, value.kind)
    symbolic = symbolic_items(value)
    if symbolic is not None:
        length, at = symbolic
        return list_of(machine, length, lambda i: at(length - 1 - i))
    return ListValue(items_of(machine, value)[::-1], ITERATOR)


@models("builtins.map")
def _map(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    columns = [items_of(machine, a) for a in args[1:]]
    return ListValue((protocols.call(machine, args[0], list(row), {}) for row in zip(*columns, strict=False)), ITERATOR)


@models("builtins.filter")
def _filter(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    kept = []
    for item in items_of(machine, args[1]):
        keep = machine.truth(truth(machine, item if args[0] is None else protocols.call(machine, args[0], [item], {})))
        if keep is None:
            raise IsUnknown("a filter that depends on the input")
        if keep:
            kept.append(item)
    return ListValue(kept, ITERATOR)


@models("builtins.iter")
def _iter(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if len(args) != 1:
        raise IsUnknown("an iterator that calls a function")
    if isinstance(args[0], ListValue) and args[0].kind == ITERATOR:
        return args[0]
    return ListValue(items_of(machine, args[0]), ITERATOR)


@models("builtins.next")
def _next(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    iterator = args[0]
    if isinstance(iterator, Instance) and iterator.cls.lookup("__next__") is not None:
        return protocols.call(machine, iterator.cls.lookup("__next__"), [iterator], {})
    if not isinstance(iterator, ListValue) or iterator.kind != ITERATOR:
        raise IsUnknown("`next` of something that is no iterator")
    if not iterator.items:
        if len(args) == 1:
            raise Fault("StopIteration")
        return args[1]
    first, *rest = iterator.items
    machine.set(iterator.cell, "items", tuple(rest))
    return first


def _any_all(combine: Callable[[Any], Any]) -> Callable[[Machine, Args, Keywords], Any]:
    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        return combine([truth(machine, i) for i in unordered_items(machine, args[0])])

    return call


models("builtins.any")(_any_all(any_of))
models("builtins.all")(_any_all(all_of))
