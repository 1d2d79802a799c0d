"""Registers, synchronisation between logical cores, printing, and reductions over programs and loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.needs import shape_text
from nkilint_rules.operands.shape_mismatch import ShapeMismatch
from nkilint_rules.parallel.divergent_barrier import DivergentBarrier
from reference_sim.machine.cores import CoresApart
from reference_sim.machine.listeners import tell_address
from reference_sim.machine.registers import VirtualRegister
from reference_sim.report.errors import CannotSimulate
from reference_sim.report.wording import complain
from reference_sim.tensors.python import to_host
from reference_sim.tensors.tensor import Tensor

from ..loop_targets import reduce_into
from .registry import effect

if TYPE_CHECKING:
    from ..operands import Operands


@effect("instruction.depends_on")
def depends_on(operands: Operands) -> Any:
    """Order is kept anyway."""
    later = operands.arguments["self"]
    for told in operands.program.listeners.orders:
        told(later, operands.arguments.get("producers", ()))
    return later


@effect("isa.register_alloc")
def register_alloc(operands: Operands) -> VirtualRegister:
    value = operands.get("x")
    return VirtualRegister(None if value is None else int(value))


@effect("isa.register_move")
def register_move(operands: Operands) -> None:
    source = operands.get("src", operands.get("imm"))
    operands.dst.assign(source)


@effect("isa.register_load")
def register_load(operands: Operands) -> None:
    source = operands.array("src")
    tell_address(operands.src, operands.program)
    if source.size != 1:
        raise CannotSimulate("register_load", f"a register holds one element, the source has {source.size}")
    operands.dst.assign(source.reshape(-1)[0])


@effect("isa.register_store")
def register_store(operands: Operands) -> None:
    operands.write("dst", np.asarray([operands.src.register_value()]))


def _met(operands: Operands, pipe: Any = None) -> bool:
    """Wait for the other cores; whether they come to the same."""
    current, name = operands.program, operands.entry.operation.leaf
    turns = current.launch.turns
    try:
        if turns is not None:
            turns.meet(current.number, (name, pipe))
    except CoresApart as apart:
        if not current.checks:
            raise CannotSimulate(name, f"core {apart.other} does not arrive") from None
        complain(DivergentBarrier.message(operation=name, first=current.number, second=apart.other))
        return False
    return True


@effect("isa.core_barrier")
def core_barrier(operands: Operands) -> None:
    if _met(operands):
        _tell_met(operands)
        _met(operands)


def _tell_met(operands: Operands) -> None:
    for told in operands.program.listeners.met:
        told()


@effect("isa.sendrecv")
def sendrecv(operands: Operands) -> None:
    """What each core sends lies in the launch's mailbox until the other has taken it."""
    launch = operands.program.launch
    me, pipe, sender = operands.program.number, operands.pipe_id, int(operands.recv_from_rank)
    if sender == me and launch.turns is not None and operands.program.checks:
        complain(DivergentBarrier.itself(operation="sendrecv", core=me))
    launch.mailbox[(pipe, me, int(operands.send_to_rank))] = np.array(operands.array("src"))
    if not _met(operands, pipe):
        return
    _tell_met(operands)
    letter = launch.mailbox.pop((pipe, sender, me), None)
    if letter is not None:
        place = operands.array("dst").shape
        if letter.shape != place and operands.program.checks:
            given, sent = shape_text(place), shape_text(letter.shape)
            complain(ShapeMismatch.received(core=me, value=given, other=sender, expected=sent))
        operands.write("dst", letter)
    elif operands.program.checks:
        complain(DivergentBarrier.ranks(operation="sendrecv", first=me, second=sender))
    else:
        raise CannotSimulate("sendrecv", f"core {sender} sends nothing to core {me} on pipe {pipe}")
    _met(operands, pipe)  # the sender may put the next one there only when this one is taken


@effect("language.device_print")
def device_print(operands: Operands) -> None:
    prefix = operands.get("prefix", operands.get("print_prefix"))
    value: Any = operands.get("x", operands.get("tensor"))
    print(prefix, to_host(value) if isinstance(value, Tensor) else value)


@effect("language.loop_reduce")
def loop_reduce(operands: Operands) -> Any:
    """`b = nl.loop_reduce(x, op, ...)`: the tile on the left takes part; see `loop_targets`."""
    return reduce_into(operands)


@effect("language.all_reduce")
def all_reduce(operands: Operands) -> Any:
    if all(size == 1 for size in operands.program.launch.grid):
        return operands.x
    raise CannotSimulate("all_reduce", "programs of a grid run one after the other, and it needs them all at once")
