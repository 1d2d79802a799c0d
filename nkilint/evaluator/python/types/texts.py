"""Strings, also such as are not known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.atoms import bounds
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym, choose, key_of, sym
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dtypes import DType

from ...state import protocols
from ...state.left_out import leave_out
from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords, items_of
from ...state.refusals import CONTAINERS, attribute_refused, is_surely_number, operands_refused
from ...values.choices import Text
from ...values.containers import MAX_ITEMS, DictValue, ListValue, RangeValue
from ...values.iterators import IteratorValue
from ...values.numbers import Real
from ...values.objects import FunctionValue, Instance
from ...values.wording import in_words
from .formats import WIDEST, has_lavish, may_raise_in
from .numbers import PLAIN, bound_method
from .sequences import countable, element

protocols.truths.of(str, bytes)(lambda machine, value, node: bool(value))
protocols.lengths.of(str, bytes)(lambda machine, value: len(value))
protocols.iterated.of(str)(lambda machine, value, at, count: list(value))
protocols.subscripts.of(str)(element)


@protocols.attributes.of(str, Text)
def _attribute(machine: Machine, value: Any, name: str, node: ir.Attr) -> Any:
    if isinstance(value, str) and not hasattr(str, name):
        return attribute_refused(machine, value, name, node)
    return bound_method(value, str, name)


@protocols.lengths.of(Text)
def _length(machine: Machine, value: Text) -> Any:
    return Unknown("the length of a text that is not known") if value.length is None else value.length


def written(machine: Machine, parts: Sequence[Any]) -> Text:
    """The text that is made of texts and numbers."""
    leave_out(machine, parts, _OF_OBJECTS, machine.at, every=False)
    counts = [len(part) if isinstance(part, str) else _digits(machine, part) for part in parts]
    return Text(length=None if None in counts else sum(counts))


def _digits(machine: Machine, number: Any) -> Any:
    """How many digits a number is written with."""
    if isinstance(number, int) and not isinstance(number, bool):
        return len(str(number))
    if not isinstance(number, Sym) or bounds(number)[0] < 0:
        return None
    most = min(MANY_DIGITS, len(str(int(bounds(number)[1]))) if bounds(number)[1] != inf else MANY_DIGITS)
    found: Any = 1 + sum(choose(number >= 10**digits, 1, 0) for digits in range(1, most))
    if bounds(number)[1] < 10**most:
        return found
    more = machine.memo.get(("digits", key_of(number)))
    if more is None:  # the same in each iteration in which the number is
        more = sym(machine.fresh("digits"), "carried", most + 1, None, "a number of digits")
        machine.memo["digits", key_of(number)] = more
    return choose(number < 10**most, found, more)


MANY_DIGITS = 9  # beyond so many digits they are not counted


@protocols.memberships.of(str)
def _contains(machine: Machine, container: str, item: Any) -> Any:
    return item in container if isinstance(item, str) else Unknown("membership in a string")


@protocols.orders.of(str, rank=1)
def _order(machine: Machine, op: str, left: Any, right: Any) -> Any:
    both = isinstance(left, str) and isinstance(right, str)
    return PLAIN[op](left, right) if both else Unknown(f"comparison of {in_words(left)} and {in_words(right)}")


def _fits(op: str, left: Any, right: Any) -> bool:
    """Whether there is such an operation, or something else than Python's own types may know of one."""
    one, other = (left, right) if isinstance(left, (str, Text)) else (right, left)
    if isinstance(other, (str, Text)):
        return op in ("+", "%")
    if op == "%" and one is left:
        return not _is_left_over(one, other)
    return not isinstance(other, _WITHOUT) and (op == "*" or not isinstance(other, (int, Sym, Cond)))


def _is_left_over(text: Any, value: Any) -> bool:
    """Whether a text has no place for a value that it is to put in."""
    single = (int, float, str, Text, Real, Sym, Cond, slice, FunctionValue, DType)
    one = value is None or isinstance(value, single) or (isinstance(value, DictValue) and value.is_set)
    return isinstance(text, str) and "%" not in text and (one or (isinstance(value, tuple) and len(value) > 0))


_HOLDING = (str, Text, *CONTAINERS)
_WITHOUT = (
    float, Real, type(None), bytes, slice, tuple, ListValue, DictValue, RangeValue, FunctionValue, DType,
)  # fmt: skip
"""Types that have no operation with a text, but for `%`."""


