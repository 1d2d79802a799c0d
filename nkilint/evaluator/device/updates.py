"""Assignment to elements: what is overwritten, read and accumulated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import is_one, key_of
from nkilint_rules.indexing.indirect_index import IndirectIndex
from nkilint_rules.operands.partition_mismatch import PartitionMismatch
from nkilint_rules.operands.shape_mismatch import ShapeMismatch
from nkilint_rules.operands.unsupported_dtype import UnsupportedDtype
from nkilint_rules.operations import lookup
from nkilint_rules.operations.assigned import ASSIGNMENT
from nkilint_rules.operations.form import Call
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import Unknown, all_of, any_of
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.dtypes import FLOAT32, FLOATS, dtype_in
from nkilint_rules.words.memory import HBM, ON_CHIP, PSUM

from ..state.machine import Machine
from ..state.trace import Access, Event
from ..values.axes import fit_axes
from ..values.containers import ListValue
from ..values.inputs import InputTensor
from ..values.tensors import View
from .effects import ASSIGNED, updating
from .inputs import as_number, as_tensor
from .requirements import check_bounds, check_mutable, state_rules
from .versions import check_operator

COPY = "language.copy"

# The operations of nki.language that the operators of a tensor stand for.
TENSOR_OPERATIONS = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "mod", "**": "power", "&": "bitwise_and",
    "|": "bitwise_or", "^": "bitwise_xor", "<<": "left_shift", ">>": "right_shift", "==": "equal", "!=": "not_equal",
    "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "@": "matmul",
}  # fmt: skip


def assign_elements(machine: Machine, view: Any, value: Any, target: ir.Expr) -> None:
    """`tensor[...] = value`: the elements are overwritten."""
    source = _as_source(machine, value)
    mask = value.mask if isinstance(value, View) else value if isinstance(value, Unknown) else True
    if isinstance(source, View):
        _check_shapes(machine, view, source, target)
    _record_update(machine, "write", view, source, _mask_for(view, source, mask), target.at, COPY)


def write_somewhere(machine: Machine, tensor: Any, reason: str, at: Span) -> None:
    """A write to elements that are not known."""
    view = tensor.view if isinstance(tensor, InputTensor) else tensor
    if isinstance(view, View):
        access = Access("write", view.with_(problem=reason, bounds=()), True, "dst")
        machine.emit(Event("operation", machine.site(at), None, (access,)))


def touch_somewhere(machine: Machine, values: Iterable[Any], reason: str, at: Span) -> None:
    """Reads and writes of elements that are not known, of all tensors in `values`."""
    for value in values:
        if isinstance(value, ListValue):
            value = value.items if isinstance(value.cell["items"], tuple) else ()
        if isinstance(value, tuple):
            touch_somewhere(machine, value, reason, at)
        view = value.view if isinstance(value, InputTensor) else value
        if isinstance(view, View):
            access = Access("update", view.with_(problem=reason, bounds=()), True, "argument")
            machine.emit(Event("operation", machine.site(at), None, (access,)))


def check_partitions(machine: Machine, operation: str, left: Any, right: Any, at: Span) -> None:
    """Operators of Beta 1 do not broadcast the partitions of tiles."""
    tiles = [view for view in (left, right) if isinstance(view, View) and view.memory in ON_CHIP]
    if machine.dialect == BETA1 and len(tiles) == 2 and not any(view.problem for view in tiles):
        for need in PartitionMismatch().of_operator(operation, tiles[0].shape, tiles[1].shape):
            machine.need(need.message, need.condition, at)


def update_elements(machine: Machine, view: View, op: str, value: Any, node: ir.AugAssign) -> None:
    """`tensor op= value`: the elements are read and overwritten; adding a product to PSUM accumulates there."""
    source = _as_source(machine, value)
    name = TENSOR_OPERATIONS.get(op, "add")
    check_operator(machine, name, node.at)
    role = "update"
    if isinstance(source, View):
        _check_shapes(machine, view, source, node)
        check_partitions(machine, name, view, source, node.at)
        if view.memory == PSUM and source.base.kind == "result" and source.memory == PSUM and op == "+":
            role = "accumulate"
            goal = dtype_in(view.dtype, FLOATS) if source.dtype == FLOAT32 else True
            if goal is not True:
                machine.need(UnsupportedDtype.products(tensor=view.base.name, dtype=view.dtype), goal, node.at)
    elif isinstance(source, Unknown):
        machine.unknown(IncompleteAnalysis, source.reason, node.value.at)
    mask = value.mask if isinstance(value, View) else True
    _record_update(machine, role, view, source, _mask_for(view, source, mask), node.at, f"language.{name}")


def _as_source(machine: Machine, value: Any) -> Any:
    if isinstance(value, InputTensor):
        return as_tensor(machine, value) if value.view is not None or value.ranks else as_number(machine, value)
    return value


def _mask_for(view: View, source: Any, mask: Any) -> Any:
    if isinstance(mask, Cond) and isinstance(source, View):
        return fit_axes(mask, source.shape, view.shape) if len(source.shape) <= len(view.shape) else mask
    return mask


def _check_shapes(machine: Machine, view: View, source: View, node: ir.Expr | ir.AugAssign) -> None:
    """The value has to fit the elements assigned to, one axis after the other from the right."""
    target, given = view.shape, source.shape
    if view.problem or source.problem:
        return
    while len(given) > len(target) and is_one(given[0]):
        given = given[1:]
    while len(given) > len(target) and is_one(given[-1]):
        given = given[:-1]
    goal: Any = len(given) <= len(target)
    if goal:
        padded = (1,) * (len(target) - len(given)) + given
        goal = all_of(
            True if key_of(a) == key_of(b) or is_one(b) else any_of(((a == b), (b == 1)))
            for a, b in zip(target, padded, strict=True)
        )
    at = node.at
    machine.need(ShapeMismatch.assignment(target=list(target), value=list(source.shape)), goal, at)
    if isinstance(goal, Cond):
        machine.assume(goal, "granted")


def _state_rules(machine: Machine, role: str, view: View, source: Any, at: Span, operation: str) -> None:
    """The rules on what an engine does for an assignment. A load writes to where it is assigned to by itself, and a
    product is made where it is added. How numbers get onto the chip is the compiler's: the documentation assigns them
    to single partitions that no engine starts at."""
    is_number = not isinstance(source, View)
    if isinstance(source, Unknown) or (role == "write" and view.memory != HBM and (is_number or _is_loaded(source))):
        return
    update = lookup(machine.dialect, operation) if role == "update" else None
    names = ("dst", "src") if update is None else ("x", "y")
    given = zip(names, (view,) if role == "accumulate" else (view, source), strict=False)
    arguments = {name: value for name, value in given if not (isinstance(value, View) and value.base.memory_open)}
    state_rules(machine, Call(update or ASSIGNMENT, machine.dialect, machine.target, arguments, arguments), at, None)


def _is_loaded(source: Any) -> bool:
    """Whether it is all that a load gave."""
    loaded = isinstance(source, View) and source.base.loaded
    return loaded and [key_of(size) for size in source.shape] == [key_of(size) for size in source.base.shape]


def _record_update(machine: Machine, role: str, view: View, source: Any, mask: Any, at: Span, operation: str) -> None:
    check_bounds(machine, view, mask)
    if machine.dialect == BETA1:
        _state_rules(machine, role, view, source, at, operation)
    accesses = [Access(role, view, mask, "dst")]
    if isinstance(source, View) and source.lookups and source.memory != HBM and not source.base.memory_open:
        first = source.lookups[0]
        machine.need(IndirectIndex.none(index=first.index_at, operation="an assignment"), False, first.at)
    if isinstance(source, View):
        if source.base.kind != "result" or source.bounds:
            check_bounds(machine, source, source.mask)
        accesses.append(Access("read", source, source.mask, "src"))
    check_mutable(machine, accesses[0], at)
    machine.emit(
        Event(
            "operation",
            machine.site(at),
            lookup(machine.dialect, operation),
            tuple(accesses),
            {"dst": view, "src": source},
            ASSIGNED if role == "write" else updating(operation.rpartition(".")[2]),
        )
    )
