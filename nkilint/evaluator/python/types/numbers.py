"""Numbers and truths: plain, symbolic, and such as are not known."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import over_inputs, variables
from nkilint.symbolic.integers import Sym, choose, power
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.language.division_by_zero import DivisionByZero
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, any_of, negation
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.dtypes import DType

from ...state import protocols
from ...state.machine import Fault, Machine, explained
from ...state.paths import demand
from ...state.protocols import Args, Keywords
from ...state.refusals import is_surely_number, refused
from ...values.choices import Text
from ...values.containers import RangeValue
from ...values.dtypes import as_dtype, dtype_equal, written_as
from ...values.numbers import REAL, Quotient, Real, Whole
from ...values.objects import Api, BoundMethod, ClassValue, FunctionValue
from ...values.wording import in_words
from ..signs import POWERS, is_of_caller
from .floats import of_floats
from .nothing import raises_surely

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

NUMBERS = (int, float)
INTEGERS = (int, Sym)
TRUTHS = (bool, Cond)


# --- truth and attributes ---

protocols.truths.of(int, float, type(None))(lambda machine, value, node: bool(value))
protocols.truths.of(bool)(lambda machine, value, node: value)
protocols.truths.of(Sym)(lambda machine, value, node: value != 0)


@protocols.truths.of(Real, Text)
def _open_truth(machine: Machine, value: Any, node: ir.Expr) -> Unknown:
    return Unknown("truth of a value that is not known")


def bound_method(value: Any, kind: type, name: str) -> BoundMethod:
    """A method of a value that stands for one of Python's type `kind`."""
    if not hasattr(kind, name) and name not in _OF_ELEMENTS:
        raise Fault("AttributeError")
    return BoundMethod(value, name)


@protocols.attributes.of(int, float, Sym, Cond, Real)
def _attribute(machine: Machine, value: Any, name: str, node: ir.Attr) -> Any:
    kind = float if isinstance(value, (float, Real)) else bool if isinstance(value, TRUTHS) else int
    number = choose(value, 1, 0) if kind is bool else value
    known = {"real": number, "numerator": number, "imag": 0, "denominator": 1}
    if name in known and kind is not float:
        return known[name]
    if name in _OF_NUMPY:
        machine.doubt(f"whether a number is one of numpy's, which has `{name}`")
        return {"T": value, "ndim": 0, "shape": (), "size": 1}.get(name, Unknown(f"`{name}` of a number"))
    return bound_method(value, kind, name)


_OF_NUMPY = frozenset(
    {"T", "base", "data", "dtype", "flags", "flat", "itemsize", "nbytes", "ndim", "shape", "size", "strides"}
)
"""Attributes that only numbers of numpy have."""
_ITSELF = frozenset({"item", "tolist"})
_OF_ELEMENTS = frozenset(
    {
        *_ITSELF, "all", "any", "argmax", "argmin", "astype", "clip", "copy", "cumprod", "cumsum", "dot", "fill",
        "flatten", "max", "mean", "min", "prod", "ravel", "repeat", "reshape", "round", "squeeze", "std", "sum", "take",
        "transpose", "var", "view",
    }
)  # fmt: skip
"""Methods that elements of arrays have as well, which are numbers here."""

_OPERATORS = {"__add__": "+", "__sub__": "-", "__mul__": "*"}


@protocols.methods.of(int, float, Sym, Real)
def _method(machine: Machine, receiver: Any, name: str, args: Args, kwargs: Keywords, node: ir.Call | None) -> Any:
    if isinstance(receiver, (int, float)) and name in ("bit_length", "bit_count", "is_integer") and not args:
        return getattr(receiver, name)()
    if name in _ITSELF and not args:
        return receiver
    if name in _OF_ELEMENTS:
        machine.doubt(f"whether a number is one of numpy's, which has `{name}`")
        dtype = as_dtype(args[0]) if name == "astype" and args else None
        return _cast(receiver, dtype) if dtype is not None else Unknown(f"method `{name}` of a number")
    if name in ("__int__", "__index__", "conjugate", "__pos__") and isinstance(receiver, INTEGERS) and not args:
        return receiver
    if name in _OPERATORS and len(args) == 1 and isinstance(receiver, INTEGERS) and isinstance(args[0], INTEGERS):
        return protocols.binary(machine, _OPERATORS[name], receiver, args[0], machine.at)
    return Unknown(f"method `{name}` of a number")


