"""Operations of NKI on tensors: arguments are bound, the rules are stated, the result is made."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.conditions import Cond
from nkilint_rules.operations import lookup
from nkilint_rules.operations.effects import RESULT, Effects
from nkilint_rules.operations.form import Call, Result
from nkilint_rules.operations.isa_results import says
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import ON_CHIP

from ..state.machine import Explained, Machine
from ..state.paths import for_each
from ..state.registers import ask_register
from ..state.trace import Access, Event, Site
from ..values.containers import ON_DEVICE
from ..values.grids import Grid
from ..values.instructions import Instruction
from ..values.tensors import View
from .binding import Untold, bind_call
from .creation import new_tile
from .effects import accesses_to, effects_of, fitted_to, result_mask
from .gathers import state_gathered
from .held_integers import state_held
from .requirements import (
    argument_node,
    check_bounds,
    check_lookups,
    check_mutable,
    check_partition_axis,
    operand_span,
    state_register,
    state_rules,
)


def call_operation(
    machine: Machine,
    dialect: str,
    name: str,
    args: list[Any],
    kwargs: dict[str, Any],
    at: Span,
    node: ir.Call | None = None,
) -> Any:
    """The result of an operation: a new tile in Beta 1, a handle to the instruction in 0.x where `dst` holds it."""
    operation = lookup(dialect, name)
    if operation is None:
        return Unknown(f"`{name}` is not an operation")
    if not machine.in_kernel:
        return Unknown(f"`{name}` outside a kernel")

    def carried_out(args: list[Any], kwargs: dict[str, Any]) -> Any:
        call = bind_call(machine, operation, dialect, args, kwargs, at, node)
        return call if isinstance(call, Unknown) else perform(machine, call, at, node)

    return for_each(machine, args, kwargs, carried_out)


def perform(machine: Machine, call: Call, at: Span, node: ir.Call | None) -> Any:
    """State the rules on a call, record it, and give its result."""
    mask = mask_of(machine, call, node)
    operation = call.operation
    try:
        result = operation.result(call) if operation.result is not None else None
    except IsUnknown as unknown:
        result = Unknown(unknown.reason)
    call.result = result if isinstance(result, Result) else None
    if isinstance(result, Unknown):
        reason = result.reason
        told = reason if isinstance(reason, Explained) else f"result of `{operation.leaf}`: {reason}"
        machine.unknown(IncompleteAnalysis, told, at)
    effects = effects_of(call)
    accesses = accesses_to(call, effects, mask)
    skipping = says(call, "oob_mode", "skip")
    for access in accesses:
        check_bounds(
            machine, access.view, mask if mask is True else fitted_to(mask, access.view.with_(mask=True)), skipping
        )
        check_mutable(machine, access, at)
        if operation.by_rows or (call.dialect == BETA1 and _picks_freely(access.view)):
            check_lookups(machine, access.view, operation.leaf)
        if call.dialect == BETA1 and operation.kind in ("compute", "matmul"):
            check_partition_axis(machine, access, call, at, node)
    _state_registers(machine, call, at, node)
    state_gathered(machine, call, mask, at, node)
    stated = len(machine.trace.obligations)
    state_rules(machine, call, at, node)
    if not any(isinstance(o.goal, Unknown) for o in machine.trace.obligations[stated:]):
        _state_gap(machine, call, at)
    value: Any = result
    if isinstance(result, Result) and (call.dialect == BETA1 or "dst" not in operation.operands_in(call.dialect)):
        value = new_tile(machine, result, at, result_mask(effects, mask, accesses))
        value.base.loaded = operation.by_dma
        accesses.append(Access("write", value, True, RESULT))
    elif isinstance(result, tuple):
        value = tuple(new_tile(machine, r, at, None) if isinstance(r, Result) else r for r in result)
    elif result is None or isinstance(result, Result):
        value = _handle(call, machine.site(at))
    known = effects if isinstance(effects, Effects) else None
    event = Event("operation", machine.site(at), operation, tuple(accesses), dict(call.arguments), known)
    state_held(machine, event)
    machine.emit(event)
    return value


def _state_registers(machine: Machine, call: Call, at: Span, node: ir.Call | None) -> None:
    """What an operation asks of registers: a flag of it is decided while the kernel is traced."""
    if call.operation.kind == "register":
        state_register(machine, call, at, node)
    for name, given in call.arguments.items():
        if isinstance(given, Cond):
            ask_register(machine, given, operand_span(node, name, call) or at)


def _picks_freely(view: View) -> bool:
    """Whether indices from a tile certainly stand along a free axis of another tile, where no engine takes any."""
    return view.memory in ON_CHIP and any(lookup_.spread is True for lookup_ in view.lookups)


def _handle(call: Call, site: Site) -> Instruction | None:
    """What a call gives that writes to operands: in 0.x a handle to the instruction."""
    if call.dialect == BETA1 or not call.operation.name.startswith("isa."):
        return None
    loops = tuple((loop.kind, loop) for loop in site.loops if loop.kind in ON_DEVICE)
    unrolled = tuple((kind, at) for at, kind, _ in site.unrolled if kind in ON_DEVICE)
    return Instruction(call.operation.leaf, loops, unrolled, site.callers)


def _state_gap(machine: Machine, call: Call, at: Span) -> None:
    """An argument that is not known leaves the call undecided, whether or not a rule asks for it."""
    operands = call.operation.operands_in(call.dialect)
    given = (value for name, value in call.arguments.items() if name in operands or not _is_free(name, value))
    items = [item for value in given for item in (value if isinstance(value, tuple) else (value,))]
    unknown = next((item for item in items if isinstance(item, Unknown)), None)
    if unknown is not None:
        machine.unknown(IncompleteAnalysis, unknown.reason, at, hides_writes=False)  # of those, the operand tells


def _is_free(name: str, value: Any) -> bool:
    """Whether an argument is one that the kernel's caller, or the operation's result, is asked for."""
    return name == "dtype" or isinstance(value, Untold)


def mask_of(machine: Machine, call: Call, node: ir.Call | None) -> Any:
    """The predicate that the call is given: a grid, True or Unknown."""
    mask = call.arguments.get("mask")
    if mask is None or mask is True:
        return True
    written = argument_node(node, "mask", call)
    if written is not None and isinstance(mask, Grid):
        never = mask.value is False
        machine.trace.masks[written.at] = machine.trace.masks.get(written.at, True) and never
    if isinstance(mask, (Grid, Unknown)):
        return mask
    if isinstance(mask, (bool, Cond)):
        return Grid(mask, (1, 1))
    return Unknown("a mask that is no predicate")
