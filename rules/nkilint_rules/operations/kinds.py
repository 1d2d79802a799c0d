"""What an argument is, where that leaves no doubt, and what its parameter takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..words.conditions import Unknown
from ..words.names import Named
from ..words.operators import OPERATORS
from ..words.tiles import Tile
from ..words.values import Foreign
from .form import Call
from .language_constants import MemoryRegion

TENSOR, NUMBER, DTYPE, MEMORY, OPERATOR = "a tensor", "a number", "a dtype", "a memory", "an operator"

TAKES = {
    "dtype": DTYPE,
    "buffer": MEMORY,
    **dict.fromkeys(("value", "fill_value", "imm", "range_start", "n"), NUMBER),
    **dict.fromkeys(("op", "op0", "op1", "reduce_op", "cmp_op", "reduce0_op", "compare_op0", "compare_op1"), OPERATOR),
}
"""Of parameters that mean the same in every operation that has them."""


def kind_of(value: Any) -> str:
    """What an argument is; empty where it may be something else, too."""
    if isinstance(value, Foreign):
        return value.kind
    if isinstance(value, Unknown):
        return ""
    if isinstance(value, Tile):
        return TENSOR
    if isinstance(value, MemoryRegion):
        return MEMORY
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return NUMBER
    if isinstance(value, Named):
        package = value.name.partition(".")[0]
        return OPERATOR if package in ("language", "numpy") and value.leaf in OPERATORS else ""
    return DTYPE if hasattr(value, "itemsize") and not hasattr(value, "shape") else ""


def of_another_kind(call: Call) -> Iterator[tuple[str, str, str]]:
    """The arguments that are something else than what their parameters take: name, what it is, what is taken."""
    operands, signature = call.operation.operands_in(call.dialect), call.operation.signature(call.dialect)
    defaults = signature.defaults if signature is not None else {}
    for name, value in call.arguments.items():
        takes, kind = TAKES.get(name, ""), kind_of(value)
        if value is None and name not in defaults:
            kind = "None"
        elif isinstance(value, str) and takes in (NUMBER, OPERATOR):
            kind = f"the text {value!r}"
        elif isinstance(value, (tuple, list)) and takes in (NUMBER, OPERATOR, DTYPE):
            kind = "a tuple"
        if name in operands:
            takes = "a tensor or a number" if operands[name].scalar else TENSOR
            if kind not in (DTYPE, MEMORY, OPERATOR) and not isinstance(value, Foreign):
                continue
        if takes and kind and kind != takes:
            yield name, kind, takes
