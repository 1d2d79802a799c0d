"""Dicts and sets."""

from __future__ import annotations

import builtins
import collections
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint_rules.language.undefined_name import UndefinedName
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.names import Named

from ...state import protocols
from ...state.havoc import forget_items
from ...state.machine import Fault, Machine
from ...state.protocols import any_equal, equal
from ...state.refusals import (
    CONTAINERS,
    attribute_refused,
    is_lasting,
    may_be_filled_elsewhere,
    operands_refused,
    refused,
)
from ...values.cells import MISSING
from ...values.choices import among
from ...values.containers import DictValue, ListValue
from ...values.grown import GrowingItems, LongTuple, count_of
from ...values.keys import Key, shown
from ...values.numbers import is_plain
from ...values.objects import Api, External, Instance, Native, SomeMember, member_number
from ...values.wording import in_words
from .long_dicts import is_among, item_under, pairs_in, with_item
from .members import of_each
from .numbers import PLAIN, bound_method
from .objects import as_parts

protocols.truths.of(DictValue)(lambda machine, value, node: bool(value.items))


@protocols.lengths.of(DictValue)
def length_of(machine: Machine, value: DictValue) -> Any:
    pairs = pairs_in(value)
    if pairs is not None and not isinstance(pairs.items, GrowingItems):
        return count_of(pairs.items)
    return len(value.items)


@protocols.iterated.of(DictValue)
def _items(machine: Machine, value: DictValue, at: Span | None, count: int | None) -> list[Any]:
    if value.is_set and len(value.items) > 1:
        raise IsUnknown("the order of a set")
    return list(map(shown, value.items))


@protocols.attributes.of(DictValue)
def _attribute(machine: Machine, value: DictValue, name: str, node: ir.Attr) -> Any:
    if name == "default_factory":  # which may be set
        return among("`default_factory`", value, value.factory)
    kind = getattr(collections, value.kind, None) or getattr(builtins, value.kind)
    if not hasattr(kind, name):
        return attribute_refused(machine, value, name, node)
    return bound_method(value, kind, name)


def hashable(value: Any) -> Any:
    """A key for a dict of the evaluator."""
    if isinstance(value, (Sym, Cond)):
        raise IsUnknown("a symbolic key of a dict")
    if isinstance(value, Unknown):
        raise IsUnknown(value.reason)
    if isinstance(value, tuple):
        return tuple(hashable(v) for v in value)
    if isinstance(value, ListValue) or (isinstance(value, DictValue) and value.kind != "frozenset"):
        raise Fault("TypeError")
    if isinstance(value, Instance):
        return _object_key(value)
    if isinstance(value, Key):
        return value
    if isinstance(value, (DictValue, LongTuple)) or value.__hash__ is None:
        raise IsUnknown("a key of a dict whose hash is not known")
    return value


def _object_key(value: Instance) -> Any:
    """Objects are told apart by what they are, unless their class says when they are equal."""
    own = any(value.cls.find(name) is not MISSING for name in ("__eq__", "__hash__"))
    number = member_number(value)
    if number is not value and not own:
        return Key(value, hashable(number))
    own = own or any(isinstance(base, Native) and base.name != "object" for c in value.cls.mro() for base in c.bases)
    parts = None if own else as_parts(value)
    if parts is not None:
        return Key(value, hashable(parts))
    if own or value.cls.kind in ("dataclass", "namedtuple"):
        raise IsUnknown(f"an object of `{value.cls.name}` as a key")
    return value


@protocols.subscripts.of(DictValue)
def _lookup(machine: Machine, value: DictValue, key: Any, node: ir.Index) -> Any:
    if isinstance(key, SomeMember):
        return of_each(machine, key, lambda member: _lookup(machine, value, member, node))
    pairs = pairs_in(value)
    if pairs is not None:
        found = item_under(machine, pairs, key)
        return Unknown("a key that a dict does not have") if found is MISSING else found
    try:
        key = hashable(key)
    except IsUnknown as unknown:
        if value.factory is not None:
            forget_items(machine, value, unknown.reason)  # it may have made an item
        raise
    if key in value.items:
        return value.items[key]
    if value.kind == "Counter":
        return 0
    if value.factory is not None:
        made = protocols.call(machine, value.factory, [], {})
        machine.contain(made)
        machine.set(value.cell, "items", {**value.items, key: made})
        return made
    if all_plain(value, key):
        if may_be_filled_elsewhere(machine, value, node):
            raise Fault("KeyError")
        said = UndefinedName.key(owner=node.value.at, key=repr(shown(key)))
        return refused(machine, "KeyError", said, node.at, value, key)
    return Unknown(f"key {key!r} of a dict" if isinstance(key, (str, int)) else "a key of a dict")


def all_plain(value: DictValue, key: Any) -> bool:
    """Whether it is known of a key whether it is one of a dict's."""
    return all(is_plain(k.known_by if isinstance(k, Key) else k) for k in (key, *value.items))


@protocols.subscripts_set.of(DictValue)
def _store(machine: Machine, container: DictValue, key: Any, value: Any, target: ir.Index) -> None:
    machine.contain(value)
    try:
        items: Any = _with_item(machine, container, key, value)
    except IsUnknown as unknown:
        protocols.escape(machine, [key], unknown.reason)
        items = among(unknown.reason, container.cell["items"], key, value)
    machine.set(container.cell, "items", items)


