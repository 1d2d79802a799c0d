"""Which elements of its operands an operation's result depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nkilint.evaluator.state.trace import Access, Event
from nkilint.evaluator.values.tensors import Grid, View, axis, fit_axes
from nkilint.symbolic.atoms import Int, Var
from nkilint.symbolic.integers import Sym, key_of


def _names(namespace: str, names: str) -> frozenset[str]:
    return frozenset(f"{namespace}.{name}" for name in names.split())


ELEMENTWISE = (
    _names(
        "language",
        """abs abs_max abs_min add arctan bitwise_and bitwise_or bitwise_xor broadcast_to ceil copy cos divide dropout
        equal erf erf_dx exp floor fmod gelu gelu_apprx_sigmoid gelu_apprx_sigmoid_dx gelu_apprx_tanh gelu_dx greater
        greater_equal invert left_shift less less_equal load log logical_and logical_not logical_or logical_xor
        loop_reduce maximum minimum mish mod multiply negative not_equal power reciprocal relu right_shift rsqrt
        sigmoid sign silu silu_dx sin softplus sqrt square store subtract tan tanh trunc""",
    )
    | _names(
        "isa",
        """activate2 activation activation_reduce dma_copy exponential reciprocal scalar_tensor_tensor tensor_copy
        tensor_scalar tensor_scalar_reduce tensor_tensor""",
    )
    | {"tensor.astype"}
)
ROWS = _names("language", "all max mean min prod rms_norm softmax sum var") | _names(
    "isa",
    "bn_aggr bn_stats max8 nc_find_index8 tensor_reduce tensor_scalar_cumulative tensor_tensor_scan",
)
TRANSPOSING = frozenset({"isa.nc_transpose", "language.transpose", "isa.dma_transpose", "language.load_transpose2d"})
SELECTING = "isa.affine_select"
MATMULS = frozenset({"isa.nc_matmul", "language.matmul"})


@dataclass(frozen=True, slots=True)
class Dependence:
    """An element of the result depends on the elements of the operand whose axes in `kept` are those of the result
    (axis variables of the operand, with what they are there), and on all along the other axes. If not `exact`, it may
    depend on fewer."""

    kept: Mapping[Var, Int]
    exact: bool


def dependence(event: Event, read: Access, write: Access) -> Dependence:
    """How the elements of `write` depend on those of `read`, both of the same operation."""
    name = event.operation.name if event.operation is not None else ""
    source, result = read.view, write.view
    if read.operand == "index" or (name in ELEMENTWISE and write.operand != "reduce_res"):
        aligned = _aligned(source, result)
        if aligned is not None:
            return Dependence(aligned, True)
    elif name == SELECTING and selection(event, read) is not None:
        aligned = _aligned(source, result)
        if aligned is not None:
            return Dependence(aligned, True)
    elif name in ROWS or name in ELEMENTWISE:
        if source.shape and result.shape and key_of(source.shape[0]) == key_of(result.shape[0]):
            return Dependence(_mapped(source, 0, result, 0), True)
    elif name in TRANSPOSING and len(source.shape) == len(result.shape) == 2:
        return Dependence({**_mapped(source, 0, result, 1), **_mapped(source, 1, result, 0)}, True)
    elif name in MATMULS and len(source.shape) == len(result.shape) == 2:
        return _product(event, read, write)
    return Dependence({}, False)


def selection(event: Event, read: Access) -> Any:
    """The elements of an operand that its operation selects by a condition on indices, over the operand's axes: a bool,
    a condition, or None where there is no such condition, or none that is known."""
    if event.operation is None or event.operation.name != SELECTING or read.operand != "on_true_tile":
        return None
    chosen = event.arguments.get("pred")
    if not isinstance(chosen, Grid) or chosen.dynamic or not chosen.is_mask:
        return None
    if len(chosen.shape) != len(read.view.shape):
        return None
    return fit_axes(chosen.value, chosen.shape, read.view.shape)


def _product(event: Event, read: Access, write: Access) -> Dependence:
    """The contraction runs over the partitions of both operands; over the columns of `x` where it is not transposed.
    In transpose mode nothing is summed up."""
    source, result = read.view, write.view
    if read.operand == "stationary" and event.arguments.get("is_transpose") is True:
        return Dependence({**_mapped(source, 0, result, 1), **_mapped(source, 1, result, 0)}, True)
    if read.operand == "stationary" or (read.operand == "x" and event.arguments.get("transpose_x") is True):
        return Dependence(_mapped(source, 1, result, 0), True)
    if read.operand == "x":
        return Dependence(_mapped(source, 0, result, 0), True)
    return Dependence(_mapped(source, 1, result, 1), True)


def _aligned(source: View, result: View) -> dict[Var, Int] | None:
    """The axes of an operand that has the result's shape, perhaps broadcast."""
    kept: dict[Var, Int] = {}
    offset = len(result.shape) - len(source.shape)
    if offset < 0:
        return None
    for dimension, size in enumerate(source.shape):
        if isinstance(size, int) and size == 1:
            continue
        other = result.shape[offset + dimension]
        if isinstance(size, int) and isinstance(other, int) and size != other:
            return None  # sizes in different words are equal where the operation is legal
        kept.update(_mapped(source, dimension, result, offset + dimension))
    return kept


def _mapped(source: View, dimension: int, result: View, other: int) -> dict[Var, Int]:
    variable: Any = axis(len(source.shape) - 1 - dimension, source.shape[dimension])
    if not isinstance(variable, Sym):
        return {}
    return {variable.variable: axis(len(result.shape) - 1 - other, result.shape[other])}  # type: ignore[dict-item]
