"""What built-in types have besides calls: `object.__setattr__`, `dict.fromkeys`, `list.append`."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from nkilint.base import ir
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords
from ...values.choices import among
from ...values.containers import DictValue, ListValue
from ...values.objects import ClassValue, External, Instance, Native
from ...values.unions import TypeUnion
from ...values.wording import in_words
from .attributes import OF_OBJECTS, set_what_it_is
from .dict_methods import members_of
from .objects import made_plainly
from .slots import may_be_set


@protocols.attributes.of(Native)
def _attribute_of_builtin(machine: Machine, value: Native, name: str, node: ir.Attr) -> Any:
    """`object.__setattr__` and the like, which ask no class."""
    if value.name == "object" and name in _PLAINLY:
        return Native(name, _PLAINLY[name])
    if value.name == "dict" and name == "fromkeys":
        return Native(name, _from_keys)
    if callable(getattr(_TYPES.get(value.name), name, None)) and not name.startswith("_"):
        return _method_of_type(value.name, name)
    return among(f"attribute `{name}` of `{value.name}`", value)


@protocols.subscripts.of(Native)
def _generic(machine: Machine, value: Native, key: Any, node: ir.Index) -> Any:
    """`list[int]`, which nothing is known of but that it stands in unions like a type."""
    if value.name not in _GENERIC:
        return Unknown(f"subscript of {in_words(value)}")
    return TypeUnion((External("types.GenericAlias"),))


_GENERIC = frozenset({"dict", "frozenset", "list", "set", "tuple", "type"})


@protocols.arithmetic.of(Native, ClassValue, TypeUnion, rank=4)
def _union(machine: Machine, op: str, left: Any, right: Any, at: ir.Span) -> Any:
    """`int | str`, of types that say nothing else of `|`."""
    found: list[Any] = []
    for side in (left, right):
        known = isinstance(side, (ClassValue, TypeUnion)) or side is None
        if op != "|" or not (known or (isinstance(side, Native) and side.name in _NAMED_TYPES)):
            return Unknown(f"`{op}` on {in_words(left)} and {in_words(right)}")
        found += side.kinds if isinstance(side, TypeUnion) else (side,)
    return TypeUnion(tuple(found))


_NAMED_TYPES = frozenset(
    {"bool", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"}
)

_TYPES = {"dict": dict, "list": list, "set": set, "str": str, "tuple": tuple}


@cache
def _method_of_type(kind: str, name: str) -> Native:
    """What `list.append` is: always the same object."""
    return Native(name, partial(_call_method_of_type, kind, name))


def _call_method_of_type(kind: str, name: str, machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """`list.append(items, item)`: a method by the name of its type."""
    receiver = args[0] if args else None
    known = isinstance(receiver, _VALUES[kind]) and getattr(receiver, "kind", kind) == kind
    if not known:
        raise IsUnknown(f"`{kind}.{name}` of something else")
    return protocols.call_method(machine, receiver, name, args[1:], kwargs)


_VALUES: dict[str, Any] = {"dict": DictValue, "list": ListValue, "set": DictValue, "str": str, "tuple": tuple}


def _set_plainly(machine: Machine, args: Args, kwargs: Keywords) -> None:
    value, name, new = _exactly(3, args, kwargs)
    if not isinstance(value, Instance) or not isinstance(name, str):
        raise IsUnknown("an attribute of something that is not known")
    if name in OF_OBJECTS:
        set_what_it_is(machine, value, name, new)
        return
    described = value.cls.lookup(name)
    if isinstance(described, Instance) and (described.cls.kind == "property" or described.cls.lookup("__set__")):
        raise IsUnknown(f"`{name}`, which `{value.cls.name}` describes")
    if not may_be_set(value.cls, name):
        raise Fault("AttributeError")
    machine.contain(new)
    machine.set(value.attrs, name, new)


def _delete_plainly(machine: Machine, args: Args, kwargs: Keywords) -> None:
    value, name = _exactly(2, args, kwargs)
    if not isinstance(value, Instance) or name not in value.attrs:
        raise IsUnknown("an attribute of something that is not known")
    machine.delete(value.attrs, name)


_PLAINLY = {"__setattr__": _set_plainly, "__delattr__": _delete_plainly, "__new__": made_plainly}


def _from_keys(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if kwargs or len(args) not in (1, 2):
        raise Fault("TypeError")
    keys, value = (*args, None)[:2]
    return DictValue(dict.fromkeys(members_of(machine, keys), value))


def _exactly(count: int, args: Args, kwargs: Keywords) -> Args:
    if len(args) != count or kwargs:
        raise IsUnknown("a call of a method of a type with these arguments")
    return args
