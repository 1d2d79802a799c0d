"""Beta 1 index grids and masks: affine expressions of index variables, one per axis, with a shape.

An affine grid keeps its base and one coefficient per axis, so that indexing with it gives a strided view; anything
else falls back to the array of its values.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nkilint_rules.indexing.index_assignment import IndexAssignment
from nkilint_rules.indexing.mask_conjunction import MaskConjunction
from nkilint_rules.language.division_by_zero import DivisionByZero
from nkilint_rules.language.index_control_flow import IndexControlFlow
from nkilint_rules.language.non_integer_size import NonIntegerSize
from reference_sim.machine.dtypes import Array
from reference_sim.report import wording
from reference_sim.report.sites import here
from reference_sim.report.wording import complain, source_text

Shape = tuple[int, ...]
Where = Any  # None: everything; a tuple of slices: a box; a bool array


def is_integer(value: Any) -> bool:
    """Whether a value is an integer known now, as loop variables and sizes are."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _broadcast_shape(a: Shape, b: Shape) -> Shape:
    if a == b:
        return a
    if len(a) == len(b) and all(m == n or m == 1 or n == 1 for m, n in zip(a, b, strict=True)):
        return tuple([n if m == 1 else m for m, n in zip(a, b, strict=True)])
    return np.broadcast_shapes(a, b)


def joint_shape(shapes: Sequence[Shape]) -> Shape:
    """The shape that all these broadcast to."""
    first = shapes[0] if shapes else ()
    for shape in shapes:
        if shape != first:
            return np.broadcast_shapes(*shapes)
    return first


def _aligned(coefficients: tuple[int, ...], rank: int) -> tuple[int, ...]:
    return (0,) * (rank - len(coefficients)) + coefficients


def _not_a_step(other: object) -> Any:
    """What an index grid and something that is no integer give: an index would be a float."""
    if isinstance(other, float):
        complain(NonIntegerSize.symbolic(expression=source_text(here()) or repr(other), type="float", use="an index"))
    return NotImplemented


