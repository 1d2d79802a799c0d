"""Masks of products: `mask=`, which speaks of the axes of the operands, and `operand[mask]` of Beta 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nkilint.symbolic.atoms import Var
from nkilint.symbolic.conditions import And, Compare, Cond
from nkilint.symbolic.evaluation import coefficient, variables
from nkilint.symbolic.integers import Sym, key_of
from nkilint.symbolic.substitution import substitute
from nkilint_rules.operations.effects import RESULT, ROWS, Contracted, Effects
from nkilint_rules.words.conditions import Unknown, all_of, any_of

from ..state.trace import Access
from ..values.axes import axis, move_axes
from ..values.grids import Grid
from ..values.tensors import View

INNER, ROW, COLUMN = "inner", "row", "column"
"""The axes of a product: the one that is contracted, and those of its result."""

Parts = dict[str, list[Any]]


@dataclass(frozen=True, slots=True)
class ProductMask:
    """What masks leave of a product: of each operand, by its name and over its axes, and of its result."""

    operands: Mapping[str, Any]
    result: Grid | Unknown


@dataclass(frozen=True, slots=True)
class _Side:
    """An operand, with the axis of the product that each of its own is, from the right."""

    name: str
    view: View
    axes: tuple[str, str]

    @property
    def free(self) -> str:
        return next(a for a in self.axes if a != INNER)

    def size_of(self, name: str) -> Any:
        return self.view.shape[1 - self.axes.index(name)]


def product_mask(effects: Effects | Unknown | None, mask: Any, accesses: Sequence[Access]) -> ProductMask | None:
    """What the masks of a call leave. None where it is no product or has no mask; `result` is unknown where it cannot
    be told which axis a mask means."""
    if (mask is None or mask is True) and all(a.view.selected is True for a in accesses):
        return None
    sides = _sides(effects, accesses)
    if sides is None:
        return None
    parts: Parts = {INNER: [], ROW: [], COLUMN: []}
    known = all(_take(parts, side, side.view.selected) for side in sides) and _take_shared(parts, sides, mask)
    run = _runs(parts[INNER], sides[1]) if known else None
    if run is None:
        return ProductMask({}, Unknown("which axis of a product a mask selects along"))
    shape = tuple(side.size_of(side.free) for side in sides)
    result = Grid(all_of((run, *parts[ROW], *parts[COLUMN])), shape)
    return ProductMask({side.name: all_of((run, *_over(side, parts))) for side in sides}, result)


def _sides(effects: Effects | Unknown | None, accesses: Sequence[Access]) -> tuple[_Side, _Side] | None:
    """The operand whose free axis becomes the rows of the result, and the one whose becomes its columns."""
    written = effects.writes.get(RESULT) if isinstance(effects, Effects) else None
    if written is None:
        return None
    found: dict[str, _Side] = {}
    tiles = {a.operand: a.view for a in accesses if a.role == "read"}
    for name, how in written.sources.items():
        view = tiles.get(name)
        if view is None or len(view.shape) != 2:
            return None
        if isinstance(how, Contracted) and how.rows == 1:
            found[ROW if how.axis == 0 else COLUMN] = _Side(name, view, (ROW if how.axis == 0 else COLUMN, INNER))
        elif how == ROWS:
            found[ROW] = _Side(name, view, (INNER, ROW))
    return (found[ROW], found[COLUMN]) if len(found) == 2 == len(written.sources) else None


def _take(parts: Parts, side: _Side, mask: Any) -> bool:
    """Add what a mask over an operand says of each axis; False where it says something of both at once."""
    if isinstance(mask, Unknown):
        return False
    for each in _conjuncts(mask):
        along = _axes_in(each)
        if len(along) > 1:
            return False
        position = 1 if along == [_variable(side.view.shape, 1)] else 0
        name = side.axes[position]
        parts[name].append(each if name == INNER and side.axes[1] == INNER else _placed(each, side, name))
    return True


def _placed(value: Any, side: _Side, name: str) -> Any:
    """A condition on one axis of an operand over the axes of the result; on what is contracted, over partitions."""
    here, there = side.axes.index(name), 0 if name == COLUMN else 1
    return move_axes(value, {here: (there, side.size_of(name))}, side.view.shape)


def _take_shared(parts: Parts, sides: tuple[_Side, _Side], given: Any) -> bool:
    """The same for `mask=`: its partitions are what is contracted, its columns those of the operand that has as many,
    where one alone has."""
    left, right = sides
    mask = given if isinstance(given, Grid) else Grid(True if given is None else given, (1, 1))
    if not isinstance(mask.value, (bool, Cond)):
        return False
    for each in _conjuncts(mask.value):
        along = _axes_in(each)
        if len(along) > 1 or (along and len(mask.shape) != 2):
            return False
        if not along:
            parts[INNER].append(each)
            continue
        position = 1 if along == [_variable(mask.shape, 1)] else 0
        size = mask.shape[1 - position]
        named = [INNER] if position == 1 else [s.free for s in sides if key_of(s.size_of(s.free)) == key_of(size)]
        if len(named) != 1 or (position == 1 and left.axes[1] != INNER):
            return False
        if position == 1 and key_of(size) != key_of(right.view.shape[0]):
            return False
        parts[named[0]].append(move_axes(each, {position: (1 if named[0] == ROW else position, size)}, mask.shape))
    return True


def _runs(inner: Sequence[Any], side: _Side) -> Any:
    """Under which condition anything is contracted at all; None where that is not known."""
    contracted = _variable(side.view.shape, 1)
    along = {c.key: c for c in inner if contracted in _axes_in(c)}
    always = all_of(c for c in inner if contracted not in _axes_in(c))
    if contracted is None or not along:
        return always
    bound = next(iter(along.values()))
    if len(along) > 1 or not isinstance(bound, Compare) or bound.relation != ">=" or contracted.high is None:
        return None
    if coefficient(bound.left, contracted) is None:
        return None
    return all_of((always, any_of(substitute(bound, {contracted: end}) for end in (0, contracted.high))))


def _over(side: _Side, parts: Parts) -> list[Any]:
    """The conditions on both axes of an operand, over these."""
    found = []
    for position, name in enumerate(side.axes):
        size = side.size_of(name)
        there = 0 if name == COLUMN else 1
        shape = (1, size) if there == 0 else (size, 1)
        found += [move_axes(each, {there: (position, size)}, shape) for each in parts[name]]
    return found


def _conjuncts(mask: Any) -> tuple[Any, ...]:
    if mask is True:
        return ()
    return mask.parts if isinstance(mask, And) else (mask,)


def _axes_in(value: Any) -> list[Var]:
    return [v for v in variables(value) if v.kind == "axis"] if isinstance(value, Cond) else []


def _variable(shape: tuple[Any, ...], position: int) -> Var | None:
    along = axis(position, shape[len(shape) - 1 - position])
    variable = along.variable if isinstance(along, Sym) else None
    return variable if isinstance(variable, Var) else None
