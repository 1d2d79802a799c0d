"""Matrix multiplication and transposition on the Tensor Engine: float32 accumulation into PSUM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from reference_sim.machine.dtypes import F32, Array, as_float
from reference_sim.tensors import accumulation
from reference_sim.tensors.deferred import Load, Product
from reference_sim.tensors.elements import read

from . import microscaling
from .registry import effect, values

if TYPE_CHECKING:
    from ..operands import Operands


def product(stationary: Array, moving: Array) -> Array:
    """`stationary.T @ moving` over the partitions, free axes flattened."""
    return _flat(stationary).T @ _flat(moving)


def _flat(x: Array) -> Array:
    return x if x.ndim == 2 else x.reshape(x.shape[0], -1)  # of no partitions, too


def _double_row(operands: Operands) -> bool:
    mode = operands.get("perf_mode")
    name = getattr(mode, "name", mode)
    return isinstance(name, str) and name.startswith("double_row")


def _merged_rows(x: Array) -> Array:
    """`[K, 2, N]` as `[2K, N]`."""
    return x.reshape(x.shape[0] * 2, -1)


def _contracted(operands: Operands) -> Array:
    stationary, moving = operands.f32("stationary"), operands.f32("moving")
    if operands.product is not None:
        stationary, moving = stationary[operands.product.contracted], moving[operands.product.contracted]
    if _double_row(operands):
        return product(_merged_rows(stationary), _merged_rows(moving))
    if operands.get("is_transpose"):
        return _transposed(stationary, moving)
    return product(stationary, moving)


def _transposed(stationary: Array, moving: Array) -> Array:
    """A product with an identity moves bits, so that NaN and infinity stay where they are."""
    flat, square = _flat(stationary), _flat(moving)
    if square.shape == (flat.shape[0],) * 2 and np.array_equal(square, np.eye(flat.shape[0], dtype=F32)):
        return flat.T
    return product(stationary, moving)


@values("isa.nc_matmul")
def nc_matmul(operands: Operands) -> Any:
    """Beta 1 returns the product; in 0.x it goes to PSUM, where it replaces or adds to what is there."""
    put_off = _put_off(operands)
    if put_off is not None:
        return put_off
    found = _contracted(operands)
    target = operands.get("dst")
    if target is None:
        return found
    return _accumulated(operands, found)


def _put_off(operands: Operands) -> Product | None:
    """The product of two tiles that were loaded and not looked at since; nothing looks at it yet, either."""
    arguments = operands.arguments
    left, right = arguments["stationary"].access, arguments["moving"].access
    if type(left) is not Load or type(right) is not Load or operands.product is not None:
        return None
    plan = operands.plan.tile
    plain = not operands.get("is_transpose") and operands.get("dst") is None and not _double_row(operands)
    if not plain or plan is None or plan.stored != F32:
        return None
    return Product(left, right)


def _accumulated(operands: Operands, found: Array) -> Array:
    target = operands.dst
    old = accumulation.begin(target, operands.get("accumulate"), operands.program)
    if old is None:
        return found
    present = as_float(read(target)).reshape(found.shape)
    return present + found if old is True else np.where(old.reshape(found.shape), present + found, found)


@values("language.matmul")
def matmul(operands: Operands) -> Array:
    x, y = operands.f32("x"), operands.f32("y")
    if operands.product is not None:
        inner = operands.product.contracted
        x, y = x[inner] if operands.transpose_x else x[:, inner], y[inner]
    if operands.transpose_x:
        return product(x, y)
    return _flat(x) @ _flat(y)


@values("language.load_transpose2d")
def load_transpose2d(operands: Operands) -> Array:
    return _turned(operands, "src")


@values("language.transpose")
def transpose(operands: Operands) -> Array:
    return _turned(operands, "x")


@values("isa.nc_transpose")
def nc_transpose(operands: Operands) -> Array:
    return _turned(operands, "data")


def _turned(operands: Operands, name: str) -> Array:
    whole = operands.array(name)
    return whole.reshape(whole.shape[0], -1).T


@effect("isa.nc_matmul_mx")
def nc_matmul_mx(operands: Operands) -> None:
    found = microscaling.product(operands)
    operands.write("dst", _accumulated(operands, found))
