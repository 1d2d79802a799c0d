"""Arguments of operations: bound by name, in the rulebook's terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.integers import Sym
from nkilint_rules.misfits import misfit
from nkilint_rules.operations.form import Call, Operand, Operation
from nkilint_rules.operations.signatures import SignatureError
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.memory import HBM, PSUM, SBUF
from nkilint_rules.words.names import Named
from nkilint_rules.words.shapes import PartitionSize
from nkilint_rules.words.values import Foreign

from ..state.machine import Machine, explained
from ..values.containers import DictValue, ListValue
from ..values.dtypes import SymbolicDType, as_dtype
from ..values.grids import Grid
from ..values.grown import LongTuple
from ..values.inputs import InputTensor, ShapeOf
from ..values.numbers import Real, SomeFloat, parts_of
from ..values.objects import Api, External, RankGroups
from ..values.tensors import View
from ..values.wording import in_words
from .foreign import plain_object
from .inputs import as_number, as_tensor, no_length, shape_of
from .requirements import is_misplaced
from .shapes import creation_shape
from .updates import touch_somewhere
from .versions import check_enums, check_keywords, check_order, in_order_of_version, lost
from .whole_numbers import is_no_integer, opened


def bind_call(
    machine: Machine,
    operation: Operation,
    dialect: str,
    args: list[Any],
    kwargs: dict[str, Any],
    at: Span,
    node: ir.Call | None,
) -> Call | Unknown:
    """The call with its arguments by name; one that does not fit is reported."""
    signature = operation.signature(dialect)
    assert signature is not None
    if not check_order(machine, operation, dialect, args, kwargs, at):
        return out_of_order(machine, operation, [*args, *kwargs.values()], at)
    try:
        bound = in_order_of_version(machine, operation, dialect, args, kwargs) or signature.bind(args, kwargs)
    except SignatureError as error:
        _misfit(machine, operation, error, dialect, at)
        touch_somewhere(machine, [*args, *kwargs.values()], f"`{operation.leaf}` {error}", at)
        return explained(f"`{operation.leaf}` {error}")
    operands = operation.operands_in(dialect)
    arguments = {key: plain_argument(machine, value, operands.get(key)) for key, value in bound.items()}
    arguments = {key: _named(machine, key, _unmarked(value)) for key, value in arguments.items()}
    arguments = opened(operation, dialect, arguments)
    settle_dtype(arguments, bound)
    given = set(kwargs) | set(signature.positional[: len(args)])
    check_keywords(machine, operation, dialect, kwargs, at)
    check_enums(machine, operation, dialect, bound, at)
    call = Call(operation, dialect, machine.target, arguments, given, machine.version)
    if is_misplaced(machine, call, at, node) or is_no_integer(machine, call, at, node):
        reason = f"an argument of `{operation.leaf}` is of another kind"
        touch_somewhere(machine, [*args, *kwargs.values()], reason, at)
        return explained(reason)
    return call


def out_of_order(machine: Machine, operation: Operation, values: list[Any], at: Span) -> Unknown:
    """What is left of a call in the order of another version."""
    reason = f"the arguments of `{operation.leaf}` are in another order"
    touch_somewhere(machine, values, reason, at)
    return explained(reason)


def settle_dtype(arguments: dict[str, Any], given: Mapping[str, Any]) -> None:
    """A parameter given as `dtype=` is a dtype that the caller chooses."""
    value = given.get("dtype")
    if isinstance(value, InputTensor) and "view" not in value.cell:
        arguments["dtype"] = SymbolicDType(value.name)


def _unmarked(value: Any) -> Any:
    """A shape without the marker of its partition dimension."""
    if isinstance(value, tuple) and any(isinstance(item, PartitionSize) for item in value):
        return creation_shape(value)[0]
    return value


def _misfit(machine: Machine, operation: Operation, error: SignatureError, dialect: str, at: Span) -> None:
    if error.kind == "unexpected" and lost(machine, operation, error.names[0], dialect, at):
        return
    machine.need(misfit(operation, error), False, at)


_AS_IT_IS = frozenset((int, float, str, bool, type(None), Sym, DType, Named))


class Untold(Unknown):
    """A parameter that nothing tells about."""


def plain_argument(machine: Machine, value: Any, operand: Operand | None) -> Any:
    """An argument in the rulebook's terms.

    A parameter that nothing else tells about is a number where only on-chip tensors could stand.
    """
    if type(value) in _AS_IT_IS:
        return value
    if isinstance(value, InputTensor):
        return _input(machine, value, operand)
    if isinstance(value, ShapeOf):
        return shape_of(machine, value.tensor, None)
    if isinstance(value, View):
        if value.base.memory_open:
            if machine.dialect == BETA1 and _may_have_blocks(value, operand):
                return Unknown(f"which dimension of `{value.base.name}` is that of its partitions")
            settle_memory(value, operand)
        return value
    if isinstance(value, ListValue):
        try:
            return tuple(_plain_item(machine, item, operand) for item in value.items)
        except IsUnknown as unknown:
            return Unknown(unknown.reason)
    if isinstance(value, LongTuple):
        return Unknown("a tuple of symbolic length")
    if isinstance(value, tuple):
        return tuple(_plain_item(machine, item, operand) for item in value)
    if isinstance(value, Api):
        return Named(value.name)
    if isinstance(value, External) and not isinstance(value, RankGroups):
        return as_dtype(value) or (Named(value.name) if operand is None else _foreign(machine, value))
    if isinstance(value, Real):
        return SomeFloat.made_of(parts_of(value))
    if isinstance(value, DictValue):
        return dict(value.items) if value.kind == "dict" else Foreign(in_words(value))
    if isinstance(value, Grid) and operand is not None:
        return Unknown("an index grid where a tile is taken")
    return plain_object(machine, value)


def _input(machine: Machine, value: InputTensor, operand: Operand | None) -> Any:
    """The same of a parameter."""
    if value.is_number and value.view is None:
        return as_number(machine, value)
    if operand is not None and "number" not in value.cell:
        plain = "view" not in value.cell and not value.ranks and HBM not in operand.memories
        if plain and (operand.scalar or not value.memory_open):
            return SomeFloat.made_of(())  # the caller's, and the same throughout
        settle_memory(value, operand)
        try:
            return as_tensor(machine, value)
        except IsUnknown as unknown:
            return Unknown(unknown.reason)
    if value.is_tuple and "items" not in value.cell:
        return Unknown(no_length(machine, value))
    return value.cell.get("view", value.cell.get("number", Untold(f"`{value.name}`")))


def _named(machine: Machine, name: str, value: Any) -> Any:
    """An argument that is a name, or names something; of dtypes the operation says which it takes."""
    if isinstance(value, dict) and name != "fixed_sizes":
        return Foreign("a dict")
    why = machine.modules.why(value.name, "") if isinstance(value, Named) and name != "dtype" else ""
    return Unknown(why) if why else value


def _foreign(machine: Machine, value: External) -> Any:
    """A name of another package: of one that is not there it is not known what it stands for."""
    why = machine.modules.why(value.name, "")
    return Unknown(why) if why else Named(value.name)


def _plain_item(machine: Machine, item: Any, operand: Operand | None) -> Any:
    """One of several: a parameter that nothing else tells about is a size where no tensors could stand."""
    if isinstance(item, InputTensor) and operand is None and not item.cell and not item.ranks:
        return as_number(machine, item)
    if isinstance(item, External) and as_dtype(item) is None:
        return _foreign(machine, item)
    return plain_argument(machine, item, operand)


def _may_have_blocks(view: View, operand: Operand | None) -> bool:
    """Whether the numbers that index a parameter of a function that kernels call may count blocks of tiles."""
    on_chip = operand is not None and HBM not in operand.memories
    return on_chip and 2 <= len(view.shape) < len(view.base.shape)


def settle_memory(value: Any, operand: Operand | None) -> None:
    """A parameter of a function that kernels call may be anywhere: its first use as an operand tells, unless that may
    be anywhere too."""
    tensor = value.cell.get("view", value) if isinstance(value, InputTensor) else value
    base = tensor.base if isinstance(tensor, View) else tensor
    if base.memory_open and operand is not None and not operand.memories >= {HBM, SBUF}:
        base.memory_open = False
        base.memory = HBM if HBM in operand.memories else SBUF if SBUF in operand.memories else PSUM
