"""Objects and classes of the project."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.names import Named

from ...state import joining, protocols
from ...state.machine import Machine
from ...state.protocols import Args, Keywords, equal, items_of, kind_of
from ...values.cells import MISSING
from ...values.choices import as_one
from ...values.containers import DictValue
from ...values.dtypes import SymbolicDType
from ...values.objects import (
    ANYTHING,
    Api,
    BoundMethod,
    ClassValue,
    Environment,
    External,
    FunctionValue,
    Instance,
    Native,
    Super,
)

protocols.truths.of(Instance, ClassValue, Super)(lambda machine, value, node: True)

# --- calls ---


@protocols.calls.of(ClassValue)
def _call_class(
    machine: Machine, cls: ClassValue, args: Args, kwargs: Keywords, node: ir.Call | None, env: Environment | None
) -> Any:
    plain = {name: as_one(value) for name, value in kwargs.items()}
    return instantiate(machine, cls, [as_one(value) for value in args], plain, node)


@protocols.calls.of(Instance)
def _call_instance(
    machine: Machine, value: Instance, args: Args, kwargs: Keywords, node: ir.Call | None, env: Environment | None
) -> Any:
    args, kwargs = [as_one(each) for each in args], {name: as_one(each) for name, each in kwargs.items()}
    method = value.cls.lookup("__call__")
    if isinstance(method, FunctionValue):
        return protocols.call(machine, method, [value, *args], kwargs, node)
    made_by = calls_of_kinds.get(value.cls.kind)
    result = None if made_by is None else made_by(machine, value, args, kwargs, node)
    return Unknown(f"call of an object of `{value.cls.name}`") if result is None else result


calls_of_kinds: dict[str, Any] = {}
"""What calls do of objects that decorators make, by the kind of their class; None where it is not known."""


# --- making ---


def instantiate(machine: Machine, cls: ClassValue, args: Args, kwargs: Keywords, node: ir.Call | None) -> Any:
    """A new object of a class of the project."""
    if cls.kind == "enum":
        return _enum_member(machine, cls, args)
    if cls.lookup("__new__") is not None:
        return Unknown(f"`{cls.name}` makes its objects itself")
    instance = Instance(cls, {})
    machine.contain(*args, *kwargs.values())
    init = cls.lookup("__init__")
    if isinstance(init, FunctionValue):
        protocols.call(machine, init, [instance, *args], kwargs, node)
    elif cls.kind in ("dataclass", "namedtuple"):
        _fill(machine, instance, args, kwargs, node)
    elif any(isinstance(base, External) for c in cls.mro() for base in c.bases) and (args or kwargs):
        for position, value in enumerate(args):
            instance.attrs[f"arg{position}"] = value
        instance.attrs.update(kwargs)
    elif kwargs:
        instance.attrs.update(kwargs)
    return instance


def _fill(machine: Machine, instance: Instance, args: list[Any], kwargs: dict[str, Any], node: ir.Call | None) -> None:
    cls = instance.cls
    names = [name for name, default in cls.fields]
    given = dict(zip(names, args, strict=False))
    given.update(kwargs)
    unexpected = [k for k in kwargs if k not in names]
    if len(args) > len(names) or unexpected:
        problem = (
            f"takes no argument `{unexpected[0]}`" if unexpected else f"takes {len(names)} arguments, {len(args)} given"
        )
        machine.need(CallSignature.message(callee=cls.name, problem=problem), False, node.at if node else machine.at)
    for name, default in cls.fields:
        if name in given:
            instance.attrs[name] = given[name]
        elif default is not MISSING:
            instance.attrs[name] = field_default(machine, default)
        else:
            machine.need(
                CallSignature.message(callee=cls.name, problem=f"is missing `{name}`"),
                False,
                node.at if node else machine.at,
            )
            instance.attrs[name] = Unknown(f"`{name}` was not given")
    post = cls.lookup("__post_init__")
    if isinstance(post, FunctionValue):
        protocols.call(machine, post, [instance], {})


def field_default(machine: Machine, default: Any) -> Any:
    """The value of a dataclass field's default: `field(default_factory=...)` is called."""
    if isinstance(default, Instance) and default.cls.kind == "field":
        if default.attrs.get("default_factory") is not None:
            return protocols.call(machine, default.attrs["default_factory"], [], {})
        return default.attrs.get("default")
    return default


def _enum_member(machine: Machine, cls: ClassValue, args: list[Any]) -> Any:
    for member in cls.attrs.values():
        if isinstance(member, Instance) and args and joining.same(member.attrs.get("value"), args[0]):
            return member
    return Unknown(f"a member of `{cls.name}`")


# --- attributes ---


