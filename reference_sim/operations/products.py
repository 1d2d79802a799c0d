"""Masks of products: `mask=`, which speaks of the axes of the operands, and `operand[mask]` of Beta 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reference_sim.report.errors import CannotSimulate
from reference_sim.tensors.grids import Mask, Where
from reference_sim.tensors.tensor import Tensor

from .entries import Entry

PRODUCTS = {"isa.nc_matmul": ("stationary", "moving"), "language.matmul": ("x", "y")}
"""Operations that contract an axis of two operands, whose other axes are the rows and the columns of the result."""

Box = tuple[slice, ...]
NOTHING = slice(0, 0)
INNER, ROW, COLUMN = "inner", "row", "column"


@dataclass(frozen=True, slots=True)
class ProductMask:
    """What masks leave of a product: of what is contracted, of each operand by its name, and of the result."""

    contracted: slice
    operands: Mapping[str, Where]
    result: Where


def whole_operands(
    entry: Entry, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any], dict[str, Box]]:
    """The arguments of a product with `operand[mask]` replaced by the operand, and what these masks leave."""
    given = {**dict(zip(entry.signature.positional, args, strict=False)), **kwargs}
    cuts = {name: v.cut for name, v in given.items() if type(v) is Tensor and v.cut is not None}
    if not cuts:
        return args, kwargs, {}
    kwargs = {name: cuts[name].whole if name in cuts else value for name, value in kwargs.items()}
    names = entry.signature.positional
    args = [cuts[names[i]].whole if names[i] in cuts else value for i, value in enumerate(args)]
    return args, kwargs, {name: cut.box for name, cut in cuts.items()}


def product_mask(entry: Entry, arguments: Mapping[str, Any], boxes: Mapping[str, Box]) -> ProductMask | None:
    """What the masks of a call leave; None where it has none, or operands of more axes than two."""
    mask = arguments.get("mask")
    if mask is True:
        mask = None
    left, right = PRODUCTS[entry.name]
    if mask is None and not boxes:
        return None
    sizes = {name: arguments[name].sizes for name in (left, right)}
    if any(len(shape) != 2 for shape in sizes.values()):
        if boxes:
            raise CannotSimulate("an operand mask", "the operand has more axes than two")
        return None
    turned = entry.name == "language.matmul" and not arguments.get("transpose_x")
    axes = {left: (ROW, INNER) if turned else (INNER, ROW), right: (INNER, COLUMN)}
    extent = {along: size for name in axes for along, size in zip(axes[name], sizes[name], strict=True)}
    found = {name: slice(0, size) for name, size in extent.items()}
    for name, box in boxes.items():
        for along, part in zip(axes[name], box, strict=True):
            found[along] = _both(found[along], part)
    for along, part in _shared(mask, extent, turned):
        found[along] = _both(found[along], part)
    if found[INNER].start >= found[INNER].stop:
        found = dict.fromkeys(found, NOTHING)
    operands = {name: tuple(found[along] for along in axes[name]) for name in axes}
    return ProductMask(found[INNER], operands, (found[ROW], found[COLUMN]))


def _shared(mask: Any, extent: Mapping[str, int], turned: bool) -> list[tuple[str, slice]]:
    """What `mask=` says of the axes: its partitions are what is contracted, its columns those of the operand that has
    as many, where one alone has."""
    if mask is None:
        return []
    if isinstance(mask, (bool, np.bool_)):
        return [] if mask else [(INNER, NOTHING)]
    box = mask.over(mask.shape) if isinstance(mask, Mask) else ()
    if box is None:
        return []
    if not isinstance(box, tuple) or len(box) != 2 or not isinstance(mask, Mask):
        raise CannotSimulate("the mask of a product", "it does not leave a box of its operands")
    if any(part.start >= part.stop for part in box):
        return [(INNER, NOTHING)]
    found = []
    for position, (part, size) in enumerate(zip(box, mask.shape, strict=True)):
        if part == slice(0, size):
            continue
        names = [n for n in ((INNER,) if position == 0 else (ROW, COLUMN)) if extent[n] == size]
        if len(names) != 1 or (position == 0 and turned):
            raise CannotSimulate("the mask of a product", "which axis it selects along cannot be told")
        found.append((names[0], part))
    return found


def _both(first: slice, second: slice) -> slice:
    start, stop = max(first.start, second.start), min(first.stop, second.stop)
    return slice(start, max(start, stop))
