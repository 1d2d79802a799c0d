"""What Python's operations do to tensors: attributes, methods, subscripts, operators."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import is_one
from nkilint_rules.language.tensor_control_flow import TensorControlFlow
from nkilint_rules.operands.unknown_api import UnknownApi
from nkilint_rules.operations import lookup
from nkilint_rules.operations.form import Result
from nkilint_rules.operations.language_constants import REGIONS
from nkilint_rules.rule import Message
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown, product
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import ON_CHIP
from nkilint_rules.words.shapes import Sizes
from nkilint_rules.words.suggestions import is_near

from ..state import protocols
from ..state.machine import Machine, explained
from ..state.paths import demand, is_handled
from ..state.protocols import Args, Keywords
from ..values.grids import Grid
from ..values.intervals import apply
from ..values.objects import BoundMethod
from ..values.tensors import View
from . import binding, operations, views
from .held_indices import HELD
from .operations import call_operation
from .ranges import integers_in, integers_of
from .requirements import argument_node, state_rules
from .slicing import tensor_subscript
from .updates import TENSOR_OPERATIONS, assign_elements, check_partitions, write_somewhere
from .versions import check_operator

protocols.lengths.of(View)(lambda machine, value: value.shape[0])
protocols.subscripts.of(View)(tensor_subscript)


@protocols.iterated.of(View)
def _items(machine: Machine, value: View, at: Span | None, count: int | None) -> list[Any]:
    raise IsUnknown("iteration over a tensor")


@protocols.truths.of(View)
def _truth(machine: Machine, value: View, node: ir.Expr) -> Any:
    element = isinstance(node, ir.Index) and all(is_one(n) for n in value.shape)
    if element and not isinstance(node.key, (ir.Sequence, ir.SliceExpr)):  # type: ignore[attr-defined]
        element = not value.whole  # else it may be one of several tensors
    if not element and not _asks_for_content(machine, value):
        return True
    what = f"`{value.base.name}`" if value.base.name else "a tile"
    machine.need(TensorControlFlow.message(what=what), False, node.at)
    return machine.undecided(f"the value on line {node.at.row}", "runtime")


def _asks_for_content(machine: Machine, value: View) -> bool:
    """Whether the truth of a tensor is about what it holds: a tensor in HBM, and in 0.x any that has a name, is an
    object that is there, where `None` might be."""
    if machine.dialect == BETA1:
        return bool(value.memory in ON_CHIP) and not value.base.memory_open
    return value.base.kind == "result" and not value.base.name


# --- attributes and methods ---


@protocols.attributes.of(View)
def attribute(machine: Machine, view: View, name: str, node: ir.Attr) -> Any:
    """`tensor.name`."""
    if name == "shape":
        return Sizes(view.base.shape if view.whole and view.base.blocks else view.shape)
    if name == "dtype":
        return view.dtype
    if name == "ndim":
        return len(view.shape)
    if name == "size":
        return view.size
    if name == "itemsize":
        return view.dtype.itemsize
    if name == "buffer":
        return REGIONS.get(view.base.region or view.memory, Unknown("the memory of a tensor"))
    if name == "name":
        return view.base.name
    if name == "address":
        return Unknown(f"where `{view.base.told}` is placed")
    if view.base.guessed and lookup(machine.dialect, f"tensor.{name}") is None:
        note_lacking(machine, view.base.name, name, node.at)
        return Unknown(f"`{view.base.name}.{name}`: nothing says what `{view.base.name}` is")
    if machine.in_kernel and lacks(machine, name):
        demand(machine, "AttributeError", UnknownApi.message(name=f"tensor.{name}"), False, node.at)
    elif machine.callee is not node and lookup(machine.dialect, f"tensor.{name}") is None:
        machine.doubt(f"whether tensors have `{name}`")
    if name in _OF_ARRAYS:
        return explained(f"attribute `{name}` of a tensor")
    return BoundMethod(view, name)


ATTRIBUTES = frozenset({"shape", "dtype", "ndim", "size", "itemsize", "buffer", "name", "address"})
_OF_ARRAYS = frozenset({"T", "device", "flat", "grad", "imag", "is_cuda", "mT", "nbytes", "real", "requires_grad"})
"""What arrays and tensors of the host have that those of NKI lack."""


def lacks(machine: Machine, name: str) -> bool:
    """Whether it is sure that tensors have no such attribute: arrays of the host have it, or it is a misspelt one."""
    if lookup(machine.dialect, f"tensor.{name}") is not None or name in ATTRIBUTES:
        return False
    return name in _OF_ARRAYS or any(is_near(name, known) for known in ATTRIBUTES)


def note_lacking(machine: Machine, tensor: str, name: str, at: Span) -> None:
    """A parameter is asked for what tensors lack."""
    if lacks(machine, name):
        raises_if_tensor(machine, tensor, name, "AttributeError", UnknownApi.message(name=f"{tensor}.{name}"), at)


def raises_if_tensor(machine: Machine, tensor: str, asked: str, raised: str, message: Message, at: Span) -> None:
    """What a parameter is asked for raises if it is a tensor, which the rest of the kernel shows."""
    if machine.in_kernel and not machine.trusting and not is_handled(machine, raised):
        machine.trace.of_tensors.setdefault((tensor, asked), (message, machine.site(at)))


@protocols.methods.of(View)
def _method(machine: Machine, view: View, name: str, args: Args, kwargs: Keywords, node: ir.Call | None) -> Any:
    """A method of a tensor: its definition's rules, then its index arithmetic."""
    at = node.at if node is not None else machine.at
    view = machine.under_facts(view)
    operation = lookup(machine.dialect, f"tensor.{name}")
    if operation is None:
        machine.need(UnknownApi.message(name=f"tensor.{name}"), False, at)
        return explained(f"method `{name}` of a tensor")
    if not machine.in_kernel:
        return Unknown("a tensor outside a kernel")
    call = binding.bind_call(machine, operation, machine.dialect, [view, *args], kwargs, at, node)
    if isinstance(call, Unknown):
        return call
    if name == "astype" or operation.kind == "host":
        return operations.perform(machine, call, at, node) if name == "astype" else _query(view, name)
    try:
        result = operation.result(call) if operation.result else None
    except IsUnknown as unknown:
        return Unknown(unknown.reason)
    if not isinstance(result, Result):
        return result
    call.result = result
    state_rules(machine, call, at, node)
    if not result.shape and view.memory in ON_CHIP:
        return explained("a tile without a dimension")
    for size in result.shape:
        if isinstance(size, Unknown):
            return size
    if name == "reshape" and isinstance(same := product(view.shape) == product(result.shape), Cond):
        machine.assume(same, "granted")  # there is no view of any other shape
    spans: dict[str, Any] = {}
    if node is not None and isinstance(node.func, ir.Attr):
        found = {name: argument_node(node, name, call) for name in call.given}
        spans = {name: argument.at for name, argument in found.items() if argument is not None}
        spans["self"] = node.func.value.at
    return views.rearrange(machine, view, name, call, result, at, spans)


