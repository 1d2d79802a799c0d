"""Methods of dicts and sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint.base.registering import entered
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown

from ...state import protocols
from ...state.machine import Fault, Machine, explained
from ...state.protocols import Args, Keywords, compare, items_of
from ...values.cells import MISSING
from ...values.containers import DictValue
from ...values.iterators import DictView
from ...values.keys import shown
from . import counters
from .list_methods import item_of
from .long_dicts import item_under, pairs_in
from .mappings import SET_OPERATORS, all_plain, hashable, remove_missing

Method = Callable[..., Any]
_OF_DICTS: dict[str, Method] = {}
_OF_SETS: dict[str, Method] = {}
_CHANGING = frozenset(
    {
        "add", "clear", "difference_update", "discard", "intersection_update", "pop", "remove",
        "symmetric_difference_update", "update",
    }
)  # fmt: skip


@protocols.methods.of(DictValue)
def _call(machine: Machine, receiver: DictValue, name: str, args: Args, kwargs: Keywords, node: ir.Call | None) -> Any:
    method = (_OF_SETS if receiver.is_set else _OF_DICTS).get(name)
    if receiver.kind == "Counter":
        method = counters.METHODS.get(name, method)
    if method is None or (receiver.kind == "frozenset" and name in _CHANGING):
        raise IsUnknown(f"method `{name}` of a {receiver.kind}")
    try:
        return method(machine, receiver, *args, **kwargs)
    except Fault:
        if node is None or not isinstance(node.func, ir.Attr) or not _takes_missing(receiver, name, args):
            raise
        remove_missing(machine, receiver, args[0], node.func.value, node.at)
        return explained(f"`{name}` of a key that is not there")


def _takes_missing(receiver: DictValue, name: str, args: Args) -> bool:
    """Whether a method fails because a key that it is to take away is certainly not there."""
    return name == ("remove" if receiver.is_set else "pop") and len(args) == 1 and all_plain(receiver, args[0])


def pairs_of(machine: Machine, value: Any) -> dict[Any, Any]:
    """What `dict(value)` holds."""
    if isinstance(value, DictValue) and not value.is_set:
        return value.items
    pairs = [tuple(items_of(machine, item)) for item in items_of(machine, value)]
    if any(len(pair) != 2 for pair in pairs):
        raise Fault("ValueError")
    return {hashable(key): item for key, item in pairs}


def members_of(machine: Machine, value: Any) -> dict[Any, Any]:
    """What `set(value)` holds."""
    if isinstance(value, DictValue):
        return dict.fromkeys(value.items)
    return {hashable(item): None for item in items_of(machine, value)}


# --- dicts ---


@entered(_OF_DICTS, ["__getitem__"])
def _item(machine: Machine, target: DictValue, key: Any) -> Any:
    return item_of(machine, target, key)


@entered(_OF_DICTS, ["get"])
def _get(machine: Machine, target: DictValue, key: Any, default: Any = None) -> Any:
    pairs = pairs_in(target)
    if pairs is not None:
        found = item_under(machine, pairs, key)
        return default if found is MISSING else found
    return target.items.get(hashable(key), default)


def _view(kind: str) -> Method:
    return lambda machine, target: DictView(target, kind)


_OF_DICTS |= {kind: _view(kind) for kind in ("keys", "values", "items")}


@entered(_OF_DICTS, ["update"])
def _update(machine: Machine, target: DictValue, /, *others: Any, **more: Any) -> None:
    if len(others) > 1:
        raise Fault("TypeError")
    given = [pairs_of(machine, other) for other in others]
    machine.contain(*more.values())
    machine.set(target.cell, "items", {**target.items, **(given[0] if given else {}), **more})


@entered(_OF_DICTS, ["setdefault"])
def _set_default(machine: Machine, target: DictValue, key: Any, default: Any = None) -> Any:
    key = hashable(key)
    if key not in target.items:
        machine.contain(default)
        machine.set(target.cell, "items", {**target.items, key: default})
    return target.items[key]


@entered(_OF_DICTS, ["pop"])
def _pop(machine: Machine, target: DictValue, key: Any, default: Any = MISSING) -> Any:
    key = hashable(key)
    found = target.items.get(key, default)
    if found is MISSING:
        raise Fault("KeyError")
    machine.set(target.cell, "items", {k: v for k, v in target.items.items() if k != key})
    return found


@entered(_OF_DICTS, ["popitem"])
def _pop_item(machine: Machine, target: DictValue) -> Any:
    if not target.items:
        raise Fault("KeyError")
    key = list(target.items)[-1]
    return shown(key), _pop(machine, target, key)


@entered(_OF_DICTS, ["clear"])
@entered(_OF_SETS, ["clear"])
def _clear(machine: Machine, target: DictValue) -> None:
    machine.set(target.cell, "items", {})


@entered(_OF_DICTS, ["copy"])
@entered(_OF_SETS, ["copy"])
def _copy(machine: Machine, target: DictValue) -> DictValue:
    return target.like(target.items)


# --- sets ---


@entered(_OF_SETS, ["add"])
def _add(machine: Machine, target: DictValue, item: Any) -> None:
    machine.set(target.cell, "items", {**target.items, hashable(item): None})


@entered(_OF_SETS, ["discard"])
def _discard(machine: Machine, target: DictValue, item: Any) -> None:
    item = hashable(item)
    _certain(target, item)
    machine.set(target.cell, "items", {k: v for k, v in target.items.items() if k != item})


@entered(_OF_SETS, ["remove"])
def _remove(machine: Machine, target: DictValue, item: Any) -> None:
    if hashable(item) not in target.items:
        raise Fault("KeyError")
    _discard(machine, target, item)


def _certain(target: DictValue, item: Any) -> None:
    if isinstance(item, Sym) or any(isinstance(key, Sym) for key in target.items):
        raise IsUnknown("a symbolic member of a set")


@entered(_OF_SETS, ["pop"])
def _pop_member(machine: Machine, target: DictValue) -> Any:
    if not target.items:
        raise Fault("KeyError")
    if len(target.items) > 1:
        raise IsUnknown("the order of a set")
    (item,) = target.items
    machine.set(target.cell, "items", {})
    return shown(item)


def _combining(op: str) -> tuple[Method, Method]:
    """The method that gives a new set, and the one that changes the old one."""

    def combined(machine: Machine, target: DictValue, *others: Any) -> Any:
        items = target.items
        for other in others:
            items = SET_OPERATORS[op](items, members_of(machine, other))
        return DictValue(items, target.kind)

    def changed(machine: Machine, target: DictValue, *others: Any) -> None:
        machine.set(target.cell, "items", combined(machine, target, *others).items)

    return combined, changed


_OF_SETS["union"], _OF_SETS["update"] = _combining("|")
_OF_SETS["intersection"], _OF_SETS["intersection_update"] = _combining("&")
_OF_SETS["difference"], _OF_SETS["difference_update"] = _combining("-")
_OF_SETS["symmetric_difference"], _OF_SETS["symmetric_difference_update"] = _combining("^")


@entered(_OF_SETS, ["issubset"])
def _is_subset(machine: Machine, target: DictValue, other: Any) -> Any:
    return compare(machine, "<=", target, DictValue(members_of(machine, other), "set"), machine.at)


@entered(_OF_SETS, ["issuperset"])
def _is_superset(machine: Machine, target: DictValue, other: Any) -> Any:
    return compare(machine, ">=", target, DictValue(members_of(machine, other), "set"), machine.at)


@entered(_OF_SETS, ["isdisjoint"])
def _is_disjoint(machine: Machine, target: DictValue, other: Any) -> Any:
    return not any(key in target.items for key in members_of(machine, other))


@protocols.in_place.of(DictValue)
def _in_place(machine: Machine, value: DictValue, op: str, other: Any) -> bool:
    if value.kind == "Counter":
        machine.set(value.cell, "items", counters.combined(machine, op, value, other).items)
        return True
    if value.kind == "frozenset" or op not in SET_OPERATORS or not (value.is_set or op == "|"):
        return False
    if value.is_set:
        machine.set(value.cell, "items", SET_OPERATORS[op](value.items, members_of(machine, other)))
    else:
        machine.set(value.cell, "items", {**value.items, **pairs_of(machine, other)})
    return True