@protocols.arithmetic.of(str, Text, rank=3)
def _arithmetic(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    if not _fits(op, left, right):
        other = right if isinstance(left, (str, Text)) else left
        if op != "%" and (isinstance(other, _HOLDING) or is_surely_number(machine, other)):
            return operands_refused(machine, op, left, right, at)
        raise Fault("TypeError")
    if op == "+" and isinstance(left, str) and isinstance(right, str) and len(left) + len(right) <= MAX_ITEMS:
        return left + right
    if op == "*" and isinstance(left, (str, int)) and isinstance(right, (str, int)):
        text, count = (left, right) if isinstance(left, str) else (right, left)
        if not isinstance(count, str) and isinstance(text, str):
            countable(count)
            if len(text) * count <= MAX_ITEMS:
                return text * count
    given = right if isinstance(right, tuple) else (right,)
    if op == "%" and isinstance(left, str) and _is_plain(left, given):
        try:
            return left % right
        except (TypeError, ValueError) as error:
            raise Fault(type(error).__name__) from None
    if op == "%":
        may_raise_in(machine, "a format", lambda one, other: one % other, left, right)
    leave_out(machine, [left, right], _OF_OBJECTS, at, every=False)
    return Text() if op in ("%", "+", "*") else Unknown("operation on strings")


_OF_OBJECTS = "the texts of objects, which their classes make"
_TEXTS = frozenset(
    {
        "capitalize", "casefold", "center", "expandtabs", "format", "join", "ljust", "lower", "lstrip", "removeprefix",
        "removesuffix", "replace", "rjust", "rstrip", "strip", "swapcase", "title", "upper", "zfill",
    }
)  # fmt: skip
"""Methods that give a text whatever the string is."""
_OPEN = frozenset({"encode", "format", "format_map", "maketrans", "translate"})


@protocols.methods.of(str, Text)
def _method(machine: Machine, receiver: Any, name: str, args: Args, kwargs: Keywords, node: ir.Call | None) -> Any:
    if name == "join" and len(args) == 1 and isinstance(args[0], IteratorValue):
        args = [tuple(items_of(machine, args[0]))]
    if name == "format" and isinstance(receiver, str) and _is_plain(receiver, (*args, *kwargs.values())):
        return _formatted(receiver, args, kwargs)
    plain = [list(a.items) if isinstance(a, ListValue) else a for a in args]
    texts = all(
        isinstance(a, (str, int, tuple)) or (isinstance(a, list) and all(isinstance(i, str) for i in a)) for a in plain
    )
    if isinstance(receiver, str) and name not in _OPEN and texts and not kwargs and _is_short(receiver, name, plain):
        try:
            result = getattr(receiver, name)(*plain)
        except ValueError:
            raise Fault("ValueError") from None
        return ListValue(result) if isinstance(result, list) else result
    leave_out(machine, [*args, *kwargs.values()], _OF_OBJECTS, machine.at, every=False)
    if name not in _TEXTS:
        return Unknown("method of a string that is not known")

    def tried(text: str, *given: Any) -> Any:
        return getattr(text, name)(*given[: len(args)], **dict(zip(kwargs, given[len(args) :], strict=True)))

    may_raise_in(machine, f"`{name}` of a text", tried, receiver, *args, *kwargs.values())
    return Text()


def _is_plain(text: str, values: Sequence[Any]) -> bool:
    """Whether a format can be written out: with plain values, none of which asks for too many characters."""
    widths = any(isinstance(value, int) and abs(value) > WIDEST for value in values) and _INNER.search(text) is not None
    return not widths and not has_lavish(text) and all(isinstance(v, (str, int, float)) or v is None for v in values)


_INNER = re.compile(r"\*|\{[^}]*\{")  # where a format takes a width from its values


def _formatted(text: str, args: Args, kwargs: Keywords) -> str:
    try:
        return text.format(*args, **kwargs)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Fault(type(error).__name__) from None


_PADDING = frozenset({"center", "expandtabs", "ljust", "rjust", "zfill"})


def _is_short(receiver: str, method: str, args: list[Any]) -> bool:
    """Whether what a method makes of a string is not too long to be written out."""
    most = len(receiver) + 1 if method in ("join", "replace", *_PADDING) else 0
    for argument in args:
        if isinstance(argument, int):
            most = max(most, argument) if method in _PADDING else most
        elif isinstance(argument, str):
            most *= len(argument) + 1
        elif isinstance(argument, list):
            most = most * len(argument) + sum(map(len, argument))
    return most <= MAX_ITEMS


def own_text(machine: Machine, value: Instance, names: tuple[str, ...] = ("__str__", "__repr__")) -> Any:
    """What the first of these methods says of an object; None where its class has none of them."""
    method = next(filter(None, map(value.cls.lookup, names)), None)
    if method is None:
        return None
    spec = [Text()] if method is value.cls.lookup("__format__") else []
    text = protocols.call(machine, method, [value, *spec], {})
    if not isinstance(text, (str, Text, Unknown)):
        raise Fault("TypeError")
    return text
