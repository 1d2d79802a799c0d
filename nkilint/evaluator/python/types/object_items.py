"""Items of objects, and operators on them: as the methods of their classes say."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.integers import is_integer
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.names import Named

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords, any_equal, equal, items_of, truth_of
from ...state.refusals import may_raise
from ...values.choices import Unbound
from ...values.containers import DictValue, ListValue
from ...values.dtypes import SymbolicDType
from ...values.inheritance import ANYTHING
from ...values.objects import Api, AttributesValue, ClassValue, External, FunctionValue, Instance, Native, member_number
from ...values.wording import in_words
from .iterators import iterator_over
from .objects import field_option, is_open


@protocols.lengths.of(Instance)
def _length(machine: Machine, value: Instance) -> Any:
    method = value.cls.lookup("__len__")
    if method is not None:
        return _as_length(machine, protocols.call(machine, method, [value], {}))
    return len(value.cls.fields) if value.cls.kind == "namedtuple" else Unknown("length of Instance")


def _as_length(machine: Machine, given: Any) -> Any:
    """What `len` makes of what `__len__` gives: a number that is not negative."""
    if isinstance(given, (float, str, tuple, ListValue, DictValue)) or given is None:
        raise Fault("TypeError")
    if is_integer(given):
        may_raise(machine, "ValueError", given >= 0, "a negative length")
    return given


@protocols.lengths.of(ClassValue)
def _length_of_class(machine: Machine, value: ClassValue) -> Any:
    return len(items_of(machine, value)) if value.kind == "enum" else Unknown("length of ClassValue")


@protocols.iterated.of(Instance)
def _items(machine: Machine, value: Instance, at: Span | None, count: int | None) -> list[Any]:
    if value.cls.kind == "namedtuple":
        return [value.attrs[name] for name, _ in value.cls.fields]
    return items_of(machine, iterator_over(machine, value))


@protocols.iterated.of(ClassValue)
def _items_of_class(machine: Machine, value: ClassValue, at: Span | None, count: int | None) -> list[Any]:
    if value.kind != "enum" or value.options.get("unsure"):
        raise IsUnknown(f"iteration over `{value.name}`")
    return [m for n, m in value.attrs.items() if isinstance(m, Instance) and m.cls is value and m.attrs["name"] == n]


@protocols.subscripts.of(Instance)
def _subscript(machine: Machine, value: Instance, key: Any, node: ir.Index) -> Any:
    method = value.cls.lookup("__getitem__")
    if isinstance(method, FunctionValue):
        return protocols.call(machine, method, [value, key], {})
    if isinstance(key, Unknown):
        return key
    if value.cls.kind == "namedtuple" and isinstance(key, (int, slice)):
        try:
            return tuple(items_of(machine, value))[key]
        except IndexError:
            raise Fault("IndexError") from None
    return Unknown("subscript of Instance")


@protocols.subscripts.of(ClassValue)
def _subscript_of_class(machine: Machine, value: ClassValue, key: Any, node: ir.Index) -> Any:
    if isinstance(key, Unknown):
        return key
    if value.kind == "enum" and not isinstance(key, str):
        raise IsUnknown(f"`{value.name}[...]`")
    if value.kind == "enum":
        return value.attrs.get(key, Unknown(f"`{value.name}` has no `{key}`"))
    if value.lookup("__class_getitem__") is not None:
        raise IsUnknown(f"`{value.name}[...]`")
    return value


@protocols.subscripts_set.of(Instance)
def _store(machine: Machine, container: Instance, key: Any, value: Any, target: ir.Index) -> None:
    method = container.cls.lookup("__setitem__")
    if isinstance(method, FunctionValue):
        protocols.call(machine, method, [container, key, value], {})
    else:
        protocols.escape(machine, [container, value], f"an item of an object of `{container.cls.name}`")


@protocols.subscripts_deleted.of(Instance)
def _delete_item(machine: Machine, container: Instance, key: Any, target: ir.Index) -> None:
    method = container.cls.lookup("__delitem__")
    if isinstance(method, FunctionValue):
        protocols.call(machine, method, [container, key], {})
    else:
        protocols.escape(machine, [container], f"an item of an object of `{container.cls.name}`")


@protocols.memberships.of(Instance)
def _contains(machine: Machine, container: Instance, item: Any) -> Any:
    method = container.cls.lookup("__contains__")
    if method is not None:
        result = protocols.call(machine, method, [container, item], {})
        return truth_of(machine, result, ir.Const(machine.at, None))
    if container.cls.kind == "enum" and container.cls.is_flag and isinstance(item, Instance):
        if item.cls is not container.cls:
            raise Fault("TypeError")
        bits = protocols.binary(machine, "&", item.attrs["value"], container.attrs["value"], machine.at)
        return equal(machine, bits, item.attrs["value"])
    return any_equal(machine, item, items_of(machine, container))


@protocols.memberships.of(AttributesValue)
def _has_attribute(machine: Machine, container: AttributesValue, item: Any) -> Any:
    own = container.variables.get(item) if isinstance(item, str) and ANYTHING not in container.variables else None
    if isinstance(own, Unbound):
        return own.defined
    if own is None or item in getattr(container.variables, "borrowed", ()):
        return protocols.memberships.entry(DictValue)(machine, container, item)
    return True


@protocols.subscripts_set.of(AttributesValue)
def _store_attribute(machine: Machine, container: AttributesValue, key: Any, value: Any, target: ir.Index) -> None:
    if isinstance(key, str):
        machine.contain(value)
        machine.set(container.variables, key, value)
    else:
        protocols.escape(machine, [container, value], "an attribute whose name is not known")


@protocols.subscripts_deleted.of(AttributesValue)
def _delete_of_attributes(machine: Machine, container: AttributesValue, key: Any, target: ir.Index) -> None:
    if not isinstance(key, str) or key not in container.items:
        raise Fault("KeyError")
    machine.delete(container.variables, key)


@protocols.methods.of(AttributesValue)
def _attributes_method(
    machine: Machine, receiver: AttributesValue, name: str, args: Args, kwargs: Keywords, node: ir.Call | None
) -> Any:
    copy = DictValue(receiver.items)
    before = copy.items
    result = protocols.methods.entry(DictValue)(machine, copy, name, args, kwargs, node)
    for key in before.keys() - copy.items.keys():
        machine.delete(receiver.variables, key)
    for key, value in copy.items.items():
        if key not in before or before[key] is not value:
            machine.set(receiver.variables, key, value)
    return result


@protocols.in_place.of(AttributesValue)
def _join_attributes(machine: Machine, value: AttributesValue, op: str, other: Any) -> bool:
    if op == "|":
        protocols.call_method(machine, value, "update", [other], {})
    return op == "|"


# --- operators ---

_METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
_UNARY_METHODS = {"-": "__neg__", "~": "__invert__", "+": "__pos__"}
NOT_IMPLEMENTED = "builtins.NotImplemented"


@protocols.arithmetic.of(Instance, rank=6)
def _arithmetic(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """As a method of the left operand says, or of the right one; a class that derives from the other's goes first."""
    why = f"`{op}` on {in_words(left)} and {in_words(right)}"
    if op not in _METHODS:
        protocols.escape(machine, [left, right], why)
        return Unknown(why)
    ways = [(left, right, f"__{_METHODS[op]}__"), (right, left, f"__r{_METHODS[op]}__")]
    if isinstance(left, Instance) and isinstance(right, Instance) and left.cls is right.cls:
        ways.pop()
    elif _derives(right, left) and left.cls.lookup(ways[1][2]) is not right.cls.lookup(ways[1][2]):
        ways.reverse()
    for value, other, name in ways:
        if not isinstance(value, Instance):
            continue
        method = value.cls.lookup(name)
        if method is not None:
            result = protocols.call(machine, method, [value, other], {})
            if not _is_not_implemented(result):
                return result
        elif is_open(value.cls):
            protocols.escape(machine, [left, right], why)
            return Unknown(why)
    machine.doubts += 1
    return Unknown(why)


