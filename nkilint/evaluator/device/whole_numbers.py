"""Arguments that number elements or dimensions: they are integers, or several of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint_rules.language.non_integer_size import NonIntegerSize
from nkilint_rules.operands.operand_form import OperandForm
from nkilint_rules.operations.form import Call, Operation
from nkilint_rules.operations.kinds import NUMBER, kind_of
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.shapes import PartitionSize
from nkilint_rules.words.values import Foreign, shown

from ..state.machine import Machine
from ..values.host import HostArray
from ..values.numbers import Real, SomeFloat
from ..values.tensors import View
from ..values.wording import in_words
from .requirements import argument_node, state_non_integer

_SIZE, _AXIS, _INDEX = "a size", "an axis", "an index"
_ONE = {
    **dict.fromkeys(("dim", "start_dim", "end_dim", "indirect_dim"), _AXIS),
    **dict.fromkeys(("start", "end", "step", "offset", "channel_multiplier", "index_offset"), _INDEX),
    **dict.fromkeys(("size", "num_elem_per_idx", "num_elem", "num_valid_indices"), _SIZE),
}
_SEVERAL = {
    **dict.fromkeys(("shape", "tile_size"), _SIZE),
    **dict.fromkeys(("axis", "axes", "dims"), _AXIS),
    **dict.fromkeys(("tile_position", "shuffle_mask"), _INDEX),
}
_PAIRS = {"pattern": _INDEX}
_DEPTHS = ((0, _ONE), (1, _SEVERAL), (2, _PAIRS))
_NUMBERS = ("range_start", "n")
"""What is a number, and may be a float."""


def is_no_integer(machine: Machine, call: Call, at: Span, node: ir.Call | None) -> bool:
    """Whether something that surely is no number stands where operations take integers, which is told."""
    for depth, names in _DEPTHS:
        for name in call.given & names.keys():
            written = argument_node(node, name, call)
            for value, place in _others(call.arguments.get(name), written, depth):
                state_other(machine, place.at if place is not None else at, value, names[name])
                return True
    return _has_no_pairs(machine, call, at, node)


def state_other(machine: Machine, at: Span, value: Any, use: str) -> None:
    """What is written at `at` is no number but another value."""
    if isinstance(value, (float, Real)):
        known = isinstance(value, float) and not isinstance(value, SomeFloat)
        state_non_integer(machine, at, "float", use, repr(value) if known else "")
        return
    if isinstance(value, str):
        said = NonIntegerSize.message(expression=at, type="str", value=shown(value), use=use)
    else:
        said = NonIntegerSize.other(expression=at, kind=shown_kind(value), use=use)
    machine.need(said, False, at)


def shown_kind(value: Any) -> str:
    return value.kind if isinstance(value, Foreign) else in_words(value)


def _others(value: Any, written: ir.Expr | None, depth: int) -> Iterator[tuple[Any, ir.Expr | None]]:
    """What is no integer among an argument that has lists as deep as that, with what is written for it."""
    if depth and isinstance(value, (tuple, list)):
        known = written.items if isinstance(written, ir.Sequence) and len(written.items) == len(value) else ()
        for position, item in enumerate(value):
            yield from _others(item, known[position] if known else written, depth - 1)
    elif _is_other(value):
        yield value, written


def opened(operation: Operation, dialect: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, where those that are integers are unknown if they may be numbers and are not known to be, as are
    arrays of the host where only tensors can be followed."""
    signature = operation.signature(dialect)
    defaults = signature.defaults if signature is not None else {}
    found = dict(arguments)
    for name, value in arguments.items():
        if isinstance(value, HostArray) and name not in _OF_HOST:
            found[name] = Unknown(f"{in_words(value)} as an argument")
    for depth, names in (*_DEPTHS, (0, dict.fromkeys(_NUMBERS, ""))):
        for name in found.keys() & names.keys():
            if found[name] is not None or defaults.get(name, name) is not None:
                found[name] = _opened(found[name], depth)
    return found


_OF_HOST = ("constant", "arr")


def _opened(value: Any, depth: int) -> Any:
    if depth and isinstance(value, (tuple, list)):
        return tuple(_opened(item, depth - 1) for item in value)
    guessed = isinstance(value, View) and value.base.guessed
    known = not guessed and (kind_of(value) or isinstance(value, _KNOWN))
    return value if known else Unknown(f"{in_words(value)} where an integer is taken")


_KNOWN = (bool, Sym, Cond, Unknown, PartitionSize, tuple, list, str)


def _is_other(value: Any) -> bool:
    kind = kind_of(value)
    return isinstance(value, (tuple, list, str, float, Real)) or kind not in ("", NUMBER)


def _has_no_pairs(machine: Machine, call: Call, at: Span, node: ir.Call | None) -> bool:
    """Whether a pattern is something else than pairs of numbers, which is told."""
    pattern = call.arguments.get("pattern")
    if "pattern" not in call.given or pattern is None:
        return False
    for item in pattern if isinstance(pattern, (tuple, list)) else (pattern,):
        if not isinstance(item, (tuple, list, Unknown)) or (isinstance(item, (tuple, list)) and len(item) != 2):
            written = argument_node(node, "pattern", call)
            takes = "pairs of a step and a number of elements"
            leaf = call.operation.leaf
            said = OperandForm.kind(argument="pattern", kind=shown(pattern), operation=leaf, takes=takes)
            machine.need(said, False, written.at if written is not None else at, call=at)
            return True
    return False