@protocols.attributes.of(Instance)
def _attribute(machine: Machine, value: Instance, name: str, node: ir.Attr) -> Any:
    if value.cls.kind == "property" and name in ("setter", "deleter"):
        return value if name == "setter" else Native(name, lambda machine, args, kwargs: value)
    if name in value.attrs:
        return value.attrs[name]
    if ANYTHING in value.attrs:
        return value.attrs[ANYTHING]
    if name == "__class__":
        return value.cls
    if name == "__dict__":
        return DictValue(value.attrs)
    found = value.cls.lookup(name)
    if found is None:
        getter = value.cls.lookup("__getattr__")
        if getter is not None:
            return protocols.call(machine, getter, [value, name], {})
        if any(not isinstance(c, ClassValue) for k in value.cls.mro() for c in k.bases):
            return BoundMethod(value, name) if name in ("_replace", "_asdict") else Unknown(f"attribute `{name}`")
        if value.cls.kind in ("namedtuple", "enum", "dataclass") and name in ("_replace", "_asdict", "index"):
            return BoundMethod(value, name)
        return Unknown(f"`{value.cls.name}` has no attribute `{name}`")
    return bind(machine, found, value)


def bind(machine: Machine, found: Any, receiver: Any) -> Any:
    """An attribute found in a class, seen from an instance of it."""
    if isinstance(found, FunctionValue):
        return BoundMethod(receiver, found)
    if isinstance(found, Instance) and found.cls.kind in ("property", "cached_property"):
        return protocols.call(machine, found.attrs["getter"], [receiver], {})
    if isinstance(found, Instance) and found.cls.kind == "staticmethod":
        return found.attrs["getter"]
    if isinstance(found, Instance) and found.cls.kind == "classmethod":
        return BoundMethod(receiver.cls if isinstance(receiver, Instance) else receiver, found.attrs["getter"])
    if isinstance(found, Native):
        return BoundMethod(receiver, found)
    return found


@protocols.attributes.of(ClassValue)
def _attribute_of_class(machine: Machine, cls: ClassValue, name: str, node: ir.Attr) -> Any:
    if name == "__name__":
        return cls.name
    found = cls.lookup(name)
    if found is not None:
        if isinstance(found, Instance) and found.cls.kind in ("staticmethod", "classmethod"):
            return bind(machine, found, cls)
        return found
    if cls.kind == "enum" and name == "__members__":
        return DictValue({k: v for k, v in cls.attrs.items() if isinstance(v, Instance)})
    if name in ("__init__", "_make"):
        return BoundMethod(cls, name)
    raise IsUnknown(f"`{cls.name}` has no attribute `{name}`")


@protocols.attributes.of(Super)
def _attribute_of_super(machine: Machine, value: Super, name: str, node: ir.Attr) -> Any:
    found = value.lookup(name)
    if found is None and name in ("__init__", "__post_init__"):
        return Native(name, lambda machine, args, kwargs: None)
    return Unknown(f"attribute `{name}` of `super()`") if found is None else bind(machine, found, value.receiver)


@protocols.attributes_set.of(Instance)
def _set_attribute(machine: Machine, value: Instance, name: str, new: Any) -> None:
    setter = value.cls.lookup(name)
    if isinstance(setter, Instance) and setter.cls.kind == "property" and setter.attrs.get("setter") is not None:
        protocols.call(machine, setter.attrs["setter"], [value, new], {})
        return
    machine.contain(new)
    machine.set(value.attrs, name, new)


@protocols.attributes_set.of(ClassValue)
def _set_attribute_of_class(machine: Machine, value: ClassValue, name: str, new: Any) -> None:
    machine.set(value.attrs, name, new)


@protocols.attributes_deleted.of(Instance)
def _delete_attribute(machine: Machine, value: Instance, name: str) -> None:
    machine.forget(value.attrs, name)


@protocols.methods.of(Instance)
def _method(machine: Machine, receiver: Instance, name: str, args: Args, kwargs: Keywords, node: ir.Call | None) -> Any:
    if name == "_replace":
        return Instance(receiver.cls, {**receiver.attrs, **kwargs})
    return DictValue(receiver.attrs) if name == "_asdict" else Unknown(f"method `{name}` of `{receiver.cls.name}`")


@protocols.methods.of(ClassValue)
def _class_method(
    machine: Machine, receiver: ClassValue, name: str, args: Args, kwargs: Keywords, node: ir.Call | None
) -> Any:
    if name == "_make" and args:
        return instantiate(machine, receiver, items_of(machine, args[0]), {}, node)
    return Unknown(f"method `{name}` of {type(receiver).__name__}")


# --- items ---


@protocols.lengths.of(Instance)
def _length(machine: Machine, value: Instance) -> Any:
    method = value.cls.lookup("__len__")
    return Unknown("length of Instance") if method is None else protocols.call(machine, method, [value], {})


