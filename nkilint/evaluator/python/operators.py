"""Python's arithmetic on the evaluator's values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from nkilint.base.ir import Span
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym, choose
from nkilint_rules.language.division_by_zero import DivisionByZero
from nkilint_rules.operands.shape_mismatch import ShapeMismatch
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, any_of, negation
from nkilint_rules.words.memory import HBM

from ..state.machine import Machine, explained
from ..values.host import HostArray, host_operator
from ..values.rounding import Quotient
from ..values.tensors import Grid, InputTensor, ShapeOf, View, broadcast_grids, fit_axes
from ..values.values import REAL, DictValue, GrownItems, Instance, ListValue, Real, Text

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
INTEGERS = (int, Sym)


def binary(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """`left op right`."""
    left, right = member_number(left), member_number(right)
    if isinstance(left, INTEGERS) and isinstance(right, INTEGERS):
        return _integers(machine, op, left, right, at)
    for value in (left, right):
        if isinstance(value, InputTensor):
            return with_input(machine, op, left, right, at)
    if isinstance(left, (View, Grid)) and isinstance(right, (View, Grid)) and type(left) is not type(right):
        return _moved_at_run_time(machine, left, right)
    if isinstance(left, View) or isinstance(right, View):
        return on_tensors(machine, op, left, right, at)
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
            machine.need(DivisionByZero.message(expression=at, divisor=right), right != 0, at)
        return REAL
    if isinstance(left, (str, Text)) or isinstance(right, (str, Text)):
        return (
            left + right if op == "+" and isinstance(left, str) and isinstance(right, str) else _text(op, left, right)
        )
    return _containers(machine, op, left, right)


def _plain(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    if op in ("/", "//", "%") and right == 0:
        machine.need(DivisionByZero.message(expression=at, divisor=right), False, at)
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
        machine.need(DivisionByZero.message(expression=at, divisor=right), right != 0, at)
        if machine.truth(right >= 1) is not True and op != "/":
            low = right.bounds[0]
            if low < 1 and machine.truth(right != 0) is False:
                return explained("division by zero")
    if op in ("//", "%", "/") and isinstance(right, int) and right == 0:
        machine.need(DivisionByZero.message(expression=at, divisor=right), False, at)
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
    return Unknown(f"`{op}` on {kind_of(left)} and {kind_of(right)}")


def _repeated(machine: Machine, sequence: Any, count: Any) -> Any:
    if isinstance(count, int):
        if count * len(sequence if isinstance(sequence, tuple) else sequence.items) > 1_000_000:
            return Unknown("a list too long to follow")
        return sequence * count if isinstance(sequence, tuple) else ListValue(sequence.items * count)
    if isinstance(count, Sym) and isinstance(sequence, ListValue) and len(sequence.items) == 1:
        index = machine.fresh_sym("k", "loop", 0, count - 1)
        return ListValue(GrownItems((), sequence.items, index, count))
    return Unknown("a sequence repeated a symbolic number of times")


def kind_of(value: Any) -> str:
    if value is None:
        return "None"
    names = {ListValue: "a list", DictValue: "a dict", tuple: "a tuple", str: "a string", Instance: "an object"}
    return names.get(type(value), f"a {type(value).__name__.lower()}")


def grids(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """An operator on index grids: elementwise over the broadcast shape."""
    for value in (left, right):
        if isinstance(value, Unknown):
            return value
        if isinstance(value, (float, Real)):
            return Unknown("an index grid and a number that is no integer")
        if not isinstance(value, (Grid, int, Sym, Cond)):
            return Unknown(f"an index grid and {kind_of(value)}")
    shapes = [v.shape for v in (left, right) if isinstance(v, Grid)]
    shape, needs = broadcast_grids(shapes)
    for need in needs:
        machine.need(ShapeMismatch.grids(left=list(shapes[0]), right=list(shapes[-1])), need, at)
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


def with_input(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """An argument of unknown kind in arithmetic: a tensor where the other side is one, else a number."""
    from ..device.inputs import as_number, as_tensor

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


def on_tensors(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    from ..device.operations import call_operation

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
        from ..device.inputs import as_number

        value = as_number(machine, value)
    if isinstance(value, Grid):
        if op == "~":
            return Grid(negation(value.value), value.shape, value.dynamic)
        return grids(machine, "-", 0, value, at) if op == "-" else value
    if isinstance(value, View):
        from ..device.operations import call_operation

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
    return Unknown(f"`{op}` on {kind_of(value)}")


def member_number(value: Any) -> Any:
    """A member of an `IntEnum` as the number that it is."""
    if isinstance(value, Instance) and value.cls.kind == "enum" and value.cls.is_integer:
        return value.attrs.get("value", value)
    return value
