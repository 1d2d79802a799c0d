"""The form of a requirement that belongs to one operation alone, and the conditions such requirements are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..words.conditions import IsUnknown, Unknown, any_of, negation
from ..words.dtypes import DType, dtype_in
from ..words.operators import operator_name
from ..words.promotion import INTEGERS
from ..words.records import dataclass
from ..words.tiles import Tile
from .form import Call
from .isa_results import leaf


def _nothing(call: Call) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition on the arguments of one operation, reported under `code` at `operand`.

    `test` is true where the requirement does not apply. `message` is a whole sentence, filled with the arguments by
    name, `target` and what `computed` adds. What is not `enforced` is documented, and runs on devices all the same.
    """

    code: str
    operand: str
    test: Callable[[Call], Any]
    message: str
    computed: Callable[[Call], Mapping[str, Any]] = _nothing
    enforced: bool = True

    def holds(self, call: Call) -> Any:
        """The condition for one call; unknown where the operation's tensors are something else."""
        if call.misplaced is not None:
            raise IsUnknown(f"`{call.misplaced}` is not a tensor")
        return self.test(call)

    def values(self, call: Call) -> dict[str, Any]:
        """What fills the message, where the requirement applies."""
        try:
            computed = self.computed(call) if call.misplaced is None else {}
        except IsUnknown:
            computed = {}
        return {**call.arguments, "target": call.target, **computed}


def implies(premise: Any, conclusion: Any) -> Any:
    """That `conclusion` holds where `premise` does."""
    return any_of((negation(premise), conclusion))


def truth(value: Any) -> Any:
    """A flag as a condition."""
    if value is None:
        return False
    return bool(value) if isinstance(value, (bool, int)) else value


def is_tile(value: Any) -> bool:
    """Whether an argument is a tensor; unknown where the argument is."""
    if isinstance(value, Unknown):
        raise IsUnknown(value.reason)
    return isinstance(value, Tile)


def has_dtype(value: Any, dtypes: frozenset[DType]) -> Any:
    """Whether an argument, if it is a tensor, has one of `dtypes`."""
    return dtype_in(value.dtype, dtypes) if is_tile(value) else True


def has_integers(value: Any) -> Any:
    """Whether an argument, if it is a tensor, holds integers."""
    return has_dtype(value, INTEGERS)


def in_memory(value: Any, memory: str) -> Any:
    """Whether an argument, if it is a tensor, lies in `memory`."""
    return value.memory == memory if is_tile(value) else True


def on_engine(call: Call, *engines: str) -> bool:
    """Whether the call asks for one of `engines`."""
    return leaf(call.get("engine")) in engines


def mode(call: Call, name: str) -> str | None:
    """The member of an enumeration given as `name`."""
    return leaf(call.get(name))


def operator(call: Call, name: str) -> str | None:
    """The operator given as `name`; None where there is none."""
    value = call.get(name)
    return None if value is None else operator_name(value)


def one_of(value: Any, allowed: tuple[int, ...]) -> Any:
    """Whether a number is one of `allowed`."""
    return any_of(value == number for number in allowed)


def gathered(call: Call, name: str) -> bool:
    """Whether an operand's columns are chosen by offsets in a tile."""
    value = call.get(name)
    return isinstance(value, Tile) and value.gathered


def not_gathered(*names: str) -> tuple[Requirement, ...]:
    """Operands whose columns offsets in a tile cannot choose."""

    def direct(name: str) -> Callable[[Call], bool]:
        return lambda call: not gathered(call, name)

    said = "`{}` is chosen by `indirect`, which the operation takes of its data and its destination alone"
    return tuple(Requirement("NKI205", name, direct(name), said.format(name)) for name in names)


def items(call: Call, name: str) -> tuple[Any, ...]:
    """The elements of a list or tuple argument."""
    value = call.get(name)
    if isinstance(value, Unknown):
        raise IsUnknown(value.reason)
    if not isinstance(value, (list, tuple)):
        raise IsUnknown(f"`{name}` is not a list")
    return tuple(value)


def pair(call: Call, name: str) -> tuple[Any, Any] | None:
    """The two elements of an argument, or None where it is left out or empty."""
    if call.get(name) is None:
        return None
    given = items(call, name)
    if not given:
        return None
    if len(given) != 2:
        raise IsUnknown(f"`{name}` is not a pair")
    return given[0], given[1]
