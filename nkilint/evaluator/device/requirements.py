"""Rules stated at an operation: what its page asks, the bounds of its subscripts, where its arguments are written."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import key_of
from nkilint_rules.catalogue import rules_by_operation
from nkilint_rules.operations.form import Call
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, negation
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import HBM

from ..state.machine import Machine
from ..state.trace import Access, Facts, Obligation, Site
from ..values.tensors import View, uses_axes


def state_rules(machine: Machine, call: Call, at: Span, node: ir.Call | None) -> None:
    """Every rule about single operations, as obligations at this call."""
    for rule in rules_by_operation(call.operation.name):
        if call.dialect not in rule.dialects:
            continue
        try:
            for need in rule.check(call):
                if need.condition is True:
                    machine.need(rule.code, True)
                    continue
                where = operand_span(node, need.operand, call) or at
                machine.need(rule.code, need.condition, where, need.message, call=at, **need.values)
        except IsUnknown as unknown:
            machine.unknown(rule.code, unknown.reason, at)


def operand_span(node: ir.Call | None, operand: str | None, call: Call) -> Span | None:
    """Where the argument for `operand` is written."""
    found = None if operand is None else argument_node(node, operand, call)
    return found.at if found is not None else None


def argument_node(node: ir.Call | None, operand: str, call: Call) -> ir.Expr | None:
    """The expression given for an operand, or for an element of one (`data[1]`)."""
    if node is None:
        return None
    name, _, element = operand.partition("[")
    signature = call.operation.signature(call.dialect)
    assert signature is not None
    positional = (
        [n for n in signature.positional if n != "self"]
        if call.operation.name.startswith("tensor.")
        else signature.positional
    )
    found: ir.Expr | None = None
    plain = [e for key, e in node.args if key is None]
    for key, expression in node.args:
        if key == name:
            found = expression
    if found is None and name in positional and positional.index(name) < len(plain):
        found = plain[positional.index(name)]
    if found is not None and element and isinstance(found, ir.Sequence):
        position = int(element[:-1])
        if position < len(found.items):
            found = found.items[position]
    return found


def check_bounds(machine: Machine, view: View, mask: Any) -> None:
    """Every subscript of the view stays inside, for the elements that the mask lets through."""
    if not view.bounds:
        return
    done = machine.memo.setdefault("bounds", {})
    place = (id(view), key_of(mask) if isinstance(mask, Cond) else repr(mask), id(machine.facts))
    if place in done:
        return
    done[place] = view  # kept alive, so that its id stays its own
    if isinstance(mask, Unknown):
        for bound in view.bounds:
            machine.unknown("NKI301", mask.reason, bound.at)
        return
    facts = Facts(mask, machine.facts) if isinstance(mask, Cond) else machine.facts
    for bound in view.bounds:
        goal = all_of((bound.reach >= 0, bound.reach < bound.size))
        if goal is True or mask is False:
            machine.need("NKI301", True)
            continue
        values = {"index": bound.index_at, "reach": bound.reach, "axis": bound.axis, "masked": mask is not True,
                  "tensor": bound.tensor_at, "size": bound.size}  # fmt: skip
        site = Site(bound.at, machine.loops, facts, machine.callers)
        if machine.in_kernel:
            machine.trace.obligations.append(Obligation("NKI301", goal, site, values, bound.wording))


def check_lookups(machine: Machine, view: View, operation: str) -> None:
    """A DMA takes indices from a tile along the partitions of what it moves, or one for a block."""
    for lookup_ in view.lookups:
        if lookup_.mesh:
            machine.need("NKI306", False, lookup_.at, "mgrid", index=lookup_.index_at)
            continue
        where = "the partition or a block axis"
        goal = negation(lookup_.spread)
        machine.need("NKI306", goal, lookup_.at, index=lookup_.index_at, operation=operation, where=where)


def check_partition_axis(machine: Machine, access: Access, call: Call, at: Span, node: ir.Call | None) -> None:
    """A tile begins with the partition dimension: block dimensions before it have to be indexed."""
    view = access.view
    if not view.base.blocks or view.memory == HBM or view.problem:
        return
    loose = [d for d in range(view.base.blocks) if uses_axes(view.index[d])]
    where = operand_span(node, access.operand, call) or at
    name = call.operation.leaf
    machine.need("NKI107", not loose, where, tensor=where, axis=len(loose), operation=name, call=at)


def check_mutable(machine: Machine, access: Access, at: Span) -> None:
    base = access.view.base
    if access.role != "read" and base.kind == "input" and machine.dialect == BETA1:
        machine.need("NKI207", base.mutable, at, tensor=base.name, parameter=base.name)
