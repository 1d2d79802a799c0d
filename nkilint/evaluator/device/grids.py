"""What Python's operations do to index grids and masks."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint_rules.indexing.index_assignment import IndexAssignment
from nkilint_rules.language.index_control_flow import IndexControlFlow
from nkilint_rules.operands.shape_mismatch import ShapeMismatch
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, any_of, negation

from ..state import protocols
from ..state.machine import Machine, explained
from ..values.axes import fit_axes
from ..values.grids import Grid, MeshGrid, broadcast_grids, grid_index
from ..values.numbers import Real
from ..values.objects import BoundMethod
from ..values.wording import in_words
from .requirements import state_non_integer

_STEPS = ("+", "-", "*")
"""Operators that make an index of another."""


@protocols.truths.of(Grid)
def _truth(machine: Machine, value: Grid, node: ir.Expr) -> Unknown:
    machine.need(IndexControlFlow.message(grid=node.at), False, node.at)
    return explained("a condition on an index grid")


@protocols.iterated.of(Grid)
def _items(machine: Machine, value: Grid, at: Span | None, count: int | None) -> list[Any]:
    raise IsUnknown("iteration over an index grid")


@protocols.attributes.of(MeshGrid)
def _attribute_of_mesh(machine: Machine, mesh: MeshGrid, name: str, node: ir.Attr) -> Any:
    """`.p` is the first grid, `.x`, `.y`, `.z` are the ones after it."""
    if name not in "pxyz":
        return BoundMethod(mesh, name)
    position = "pxyz".index(name)
    return mesh[position] if position < len(mesh) else Unknown(f"attribute `{name}` of an index grid")


@protocols.attributes.of(Grid)
def _attribute(machine: Machine, grid: Grid, name: str, node: ir.Attr) -> Any:
    if name == "shape":
        return grid.shape
    raise IsUnknown(f"attribute `{name}` of an index grid")


@protocols.methods.of(Grid)
def _method(machine: Machine, receiver: Grid, name: str, args: Any, kwargs: Any, node: ir.Call | None) -> Unknown:
    return Unknown(f"method `{name}` of an index grid")


@protocols.subscripts.of(Grid)
def _subscript(machine: Machine, value: Grid, key: Any, node: ir.Index) -> Any:
    return grid_index(value, key if isinstance(key, tuple) else (key,))


@protocols.subscripts_set.of(Grid)
def _store(machine: Machine, container: Grid, key: Any, value: Any, target: ir.Index) -> None:
    machine.need(IndexAssignment.message(index=target.value.at), False, target.at)


_OF_INDICES = frozenset({"+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!="})
_OF_MASKS = frozenset({"&", "|"})
"""The operators that index grids, and those that masks are documented to have."""


def _check_operator(op: str, sides: list[Any]) -> None:
    """What is not documented of index grids, and of masks, is not known."""
    masks = any(isinstance(side, (bool, Cond)) for side in sides)
    indices = any(isinstance(side, (int, Sym)) and not isinstance(side, bool) for side in sides)
    if op not in _OF_MASKS or indices if masks else op not in _OF_INDICES and indices:
        raise IsUnknown(f"`{op}` on an index grid")


@protocols.elementwise.of(Grid, rank=7)
@protocols.arithmetic.of(Grid, rank=7)
def on_grids(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """An operator on index grids: elementwise over the broadcast shape."""
    for value in (left, right):
        if isinstance(value, Unknown):
            return value
        if isinstance(value, (float, Real)):
            reason = "an index grid and a number that is no integer"
            if op not in _STEPS:
                return Unknown(reason)
            state_non_integer(machine, at, "float", "an index", "")
            return explained(reason)
        if not isinstance(value, (Grid, int, Sym, Cond)):
            return Unknown(f"an index grid and {in_words(value)}")
    _check_operator(op, [value.value if isinstance(value, Grid) else value for value in (left, right)])
    shapes = [v.shape for v in (left, right) if isinstance(v, Grid)]
    shape, needs = broadcast_grids(shapes)
    for need in needs:
        machine.need(ShapeMismatch.grids(left=list(shapes[0]), right=list(shapes[-1])), need, at)
        machine.assume(need, "granted")
    a, b = (fit_axes(v.value, v.shape, shape) if isinstance(v, Grid) else v for v in (left, right))
    dynamic = sum((v.dynamic for v in (left, right) if isinstance(v, Grid)), ())
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return Grid(a if isinstance(a, Unknown) else b, shape, dynamic)
    if isinstance(a, (bool, Cond)) or isinstance(b, (bool, Cond)):
        if op == "&":
            return Grid(all_of((a, b)), shape, dynamic, joined=True)
        if op == "|":
            return Grid(any_of((a, b)), shape, dynamic, joined=True)
    return Grid(protocols.binary(machine, op, a, b, at), shape, dynamic)


@protocols.unary_operators.of(Grid)
def _unary(machine: Machine, value: Grid, op: str, at: Span) -> Any:
    if op == "+" or (op == "~") is not value.is_mask:
        raise IsUnknown(f"`{op}` on an index grid")
    if op == "~":
        return Grid(negation(value.value), value.shape, value.dynamic, joined=value.joined)
    return on_grids(machine, "-", 0, value, at)
