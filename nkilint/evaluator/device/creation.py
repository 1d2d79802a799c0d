"""Tensors that kernels make: their shape, dtype and memory, and where they are placed."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.evaluation import over_inputs
from nkilint.symbolic.integers import Sym
from nkilint_rules.operations.effects import RESULT
from nkilint_rules.operations.form import Call, Result
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.memory import HBM, ON_CHIP
from nkilint_rules.words.names import Named
from nkilint_rules.words.promotion import as_dtype as rule_dtype
from nkilint_rules.words.shapes import on_chip_shape

from ..state.machine import Machine, explained
from ..state.trace import Access, Event
from ..values.axes import fit_axes
from ..values.grids import Grid
from ..values.numbers import Real, SomeFloat
from ..values.objects import Api, External, Instance, member_number
from ..values.tensors import Declaration, View, whole_view
from .held_integers import state_held
from .placement.allocator import Allocator
from .placement.allocators import locate
from .requirements import argument_node, is_misplaced, state_non_integer, state_rules
from .shapes import creation_shape
from .whole_numbers import is_no_integer, state_other


def create(machine: Machine, call: Call, at: Span, node: ir.Call | None) -> Any:
    """A tensor made by `ndarray`, `zeros` and the like, with its block dimensions."""
    if is_misplaced(machine, call, at, node):
        return explained(f"an argument of `{call.operation.leaf}` is of another kind")
    if is_no_integer(machine, call, at, node):
        return explained("a size that is no integer")
    try:
        result = call.operation.result(call) if call.operation.result else None
    except IsUnknown as unknown:
        return _left_open(machine, Unknown(unknown.reason), at)
    if not isinstance(result, Result):
        return result
    shape, blocks = creation_shape(result.shape)
    for position, size in enumerate(shape):
        if isinstance(size, Unknown):
            return _left_open(machine, size, at)
        if isinstance(size, (Named, Instance)) and member_number(size) is size:
            why = machine.modules.why(getattr(size, "name", ""), "a size that is not known")
            return _left_open(machine, Unknown(why), at)
        if isinstance(size, (float, Real)) or not isinstance(size, (int, Sym)):
            written = argument_node(node, f"shape[{position}]", call)
            where = written.at if written is not None else at
            if isinstance(size, (float, Real)):
                state_non_integer(machine, where, "float", "a size", "" if isinstance(size, SomeFloat) else repr(size))
            else:
                state_other(machine, where, size, "a size")
            return explained("a size that is no integer")
    _take_for_sizes(machine, shape)
    dtype = result.dtype
    if isinstance(dtype, (External, Api)):
        dtype = rule_dtype(Named(dtype.name))
    buffer = call.arguments.get("buffer")
    region = getattr(buffer, "name", "") or getattr(buffer, "leaf", "") or str(result.memory)
    name = call.arguments.get("name")
    base = Declaration(
        name if isinstance(name, str) else "", shape, dtype, result.memory, at, "allocation", blocks,
        machine.loops, str(region), placement=placement_of(call),
    )  # fmt: skip
    view = whole_view(base)
    call.result = Result(shape[blocks:], dtype, result.memory)
    state_rules(machine, call, at, node)
    if result.memory in ON_CHIP and len(shape) == blocks:
        return explained("a tile without a dimension")
    accesses = (Access("write", view, True, RESULT),) if call.operation.fills else ()
    arguments = {**call.arguments, "tensor": view, **_located(machine, call, base, at, node)}
    event = Event("allocation", machine.site(at), call.operation, accesses, arguments)
    state_held(machine, event)
    machine.emit(event)
    return view


def _take_for_sizes(machine: Machine, shape: tuple[Any, ...]) -> None:
    """No tensor has a size below zero: a kernel that asks for one for some inputs ends here for these."""
    for size in shape:
        if isinstance(size, Sym) and size.bounds[0] < 0 and over_inputs(size):
            possible: Any = size >= 0
            if machine.truth(possible) is None:
                machine.trace.assumptions.setdefault(f"{size} is at least 0", None)
                machine.assume(possible, "asserted")


def _left_open(machine: Machine, size: Unknown, at: Span) -> Unknown:
    """A tensor of which it is not known how large it is, nor whether it may be, also where nothing is done with it."""
    machine.unknown(IncompleteAnalysis, size.reason, at, hides_writes=False)
    return size


def _located(machine: Machine, call: Call, base: Declaration, at: Span, node: ir.Call | None) -> dict[str, Any]:
    """Where direct allocation puts the tensor, as arguments of its allocation."""
    if base.placement is None:
        return {}
    return locate(machine, call, base, at, node)


def placement_of(call: Call) -> Any:
    """Where the caller puts the tensor: an allocator, an address, or None."""
    address = call.arguments.get("address")
    if address is not None:
        return ("address", address)
    buffer = call.arguments.get("buffer")
    return buffer if isinstance(buffer, Allocator) else None


def new_tile(machine: Machine, result: Result, at: Span, mask: Grid | None) -> View:
    """A tensor that an operation made."""
    shape = tuple(result.shape)
    if result.memory != HBM:
        shape = on_chip_shape(shape)
    for size in shape:
        if isinstance(size, Unknown):
            raise IsUnknown(size.reason)
    dtype = result.dtype
    base = Declaration("", shape, dtype, result.memory, at, "result", 0, machine.loops, str(result.memory))
    view = whole_view(base)
    if mask is not None and len(mask.shape) == len(shape):  # along an axis that is reduced, the first element counts
        same = tuple(
            1 if isinstance(a, int) and isinstance(b, int) and a != b and a != 1 else b
            for a, b in zip(mask.shape, shape, strict=True)
        )
        view.mask = fit_axes(mask.value, mask.shape, same)
    return view
