"""Accumulations whose iterations may come in any order: `t = t op x` again and again, with a new `x` each time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .conditions import IsUnknown
from .operators import operator_name

_FAMILIES = {
    "add": "sum",
    "subtract": "sum",
    "multiply": "product",
    "divide": "product",
    **{name: name for name in ("maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor")},
    **{name: name for name in ("logical_and", "logical_or", "logical_xor")},
}
_LEFT_ONLY = frozenset({"subtract", "divide"})  # a and b may change places in `t - a - b`, not in `b - (a - t)`


def family(operator: str, left: bool = True) -> str | None:
    """What `t = t operator x` accumulates, or `t = x operator t` if not `left`; None where the order matters.

    Accumulations of the same family into one tensor may be mixed.
    """
    return None if operator in _LEFT_ONLY and not left else _FAMILIES.get(operator)


def operator_of(operation: str, arguments: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """The operator that an operation applies to two tiles, and the names of their parameters."""
    namespace, _, leaf = operation.partition(".")
    if namespace == "language" and leaf in _FAMILIES:
        return leaf, "x", "y"
    if operation == "isa.tensor_tensor":
        try:
            return operator_name(arguments.get("op")), "data1", "data2"
        except IsUnknown:
            return None
    return None
