"""Strings, also such as are not known."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint_rules.words.conditions import Unknown

from ...state import protocols
from ...state.machine import Machine
from ...state.protocols import Args, Keywords, kind_of
from ...values.choices import Text
from ...values.containers import MAX_ITEMS, ListValue
from ...values.objects import BoundMethod
from .numbers import PLAIN
from .sequences import element

protocols.truths.of(str)(lambda machine, value, node: bool(value))
protocols.lengths.of(str)(lambda machine, value: len(value))
protocols.iterated.of(str)(lambda machine, value, at, count: list(value))
protocols.subscripts.of(str)(element)
protocols.attributes.of(str, Text)(lambda machine, value, name, node: BoundMethod(value, name))


@protocols.memberships.of(str)
def _contains(machine: Machine, container: str, item: Any) -> Any:
    return item in container if isinstance(item, str) else Unknown("membership in a string")


@protocols.orders.of(str, rank=1)
def _order(machine: Machine, op: str, left: Any, right: Any) -> Any:
    both = isinstance(left, str) and isinstance(right, str)
    return PLAIN[op](left, right) if both else Unknown(f"comparison of {kind_of(left)} and {kind_of(right)}")


@protocols.arithmetic.of(str, Text, rank=3)
def _arithmetic(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    if op == "+" and isinstance(left, str) and isinstance(right, str) and len(left) + len(right) <= MAX_ITEMS:
        return left + right
    return Text() if op in ("%", "+", "*") else Unknown("operation on strings")


_METHODS = frozenset(
    {
        "upper", "lower", "strip", "lstrip", "rstrip", "startswith", "endswith", "replace", "split", "join", "title",
        "capitalize", "isdigit", "find", "count", "zfill",
    }
)  # fmt: skip
_NO_TEXT = frozenset({"startswith", "endswith", "isdigit", "find", "count", "split"})


@protocols.methods.of(str, Text)
def _method(machine: Machine, receiver: Any, name: str, args: Args, kwargs: Keywords, node: ir.Call | None) -> Any:
    plain = [list(a.items) if isinstance(a, ListValue) else a for a in args]
    texts = all(
        isinstance(a, (str, int, tuple)) or (isinstance(a, list) and all(isinstance(i, str) for i in a)) for a in plain
    )
    if isinstance(receiver, str) and name in _METHODS and texts and not kwargs and _is_short(receiver, name, plain):
        result = getattr(receiver, name)(*plain)
        return ListValue(result) if isinstance(result, list) else result
    return Unknown("method of a string that is not known") if name in _NO_TEXT else Text()


def _is_short(receiver: str, method: str, args: list[Any]) -> bool:
    """Whether what a method makes of a string is not too long to be written out."""
    most = len(receiver) + 1 if method in ("join", "replace", "zfill") else 0
    for argument in args:
        if isinstance(argument, int):
            most = max(most, argument) if method == "zfill" else most
        elif isinstance(argument, str):
            most *= len(argument) + 1
        elif isinstance(argument, list):
            most = most * len(argument) + sum(map(len, argument))
    return most <= MAX_ITEMS