def _with_item(machine: Machine, container: DictValue, key: Any, value: Any) -> Any:
    """What a dict holds with one more item, or another one under a key."""
    try:
        plain = hashable(key)
    except IsUnknown:
        return with_item(machine, container, key, value)
    if pairs_in(container) is not None:
        return with_item(machine, container, key, value)
    return {**container.items, plain: value}


@protocols.subscripts_deleted.of(DictValue)
def _delete(machine: Machine, container: DictValue, key: Any, target: ir.Index) -> None:
    items = container.items
    plain = not isinstance(key, (Sym, Unknown)) and key in items
    gone = "an item deleted from a dict"
    rest = {k: v for k, v in items.items() if k != key} if plain else among(gone, items)
    if not plain and all_plain(container, key) and not container.is_set:
        remove_missing(machine, container, key, target.value, target.at)
    elif not plain:
        machine.doubt(gone)
    machine.set(container.cell, "items", rest)


def remove_missing(machine: Machine, container: DictValue, key: Any, owner: ir.Expr, at: Span) -> None:
    """A key is taken away that is certainly none of a dict's, or of a set's, unless something else put it there."""
    if is_lasting(machine, container):
        raise Fault("KeyError")
    said = UndefinedName.key(owner=owner.at, key=repr(shown(key)))
    machine.doubt(refused(machine, "KeyError", said, at, container, key).reason)


@protocols.memberships.of(DictValue)
def _contains(machine: Machine, container: DictValue, item: Any) -> Any:
    if isinstance(item, slice):
        raise IsUnknown("whether a slice has a hash, which it has since Python 3.12")
    pairs = pairs_in(container)
    if pairs is not None and isinstance(item, (int, str, Sym, tuple)):
        return is_among(machine, pairs, item)
    sets = isinstance(item, DictValue) and (item.kind == "frozenset" or (item.is_set and container.is_set))
    if isinstance(item, (ListValue, DictValue)) and not sets:
        raise Fault("TypeError")  # it has no hash
    plain = item is None or isinstance(item, (DType, str, int, Named, External, Api, tuple))
    with suppress(IsUnknown):  # a tuple may hold what has no hash here
        if plain and hashable(item) in container.items:
            return True
    return any_equal(machine, item, map(shown, container.items))


@protocols.equalities.of(DictValue, rank=2)
def _equal(machine: Machine, left: Any, right: Any) -> Any:
    if not isinstance(left, DictValue) or not isinstance(right, DictValue) or left.is_set != right.is_set:
        if isinstance(left, DictValue) and isinstance(right, DictValue):
            return False
        plain = (int, float, str, bytes, tuple, Sym, Cond, Api, DictValue, ListValue)
        return False if all(isinstance(v, plain) for v in (left, right)) else Unknown("comparison of a dict or set")
    if left.kind == right.kind == "OrderedDict" and [*left.items] != [*right.items]:
        return False
    if left.kind == right.kind == "Counter":
        left, right = (
            side.like({**dict.fromkeys((*left.items, *right.items), 0), **side.items}) for side in (left, right)
        )
    return left.items.keys() == right.items.keys() and all_of(
        v is right.items[k] or equal(machine, v, right.items[k]) for k, v in left.items.items()
    )


@protocols.arithmetic.of(DictValue, rank=2)
def _arithmetic(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    own = next((of_kinds[v.kind] for v in (left, right) if isinstance(v, DictValue) and v.kind in of_kinds), None)
    if own is not None:
        return own(machine, op, left, right)
    if isinstance(left, DictValue) and isinstance(right, DictValue) and left.is_set == right.is_set:
        if op == "|":
            return left.like({**left.items, **right.items})
        if left.is_set and op in SET_OPERATORS:
            return DictValue(SET_OPERATORS[op](left.items, right.items), left.kind)
    if isinstance(left, CONTAINERS) and isinstance(right, CONTAINERS) and _is_plain_dict(left, right):
        return operands_refused(machine, op, left, right, at)
    return Unknown(f"`{op}` on {in_words(left)} and {in_words(right)}")


def _is_plain_dict(*values: Any) -> bool:
    """Whether dicts among some values are just that, and no sets or dicts that count."""
    return all(value.kind == "dict" for value in values if isinstance(value, DictValue))


of_kinds: dict[str, Callable[..., Any]] = {}
"""What operators do to dicts of a kind that has its own."""

SET_OPERATORS: dict[str, Callable[[dict[Any, Any], dict[Any, Any]], dict[Any, Any]]] = {
    "|": lambda a, b: {**a, **b},
    "&": lambda a, b: {k: None for k in a if k in b},
    "-": lambda a, b: {k: None for k in a if k not in b},
    "^": lambda a, b: {**{k: None for k in a if k not in b}, **{k: None for k in b if k not in a}},
}


@protocols.orders.of(DictValue, rank=1)
def _order(machine: Machine, op: str, left: Any, right: Any) -> Any:
    if not isinstance(left, DictValue) or not isinstance(right, DictValue) or not (left.is_set and right.is_set):
        return Unknown(f"comparison of {in_words(left)} and {in_words(right)}")
    return PLAIN[op](left.items.keys(), right.items.keys())
