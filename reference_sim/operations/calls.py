"""One call of an operation: arguments bound, requirements checked, numerics run, the result kept."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nkilint_rules.misfits import only_gives
from nkilint_rules.operands.missing_destination import MissingDestination
from nkilint_rules.operations import load_operations
from nkilint_rules.operations.form import Result
from nkilint_rules.words.dialects import BETA1
from reference_sim.machine.listeners import tell_read, tell_used
from reference_sim.machine.program import Program, program
from reference_sim.report import budget
from reference_sim.report.errors import CannotSimulate, NkiError
from reference_sim.report.reporting import THREAD
from reference_sim.report.sites import call_in
from reference_sim.report.wording import complain
from reference_sim.tensors.grids import where_of
from reference_sim.tensors.tensor import Tensor

from .entries import Entry, Misfit, Plan
from .operands import Operands
from .products import PRODUCTS, product_mask, whole_operands
from .results import finish


def run(entry: Entry, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Carry out one call."""
    current = THREAD.program or program(entry.name)
    boxes: Mapping[str, Any] = {}
    if entry.name in PRODUCTS:
        args, kwargs, boxes = whole_operands(entry, args, kwargs)
    try:
        plan, arguments = entry.planned(args, kwargs, current)
    except Misfit:
        if current.dialect == BETA1:
            raise
        return None  # what would be written stays as it is
    operands = Operands(entry, arguments, plan, current)
    current.operation = entry.operation.leaf
    mask = arguments.get("mask")
    if entry.name in PRODUCTS:
        operands.product = product_mask(entry, arguments, boxes)
    if operands.product is None and mask is not None and mask is not True:
        operands.where = where_of(mask, _mask_shape(entry, arguments, plan))
    current.clock += 1
    if current.checks:
        _tell(operands, current)
    try:
        value = entry.implementation(operands)
    except (ValueError, IndexError) as error:
        value = _instead(error, operands)
    if budget.ACTIVE:
        budget.operation(value)
    if entry.effect:
        return value
    if current.checks and entry.unused_is_wrong:
        operands.site, discarded, _ = call_in(sys._getframe(2))
        if discarded and only_gives(entry.operation, entry.dialect, arguments):
            complain(MissingDestination.unused(operation=entry.operation.leaf))
    return finish(operands, value)


def _tell(operands: Operands, current: Program) -> None:
    """The call begins, and reads its operands."""
    listeners, plan = current.listeners, operands.plan
    for told in listeners.began:
        told(operands)
    for event in plan.events:
        for told in getattr(listeners, event):
            told(operands)
    arguments, readers = operands.arguments, listeners.read
    plain = operands.where is None and operands.product is None and not plan.effects.only
    for name, role in plan.reads:
        value = arguments[name]
        if type(value) is Tensor:
            if role == "accumulate":
                tell_used(value, None, current)
                continue
            where = None if plain else operands.seen(name, value)
            for follower in value.storage.followers:  # as `tell_read` does, without another call
                follower.read(value, where, operands, current)
            for told in readers:
                told(value, where, operands)
        else:
            for item in value:
                if isinstance(item, Tensor):
                    tell_read(item, operands.seen(name, item), operands, current)


def _instead(error: Exception, operands: Operands) -> Any:
    """Zeros where numerics failed on empty tiles, or on operands that were complained about, so that a run that
    collects findings goes on."""
    plan, target = operands.plan, operands.arguments.get("dst")
    empty = any(isinstance(value, Tensor) and 0 in value.shape for value in operands.arguments.values())
    if isinstance(error, NkiError) or isinstance(error.__cause__, NkiError):
        raise error
    if not (plan.findings or empty):
        shapes = [str(list(value.shape)) for value in operands.arguments.values() if isinstance(value, Tensor)]
        text = f"its operands have the shapes {', '.join(shapes)} ({error})" if shapes else str(error)
        raise CannotSimulate(operands.entry.operation.leaf, text) from None
    shape = target.shape if isinstance(target, Tensor) else None if plan.tile is None else plan.tile.shape
    if shape is None:
        raise error
    return np.zeros(shape, np.float32)


def _mask_shape(entry: Entry, arguments: Mapping[str, Any], plan: Plan) -> tuple[int, ...]:
    """The shape that a mask speaks of: the result's where it is at least as large as the first operand's."""
    first = next((v.sizes for name, _, _ in entry.roles if isinstance(v := arguments.get(name), Tensor)), None)
    result = plan.result
    if entry.operation.kind == "compute" and isinstance(result, Result) and first is not None:
        shape = tuple(result.shape)
        if len(shape) == len(first) and all(a >= b for a, b in zip(shape, first, strict=True)):
            return shape
    return first or (tuple(result.shape) if isinstance(result, Result) else ())


def entry_for(name: str, dialect: str, implementation: Callable[[Operands], Any], effect: bool) -> Entry | None:
    """The operation with its numerics, if the dialect has it."""
    operation = load_operations().get(name)
    if operation is None or operation.signature(dialect) is None:
        return None
    return Entry(operation, dialect, implementation, effect)
