"""Python's comparisons of the evaluator's values: order, equality, identity and membership."""

from __future__ import annotations

from typing import Any

from nkilint.base.ir import Span
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import Unknown, all_of, any_of, negation
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.names import Named

from ..state.machine import Machine
from ..values import joining
from ..values.tensors import Grid, InputTensor, ShapeOf, Sizes, SymbolicDType, View, dtype_equal
from ..values.values import (
    Api,
    ClassValue,
    DictValue,
    Either,
    External,
    FunctionValue,
    Instance,
    ListValue,
    Native,
    Real,
    Text,
)
from .operators import INTEGERS, PLAIN, grids, kind_of, member_number, on_tensors, with_input


def compare(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """`left op right` as a bool, a condition, a mask or a tensor."""
    if isinstance(left, Either):
        return joining.apply(machine, left, lambda side: compare(machine, op, side, right, at))
    if op in ("in", "not in"):
        found = _contains(machine, right, left)
        return found if op == "in" or isinstance(found, Unknown) else negation(found)
    if op in ("is", "is not"):
        same = _identical(machine, left, right)
        return same if op == "is" or isinstance(same, Unknown) else negation(same)
    for value in (left, right):
        if isinstance(value, InputTensor) and not (left is None or right is None or isinstance(left, str)):
            return with_input(machine, op, left, right, at)
    if isinstance(left, View) or isinstance(right, View):
        if left is None or right is None or isinstance(left, str) or isinstance(right, str):
            return op == "!="
        return on_tensors(machine, op, left, right, at)
    if isinstance(left, Grid) or isinstance(right, Grid):
        return grids(machine, op, left, right, at)
    if op in ("==", "!="):
        result = equal(machine, left, right)
        return result if op == "==" or isinstance(result, Unknown) else negation(result)
    for value in (left, right):
        if isinstance(value, Unknown):
            return value
    ordered = (int, float, Sym, Real)
    if isinstance(left, Instance) and isinstance(right, Instance):
        left, right = _enum_number(left), _enum_number(right)
    if isinstance(left, Named) and isinstance(right, Named):
        left, right = (_named_number(machine, v) for v in (left, right))
    if isinstance(left, ordered) and isinstance(right, ordered):
        if (isinstance(left, float) and isinstance(right, Sym)) or (isinstance(left, Sym) and isinstance(right, float)):
            return _with_float(op, left, right)
        if isinstance(left, Real) or isinstance(right, Real):
            return Unknown("comparison of numbers that are not known")
        return PLAIN[op](left, right)
    if isinstance(left, tuple) and isinstance(right, tuple) and all(isinstance(x, (int, str)) for x in left + right):
        return PLAIN[op](left, right)
    if isinstance(left, str) and isinstance(right, str):
        return PLAIN[op](left, right)
    return Unknown(f"comparison of {kind_of(left)} and {kind_of(right)}")


def _with_float(op: str, left: Any, right: Any) -> Any:
    number, symbol = (left, right) if isinstance(left, float) else (right, left)
    if number == int(number) if abs(number) < 2**53 else False:
        return PLAIN[op](int(left) if left is number else left, int(right) if right is number else right)
    return Unknown(f"comparison of `{symbol}` with {number}")


def _enum_number(value: Any) -> Any:
    return (
        value.attrs.get("value", Unknown("order of objects"))
        if value.cls.kind == "enum"
        else Unknown("order of objects")
    )


def _named_number(machine: Machine, value: Named) -> Any:
    from ..device.api import enum_value

    number = enum_value(machine, value)
    return Unknown(f"order of `{value.name}`") if number is None else number


def equal(machine: Machine, left: Any, right: Any) -> Any:
    """Equality of any two values."""
    left, right = member_number(left), member_number(right)
    for value in (left, right):
        if isinstance(value, Unknown):
            return value
    if isinstance(left, ShapeOf) or isinstance(right, ShapeOf):
        left, right = _known_ranks(machine, left, right)
    if isinstance(left, InputTensor) or isinstance(right, InputTensor):
        left, right = _free_values(machine, left, right)
        if isinstance(left, Unknown):
            return left
    if isinstance(left, INTEGERS) and isinstance(right, INTEGERS):
        return left == right
    if isinstance(left, (tuple, ListValue)) and isinstance(right, (tuple, ListValue)):
        shapes = isinstance(left, Sizes) or isinstance(right, Sizes) or machine.dialect != BETA1
        if isinstance(left, tuple) != isinstance(right, tuple) and not shapes:
            return False
        a = left if isinstance(left, tuple) else left.items
        b = right if isinstance(right, tuple) else right.items
        if len(a) != len(b):
            return False
        if a is b:
            return True  # Python compares elements by identity first
        machine.step()
        return all_of(equal(machine, x, y) for x, y in zip(a, b, strict=True))
    dtypes = (DType, SymbolicDType)
    if isinstance(left, dtypes) or isinstance(right, dtypes):
        from ..values.arrays import as_dtype

        a, b = as_dtype(left), as_dtype(right)
        if a is None or b is None:
            return False
        return dtype_equal(a, b)
    if left is None or right is None:
        return left is right
    if isinstance(left, (Text, Real)) or isinstance(right, (Text, Real)):
        return Unknown("comparison with a value that is not known")
    if isinstance(left, (str, float, int, bytes)) and isinstance(right, (str, float, int, bytes)):
        return left == right
    if isinstance(left, (float, Sym)) and isinstance(right, (float, Sym)):
        return _with_float("==", left, right)
    if isinstance(left, Instance) and isinstance(left.cls.lookup("__eq__"), FunctionValue):
        from .calls import call_function

        return call_function(machine, left.cls.lookup("__eq__"), [left, right], {})
    if isinstance(left, Instance) and isinstance(right, Instance):
        if left.cls.kind == "dataclass" and left.cls is right.cls:
            return all_of(equal(machine, left.attrs.get(n), right.attrs.get(n)) for n, _ in left.cls.fields)
        return left is right
    if isinstance(left, Instance) and left.cls.kind == "enum":
        return equal(machine, left.attrs.get("value"), right) if left.cls.lookup("__int__") else False
    if isinstance(left, (Named, Api, External)) and isinstance(right, (Named, Api, External)):
        return left == right
    if isinstance(left, (bool, Cond)) and isinstance(right, (bool, Cond)):
        return any_of((all_of((left, right)), all_of((negation(left), negation(right)))))
    if isinstance(left, DictValue) and isinstance(right, DictValue):
        return left.items.keys() == right.items.keys() and all_of(
            equal(machine, v, right.items[k]) for k, v in left.items.items()
        )
    if isinstance(left, (Instance, External, Api)) or isinstance(right, (Instance, External, Api)):
        return False if type(left) is not type(right) and not isinstance(left, External) else left is right
    return joining.same(left, right)


def _free_values(machine: Machine, left: Any, right: Any) -> tuple[Any, Any]:
    """Two values of which some are parameters: numbers where the other side is one, else nothing is known."""
    from ..device.inputs import as_number

    free = left if isinstance(left, InputTensor) else right
    other = right if isinstance(left, InputTensor) else left
    if other is None:
        return free, None
    if isinstance(other, DType) and not free.cell:
        return SymbolicDType(free.name), other
    if not isinstance(other, INTEGERS) and "number" not in free.cell:
        return Unknown(f"comparison with `{free.name}`"), None
    return tuple(as_number(machine, v) if isinstance(v, InputTensor) else v for v in (left, right))


def _known_ranks(machine: Machine, left: Any, right: Any) -> tuple[Any, Any]:
    from ..device.inputs import shape_of

    counts = [len(v) for v in (left, right) if isinstance(v, tuple)]
    counts += [len(v.items) for v in (left, right) if isinstance(v, ListValue)]
    count = counts[0] if counts else None
    pair = [Sizes(shape_of(machine, v.tensor, count)) if isinstance(v, ShapeOf) else v for v in (left, right)]
    return pair[0], pair[1]


def _identical(machine: Machine, left: Any, right: Any) -> Any:
    for value in (left, right):
        if isinstance(value, Unknown):
            return value
    if left is None or right is None:
        return left is right
    if isinstance(left, (bool, Cond)) and isinstance(right, (bool, Cond)):
        return equal(machine, left, right)
    comparable = (DType, SymbolicDType, Named, Api, External, str, int)
    if isinstance(left, comparable) and isinstance(right, comparable):
        return equal(machine, left, right)
    if isinstance(left, (ClassValue, FunctionValue, Native, Instance, ListValue, DictValue)):
        return left is right
    return joining.same(left, right)


def _contains(machine: Machine, container: Any, item: Any) -> Any:
    if isinstance(container, Unknown):
        return container
    if isinstance(container, str):
        return item in container if isinstance(item, str) else Unknown("membership in a string")
    if isinstance(container, DictValue):
        plain = item is None or isinstance(item, (DType, str, int, Named, External, Api, tuple))
        if plain and item in container.items:
            return True
        return any_of(equal(machine, item, k) for k in container.items)
    from .iteration import items_of

    return any_of(equal(machine, item, element) for element in items_of(machine, container))
