"""MX formats: quantisation in groups of 8 partitions by 4 elements, and the matmul that applies the scales."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np

from nkilint_rules.words import dtypes as rule
from reference_sim.machine.dtypes import F32, Array
from reference_sim.report.errors import CannotSimulate
from reference_sim.tensors.elements import read

from .registry import effect

if TYPE_CHECKING:
    from ..operands import Operands

_LARGEST_EXPONENT = {rule.FLOAT8_E4M3FN_X4: 8, rule.FLOAT8_E5M2_X4: 15}
_FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], F32)


def unpacked(tensor: Any) -> Array:
    """The elements of a packed tile, four for each stored one: `[P, F, 4]`."""
    array = read(tensor)
    flat = array.reshape(array.shape[0], -1)
    if tensor.element is rule.FLOAT4_E2M1FN_X4:
        pairs = flat["fp4x4"]
        nibbles = np.stack([pairs & 15, pairs >> 4], axis=-1)
        return _FP4[nibbles.reshape(*flat.shape, 4)]
    return flat["x4"].astype(F32)


def scale_rows(partitions: int, scales: Any) -> Array:
    """For each partition of the data the row of its scale: each quadrant of 32 has its scales in the first 4 rows."""
    groups = np.arange(partitions) // 8
    if partitions <= 32 or scales.shape[0] * 8 == partitions:
        return groups
    return groups // 4 * 32 + groups % 4


def _scales(tensor: Any, partitions: int) -> Array:
    array = read(tensor)
    exponents = array.view(np.uint8).astype(np.int32) - 127
    flat = exponents.reshape(exponents.shape[0], -1)
    rows = scale_rows(partitions, flat)
    if rows.max() >= flat.shape[0]:
        raise CannotSimulate("nc_matmul_mx", f"scales of {flat.shape[0]} partitions for data of {partitions}")
    return np.ldexp(np.float32(1), flat[rows])


def product(operands: Operands) -> Array:
    """The product of two scaled packed tiles, contracted over partitions and the four packed elements."""
    parts = []
    for name in ("stationary", "moving"):
        data = unpacked(operands.arguments[name])
        parts.append(data * _scales(operands.arguments[f"{name}_scale"], data.shape[0])[:, : data.shape[1], None])
    left, right = (np.moveaxis(part, 2, 1).reshape(-1, part.shape[1]) for part in parts)
    return left.T @ right


@effect("isa.quantize_mx")
def quantize_mx(operands: Operands) -> None:
    source = operands.f32("src")
    partitions = source.shape[0]
    groups = source.reshape(partitions // 8, 8, -1, 4)
    largest = np.abs(groups).max(axis=(1, 3))
    element = operands.dst.element
    with np.errstate(divide="ignore"):
        exponent = np.floor(np.log2(largest)) - (_LARGEST_EXPONENT[element] - 1)
    exponent = np.where(largest == 0, -127, np.clip(exponent, -127, 127)).astype(np.int32)
    scaled = groups / np.ldexp(np.float32(1), exponent)[:, None, :, None]
    kind = ml_dtypes.float8_e4m3fn if element is rule.FLOAT8_E4M3FN_X4 else ml_dtypes.float8_e5m2
    packed = np.empty((partitions, groups.shape[2]), operands.dst.array.dtype)
    packed["x4"] = scaled.reshape(partitions, -1, 4).astype(kind)
    operands.write("dst", packed)
    _write_scales(operands, exponent)


def _write_scales(operands: Operands, exponent: Array) -> None:

    target = operands.dst_scale
    stored = np.array(target.array)
    rows = scale_rows(exponent.shape[0] * 8, stored.reshape(stored.shape[0], -1))[::8]
    stored.reshape(stored.shape[0], -1)[rows] = (exponent + 127).astype(np.uint8).view(stored.dtype)
    operands.write("dst_scale", stored)
