"""Python's built-in functions over the items of what they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, any_of

from ...state import protocols
from ...state.machine import Machine
from ...state.protocols import (
    Args,
    Keywords,
    items_of,
    length_of,
    symbolic_items,
    truth_of,
)
from ...values.containers import DictValue, ListValue, RangeValue
from ...values.inputs import ShapeOf
from ...values.numbers import is_plain
from ..types.mappings import hashable
from ..types.ranges import list_of
from .registry import models


def truth(machine: Machine, value: Any) -> Any:
    """`bool(value)`."""
    return truth_of(machine, value, ir.Const(machine.at, None))


@models("builtins.len")
def _len(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return length_of(machine, args[0])


@models("builtins.sum")
def _sum(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    total = args[1] if len(args) > 1 else 0
    for item in items_of(machine, args[0]):
        total = protocols.binary(machine, "+", total, item, machine.at)
    return total


@models("builtins.zip")
def _zip(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    symbolic = [symbolic_items(a) for a in args]
    if any(s is not None for s in symbolic):
        columns = [s for s in symbolic if s is not None]
        if len(columns) < len(args) or any((length == columns[0][0]) is not True for length, _ in columns):
            raise IsUnknown("`zip` of lists whose lengths may differ")
        return list_of(machine, columns[0][0], lambda i: tuple(item(i) for _, item in columns))
    return ListValue(zip(*(items_of(machine, a) for a in args), strict=False))


@models("builtins.enumerate")
def _enumerate(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    start: Any = kwargs.get("start", args[1] if len(args) > 1 else 0)
    symbolic = symbolic_items(args[0])
    if symbolic is not None:
        length, at = symbolic
        return list_of(machine, length, lambda i: (start + i, at(i)))
    return ListValue((start + i, item) for i, item in enumerate(items_of(machine, args[0])))


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


@models("builtins.dict")
def _dict(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    items: dict[Any, Any] = {}
    if args:
        if isinstance(args[0], DictValue):
            items.update(args[0].items)
        else:
            items.update(
                {hashable(p[0]): p[1] for p in (tuple(items_of(machine, i)) for i in items_of(machine, args[0]))}
            )
    items.update(kwargs)
    return DictValue(items)


@models("builtins.set", "builtins.frozenset")
def _set(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return DictValue({hashable(i): None for i in items_of(machine, args[0])} if args else {}, "set")


@models("builtins.sorted")
def _sorted(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    items = items_of(machine, args[0])
    key = kwargs.get("key")
    keys = items if key is None else [protocols.call(machine, key, [item], {}) for item in items]
    if not all(map(is_plain, keys)) or len({type(k) for k in keys} - {float}) > 1:
        return Unknown("a sorted sequence of values that are not known")
    reverse = kwargs.get("reverse") is True
    order = sorted(zip(keys, items, strict=True), key=lambda pair: pair[0], reverse=reverse)
    return ListValue(item for _, item in order)


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
    return ListValue(items_of(machine, value)[::-1])


@models("builtins.map")
def _map(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    columns = [items_of(machine, a) for a in args[1:]]
    return ListValue(protocols.call(machine, args[0], list(row), {}) for row in zip(*columns, strict=False))


@models("builtins.filter")
def _filter(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    kept = []
    for item in items_of(machine, args[1]):
        keep = machine.truth(truth(machine, item if args[0] is None else protocols.call(machine, args[0], [item], {})))
        if keep is None:
            raise IsUnknown("a filter that depends on the input")
        if keep:
            kept.append(item)
    return ListValue(kept)


@models("builtins.iter")
def _iter(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return ListValue(items_of(machine, args[0]))


@models("builtins.next")
def _next(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    items = items_of(machine, args[0])
    return items[0] if items else Unknown("`next` of nothing")


def _any_all(combine: Callable[[Any], Any]) -> Callable[[Machine, Args, Keywords], Any]:
    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        return combine([truth(machine, i) for i in items_of(machine, args[0])])

    return call


models("builtins.any")(_any_all(any_of))
models("builtins.all")(_any_all(all_of))
