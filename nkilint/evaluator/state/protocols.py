"""What Python's operations do to a value, by its type: a table for each operation, and the function that looks there.

The entries stand with the types, in `python/types/`, `python/library/`, `device/` and `kernels/`. A type without an
entry is not modelled there: what the operation gives is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.base.walk import parts, walk
from nkilint.symbolic.conditions import Cond
from nkilint_rules.words.conditions import IsUnknown, Unknown, any_of, negation

from ..values.choices import Among, Either, Text, among, part_of_one
from ..values.containers import DictValue, ListValue
from ..values.dtypes import written_as
from ..values.grown import LongTuple, is_one_of
from ..values.inputs import TUPLES
from ..values.iterators import IteratorValue
from ..values.objects import (
    AttributesValue,
    ClassValue,
    Environment,
    FunctionValue,
    Instance,
    Native,
    SomeMember,
    member_number,
)
from ..values.table import PairTable, Table
from ..values.wording import in_words
from . import joining
from .havoc import BY_NAME, classes_changed, havoc, named_attributes, variable_of, variables_by_name
from .paths import with_content

if TYPE_CHECKING:
    from .machine import Machine

Args = list[Any]
Keywords = dict[str, Any]


# --- calls ---


def _not_followed(machine: Machine, function: Any, args: Args, kwargs: Keywords, *_: Any) -> Any:
    reason = f"a call of {in_words(function)}"
    escape(machine, [function, *args, *kwargs.values()], reason)
    return among(reason, function, *args, *kwargs.values())


calls = Table(_not_followed)


def call(
    machine: Machine,
    function: Any,
    args: Args,
    kwargs: Keywords,
    node: ir.Call | None = None,
    env: Environment | None = None,
) -> Any:
    """The result of calling any value."""
    machine.step()
    return calls.entry(type(function))(machine, function, args, kwargs, node, env)


def _no_method(machine: Machine, receiver: Any, name: str, *_: Any) -> Any:
    raise IsUnknown(f"method `{name}` of {in_words(receiver)}")


methods = Table(_no_method)


def call_method(
    machine: Machine, receiver: Any, name: str, args: Args, kwargs: Keywords, node: ir.Call | None = None
) -> Any:
    """The result of a method that the language or the device defines; one that is not followed may change all that it
    can reach."""
    try:
        method = methods.entry(type(receiver))
        return with_content(machine, receiver, lambda: method(machine, receiver, name, args, kwargs, node))
    except IsUnknown as unknown:
        reason = unknown.reason
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError):
        reason = f"method `{name}` with these arguments"
    escape(machine, [receiver, *args, *kwargs.values()], reason)
    return among(reason, receiver, *args, *kwargs.values())


escapes: list[Callable[[Machine, Args, str, bool], None]] = []
"""What else is done with values that are handed to something that is not followed."""


def escape(machine: Machine, values: Args, reason: str, told: bool = False) -> None:
    """What can be reached through `values` may be changed by something that is not followed; `told` says that it has
    been told already that this is not followed."""
    machine.doubt(reason)
    for done in escapes:
        done(machine, values, reason, told)
    havoc(machine, values, reason)


def escape_names(machine: Machine, nodes: Any, env: Environment, reason: str, told: bool = False) -> Args:
    """The same for what can be reached through the names in a piece of the program; gives what they stand for."""
    inside = list(walk(nodes))
    names = {node.id for node in inside if isinstance(node, ir.Name)}
    found = [machine.lookup(env, name) for name in sorted(names)]
    by_name = variables_by_name(env.module.env) if (names & BY_NAME) | named_attributes(inside) else []
    declared = [(part.kind, name) for part in inside if isinstance(part, ir.Scope) for name in part.names]
    scopes = [(env.module.env if kind == "global" else env.around(name), kind, name) for kind, name in declared]
    around = [variable_of(scope, name) for scope, kind, name in scopes if kind == "global" or name in scope.vars]
    escape(machine, [*found, *by_name, *around, *classes_changed(machine, inside, found)], reason, told)
    return found


def escape_expression(machine: Machine, node: ir.Expr, env: Environment, reason: str, told: bool = False) -> None:
    """The same for an expression: of objects of which it reads attributes, these are handed on, and not the objects."""
    escape(machine, list(handed_on(machine, node, env)), reason, told)


def handed_on(machine: Machine, node: ir.Expr, env: Environment) -> Iterator[Any]:
    """What the names in an expression stand for, and the attributes that are read there of objects."""
    inside = list(walk(node))
    if named_attributes(inside) or any(isinstance(part, ir.Name) and part.id in BY_NAME for part in inside):
        yield from variables_by_name(env.module.env)
    called = {id(part.func) for part in inside if isinstance(part, ir.Call)}
    waiting: list[Any] = [node]
    while waiting:
        here = waiting.pop()
        read, is_called = list[str](), id(here) in called
        first = here
        while isinstance(here, ir.Attr):
            read.append(here.name)
            here = here.value
        if not isinstance(here, ir.Name):
            waiting += parts(first)
            continue
        value = machine.lookup(env, here.id)
        for name in reversed(read[is_called:]):
            if not isinstance(value, Instance) or value.cls.lookup("__getattribute__") is not None:
                break
            if name not in value.attrs:
                break
            value = value.attrs[name]
        yield value


# --- attributes ---

attributes = Table(lambda machine, value, name, node: among(f"attribute `{name}` of {in_words(value)}", value))
attributes_set = Table(lambda machine, value, name, new: escape(machine, [value, new], f"setting `{name}`"))
attributes_deleted = Table(lambda machine, value, name: escape(machine, [value], f"deleting `{name}`"))


def get_attribute(machine: Machine, value: Any, name: str, node: ir.Attr) -> Any:
    """`value.name`."""
    return machine.under_facts(attributes.entry(type(value))(machine, value, name, node))


def set_attribute(machine: Machine, value: Any, name: str, new: Any) -> None:
    """`value.name = new`."""
    attributes_set.entry(type(value))(machine, value, name, new)


def delete_attribute(machine: Machine, value: Any, name: str) -> None:
    """`del value.name`."""
    attributes_deleted(machine, value, name)


# --- items ---


def _not_iterable(machine: Machine, value: Any, at: Span | None, count: int | None) -> list[Any]:
    raise IsUnknown(f"iteration over {in_words(value)}")


iterated = Table(_not_iterable)
iterated_symbolically = Table(lambda machine, value: None)
lengths = Table(lambda machine, value: Unknown(f"length of {in_words(value)}"))


def items_of(machine: Machine, value: Any, at: Span | None = None, count: int | None = None) -> list[Any]:
    """All items, in order. `count` is how many are wanted, where the place tells (unpacking)."""
    found = with_content(machine, value, lambda: tuple(iterated.entry(type(value))(machine, value, at, count)))
    if isinstance(found, Unknown):
        raise IsUnknown(found.reason)
    return list(found)


def symbolic_items(machine: Machine, value: Any) -> tuple[Any, Callable[[Any], Any]] | None:
    """How many items a range, list or iterator of symbolic length has, and the item at a position; of an iterator they
    are taken then."""
    return iterated_symbolically.entry(type(value))(machine, value)  # type: ignore[no-any-return]


def length_of(machine: Machine, value: Any) -> Any:
    """`len(value)`."""
    return with_content(machine, value, lambda: lengths(machine, value))


subscripts = Table(lambda machine, value, key, node: Unknown(f"subscript of {in_words(value)}"))
subscripts_set = Table(
    lambda machine, container, key, value, target: escape(machine, [container, key, value], _AN_ITEM)
)
subscripts_deleted = Table(lambda machine, container, key, target: escape(machine, [container, key], _AN_ITEM))
_AN_ITEM = "an item of something that is not known"


def subscript(machine: Machine, value: Any, key: Any, node: ir.Index) -> Any:
    """`value[key]`."""
    if not isinstance(value, DictValue):
        key = tuple(map(member_number, key)) if type(key) in TUPLES else member_number(key)
    found = with_content(machine, value, lambda: subscripts.entry(type(value))(machine, value, key, node))
    return part_of_one(found, value.cell["items"] if isinstance(value, (ListValue, DictValue)) else if_holds(value))


def if_holds(value: Any) -> Any:
    """A value that others may be a part of, or nothing."""
    return value if isinstance(value, _HOLDING) else None


_HOLDING = (tuple, ListValue, DictValue, LongTuple, Instance, IteratorValue, Among)


def store(machine: Machine, container: Any, key: Any, value: Any, target: ir.Index) -> None:
    """`container[key] = value`."""
    put = subscripts_set.entry(type(container))
    with_content(machine, container, lambda: put(machine, container, key, value, target))


def delete_item(machine: Machine, container: Any, key: Any, target: ir.Index) -> None:
    """`del container[key]`."""
    with_content(machine, container, lambda: subscripts_deleted(machine, container, key, target))


# --- truth, comparisons, arithmetic ---

truths = Table(lambda machine, value, node: Unknown(f"truth of {in_words(value)}"))


def truth_of(machine: Machine, value: Any, node: ir.Expr) -> Any:
    """The condition under which Python takes `value` for true: a bool, a Cond or Unknown."""
    return with_content(machine, value, lambda: truths.entry(type(value))(machine, value, node))


def _not_ordered(machine: Machine, op: str, left: Any, right: Any) -> Any:
    return Unknown(f"comparison of {in_words(left)} and {in_words(right)}")


def _no_arithmetic(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    return Unknown(f"`{op}` on {in_words(left)} and {in_words(right)}")


elementwise = PairTable(lambda machine, op, left, right, at: NotImplemented)  # comparisons that give no truth


def _equal_if_the_same(machine: Machine, left: Any, right: Any) -> Any:
    """What is the same is equal; what is not may still be."""
    return joining.same(left, right) or Unknown(f"comparison of {in_words(left)} and {in_words(right)}")


equalities = PairTable(_equal_if_the_same)
orders = PairTable(_not_ordered)
arithmetic = PairTable(_no_arithmetic)
memberships = Table(lambda machine, container, item: any_equal(machine, item, items_of(machine, container)))
unary_operators = Table(lambda machine, value, op, at: Unknown(f"`{op}` on {in_words(value)}"))


def compare(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """`left op right` as a bool, a condition, a mask or a tensor."""
    if isinstance(left, Either):
        return joining.apply(machine, left, lambda side: compare(machine, op, side, right, at))
    if op in ("in", "not in"):
        found = with_content(machine, right, lambda: memberships(machine, right, left))
        return found if op == "in" or isinstance(found, Unknown) else negation(found)
    if op in ("is", "is not"):
        same = _identical(machine, left, right)
        return same if op == "is" or isinstance(same, Unknown) else negation(same)
    result = elementwise.entry(type(left), type(right))(machine, op, left, right, at)
    if result is not NotImplemented:
        return result
    if op == "!=" and (own := _own_inequality(left, right)) is not None:
        escape(machine, [left, right], own)
        return Unknown(own)
    if op in ("==", "!="):
        result = equal(machine, left, right)
        return result if op == "==" or isinstance(result, Unknown) else negation(result)
    return orders.entry(type(left), type(right))(machine, op, left, right)


def _own_inequality(*sides: Any) -> str | None:
    """Why `!=` is not the opposite of `==`."""
    own = (v.cls.name for v in sides if isinstance(v, Instance) and v.cls.lookup("__ne__") is not None)
    return next((f"`{name}` has its own `!=`" for name in own), None)


def equal(machine: Machine, left: Any, right: Any) -> Any:
    """Equality of any two values."""
    left, right = member_number(left), member_number(right)
    result = equalities.entry(type(left), type(right))(machine, left, right)
    return result if isinstance(result, (bool, Cond, Unknown)) else truths(machine, result, None)


def any_equal(machine: Machine, item: Any, items: Iterable[Any]) -> Any:
    """Whether one of `items` equals `item`."""
    items = list(items)
    if isinstance(item, Text) and item.of is not None and all(isinstance(each, str) for each in items):
        return written_as(item.of, items, machine.dialect)
    return any_of(True if item is element else equal(machine, element, item) for element in items)


compared_when_identical: set[type] = {str, int}
"""Types of which two equal values are taken for one."""
with_identity = (ClassValue, FunctionValue, Native, Instance, ListValue, DictValue)


def _identical(machine: Machine, left: Any, right: Any) -> Any:
    for value in (left, right):
        if isinstance(value, Unknown):
            return value
    if left is None or right is None:
        return left is right
    if isinstance(left, SomeMember) or isinstance(right, SomeMember):
        return equal(machine, left, right)
    truth = [isinstance(value, (bool, Cond)) for value in (left, right)]
    if all(truth):
        return equal(machine, left, right)
    if left is right:
        return True
    if any(truth):
        return False if all(isinstance(v, (bool, *_CERTAIN)) for v in (left, right)) else Unknown(_IDENTITY)
    comparable = tuple(compared_when_identical)
    if isinstance(left, comparable) and isinstance(right, comparable):
        found = equal(machine, left, right)
        large = isinstance(left, int) and not _SMALLEST <= left <= _LARGEST
        return found if found is False or not large else Unknown(_IDENTITY)
    certain = all(isinstance(v, with_identity) and not _may_be_another(v) for v in (left, right))
    kinds = [tuple if isinstance(v, tuple) else type(v) for v in (left, right)]
    different = kinds[0] is not kinds[1] and all(isinstance(v, (*_CERTAIN, *with_identity)) for v in (left, right))
    return False if certain or different else Unknown(_IDENTITY)


def _may_be_another(value: Any) -> bool:
    """Whether a value may be the same object as one that stands apart from it here."""
    if isinstance(value, AttributesValue) or getattr(value, "kind", "") == "frozenset":
        return True
    return is_one_of(value) or may_be_another_member(value)


def is_another(left: Any, right: Any) -> Any:
    """Whether of two objects, which are not known to be one, it is known that they are equal all the same: no."""
    return Unknown(_IDENTITY) if is_one_of(left) or is_one_of(right) else False


def may_be_another_member(value: Any) -> bool:
    """Whether a name of an enumeration may stand for the member that another one stands for: by a value not known."""
    return isinstance(value, Instance) and value.cls.kind == "enum" and isinstance(value.attrs.get("value"), Unknown)


_IDENTITY = "whether two values are one object"
_CERTAIN = (int, float, str, bytes, tuple)
_SMALLEST, _LARGEST = -5, 256  # integers that Python makes once


def binary(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """`left op right`."""
    flags = [v.cls for v in (left, right) if op in ("&", "|", "^") and isinstance(v, Instance) and v.cls.is_flag]
    if len(flags) == 2 and flags[0] is flags[1]:
        left, right = left.attrs["value"], right.attrs["value"]
    left, right = member_number(left), member_number(right)
    result = arithmetic.entry(type(left), type(right))(machine, op, left, right, at)
    result = part_of_one(result, if_holds(left), if_holds(right))
    return flags[0].of_bits(result) if flags and isinstance(result, int) else result


in_place = Table(lambda machine, value, op, other: False)
"""Whether `value op= other` was done by changing `value`."""


def change_in_place(machine: Machine, op: str, value: Any, other: Any) -> bool:
    """`value op= other` for a list or the like, which stays the same object; False for all else."""
    done = in_place.entry(type(value))
    return bool(with_content(machine, value, lambda: bool(done(machine, value, op, other))))


def unary(machine: Machine, op: str, value: Any, at: Span) -> Any:
    """`op value`, but for `not`."""
    if op == "~" and isinstance(value, Instance) and value.cls.is_flag:
        return Unknown("the other bits of a flag, which versions of Python differ about")
    value = member_number(value)
    return unary_operators.entry(type(value))(machine, value, op, at)
