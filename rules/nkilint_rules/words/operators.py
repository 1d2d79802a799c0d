"""The operators that instructions take: one name for each, and the sets that parameters accept.

The sets are the tables "Supported Math Operators" and "Supported Activation Functions" of `nki.api.shared` and the
lists on the pages of single operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .conditions import IsUnknown, Unknown
from .dialects import BETA1, NKI
from .names import Named

_SPELLINGS = {
    "max": "maximum",
    "amax": "maximum",
    "min": "minimum",
    "amin": "minimum",
    "sum": "add",
    "prod": "multiply",
    "absolute": "abs",
    "bitwise_not": "invert",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "pow": "power",
    "true_divide": "divide",
    "mean": "average",
    "atan": "arctan",
    "identity": "copy",
}


def operator_name(value: Any) -> str:
    """The operator that an argument names, whether spelled as NumPy's function, the language's or a string."""
    if isinstance(value, Unknown):
        raise IsUnknown(value.reason)
    if isinstance(value, Named):
        leaf = value.leaf
    elif isinstance(value, str):
        leaf = value
    else:
        raise IsUnknown("the operator is not a named function")
    return _SPELLINGS.get(leaf, leaf)


_COMPARISONS = frozenset({"equal", "not_equal", "greater_equal", "greater", "less_equal", "less"})
_BITVEC_BINARY = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"})
_BITVEC = _BITVEC_BINARY | {"invert"}
_LOGICAL = frozenset({"logical_and", "logical_or", "logical_xor"})
_ACCUMULATIONS = frozenset({"add", "multiply", "maximum", "minimum"})
_ARITHMETIC_BINARY = _ACCUMULATIONS | {"subtract", "power"} | _COMPARISONS | _LOGICAL
_REDUCTIONS = _ACCUMULATIONS | {"subtract"} | _LOGICAL | {"bitwise_and", "bitwise_or", "bitwise_xor"}
_ACTIVATIONS = frozenset(
    {
        *("copy", "square", "sigmoid", "relu", "gelu", "gelu_dx", "gelu_apprx_tanh", "gelu_apprx_sigmoid", "silu"),
        *("silu_dx", "tanh", "softplus", "mish", "erf", "erf_dx", "exp", "log", "sin", "arctan", "sqrt", "rsqrt"),
        *("reciprocal", "sign", "abs"),
    }
)

_BINARY = {BETA1: _ARITHMETIC_BINARY, NKI: _ARITHMETIC_BINARY | {"abs_max", "abs_min"}}
_UNARY = {
    BETA1: frozenset({"logical_not", "rsqrt", "reciprocal", "abs"}),
    NKI: frozenset({"abs", "square", "relu", "rsqrt", "reciprocal"}),
}


def _sets(dialect: str) -> dict[str, frozenset[str]]:
    binary, unary = _BINARY[dialect], _UNARY[dialect]
    activation = _ACTIVATIONS if dialect == BETA1 else _ACTIVATIONS | {"prelu", "gelu_apprx_sigmoid_dx"}
    return {
        "alu": binary | unary | _BITVEC,
        "bitvec": _BITVEC,
        "arithmetic": binary | unary,
        "arithmetic-binary": binary,
        "binary": binary | _BITVEC_BINARY,
        "unary": unary | {"invert"},
        "reduce": _REDUCTIONS,
        "accumulate": _ACCUMULATIONS,
        "accumulate-or-subtract": _ACCUMULATIONS | {"subtract"},
        "partition-reduce": frozenset({"add", "maximum", "bitwise_or", "bitwise_and"})
        | (frozenset({"average"}) if dialect == NKI else frozenset()),
        "activation": activation,
        "activate2-reduce": frozenset({"add", "maximum", "minimum", "abs_max", "abs_min"}),
        "tensor-scalar-stage": frozenset({"multiply", "add", "subtract", "bypass"}),
        "comparison": _COMPARISONS,
        "range-comparison": _COMPARISONS - {"not_equal"},
        "add": frozenset({"add"}),
        "maximum": frozenset({"maximum"}),
    }


SETS: Mapping[str, Mapping[str, frozenset[str]]] = {dialect: _sets(dialect) for dialect in (BETA1, NKI)}
"""Accepted operator names by dialect and name of the set."""

OPERATORS = frozenset().union(*(names for sets in SETS.values() for names in sets.values()))
"""All that some instruction takes as an operator."""

SINCE_GENERATION: Mapping[str, int] = {"abs_max": 4, "abs_min": 4}
"""Operators that older NeuronCores lack, by the first generation that has them."""

UNARY_SINCE_GENERATION: Mapping[str, int] = {"square": 4, "relu": 4}
"""The same for operators that `tensor_scalar` and `tensor_scalar_reduce` take as their first operator."""


def accepted(set_name: str, dialect: str) -> frozenset[str]:
    """The operators in a set."""
    return SETS[dialect][set_name]


def is_bitvec(name: str) -> bool:
    """Whether the operator works on bit patterns, and so on integers only."""
    return name in _BITVEC


def is_unary(name: str, dialect: str) -> bool:
    """Whether the operator has a single operand."""
    return name in SETS[dialect]["unary"]
