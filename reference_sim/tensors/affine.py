"""Subscripts of affine index grids and numbers that stay inside: one view, its form worked out once for all bases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from nkilint_rules.words.memory import HBM
from reference_sim.machine.memory import strided

from .grids import Grid, Shape, joint_shape

if TYPE_CHECKING:
    from .tensor import Tensor

Given = tuple[Shape, tuple[int, ...]] | None
"""An index but for its base: the shape and the coefficients of a grid, None of a number."""


@dataclass(frozen=True, slots=True)
class _Form:
    shape: Shape
    strides: tuple[int, ...]  # in bytes
    reach: tuple[tuple[int, int], ...]  # by axis of the tensor: the least and the greatest index, less the base
    plain: bool  # as slices of step 1 are


def affine(tensor: Tensor, keys: tuple[Any, ...]) -> Tensor | None:
    """The view that these indices choose; None where something is to be said of them, or to be found out when it is
    used."""
    array: Any = tensor._array
    sizes, storage = tensor.sizes, tensor.storage
    if array is None or len(keys) != len(sizes):
        return None
    given: list[Given] = []
    bases: list[int] = []
    mesh = False
    for key, size in zip(keys, sizes, strict=True):
        if type(key) is Grid and key.values is None and not key.looked_up:
            given.append((key.shape, key.coefficients))
            bases.append(key.base)
            mesh = mesh or key.mesh
        elif type(key) is int:
            given.append(None)
            bases.append(key + size if key < 0 else key)
        else:
            return None
    form = _form(tuple(given), array.strides, tensor.blocks, storage.memory != HBM)
    if form is None:
        return None
    offset = 0
    for base, (low, high), size, stride in zip(bases, form.reach, sizes, array.strides, strict=True):
        if base + low < 0 or base + high >= size:
            return None
        offset += base * stride
    if array is not storage.array or storage.placed:
        offset += tensor.byte_offset()
    start = tensor.start
    if storage.memory != HBM:
        start += bases[tensor.blocks] + form.reach[tensor.blocks][0]
    found = tensor.derive(strided(tensor.raw(), form.shape, array.dtype, offset, form.strides), 0, start)
    found.mesh = mesh
    if form.plain:
        found.part = array, tuple([slice(base, base + n) for base, n in zip(bases, form.shape, strict=True)])
    return found


@lru_cache(maxsize=2048)
def _form(given: tuple[Given, ...], strides: tuple[int, ...], blocks: int, on_chip: bool) -> _Form | None:
    """What such indices choose of an array with these strides; None where they are of no use as they are."""
    try:
        shape = joint_shape([own for own, _ in filter(None, given)])
    except ValueError:
        return None
    if len(shape) < 2 or 0 in shape or (on_chip and not _partition_first(given[blocks], shape)):
        return None
    total = [0] * len(shape)
    reach: list[tuple[int, int]] = []
    aligned: list[tuple[int, ...]] = []
    for index, stride in zip(given, strides, strict=True):
        own, coefficients = index or ((), ())
        lead = len(shape) - len(own)
        steps = [c * (n - 1) for c, n in zip(coefficients, own, strict=True)]
        reach.append((sum(min(0, s) for s in steps), sum(max(0, s) for s in steps)))
        aligned.append((0,) * lead + coefficients)
        for axis, (size, coefficient) in enumerate(zip(own, coefficients, strict=True)):
            if size != 1:  # a single value is the same along the whole axis
                total[lead + axis] += coefficient * stride
    return _Form(shape, tuple(total), tuple(reach), aligned == [(1, 0), (0, 1)])


def _partition_first(index: Given, shape: Shape) -> bool:
    """Whether the index of the partitions moves along the first axis, if any, and nothing else does."""
    own, coefficients = index or ((), ())
    lead = len(shape) - len(own)
    moving = [lead + axis for axis, (c, n) in enumerate(zip(coefficients, own, strict=True)) if c and n > 1]
    return moving == [0] or (not moving and shape[0] == 1)
