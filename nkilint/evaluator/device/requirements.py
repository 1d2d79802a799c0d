"""Rules stated at an operation: what its page asks, the bounds of its subscripts, where its arguments are written."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.faults import MISTAKES
from nkilint.base.ir import Span
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym, key_of
from nkilint_rules.catalogue import rules_by_operation
from nkilint_rules.indexing.indirect_index import IndirectIndex
from nkilint_rules.indexing.out_of_bounds import OutOfBounds
from nkilint_rules.language.non_integer_size import NonIntegerSize
from nkilint_rules.limits.partition_not_first import PartitionNotFirst
from nkilint_rules.operands.immutable_parameter import ImmutableParameter
from nkilint_rules.operands.operand_form import OperandForm
from nkilint_rules.operations.form import Call
from nkilint_rules.operations.kinds import of_another_kind
from nkilint_rules.rule import Message, Rule
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, any_of, negation
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import HBM

from ..state.joining import same
from ..state.machine import Machine
from ..state.trace import Access, AtWitness, Facts, Obligation, Reach, Site
from ..values.containers import COUNTED
from ..values.tensors import Bound, View, uses_axes
from .forms import form_of


def _index_of(machine: Machine, value: Any) -> str:
    """The kind of loop on the device whose index a value is; in one that is unrolled that is a number."""
    if isinstance(value, int):
        return next((kind for _, kind, _ in reversed(machine.unrolled) if kind in COUNTED), "")
    if not isinstance(value, Sym):
        return ""
    loops = (loop for loop in machine.loops if loop.kind in COUNTED and same(loop.value, value))
    return next((loop.kind for loop in loops), "")


def state_register(machine: Machine, call: Call, at: Span, node: ir.Call | None) -> None:
    """State that an operation writes to no index of a loop on the device, which can only be read."""
    loop = _index_of(machine, call.get("dst"))
    if loop:
        said = OperandForm.index(operand="dst", loop=loop, operation=call.operation.leaf)
        machine.need(said, False, operand_span(node, "dst", call) or at)


def state_rules(machine: Machine, call: Call, at: Span, node: ir.Call | None) -> None:
    """Every rule about single operations, as obligations at this call; where another call of the same form met them all
    by constants alone, they are only counted."""
    form = form_of(call)
    met = machine.memo.setdefault("met", {})
    if form is not None and form in met:
        for rule in met[form]:
            machine.holds(rule)
        return
    held: list[type[Rule]] = []
    plain = True
    for each in rules_by_operation(call.operation.name):
        if call.dialect not in each.dialects:
            continue
        try:
            for need in each.check(call):
                if need.condition is True:
                    held.append(need.message.rule)
                    machine.holds(need.message.rule)
                    continue
                plain = False
                where = operand_span(node, need.operand, call) or at
                machine.need(need.message, need.condition, where, call=at)
        except IsUnknown as unknown:
            plain = False
            machine.unknown(type(each), unknown.reason, at)
        except MISTAKES as mistake:
            plain = False
            machine.unknown(type(each), machine.trace.failed(mistake), at)
    if plain and form is not None:
        met[form] = held


def is_misplaced(machine: Machine, call: Call, at: Span, node: ir.Call | None) -> bool:
    """Whether an argument is something else than what its parameter takes, which is told; a dtype that is None may be
    one of those that a caller puts into a field of an object."""
    found = list(of_another_kind(call))
    if machine.unset and any(kind == "None" and takes == "a dtype" for _, kind, takes in found):
        raise IsUnknown(
            f"{', '.join(f'`{field}`' for field in sorted(machine.unset)[:3])}, which its class leaves None"
        )
    for name, kind, takes in found:
        message = OperandForm.kind(argument=name, kind=kind, operation=call.operation.leaf, takes=takes)
        machine.need(message, False, operand_span(node, name, call) or at, call=at)
    return bool(found)


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


def check_bounds(machine: Machine, view: View, mask: Any, skipping: bool = False) -> None:
    """Every subscript of the view stays inside, for the elements that the mask lets through; of indices that a tile
    holds, not where what is outside is skipped."""
    if not view.bounds:
        return
    done = machine.memo.setdefault("bounds", {})
    place = (id(view), key_of(mask) if isinstance(mask, Cond) else repr(mask), id(machine.facts))
    if place in done:
        return
    done[place] = view  # kept alive, so that its id stays its own
    if isinstance(mask, Unknown):
        for bound in view.bounds:
            machine.unknown(OutOfBounds, mask.reason, bound.at)
        return
    facts = Facts(mask, machine.facts) if isinstance(mask, Cond) else machine.facts
    empty = any(isinstance(size, int) and size == 0 for size in view.shape)  # no element of it is outside
    for bound in view.bounds:
        if skipping and bound.added:  # elements that the run-time offset brings outside are skipped
            continue
        if bound.held and (skipping or mask is not True):
            if not skipping:  # which elements of the tile are used is not followed
                machine.trust(bound.at)
            continue
        goal = empty or all_of((bound.added or bound.reach >= 0, bound.reach < bound.size))
        if goal is True or mask is False or bound.when is False:
            machine.holds(OutOfBounds)
            continue
        if isinstance(bound.when, Unknown):
            machine.unknown(OutOfBounds, bound.when.reason, bound.at)
            continue
        goal = any_of((negation(bound.when), goal))
        site = Site(bound.at, machine.loops, facts, machine.callers)
        if machine.in_kernel:
            message = _outside(bound, masked=mask is not True)
            machine.trace.obligations.append(Obligation(message, goal, site))


def judged_when_made(machine: Machine, bounds: tuple[Bound, ...], empty: bool = False) -> tuple[Bound, ...]:
    """What is left of the bounds of a view for whoever uses it, where numbers choose what it shows of a tensor. In 0.x,
    which has no masks, it is judged here, used or not; in Beta 1 a mask may leave out what is outside."""
    if machine.dialect == BETA1:
        return bounds
    for bound in bounds:
        goal = empty or all_of((bound.reach >= 0, bound.reach < bound.size))
        machine.need(_outside(bound, masked=False), goal, bound.at)
    return ()


def _outside(bound: Bound, masked: bool) -> Message:
    """What to say of an index that leaves its tensor."""
    index, tensor, reach, size = bound.index_at, bound.tensor_at, Reach(bound.reach, masked), AtWitness(bound.size)
    if bound.added:
        return OutOfBounds.added(index=index, reach=reach, tensor=tensor, size=size)
    if bound.pattern:
        said = OutOfBounds.row if bound.axis else OutOfBounds.pattern
        return said(index=index, reach=reach, tensor=tensor, size=size)
    return OutOfBounds.message(index=index, reach=reach, axis=bound.axis, tensor=tensor, size=size)


def check_lookups(machine: Machine, view: View, operation: str) -> None:
    """A DMA takes indices from a tile along the partitions of what it moves, or one for a block."""
    for lookup_ in view.lookups:
        if lookup_.mesh:
            machine.need(IndirectIndex.mgrid(index=lookup_.index_at), False, lookup_.at)
            continue
        where = "the partition or a block axis"
        goal = negation(lookup_.spread)
        machine.need(IndirectIndex.message(index=lookup_.index_at, operation=operation, where=where), goal, lookup_.at)


def check_partition_axis(machine: Machine, access: Access, call: Call, at: Span, node: ir.Call | None) -> None:
    """A tile begins with the partition dimension: block dimensions before it have to be indexed."""
    view = access.view
    if not view.base.blocks or view.memory == HBM or view.problem:
        return
    loose = [d for d in range(view.base.blocks) if uses_axes(view.index[d])]
    where = operand_span(node, access.operand, call) or at
    name = call.operation.leaf
    machine.need(PartitionNotFirst.message(tensor=where, axis=len(loose), operation=name), not loose, where, call=at)


def state_non_integer(machine: Machine, at: Span, kind: str, use: str, value: str) -> None:
    """What is written at `at` is no integer but `value`, empty where only its type is known."""
    if value == "None":
        machine.trace.nothing.setdefault(at, None)
    if value:
        machine.need(NonIntegerSize.message(expression=at, type=kind, value=value, use=use), False, at)
    else:
        machine.need(NonIntegerSize.symbolic(expression=at, type=kind, use=use), False, at)


def check_mutable(machine: Machine, access: Access, at: Span) -> None:
    base = access.view.base
    if access.role != "read" and base.kind == "input" and machine.dialect == BETA1:
        machine.need(ImmutableParameter.message(parameter=base.name), base.mutable, at)