@protocols.lengths.of(ClassValue)
def _length_of_class(machine: Machine, value: ClassValue) -> Any:
    return len(items_of(machine, value)) if value.kind == "enum" else Unknown("length of ClassValue")


@protocols.iterated.of(Instance)
def _items(machine: Machine, value: Instance, at: Span | None, count: int | None) -> list[Any]:
    if value.cls.kind == "namedtuple":
        return [value.attrs[name] for name, _ in value.cls.fields]
    method = value.cls.lookup("__iter__")
    if method is None:
        raise IsUnknown("iteration over Instance")
    return items_of(machine, protocols.call(machine, method, [value], {}), at)


@protocols.iterated.of(ClassValue)
def _items_of_class(machine: Machine, value: ClassValue, at: Span | None, count: int | None) -> list[Any]:
    if value.kind != "enum":
        raise IsUnknown("iteration over ClassValue")
    return [m for m in value.attrs.values() if isinstance(m, Instance)]


@protocols.subscripts.of(Instance)
def _subscript(machine: Machine, value: Instance, key: Any, node: ir.Index) -> Any:
    if isinstance(key, Unknown):
        return key
    method = value.cls.lookup("__getitem__")
    if isinstance(method, FunctionValue):
        return protocols.call(machine, method, [value, key], {})
    if value.cls.kind == "namedtuple" and isinstance(key, int):
        return value.attrs[value.cls.fields[key][0]]
    return Unknown("subscript of Instance")


@protocols.subscripts.of(ClassValue)
def _subscript_of_class(machine: Machine, value: ClassValue, key: Any, node: ir.Index) -> Any:
    if isinstance(key, Unknown):
        return key
    if value.kind == "enum" and isinstance(key, str):
        return value.attrs.get(key, Unknown(f"`{value.name}` has no `{key}`"))
    return value


@protocols.subscripts_set.of(Instance)
def _store(machine: Machine, container: Instance, key: Any, value: Any, target: ir.Index) -> None:
    method = container.cls.lookup("__setitem__")
    if isinstance(method, FunctionValue):
        protocols.call(machine, method, [container, key, value], {})


# --- operators ---

_METHODS = {"+": "__add__", "-": "__sub__", "*": "__mul__", "//": "__floordiv__", "%": "__mod__"}
_UNARY_METHODS = {"-": "__neg__", "~": "__invert__", "+": "__pos__"}


@protocols.arithmetic.of(Instance, rank=1)
def _arithmetic(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    method = left.cls.lookup(_METHODS[op]) if isinstance(left, Instance) and op in _METHODS else None
    if method is not None:
        return protocols.call(machine, method, [left, right], {})
    return Unknown(f"`{op}` on {kind_of(left)} and {kind_of(right)}")


@protocols.unary_operators.of(Instance)
def _unary(machine: Machine, value: Instance, op: str, at: Span) -> Any:
    method = value.cls.lookup(_UNARY_METHODS.get(op, ""))
    if method is None:
        return Unknown(f"`{op}` on {kind_of(value)}")
    return protocols.call(machine, method, [value], {})


@protocols.orders.of(Instance, rank=4)
def _order(machine: Machine, op: str, left: Any, right: Any) -> Any:
    if not isinstance(left, Instance) or not isinstance(right, Instance):
        return Unknown(f"comparison of {kind_of(left)} and {kind_of(right)}")
    numbers = [v.attrs.get("value") if v.cls.kind == "enum" else None for v in (left, right)]
    unknown = Unknown("order of objects")
    a, b = (unknown if n is None else n for n in numbers)
    return protocols.orders.entry(type(a), type(b))(machine, op, a, b)


@protocols.equalities.of(Instance, rank=3)
def _equal(machine: Machine, left: Any, right: Any) -> Any:
    if isinstance(left, Instance) and isinstance(left.cls.lookup("__eq__"), FunctionValue):
        return protocols.call(machine, left.cls.lookup("__eq__"), [left, right], {})
    if isinstance(left, Instance) and isinstance(right, Instance):
        if left.cls.kind == "dataclass" and left.cls is right.cls:
            return all_of(equal(machine, left.attrs.get(n), right.attrs.get(n)) for n, _ in left.cls.fields)
        return left is right
    if isinstance(left, Instance) and left.cls.kind == "enum":
        return equal(machine, left.attrs.get("value"), right) if left.cls.lookup("__int__") else False
    return False


@protocols.equalities.of(External, Api, rank=2)
def _equal_names(machine: Machine, left: Any, right: Any) -> bool:
    names = (Named, Api, External)
    if isinstance(left, names) and isinstance(right, names):
        return bool(left == right)
    return False


protocols.compared_when_identical |= {Api, External, Named, DType, SymbolicDType}