def _query(view: View, name: str) -> Any:
    return bool(view.dynamic) if name == "is_indirect" else Unknown(f"`{name}` of a tensor")


# --- operators ---


@protocols.arithmetic.of(View, rank=8)
def _arithmetic(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    for grid in (left, right):
        if isinstance(grid, Grid):
            return _moved_at_run_time(machine, op, left, right)
    check_partitions(machine, TENSOR_OPERATIONS.get(op, ""), left, right, at)
    return _on_tensors(machine, op, left, right, at)


def _moved_at_run_time(machine: Machine, op: str, left: Any, right: Any) -> Grid:
    """An index grid combined with a value that a tile holds: an index that only the device knows."""
    grid, view = (left, right) if isinstance(left, Grid) else (right, left)
    counted, held = integers_of(replace(grid, dynamic=())), integers_in(machine, view)
    sides = (counted, held) if grid is left else (held, counted)
    found = apply(TENSOR_OPERATIONS.get(op, ""), *sides)
    low, high = (None, None) if found is None else (found.low, found.high)
    where = machine.fresh_sym("index", "runtime", low, high, HELD)
    return Grid(where, grid.shape, (*grid.dynamic, view))


def _on_tensors(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    for value in (left, right):
        if isinstance(value, Unknown):
            return value
    if op in TENSOR_OPERATIONS:
        check_operator(machine, TENSOR_OPERATIONS[op], at)
    if op not in TENSOR_OPERATIONS or op == "@":  # of which no page tells
        raise IsUnknown(f"`{op}` on tensors")
    return call_operation(machine, machine.dialect, f"language.{TENSOR_OPERATIONS[op]}", [left, right], {}, at)


@protocols.elementwise.of(View, rank=8)
def _compare(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    if left is None or right is None or isinstance(left, str) or isinstance(right, str):
        return op == "!="
    return _on_tensors(machine, op, left, right, at)


@protocols.unary_operators.of(View)
def _unary(machine: Machine, value: View, op: str, at: Span) -> Any:
    name = {"-": "negative", "~": "invert", "abs": "abs"}.get(op)
    if name is None:
        raise IsUnknown(f"`{op}` on a tensor")
    check_operator(machine, name, at)
    return call_operation(machine, machine.dialect, f"language.{name}", [value], {}, at)


@protocols.subscripts_set.of(View)
def store(machine: Machine, container: Any, key: Any, value: Any, target: ir.Index) -> None:
    """`tensor[key] = value`."""
    view = tensor_subscript(machine, container, key, target)
    if isinstance(view, Unknown):
        machine.unknown(IncompleteAnalysis, view.reason, target.at)
        write_somewhere(machine, container, view.reason, target.at)
    else:
        assign_elements(machine, view, value, target)
