"""Elementwise operations of `nki.language` and of the Vector, Scalar and GpSimd Engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.words.dtypes import FLOAT32
from reference_sim.machine.dtypes import Array, as_float, element_type, stored_type
from reference_sim.tensors.deferred import Sum
from reference_sim.tensors.elements import read
from reference_sim.tensors.grids import Grid
from reference_sim.tensors.tensor import Tensor

from . import engine_registers
from .alu import apply, binary, name_of, unary
from .functions import FUNCTIONS, activate
from .registry import effect, values

if TYPE_CHECKING:
    from ..operands import Operands

_BINARY = (
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "mod", "fmod", "abs_max", "abs_min",
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor",
    "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift",
)  # fmt: skip


def _two(operands: Operands) -> Array:
    x, y = operands.array("x"), operands.array("y")
    if isinstance(x, Grid) or isinstance(y, Grid):
        x, y = _plain(x), _plain(y)
    return binary(operands.entry.operation.leaf, x, y)


def _plain(value: Any) -> Any:
    return value.array() if isinstance(value, Grid) else value


for _name in _BINARY:
    values(f"language.{_name}")(_two)


def _one(operands: Operands) -> Array:
    name = operands.entry.operation.leaf
    x = operands.array("x")
    if name in ("negative", "abs", "sign", "square") and x.dtype.kind in "iu":
        return getattr(np, name)(x.astype(np.int64))
    return activate(name, as_float(x))


for _name in FUNCTIONS:
    if _name not in ("copy", "identity"):
        values(f"language.{_name}")(_one)


@values("language.invert")
def invert(operands: Operands) -> Array:
    return unary("invert", operands.array("x"))


@values("language.logical_not")
def logical_not(operands: Operands) -> Array:
    return np.equal(operands.array("x"), 0)


@values("language.where")
def where(operands: Operands) -> Array:
    chosen = operands.array("condition") != 0
    x, y = operands.array("x"), operands.array("y")
    return np.where(chosen, _float(x), _float(y))


def _float(value: Any) -> Any:
    return as_float(value) if isinstance(value, np.ndarray) and value.dtype.kind not in "iu" else value


def _as(values_: Any, shape: tuple[int, ...]) -> Any:
    """The second operand under the shape of the first where it has as many elements, or one in each partition."""
    if not isinstance(values_, np.ndarray) or values_.shape == shape:
        return values_
    if values_.size == int(np.prod(shape)):
        return values_.reshape(shape)
    is_column = values_.ndim > 0 and values_.size == values_.shape[0] == shape[0]
    return values_.reshape((-1,) + (1,) * (len(shape) - 1)) if is_column else values_


@values("isa.tensor_tensor")
def tensor_tensor(operands: Operands) -> Array:
    x = operands.array("data1")
    y = _as(operands.array("data2"), x.shape)
    return binary(operands.arguments["op"], x, y)


@values("isa.tensor_scalar")
def tensor_scalar(operands: Operands) -> Array:
    given, x = operands.arguments, operands.array("data")
    first = operands.column("operand0", x.ndim, exact=True)
    result = apply(given["op0"], x, first, bool(given["reverse0"]))
    if given["op1"] is None:
        return result
    second = operands.column("operand1", x.ndim, exact=True)
    return apply(given["op1"], result, second, bool(given["reverse1"]))


@values("isa.scalar_tensor_tensor")
def scalar_tensor_tensor(operands: Operands) -> Array:
    x = operands.array("data")
    first = operands.column("operand0", x.ndim, exact=True)
    second = _as(operands.array("operand1"), x.shape)
    result = apply(operands.op0, x, first, bool(operands.reverse0))
    return apply(operands.op1, result, second, bool(operands.reverse1))


@values("isa.reciprocal")
def reciprocal(operands: Operands) -> Array:
    x = operands.f32("data")
    return np.float32(1) / x


@values("isa.tensor_copy", "isa.tensor_copy_dynamic_src")
def tensor_copy(operands: Operands) -> Array:
    return operands.array("src")


@effect("isa.tensor_copy_dynamic_dst")
def tensor_copy_dynamic_dst(operands: Operands) -> None:
    operands.write("dst", operands.array("src"))


@values("language.copy")
def copy(operands: Operands) -> Array | Sum:
    name = "x" if "x" in operands.arguments else "src"
    return _put_off(operands, operands.arguments[name]) or operands.array(name)


def _put_off(operands: Operands, source: Any) -> Sum | None:
    """The sum that is to be copied, where nothing has computed it yet."""
    plan = operands.plan.tile
    if not isinstance(source, Tensor) or type(source.access) is not Sum:
        return None
    if operands.where is not None or plan is None or plan.shape != source.sizes:
        return None
    return source.access.copied() if plan.element is FLOAT32 else None


@values("isa.memset")
def memset(operands: Operands) -> Array:
    if "shape" in operands.arguments:
        stored = stored_type(element_type(operands.dtype), operands.program.precise)
        return np.full(tuple(int(s) for s in operands.arguments["shape"]), operands.value, stored)
    target = operands.dst
    if target.element.packed > 1:
        return np.zeros(target.shape, target.array.dtype)
    return np.full((1,) * len(target.shape), operands.value)


@values("isa.activation", "isa.activation_reduce", "isa.activate2")
def activation(operands: Operands) -> Array:
    data = operands.f32("data")
    name = operands.entry.operation.leaf
    x = _staged(operands, data) if name == "activate2" else _scaled(operands, data)
    if name_of(operands.op) == "prelu":
        slope = operands.column("relu_param", x.ndim) if "relu_param" in operands.arguments else np.float32(0)
        x = np.where(x >= 0, x, x * slope)
    else:
        x = activate(operands.op, x, engine_sine=operands.dialect == "nki")
    engine_registers.accumulate(operands, x, "scalar", always=name == "activation_reduce")
    return x


def _scaled(operands: Operands, data: Array) -> Array:
    scale, bias = operands.column("scale", data.ndim), operands.column("bias", data.ndim)
    x = data if scale is None or (np.ndim(scale) == 0 and scale == 1) else data * scale
    return x if bias is None else x + bias


def _staged(operands: Operands, data: Array) -> Array:
    x = data
    for number in "01":
        op = operands.get(f"op{number}")
        if op is not None and name_of(op) != "bypass":
            imm = operands.column(f"imm{number}", data.ndim)
            x = apply(op, x, imm, bool(operands.get(f"reverse{number}")))
    return x


@values("isa.exponential")
def exponential(operands: Operands) -> Array:
    x = operands.f32("src")
    highest = operands.column("max_value", x.ndim)
    result = np.exp(x - highest)
    engine_registers.accumulate(operands, result, "vector", op="add")
    return result


@values("isa.tensor_scalar_reduce")
def tensor_scalar_reduce(operands: Operands) -> Array:
    x = operands.array("data")
    first = operands.column("operand0", x.ndim, exact=True)
    result = apply(operands.op0, x, first, bool(operands.reverse0))
    engine_registers.accumulate(operands, result, "vector", always=True)
    return result


@effect("isa.tensor_copy_predicated")
def tensor_copy_predicated(operands: Operands) -> None:
    predicate = operands.array("predicate") != 0
    target = operands.dst
    chosen = predicate.reshape(target.shape) if predicate.shape != target.shape else predicate
    if operands.reverse_pred:
        chosen = ~chosen
    source = _as(operands.array("src"), target.shape)
    old = read(target)
    if isinstance(source, np.ndarray):
        source = source.astype(old.dtype)
    operands.write("dst", np.where(chosen, source, old))