class Grid:
    """Index values over a shape: `base + sum(coefficient * index)` along the axes, or explicit values."""

    __slots__ = ("base", "coefficients", "looked_up", "mesh", "shape", "values")
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 100

    def __init__(self, shape: Shape, base: int, coefficients: tuple[int, ...], values: Array | None = None) -> None:
        self.shape, self.base, self.coefficients, self.values = shape, base, coefficients, values
        self.mesh = False  # whether `nl.mgrid` made it
        self.looked_up = False  # whether a value in memory is part of it

    @classmethod
    def explicit(cls, values: Array) -> Grid:
        """A grid whose values follow no affine rule."""
        return cls(values.shape, 0, (), values)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def array(self) -> Array:
        """The values at every point."""
        if self.values is not None:
            return self.values
        total: Any = np.full(self.shape, self.base, np.int64)
        for axis, (size, coefficient) in enumerate(zip(self.shape, self.coefficients, strict=True)):
            if coefficient:
                total += (np.arange(size) * coefficient).reshape((-1,) + (1,) * (len(self.shape) - axis - 1))
        return total

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return self.array() if dtype is None else self.array().astype(dtype)

    def bounds(self) -> tuple[int, int]:
        """The smallest and the largest value."""
        if self.values is not None:
            return int(self.values.min()), int(self.values.max())
        low = high = self.base
        for size, coefficient in zip(self.shape, self.coefficients, strict=True):
            reach = coefficient * (size - 1)
            low, high = low + min(0, reach), high + max(0, reach)
        return low, high

    def __getitem__(self, key: Any) -> Grid:
        keys = key if isinstance(key, tuple) else (key,)
        if self.values is not None or any(k is not None and k != slice(None) and k is not ... for k in keys):
            return Grid.explicit(np.asarray(self.array()[key]))
        rank = sum(k is not None and k is not ... for k in keys)
        position = keys.index(...) if any(k is ... for k in keys) else len(keys)
        fill = (slice(None),) * (len(self.shape) - rank)
        shape: list[int] = []
        coefficients: list[int] = []
        axes = iter(zip(self.shape, self.coefficients, strict=True))
        for k in (*keys[:position], *fill, *keys[position + 1 :]):
            size, coefficient = (1, 0) if k is None else next(axes)
            shape.append(size)
            coefficients.append(coefficient)
        return Grid(tuple(shape), self.base, tuple(coefficients))

    def __setitem__(self, key: Any, value: Any) -> None:
        site = here()
        indexed, _ = wording.subscript_text(site, 0, self.ndim)
        complain(IndexAssignment.message(index=indexed or "the grid"))

    def _combine(self, other: Any, sign: int) -> Any:
        if is_integer(other):
            if self.values is not None:
                return Grid.explicit(self.values + sign * int(other))
            return Grid(self.shape, self.base + sign * int(other), self.coefficients)
        if not isinstance(other, Grid):
            return _not_a_step(other)
        if self.values is not None or other.values is not None:
            return Grid.explicit(self.array() + sign * other.array())
        shape = _broadcast_shape(self.shape, other.shape)
        rank = len(shape)
        pairs = zip(_aligned(self.coefficients, rank), _aligned(other.coefficients, rank), strict=True)
        return Grid(shape, self.base + sign * other.base, tuple(a + sign * b for a, b in pairs))

    def __add__(self, other: Any) -> Any:
        return self._combine(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._combine(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (self * -1)._combine(other, 1)

    def __neg__(self) -> Any:
        return self * -1

    def __mul__(self, other: Any) -> Any:
        if is_integer(other):
            if self.values is not None:
                return Grid.explicit(self.values * int(other))
            return Grid(self.shape, self.base * int(other), tuple(c * int(other) for c in self.coefficients))
        if isinstance(other, Grid):
            return Grid.explicit(self.array() * other.array())
        return _not_a_step(other)

    __rmul__ = __mul__

    def _explicitly(self, other: Any, operation: Callable[[Any, Any], Array], turned: bool = False) -> Any:
        if not is_integer(other) and not isinstance(other, Grid):
            return NotImplemented
        sides = self.array(), int(other) if is_integer(other) else other.array()
        left, right = sides[::-1] if turned else sides
        if np.any(np.equal(right, 0)):
            complain(DivisionByZero.message(expression=source_text(here()) or "the expression", divisor=0))
            raise ZeroDivisionError("an index is divided by zero")
        return Grid.explicit(operation(left, right))

    def __floordiv__(self, other: Any) -> Any:
        return self._explicitly(other, np.floor_divide)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._explicitly(other, np.floor_divide, turned=True)

    def __truediv__(self, other: Any) -> Any:
        return self._explicitly(other, np.floor_divide)

    def __mod__(self, other: Any) -> Any:
        return self._explicitly(other, np.mod)

    def __rmod__(self, other: Any) -> Any:
        return self._explicitly(other, np.mod, turned=True)

    def _compare(self, other: Any, affine: Callable[[Any, Any], Any], exact: Callable[[Any, Any], Array]) -> Any:
        """A mask; `affine` gives the difference that has to be at least 0."""
        if isinstance(other, float):
            return Mask(self.shape, (), exact(self.array(), other))
        if not is_integer(other) and not isinstance(other, Grid):
            return NotImplemented
        difference = affine(self, other)
        if difference is not None and difference.values is None:
            return Mask(difference.shape, (difference,))
        left, right = self.array(), other.array() if isinstance(other, Grid) else int(other)
        values = exact(left, right)
        return Mask(values.shape, (), values)

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: (b - a) - 1, np.less)

    def __le__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: b - a, np.less_equal)

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: (a - b) - 1, np.greater)

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: a - b, np.greater_equal)

    def __eq__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: None, np.equal)

    def __ne__(self, other: Any) -> Any:
        return self._compare(other, lambda a, b: None, np.not_equal)

    def __bool__(self) -> bool:
        complain(IndexControlFlow.message(grid=_tested(source_text(here())) or "a grid"))
        return True

    def __repr__(self) -> str:
        return f"Grid(shape={self.shape})"


