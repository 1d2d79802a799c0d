"""What a call does to its operands, as accesses to their elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint_rules.operations.effects import (
    ALIGNED,
    RESULT,
    Contracted,
    Dependence,
    Effects,
    Permuted,
    Written,
)
from nkilint_rules.operations.form import Call
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of

from ..state.trace import Access
from ..values.axes import axis, fit_axes, move_axes
from ..values.grids import Grid
from ..values.tensors import PARTS, View
from .products import product_mask

ASSIGNED = Effects(frozenset({"src"}), {"dst": Written({"src": ALIGNED})})
"""What `t[...] = x` does."""


def updating(operator: str) -> Effects:
    """What `t += x` does, and the like."""
    written = Written({"src": ALIGNED, "dst": ALIGNED}, combines=(operator, "dst", "src"))
    return Effects(frozenset(written.sources), {"dst": written})


def effects_of(call: Call) -> Effects | Unknown:
    """What a call does, whose result has been computed."""
    try:
        return call.operation.effects(call)
    except IsUnknown as unknown:
        return Unknown(unknown.reason)


def accesses_to(call: Call, effects: Effects | Unknown, mask: Any) -> list[Access]:
    """The accesses of a call to its operands, under its mask."""
    found: list[Access] = []
    for name, operand, tile in call.tiles():
        if not isinstance(tile, View):
            continue
        fitted = fitted_to(mask, tile)
        if operand.role == "read" and tile.problem == PARTS:
            tile = tile.with_(problem="", dtype=tile.base.dtype)
        if isinstance(effects, Unknown):
            found.append(Access(operand.role, tile, fitted if operand.role == "read" else effects, name))
            continue
        argument = name.partition("[")[0]
        role = effects.role(argument, operand.role)
        if role:
            found.append(Access(role, tile, in_partitions(fitted, effects, argument, tile), name))
    masked = product_mask(effects, mask, found)
    if masked is None or isinstance(masked.result, Unknown):
        return found
    return [replace(a, mask=all_of((masked.operands.get(a.operand, True), _held(a.view)))) for a in found]


def _held(tile: View) -> Any:
    """The elements that the operation which made a tile left in it."""
    return True if isinstance(tile.mask, Unknown) else tile.mask


def in_partitions(mask: Any, effects: Effects, argument: str, tile: View) -> Any:
    """The mask on the elements of an operand of which only some partitions are read or written."""
    written = effects.writes.get(argument)
    partitions = effects.only.get(argument) if written is None else written.partitions
    if partitions is None or not tile.shape or isinstance(mask, Unknown):
        return mask
    return all_of((mask, partitions(axis(len(tile.shape) - 1, tile.shape[0]))))


def fitted_to(mask: Any, tile: View) -> Any:
    """The mask over the axes of one operand; an Unknown mask stays one."""
    if mask is True or isinstance(mask, Unknown):
        return tile.mask if mask is True else mask
    shape = tile.shape
    if len(shape) < len(mask.shape):
        return Unknown("a mask of higher rank than the tile")
    fitted = fit_axes(mask.value, mask.shape, shape)
    return all_of((fitted, tile.mask)) if not isinstance(tile.mask, Unknown) else tile.mask


def result_mask(effects: Effects | Unknown, mask: Any, accesses: Sequence[Access]) -> Grid | None:
    """The mask on the elements of a new tile: those that it leaves out hold nothing."""
    masked = product_mask(effects, mask, accesses)
    if masked is not None and isinstance(masked.result, Grid):
        return masked.result
    if not isinstance(mask, Grid) or is_turned(effects, mask, accesses):
        return None
    written = effects.writes.get(RESULT) if isinstance(effects, Effects) else None
    if written is None:
        return mask
    return None if written.outside else _transposed(mask) if written.is_transposed else mask


def is_turned(effects: Effects | Unknown | None, mask: Any, accesses: Sequence[Access]) -> bool:
    """Whether a mask selects along axes that are others in the result, and which elements are written is not known."""
    masked = product_mask(effects, mask, accesses)
    if masked is not None:
        return isinstance(masked.result, Unknown)
    if not isinstance(effects, Effects) or not isinstance(mask, Grid) or not isinstance(mask.value, Cond):
        return False
    result = effects.writes.get(RESULT)
    flat = all(len(access.view.shape) == 2 for access in accesses)  # of more axes, it may mean any
    if flat and result is not None and result.is_transposed and len(mask.shape) == 2:
        return False
    how: list[Dependence] = [d for written in effects.writes.values() for d in written.sources.values()]
    return any(isinstance(d, (Permuted, Contracted)) for d in how) and any(
        v.kind == "axis" for v in variables(mask.value)
    )


def _transposed(mask: Grid) -> Grid:
    """A mask over the two axes of an operand as one over those of its transpose."""
    if len(mask.shape) != 2:
        return mask
    rows, columns = mask.shape
    value = move_axes(mask.value, {1: (0, rows), 0: (1, columns)}, mask.shape)
    return replace(mask, value=value, shape=(columns, rows))
