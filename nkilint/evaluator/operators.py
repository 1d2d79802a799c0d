"""Python's operators on the evaluator's values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from nkilint_rules.conditions import IsUnknown, Unknown, all_of, any_of, negation
from nkilint_rules.dtypes import DType
from nkilint_rules.operation import BETA1, HBM, Named

from ..ir import Span
from ..symbolic.conditions import Cond
from ..symbolic.integers import Sym, choose
from . import joining
from .host import HostArray, host_operator
from .machine import Machine, explained
from .rounding import Quotient
from .tensors import (
    Grid,
    InputTensor,
    ShapeOf,
    Sizes,
    SymbolicDType,
    View,
    broadcast_grids,
    dtype_equal,
    fit_axes,
)
from .values import (
    REAL,
    Api,
    ClassValue,
    DictValue,
    External,
    FunctionValue,
    GrownItems,
    Instance,
    ListValue,
    Native,
    Real,
    Text,
)

PLAIN: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

# The operations of nki.language that the operators of a tensor stand for.
TENSOR_OPERATIONS = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "mod", "**": "power", "&": "bitwise_and",
    "|": "bitwise_or", "^": "bitwise_xor", "<<": "left_shift", ">>": "right_shift", "==": "equal", "!=": "not_equal",
    "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "@": "matmul",
}  # fmt: skip

_ARITHMETIC = frozenset(("+", "-", "*", "/", "//", "%"))
_NUMBERS = (int, float)
_INTEGERS = (int, Sym)


def binary(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """`left op right`."""
    left, right = member_number(left), member_number(right)
    if isinstance(left, _INTEGERS) and isinstance(right, _INTEGERS):
        return _integers(machine, op, left, right, at)
    for value in (left, right):
        if isinstance(value, InputTensor):
            return _with_input(machine, op, left, right, at)
    if isinstance(left, (View, Grid)) and isinstance(right, (View, Grid)) and type(left) is not type(right):
        return _moved_at_run_time(machine, left, right)
    if isinstance(left, View) or isinstance(right, View):
        return _tensors(machine, op, left, right, at)
    if isinstance(left, Grid) or isinstance(right, Grid):
        return grids(machine, op, left, right, at)
    if isinstance(left, HostArray) or isinstance(right, HostArray):
        return host_operator(machine, left, right)
    for value in (left, right):
        if isinstance(value, Unknown):
            return value
    if op in ("&", "|") and isinstance(left, (bool, Cond)) and isinstance(right, (bool, Cond)):
        return all_of((left, right)) if op == "&" else any_of((left, right))
    if isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS):
        return _plain(machine, op, left, right, at)
    if isinstance(left, (Real, float, Sym, int)) and isinstance(right, (Real, float, Sym, int)):
        if op in ("/", "//", "%") and isinstance(right, Sym):
            machine.need("NKI806", right != 0, at, expression=at, divisor=right)
        return REAL
    if isinstance(left, (str, Text)) or isinstance(right, (str, Text)):
        return (
            left + right if op == "+" and isinstance(left, str) and isinstance(right, str) else _text(op, left, right)
        )
    return _containers(machine, op, left, right)


def _plain(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    if op in ("/", "//", "%") and right == 0:
        machine.need("NKI806", False, at, expression=at, divisor=right)
        return explained("division by zero")
    if op not in PLAIN:
        return Unknown(f"`{op}` on numbers")
    try:
        return PLAIN[op](left, right)
    except (OverflowError, ValueError, TypeError, ZeroDivisionError) as error:
        return Unknown(f"`{op}`: {error}")


def _integers(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        if op == "**" and (abs(left) > 1 and right > 4096):
            return Unknown("a power too large to compute")
        if op == "<<" and right > 65536:
            return Unknown("a shift too large to compute")
        return _plain(machine, op, left, right, at)
    if op in ("//", "%", "/") and isinstance(right, Sym):
        machine.need("NKI806", right != 0, at, expression=at, divisor=right)
        if machine.truth(right >= 1) is not True and op != "/":
            low = right.bounds[0]
            if low < 1 and machine.truth(right != 0) is False:
                return explained("division by zero")
    if op in ("//", "%", "/") and isinstance(right, int) and right == 0:
        machine.need("NKI806", False, at, expression=at, divisor=right)
        return explained("division by zero")
    if op == "/":
        return Quotient(left, right)
    if op in ("&", "|", "^"):
        return _bits(op, left, right)
    if op not in PLAIN:
        return Unknown(f"`{op}` on integers")
    return PLAIN[op](left, right)


def _bits(op: str, left: Any, right: Any) -> Any:
    if op == "&":
        for value, bits in ((left, right), (right, left)):
            if isinstance(bits, int) and bits >= 0 and (bits & (bits + 1)) == 0 and isinstance(value, Sym):
                return value % (bits + 1)
            if is_one_bit(bits) and isinstance(value, Sym):
                return value // bits % 2 * bits
    return Unknown(f"`{op}` on symbolic integers")


def is_one_bit(value: Any) -> bool:
    """Whether the value is a power of two."""
    return isinstance(value, int) and value > 0 and value & (value - 1) == 0


def _text(op: str, left: Any, right: Any) -> Any:
    if op == "%" or op == "+" or op == "*":
        return Text()
    return Unknown("operation on strings")


def _containers(machine: Machine, op: str, left: Any, right: Any) -> Any:
    if op == "+" and isinstance(left, tuple) and isinstance(right, tuple):
        return left + right
    if op == "+" and isinstance(left, ListValue) and isinstance(right, ListValue):
        return ListValue(left.items + right.items)
    if op == "*":
        sequence, count = (right, left) if isinstance(left, (int, Sym)) else (left, right)
        if isinstance(sequence, (tuple, ListValue)):
            return _repeated(machine, sequence, count)
    if isinstance(left, DictValue) and isinstance(right, DictValue):
        if op == "|":
            return DictValue({**left.items, **right.items}, left.kind)
        if op == "&":
            return DictValue({k: v for k, v in left.items.items() if k in right.items}, left.kind)
        if op == "-":
            return DictValue({k: v for k, v in left.items.items() if k not in right.items}, left.kind)
    if isinstance(left, ShapeOf) or isinstance(right, ShapeOf):
        raise IsUnknown("arithmetic with the shape of a tensor of unknown rank")
    method = {"+": "__add__", "-": "__sub__", "*": "__mul__", "//": "__floordiv__", "%": "__mod__"}.get(op)
    if isinstance(left, Instance) and method and left.cls.lookup(method) is not None:
        from .calls import call_function

        return call_function(machine, left.cls.lookup(method), [left, right], {})
    return Unknown(f"`{op}` on {_kind(left)} and {_kind(right)}")


def _repeated(machine: Machine, sequence: Any, count: Any) -> Any:
    if isinstance(count, int):
        if count * len(sequence if isinstance(sequence, tuple) else sequence.items) > 1_000_000:
            return Unknown("a list too long to follow")
        return sequence * count if isinstance(sequence, tuple) else ListValue(sequence.items * count)
    if isinstance(count, Sym) and isinstance(sequence, ListValue) and len(sequence.items) == 1:
        index = machine.fresh_sym("k", "loop", 0, count - 1)
        return ListValue(GrownItems((), sequence.items, index, count))
    return Unknown("a sequence repeated a symbolic number of times")


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    names = {ListValue: "a list", DictValue: "a dict", tuple: "a tuple", str: "a string", Instance: "an object"}
    return names.get(type(value), f"a {type(value).__name__.lower()}")


# --- index grids ---


def grids(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """An operator on index grids: elementwise over the broadcast shape."""
    for value in (left, right):
        if isinstance(value, Unknown):
            return value
        if isinstance(value, (float, Real)):
            return Unknown("an index grid and a number that is no integer")
        if not isinstance(value, (Grid, int, Sym, Cond)):
            return Unknown(f"an index grid and {_kind(value)}")
    shapes = [v.shape for v in (left, right) if isinstance(v, Grid)]
    shape, needs = broadcast_grids(shapes)
    for need in needs:
        machine.need("NKI204", need, at, template="index grids of {left} and {right} do not broadcast",
                     left=list(shapes[0]), right=list(shapes[-1]))  # fmt: skip
        machine.assume(need, "granted")
    a, b = (fit_axes(v.value, v.shape, shape) if isinstance(v, Grid) else v for v in (left, right))
    dynamic = sum((v.dynamic for v in (left, right) if isinstance(v, Grid)), ())
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return Grid(a if isinstance(a, Unknown) else b, shape, dynamic)
    if isinstance(a, (bool, Cond)) or isinstance(b, (bool, Cond)):
        if op == "&":
            return Grid(all_of((a, b)), shape, dynamic)
        if op == "|":
            return Grid(any_of((a, b)), shape, dynamic)
        a, b = (choose(v, 1, 0) if isinstance(v, (bool, Cond)) else v for v in (a, b))
        if op == "*":
            return Grid(Unknown("a product of masks"), shape, dynamic)
    return Grid(_integers(machine, op, a, b, at), shape, dynamic)


def _moved_at_run_time(machine: Machine, left: Any, right: Any) -> Grid:
    """An index grid combined with a value that a tile holds: an index that only the device knows."""
    grid, view = (left, right) if isinstance(left, Grid) else (right, left)
    where = machine.fresh_sym("index", "runtime", None, None, "an index held in a tensor")
    return Grid(where, grid.shape, (*grid.dynamic, view))


# --- tensors ---


def _with_input(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """An argument of unknown kind in arithmetic: a tensor where the other side is one, else a number."""
    from .inputs import as_number, as_tensor

    other = left if isinstance(left, View) else right
    if isinstance(other, View) and (other.memory != HBM or other.base.memory_open):
        pair = [REAL if isinstance(v, InputTensor) and _may_be_number(v) else v for v in (left, right)]
        pair = [as_tensor(machine, v) if isinstance(v, InputTensor) else v for v in pair]
    elif isinstance(other, View):
        pair = [as_tensor(machine, v) if isinstance(v, InputTensor) else v for v in (left, right)]
    else:
        pair = [as_number(machine, v) if isinstance(v, InputTensor) else v for v in (left, right)]
    return binary(machine, op, pair[0], pair[1], at)


def _may_be_number(tensor: InputTensor) -> bool:
    return "view" not in tensor.cell and not tensor.ranks


def _tensors(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    from .operations import call_operation

    for value in (left, right):
        if isinstance(value, Unknown):
            return value
    if op not in TENSOR_OPERATIONS:
        return Unknown(f"`{op}` on tensors")
    return call_operation(machine, machine.dialect, f"language.{TENSOR_OPERATIONS[op]}", [left, right], {}, at)


def unary(machine: Machine, op: str, value: Any, at: Span) -> Any:
    value = member_number(value)
    if isinstance(value, Unknown):
        return value
    if isinstance(value, InputTensor):
        from .inputs import as_number

        value = as_number(machine, value)
    if isinstance(value, Grid):
        if op == "~":
            return Grid(negation(value.value), value.shape, value.dynamic)
        return grids(machine, "-", 0, value, at) if op == "-" else value
    if isinstance(value, View):
        from .operations import call_operation

        name = {"-": "language.negative", "~": "language.invert"}.get(op)
        return value if name is None else call_operation(machine, machine.dialect, name, [value], {}, at)
    if op == "~" and isinstance(value, (bool, Cond)):
        return negation(value)
    if isinstance(value, (int, float, Sym, Real)):
        if op == "-":
            return -value
        if op == "~" and isinstance(value, (int, Sym)):
            return ~value
        return value
    method = {"-": "__neg__", "~": "__invert__", "+": "__pos__"}.get(op, "")
    if isinstance(value, Instance) and value.cls.lookup(method) is not None:
        from .calls import call_function

        return call_function(machine, value.cls.lookup(method), [value], {})
    return Unknown(f"`{op}` on {_kind(value)}")


# --- comparisons ---


def compare(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """`left op right` as a bool, a condition, a mask or a tensor."""
    if op in ("in", "not in"):
        found = _contains(machine, right, left)
        return found if op == "in" or isinstance(found, Unknown) else negation(found)
    if op in ("is", "is not"):
        same = _identical(machine, left, right)
        return same if op == "is" or isinstance(same, Unknown) else negation(same)
    for value in (left, right):
        if isinstance(value, InputTensor) and not (left is None or right is None or isinstance(left, str)):
            return _with_input(machine, op, left, right, at)
    if isinstance(left, View) or isinstance(right, View):
        if left is None or right is None or isinstance(left, str) or isinstance(right, str):
            return op == "!="
        return _tensors(machine, op, left, right, at)
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
        left, right = enum_number(left), enum_number(right)
    if isinstance(left, Named) and isinstance(right, Named):
        left, right = (named_number(machine, v) for v in (left, right))
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
    return Unknown(f"comparison of {_kind(left)} and {_kind(right)}")


def _with_float(op: str, left: Any, right: Any) -> Any:
    number, symbol = (left, right) if isinstance(left, float) else (right, left)
    if number == int(number) if abs(number) < 2**53 else False:
        return PLAIN[op](int(left) if left is number else left, int(right) if right is number else right)
    return Unknown(f"comparison of `{symbol}` with {number}")


def member_number(value: Any) -> Any:
    """A member of an `IntEnum` as the number that it is."""
    if isinstance(value, Instance) and value.cls.kind == "enum" and value.cls.is_integer:
        return value.attrs.get("value", value)
    return value


def enum_number(value: Any) -> Any:
    return (
        value.attrs.get("value", Unknown("order of objects"))
        if value.cls.kind == "enum"
        else Unknown("order of objects")
    )


def named_number(machine: Machine, value: Named) -> Any:
    from .api import enum_value

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
    if isinstance(left, _INTEGERS) and isinstance(right, _INTEGERS):
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
        from .arrays import as_dtype

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
    from .inputs import as_number

    free = left if isinstance(left, InputTensor) else right
    other = right if isinstance(left, InputTensor) else left
    if other is None:
        return free, None
    if isinstance(other, DType) and not free.cell:
        return SymbolicDType(free.name), other
    if not isinstance(other, _INTEGERS) and "number" not in free.cell:
        return Unknown(f"comparison with `{free.name}`"), None
    return tuple(as_number(machine, v) if isinstance(v, InputTensor) else v for v in (left, right))


def _known_ranks(machine: Machine, left: Any, right: Any) -> tuple[Any, Any]:
    from .inputs import shape_of

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
