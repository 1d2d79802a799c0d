"""Accumulations whose iterations may come in any order: `t = t op x` again and again, with a new `x` each time."""

from __future__ import annotations

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