def _is_not_implemented(result: Any) -> bool:
    return isinstance(result, External) and result.name == NOT_IMPLEMENTED


def _derives(value: Any, other: Any) -> bool:
    """Whether the class of one object derives from that of another."""
    both = isinstance(value, Instance) and isinstance(other, Instance)
    return both and value.cls is not other.cls and other.cls in value.cls.mro()


@protocols.unary_operators.of(Instance)
def _unary(machine: Machine, value: Instance, op: str, at: Span) -> Any:
    method = value.cls.lookup(_UNARY_METHODS.get(op, ""))
    if method is None:
        return Unknown(f"`{op}` on {in_words(value)}")
    return protocols.call(machine, method, [value], {})


_ORDERS = {
    "<": ("__lt__", "__gt__"), ">": ("__gt__", "__lt__"), "<=": ("__le__", "__ge__"), ">=": ("__ge__", "__le__"),
}  # fmt: skip


@protocols.orders.of(Instance, rank=4)
def _order(machine: Machine, op: str, left: Any, right: Any) -> Any:
    """Whether Python takes what a comparison gives for true."""
    result = _ordered(machine, op, left, right)
    return result if isinstance(result, Unknown) else truth_of(machine, result, ir.Const(machine.at, None))


@protocols.elementwise.of(Instance, rank=2)
def _compared(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """What a method of the project gives that compares an object, which need not be a truth."""
    names = _ORDERS.get(op, ("__eq__",))
    own = (v.cls.lookup(name) for v in (left, right) if isinstance(v, Instance) for name in names)
    if op == "!=" or not any(isinstance(method, FunctionValue) for method in own):
        return NotImplemented
    return _ordered(machine, op, left, right) if op in _ORDERS else _equal(machine, left, right)


def _ordered(machine: Machine, op: str, left: Any, right: Any) -> Any:
    name, reflected = _ORDERS[op]
    ways = ((left, right, name), (right, left, reflected))
    for value, other, method in ways[::-1] if _derives(right, left) else ways:
        own = value.cls.lookup(method) if isinstance(value, Instance) else None
        if own is not None:
            result = protocols.call(machine, own, [value, other], {})
            if not _is_not_implemented(result):
                return result
    if not isinstance(left, Instance) or not isinstance(right, Instance):
        return Unknown(f"comparison of {in_words(left)} and {in_words(right)}")
    if left.cls is right.cls and (left.cls.kind == "namedtuple" or left.cls.options.get("order") is True):
        sides = [tuple(value.attrs.get(n) for n in _compared_fields(value.cls)) for value in (left, right)]
        return protocols.orders.entry(tuple, tuple)(machine, op, *sides)
    a, b = member_number(left), member_number(right)
    if a is left or b is right:
        return Unknown("order of objects")
    return protocols.orders.entry(type(a), type(b))(machine, op, a, b)


def _compared_fields(cls: ClassValue) -> list[str]:
    """The fields of a dataclass that decide whether objects are equal, and what order they have."""
    return [name for name, default in cls.fields if field_option(default, "compare") is not False]


def _as_tuple(machine: Machine, value: Any) -> tuple[Any, ...] | None:
    """A named tuple as the tuple that it is."""
    if isinstance(value, Instance) and value.cls.kind == "namedtuple":
        return tuple(items_of(machine, value))
    return value if isinstance(value, tuple) else None


@protocols.equalities.of(Instance, rank=3)
def _equal(machine: Machine, left: Any, right: Any) -> Any:
    if left is right and not is_open(left.cls) and left.cls.lookup("__eq__") is None:
        return True
    ways = ((left, right), (right, left))
    for value, other in ways[::-1] if _derives(right, left) else ways:
        own = value.cls.lookup("__eq__") if isinstance(value, Instance) else None
        if own is not None:
            result = protocols.call(machine, own, [value, other], {})
            if not _is_not_implemented(result):
                return result
        elif isinstance(value, Instance) and _is_more_than_an_object(value):
            return Unknown(f"comparison with an object of `{value.cls.name}`")
    if isinstance(left, Instance) and isinstance(right, Instance) and left.cls.kind == right.cls.kind == "dataclass":
        if left.cls is not right.cls or left.cls.options.get("eq") is False:
            return left is right or protocols.is_another(left, right)
        return all_of(equal(machine, left.attrs.get(n), right.attrs.get(n)) for n in _compared_fields(left.cls))
    plain = [_as_tuple(machine, value) for value in (left, right)]
    if any(isinstance(v, Instance) and v.cls.kind == "namedtuple" for v in (left, right)) and None not in plain:
        return equal(machine, *plain)
    if isinstance(left, Instance) and isinstance(right, Instance):
        alike = left.cls is right.cls and left is not right and any(map(protocols.may_be_another_member, (left, right)))
        unknown = Unknown(f"members of `{left.cls.name}` whose values are not known")
        return unknown if alike else left is right or protocols.is_another(left, right)
    return Unknown("comparison with an object") if isinstance(right if left is None else left, External) else False


def _is_more_than_an_object(value: Instance) -> bool:
    """Whether an object may be equal to others by a base, as a member of an enumeration that is a text."""
    return is_open(value.cls) or any(
        isinstance(b, Native) and b.name != "object" for c in value.cls.mro() for b in c.bases
    )


@protocols.equalities.of(External, Api, rank=2)
def _equal_names(machine: Machine, left: Any, right: Any) -> Any:
    """A name stands for one thing; two names of what is not known may stand for the same, or for a number."""
    names = (Named, Api)
    if isinstance(left, (*names, External)) and isinstance(right, (*names, External)) and left == right:
        return True
    return False if not isinstance(left, External) and not isinstance(right, External) else Unknown(_A_NAME)


_A_NAME = "comparison with something that is not followed"


protocols.compared_when_identical |= {Api, External, Named, DType, SymbolicDType}