class Mask:
    """A predicate over a shape: affine expressions that are at least 0, and explicit truth values."""

    __slots__ = ("conditions", "joined", "shape", "values")
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 100

    def __init__(
        self, shape: Shape, conditions: tuple[Grid, ...], values: Array | None = None, joined: bool = False
    ) -> None:
        self.shape, self.conditions, self.values = shape, conditions, values
        self.joined = joined  # of masks, by `&` or `|`

    def array(self) -> Array:
        """The truth value at every point."""
        total: Any = True if self.values is None else self.values
        for condition in self.conditions:
            total = np.logical_and(total, condition.array() >= 0)
        return np.broadcast_to(total, self.shape)

    def __and__(self, other: Any) -> Any:
        if isinstance(other, (bool, np.bool_)):
            return self if other else Mask(self.shape, (), np.zeros(self.shape, bool))
        if not isinstance(other, Mask):
            return NotImplemented
        values = self.values
        if other.values is not None:
            values = other.values if values is None else np.logical_and(values, other.values)
        return Mask(_broadcast_shape(self.shape, other.shape), self.conditions + other.conditions, values, joined=True)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        if isinstance(other, (bool, np.bool_)):
            return Mask(self.shape, (), np.ones(self.shape, bool)) if other else self
        if not isinstance(other, Mask):
            return NotImplemented
        values = np.logical_or(self.array(), other.array())
        return Mask(values.shape, (), values, joined=True)

    __ror__ = __or__

    def __bool__(self) -> bool:
        """Masks are truthy, so that `a and b` is `b`; the linter says what was meant."""
        text = wording.condition_text(source_text(here()))
        word = _joining_word(text)
        if word:
            complain(MaskConjunction.message(operator=word, symbol="|" if word == "`or`" else "&"))
        elif wording.parsed(text) is not None:
            complain(IndexControlFlow.message(grid=_tested(text)))
        return True

    def __invert__(self) -> Mask:
        return Mask(self.shape, (), ~self.array(), self.joined)

    def __getitem__(self, key: Any) -> Mask:
        values = self.array()[key]
        return Mask(values.shape, (), values)

    def over(self, shape: Shape) -> Where:
        """Where the mask holds on a tile of this shape: None for everywhere, a box of slices, or a bool array."""
        if self.values is not None or any(_variables(c) > 1 for c in self.conditions):
            return _simplified(_fitted(self.array(), shape), shape)
        box = [[0, size] for size in shape]
        for condition in self.conditions:
            axis, at_least, at_most = _interval(condition)
            if axis is None:
                if not at_least:
                    return tuple(slice(0, 0) for _ in shape)
                continue
            position = _axis_in(axis, self.shape, shape, condition.shape)
            box[position][0] = max(box[position][0], at_least)
            box[position][1] = min(box[position][1], at_most)
        if all(low <= 0 and high >= size for (low, high), size in zip(box, shape, strict=True)):
            return None
        return tuple(slice(low, max(low, high)) for low, high in box)

    def __repr__(self) -> str:
        return f"Mask(shape={self.shape})"


def _joining_word(text: str) -> str:
    """How an expression asks for the truth of a mask, in words; empty where it does not join masks."""
    node = wording.parsed(text)
    if isinstance(node, ast.BoolOp):
        return "`and`" if isinstance(node.op, ast.And) else "`or`"
    return "a chained comparison" if isinstance(node, ast.Compare) and len(node.ops) > 1 else ""


def _tested(text: str) -> str:
    """The source of what a conditional expression tests; any other expression is that itself."""
    node = wording.parsed(text)
    return ast.get_source_segment(text, node.test) or text if isinstance(node, ast.IfExp) else text


def _variables(condition: Grid) -> int:
    return sum(c != 0 and size > 1 for c, size in zip(condition.coefficients, condition.shape, strict=True))


def _interval(condition: Grid) -> tuple[int | None, int, int]:
    """The axis that a condition of one variable bounds, with its first index and the one after its last.

    Without a variable: no axis, and 1 or 0 for whether it holds.
    """
    for axis, coefficient in enumerate(condition.coefficients):
        if condition.shape[axis] == 1:
            continue
        if coefficient > 0:
            return axis - len(condition.shape), max(0, -(condition.base // coefficient)), condition.shape[axis]
        if coefficient < 0:
            return axis - len(condition.shape), 0, max(0, condition.base // -coefficient + 1)
    return None, int(condition.base >= 0), 0


def _axis_in(axis: int, mask: Shape, tile: Shape, condition: Shape) -> int:
    """Position in a tile's shape of an axis of a mask: aligned at the end, or at the partition axis if that fails."""
    from_end = axis + len(tile)
    if len(mask) == len(tile) and from_end >= 0:
        return from_end
    if from_end >= 0 and condition[axis] in (tile[from_end], 1):
        return from_end
    from_start = axis + len(mask)
    if from_start < len(tile) and condition[axis] == tile[from_start]:
        return from_start
    raise ValueError(f"a mask of shape {mask} does not fit a tile of shape {tile}")


def _fitted(values: Array, shape: Shape) -> Array:
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        return np.broadcast_to(values.reshape(values.shape + (1,) * (len(shape) - values.ndim)), shape)


def _simplified(values: Array, shape: Shape) -> Where:
    if values.all():
        return None
    if not values.any():
        return tuple(slice(0, 0) for _ in shape)
    box = []
    for axis in range(values.ndim):
        others = tuple(other for other in range(values.ndim) if other != axis)
        found = np.flatnonzero(values.any(axis=others))
        box.append(slice(int(found[0]), int(found[-1]) + 1))
    return tuple(box) if values[tuple(box)].all() else np.ascontiguousarray(values)


def where_of(mask: Any, shape: Shape) -> Where:
    """The part of a tile that a `mask=` argument leaves: None for all of it."""
    if mask is None or mask is True:
        return None
    if isinstance(mask, Mask):
        return mask.over(shape)
    if isinstance(mask, (bool, np.bool_)):
        return None if mask else tuple(slice(0, 0) for _ in shape)
    if hasattr(mask, "mask_values"):
        return _simplified(_fitted(mask.mask_values(), shape), shape)
    raise TypeError(f"a mask has to be a comparison of index grids, not {type(mask).__name__}")