def _cast(number: Any, dtype: DType) -> Any:
    """A number of numpy's as one of another dtype; integers that do not fit into that come out as others."""
    if dtype.is_float:
        return Whole(number) if isinstance(number, INTEGERS) and not isinstance(number, int) else REAL
    whole = number.value if isinstance(number, Whole) else number
    if isinstance(whole, float) and whole.is_integer():
        whole = int(whole)
    known = isinstance(whole, INTEGERS) and dtype.itemsize >= 4 and not isinstance(whole, bool)
    return whole if known else Unknown("a number of another dtype")


# --- what numbers do not have ---


@protocols.lengths.of(int, float, Sym)
def _length(machine: Machine, value: Any) -> Any:
    if is_surely_number(machine, value):
        return refused(machine, "TypeError", CallSignature.takes_none(callee="len", given=in_words(value)), None, value)
    return Unknown(f"length of {in_words(value)}")


@protocols.iterated.of(int, float, Sym)
def _iterated(machine: Machine, value: Any, at: Span | None, count: int | None) -> list[Any]:
    reason = f"iteration over {in_words(value)}"
    if is_surely_number(machine, value) and at is not None:
        said = CallSignature.unusable(expression=at, kind=in_words(value), use="cannot be iterated over")
        reason = refused(machine, "TypeError", said, at, value).reason
    raise IsUnknown(reason)


@protocols.subscripts.of(int, float, Sym)
def _subscript(machine: Machine, value: Any, key: Any, node: ir.Index) -> Any:
    if is_surely_number(machine, value) and isinstance(key, (int, Sym, str, slice)):
        said = CallSignature.unusable(expression=node.value.at, kind=in_words(value), use="has no items")
        return refused(machine, "TypeError", said, node.at, value)
    return Unknown(f"subscript of {in_words(value)}")


# --- arithmetic ---


