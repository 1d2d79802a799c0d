"""Dicts and sets."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.names import Named

from ...state import joining, protocols
from ...state.machine import Machine
from ...state.protocols import Args, Keywords, any_equal, equal, items_of, kind_of
from ...values.containers import DictValue, ListValue
from ...values.objects import Api, BoundMethod, External, Instance

protocols.truths.of(DictValue)(lambda machine, value, node: bool(value.items))
protocols.lengths.of(DictValue)(lambda machine, value: len(value.items))
protocols.iterated.of(DictValue)(lambda machine, value, at, count: list(value.items))
protocols.attributes.of(DictValue)(lambda machine, value, name, node: BoundMethod(value, name))


def hashable(value: Any) -> Any:
    """A key for a dict of the evaluator."""
    if isinstance(value, (Sym, Cond)):
        raise IsUnknown("a symbolic key of a dict")
    if isinstance(value, Unknown):
        raise IsUnknown(value.reason)
    if isinstance(value, tuple):
        return tuple(hashable(v) for v in value)
    if isinstance(value, (ListValue, DictValue)) or value.__hash__ is None:
        raise IsUnknown("a key of a dict that has no hash")
    return value


@protocols.subscripts.of(DictValue)
def _lookup(machine: Machine, value: DictValue, key: Any, node: ir.Index) -> Any:
    if isinstance(key, Unknown):
        return key
    key = hashable(key)
    if key in value.items:
        return value.items[key]
    return Unknown(f"key {key!r} of a dict" if isinstance(key, (str, int)) else "a key of a dict")


@protocols.subscripts_set.of(DictValue)
def _store(machine: Machine, container: DictValue, key: Any, value: Any, target: ir.Index) -> None:
    machine.contain(value)
    try:
        items: Any = {**container.items, hashable(key): value}
    except IsUnknown as unknown:
        items = Unknown(unknown.reason)
    machine.set(container.cell, "items", items)


@protocols.subscripts_deleted.of(DictValue)
def _delete(machine: Machine, container: DictValue, key: Any) -> None:
    items = container.items
    plain = not isinstance(key, (Sym, Unknown)) and key in items
    rest = {k: v for k, v in items.items() if k != key} if plain else Unknown("an item deleted from a dict")
    machine.set(container.cell, "items", rest)


@protocols.memberships.of(DictValue)
def _contains(machine: Machine, container: DictValue, item: Any) -> Any:
    plain = item is None or isinstance(item, (DType, str, int, Named, External, Api, tuple))
    if plain and item in container.items:
        return True
    return any_equal(machine, item, container.items)


@protocols.equalities.of(DictValue, rank=2)
def _equal(machine: Machine, left: Any, right: Any) -> Any:
    if not isinstance(left, DictValue) or not isinstance(right, DictValue):
        objects = isinstance(left, (Instance, External, Api)) or isinstance(right, (Instance, External, Api))
        return False if objects else joining.same(left, right)
    return left.items.keys() == right.items.keys() and all_of(
        equal(machine, v, right.items[k]) for k, v in left.items.items()
    )


@protocols.arithmetic.of(DictValue, rank=2)
def _arithmetic(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    if isinstance(left, DictValue) and isinstance(right, DictValue):
        if op == "|":
            return DictValue({**left.items, **right.items}, left.kind)
        if op == "&":
            return DictValue({k: v for k, v in left.items.items() if k in right.items}, left.kind)
        if op == "-":
            return DictValue({k: v for k, v in left.items.items() if k not in right.items}, left.kind)
    return Unknown(f"`{op}` on {kind_of(left)} and {kind_of(right)}")


@protocols.methods.of(DictValue)
def _method(
    machine: Machine, receiver: DictValue, name: str, args: Args, kwargs: Keywords, node: ir.Call | None
) -> Any:
    items = receiver.items
    if name == "get":
        return items.get(hashable(args[0]), args[1] if len(args) > 1 else None)
    if name == "items":
        return ListValue((k, v) for k, v in items.items())
    if name == "keys":
        return ListValue(items)
    if name == "values":
        return ListValue(items.values())
    if name == "copy":
        return DictValue(items, receiver.kind)
    if name == "update":
        more = args[0].items if args and isinstance(args[0], DictValue) else {}
        machine.set(receiver.cell, "items", {**items, **more, **kwargs})
        return None
    if name == "setdefault":
        key = hashable(args[0])
        if key not in items:
            machine.set(receiver.cell, "items", {**items, key: args[1] if len(args) > 1 else None})
        return receiver.items[key]
    if name == "pop":
        key = hashable(args[0])
        found = items.get(key, args[1] if len(args) > 1 else Unknown("a key that is not in the dict"))
        machine.set(receiver.cell, "items", {k: v for k, v in items.items() if k != key})
        return found
    if name == "add":
        machine.set(receiver.cell, "items", {**items, hashable(args[0]): None})
        return None
    if name in ("union", "difference", "intersection") and len(args) == 1:
        other = {hashable(i): None for i in items_of(machine, args[0])}
        if name == "union":
            return DictValue({**items, **other}, "set")
        kept = {k: None for k in items if (k in other) == (name == "intersection")}
        return DictValue(kept, "set")
    raise IsUnknown(f"method `{name}` of a dict")