@protocols.arithmetic.of(int, float, Sym, Real, Cond, rank=1)
def _arithmetic(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    if isinstance(left, INTEGERS) and isinstance(right, INTEGERS):
        return _integers(machine, op, left, right, at)
    if op in ("&", "|") and isinstance(left, TRUTHS) and isinstance(right, TRUTHS):
        return all_of((left, right)) if op == "&" else any_of((left, right))
    if op == "^" and isinstance(left, TRUTHS) and isinstance(right, TRUTHS):
        return any_of((all_of((left, negation(right))), all_of((negation(left), right))))
    if isinstance(left, NUMBERS) and isinstance(right, NUMBERS):
        return _plain(machine, op, left, right, at)
    if isinstance(left, (*INTEGERS, Cond)) and isinstance(right, (*INTEGERS, Cond)):
        return _arithmetic(machine, op, _as_integer(left), _as_integer(right), at)
    numbers = (Real, float, Sym, int)
    if isinstance(left, numbers) and isinstance(right, numbers) and op in _OF_FLOATS:
        return of_floats(machine, op, left, right, at)
    if left is None or right is None:
        given = f"{in_words(left)} and {in_words(right)}"
        raises_surely(machine, "TypeError", at, CallSignature.takes_none(callee=op, given=given))
    return Unknown(f"`{op}` on {in_words(left)} and {in_words(right)}")


_OF_FLOATS = frozenset({"+", "-", "*", "/", "//", "%", "**"})


def _as_integer(value: Any) -> Any:
    return choose(value, 1, 0) if isinstance(value, Cond) else value


def _plain(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    if op in ("/", "//", "%") and right == 0:
        demand(machine, "ZeroDivisionError", DivisionByZero.message(expression=at, divisor=right), False, at)
        return explained("division by zero")
    if op not in PLAIN:
        return Unknown(f"`{op}` on numbers")
    try:
        return PLAIN[op](left, right)
    except (OverflowError, ValueError, TypeError, ZeroDivisionError) as error:
        return Unknown(f"`{op}`: {error}")


def _integers(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        if op == "**" and abs(left) > 1 and left.bit_length() * right > MOST_BITS:
            return Unknown("a power too large to compute")
        if op == "<<" and right > MOST_BITS:
            return Unknown("a shift too large to compute")
        if op == "*" and left.bit_length() + right.bit_length() > MOST_BITS:
            return Unknown("a product too large to compute")
        return _plain(machine, op, left, right, at)
    if op in ("//", "%", "/") and isinstance(right, Sym):
        demand(machine, "ZeroDivisionError", DivisionByZero.message(expression=at, divisor=right), right != 0, at)
        known = True if right.bounds[0] >= 1 else machine.truth(right != 0)
        if known is False or (known is None and any(v.kind == "axis" for v in variables(right))):
            return explained("division by zero")
        if known is None:
            machine.assume(right != 0, "granted")
    if op in ("//", "%", "/") and isinstance(right, int) and right == 0:
        demand(machine, "ZeroDivisionError", DivisionByZero.message(expression=at, divisor=right), False, at)
        return explained("division by zero")
    if op in ("**", "<<", ">>") and isinstance(right, Sym):
        return _by_power(machine, op, left, right)
    if op == "/":
        return Quotient(left, right)
    if op in ("&", "|", "^"):
        return _bits(machine, op, left, right)
    if op not in PLAIN:
        return Unknown(f"`{op}` on integers")
    if _is_too_large(op, left, right):
        return Unknown("a number of too many terms to compute")
    return PLAIN[op](left, right)


def _is_too_large(op: str, left: Any, right: Any) -> bool:
    """Whether a result has too many terms, or too many factors in one."""
    terms = [len(each.terms) + 1 if isinstance(each, Sym) else 1 for each in (left, right)]
    factors = [max(map(len, each.terms), default=0) if isinstance(each, Sym) else 0 for each in (left, right)]
    if op == "**" and isinstance(right, int):
        return terms[0] > 1 and (factors[0] * right > MOST_FACTORS or terms[0] ** min(right, 9) > MOST_TERMS)
    if op == "*":
        return sum(factors) > MOST_FACTORS or terms[0] * terms[1] > MOST_TERMS
    return max(terms) > MOST_TERMS


def _by_power(machine: Machine, op: str, left: Any, right: Sym) -> Any:
    """A power, or a shift; numbers that the caller gives are such that there is an integer. What other powers come to
    than those of a power of two is not known."""
    if machine.truth(right >= 0) is not True:
        given = over_inputs(right) and all(v.low is None for v in variables(right))  # a size is what it is
        if not given or machine.truth(right >= 0) is False:
            return Unknown("a power or a shift by a number that may be negative")
        machine.trace.assumptions.setdefault(f"{right} is at least 0", None)
        machine.assume(right >= 0, "granted")
    if op == "**" and not (is_one_bit(left) and left > 1):
        low = 1 if machine.truth(left >= 1) is True else None
        found = machine.fresh_sym("power", "carried", low, None, "a power")
        if is_of_caller(machine, right) and (isinstance(left, int) or is_of_caller(machine, left)):
            machine.memo.setdefault(POWERS, set()).add(found.variable)
        return found
    if op == "**":
        return power(right * (left.bit_length() - 1))
    return left * power(right) if op == "<<" else left // power(right)


def _bits(machine: Machine, op: str, left: Any, right: Any) -> Any:
    value, bits = (right, left) if isinstance(left, int) else (left, right)
    apart = left - right
    if op == "&" and isinstance(bits, Sym) and isinstance(apart, int) and abs(apart) == 1:
        return _without_last_bit(machine, left if apart == 1 else right)
    if not isinstance(bits, int) or abs(bits) >= 2**MAX_BITS:
        return Unknown(f"`{op}` on symbolic integers")
    common = _masked(value, bits)
    return {"&": common, "|": value + bits - common, "^": value + bits - common * 2}[op]


def _without_last_bit(machine: Machine, value: Sym) -> Any:
    """`value & (value - 1)`, which is 0 for 0 and powers of two; sizes are no larger than memory."""
    if machine.truth(value >= 0) is not True:
        return Unknown("`&` on integers that may be negative")
    if machine.truth(value < 2**MAX_BITS) is not True:
        if not over_inputs(value):
            return Unknown("`&` on integers that may be very large")
        machine.trace.assumptions.setdefault(f"{value} is less than {2**MAX_BITS}", None)
        machine.assume(value < 2**MAX_BITS, "granted")
    none = any_of([value == 0, *(value == 2**bit for bit in range(MAX_BITS))])
    return choose(none, 0, machine.fresh_sym("bits", "carried", 1, value.maximum(1), "the upper bits of a number"))


MAX_BITS = 32
MOST_BITS = 65_536  # of a number that is computed
MOST_TERMS = 256  # of a symbolic one
MOST_FACTORS = 64  # in one of these terms


def _masked(value: Sym, bits: int) -> Any:
    """`value & bits`: each run of ones selects the remainder of a quotient."""
    if bits < 0:
        return value - _masked(value, ~bits)
    result, low = 0, 0
    while bits >> low:
        if not bits >> low & 1:
            low += 1
            continue
        high = low
        while bits >> high & 1:
            high += 1
        result = result + value // 2**low % 2 ** (high - low) * 2**low
        low = high
    return result


def is_one_bit(value: Any) -> bool:
    """Whether the value is a power of two."""
    return isinstance(value, int) and value > 0 and value & (value - 1) == 0


@protocols.unary_operators.of(int, float, Sym, Real)
def _unary(machine: Machine, value: Any, op: str, at: Span) -> Any:
    value = int(value) if isinstance(value, bool) else value
    if op == "-":
        return -value
    if op == "~" and not isinstance(value, INTEGERS):
        said = CallSignature.takes_none(callee=op, given=in_words(value))
        return refused(machine, "TypeError", said, at, value)
    return ~value if op == "~" else value


@protocols.unary_operators.of(Cond)
def _unary_of_truth(machine: Machine, value: Cond, op: str, at: Span) -> Any:
    if op == "~" and machine.dialect == BETA1 and any(v.kind in ("program", "loop") for v in variables(value)):
        return negation(value)  # of what the compiler computes on the device
    number = choose(value, 1, 0)
    return {"-": -number, "+": number, "~": -number - 1}[op]


# --- comparisons ---


@protocols.orders.of(int, float, Sym, Real, rank=1)
def _order(machine: Machine, op: str, left: Any, right: Any) -> Any:
    numbers = (int, float, Sym, Real)
    if not isinstance(left, numbers) or not isinstance(right, numbers):
        return Unknown(f"comparison of {in_words(left)} and {in_words(right)}")
    if (isinstance(left, float) and isinstance(right, Sym)) or (isinstance(left, Sym) and isinstance(right, float)):
        return _with_float(op, left, right)
    if isinstance(left, Real) or isinstance(right, Real):
        return Unknown("comparison of numbers that are not known")
    return PLAIN[op](left, right)


def _with_float(op: str, left: Any, right: Any) -> Any:
    number, symbol = (left, right) if isinstance(left, float) else (right, left)
    if number == int(number) if abs(number) < 2**53 else False:
        return PLAIN[op](int(left) if left is number else left, int(right) if right is number else right)
    return Unknown(f"comparison of `{symbol}` with {number}")


@protocols.equalities.of(type(None), rank=6)
def _equal_none(machine: Machine, left: Any, right: Any) -> bool:
    return left is right


@protocols.equalities.of(Real, Text, rank=4)
def _equal_open(machine: Machine, left: Any, right: Any) -> Any:
    """Names of dtypes are equal as these are."""
    if isinstance(left, Text) and isinstance(right, Text) and None not in (left.of, right.of):
        return dtype_equal(left.of, right.of)
    text, written = (left, right) if isinstance(left, Text) else (right, left)
    if isinstance(text, Text) and text.of is not None and isinstance(written, str):
        return written_as(text.of, [written], machine.dialect)
    return Unknown("comparison with a value that is not known")


@protocols.equalities.of(int, float, str, bytes, Sym, Cond, rank=1)
def _equal(machine: Machine, left: Any, right: Any) -> Any:
    if isinstance(left, INTEGERS) and isinstance(right, INTEGERS):
        return left == right
    plain = (str, float, int, bytes)
    if isinstance(left, plain) and isinstance(right, plain):
        return left == right
    if isinstance(left, (float, Sym)) and isinstance(right, (float, Sym)):
        return _with_float("==", left, right)
    if isinstance(left, TRUTHS) and isinstance(right, TRUTHS):
        return any_of((all_of((left, right)), all_of((negation(left), negation(right)))))
    if isinstance(left, INTEGERS + TRUTHS) and isinstance(right, INTEGERS + TRUTHS):
        return _as_integer(left) == _as_integer(right)
    others = (str, bytes, int, float, Sym, Cond, RangeValue, FunctionValue, ClassValue, Api)
    return (
        False
        if all(isinstance(v, others) for v in (left, right))
        else protocols.equalities.otherwise(machine, left, right)
    )
