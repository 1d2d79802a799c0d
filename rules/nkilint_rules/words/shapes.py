"""Shapes of results, over sizes that are ints or symbolic ints.

A shape is a tuple of sizes. Functions here never decide on a size: what has to hold for the result to make sense is
given by a function of its own whose name ends in `condition` or `conditions`. Ranks and axes are plain numbers; an
axis that is not known raises `IsUnknown`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from .conditions import IsUnknown, Unknown, all_of, any_of, ceil_div, maximum, negation, product
from .names import Named

Shape = tuple[Any, ...]


class Sizes(tuple[Any, ...]):
    """The shape of a tensor as kernels see it: a tuple that equals the list of its sizes too."""

    __slots__ = ()
    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other


class PartitionSize:
    """A size that `nl.par_dim` marks as that of the partition dimension."""

    __slots__ = ()

    size: Any


def block_rank(shape: Any) -> int:
    """How many block dimensions stand before the partition dimension: before the size that is marked."""
    sizes = shape if isinstance(shape, (tuple, list)) else ()
    return next((axis for axis, size in enumerate(sizes) if isinstance(size, PartitionSize)), 0)


def on_chip_shape(shape: Sequence[Any]) -> Shape:
    """The shape with a free dimension of 1 added where it would have none: on-chip tiles have at least two."""
    return (*shape, *(1,) * (2 - len(shape)))


def as_shape(value: Any) -> Shape:
    """A shape written as a tuple, a list or a single size."""
    if isinstance(value, Unknown):
        raise IsUnknown(value.reason)
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def is_literal(size: Any, number: int) -> bool:
    """Whether `size` is this very number, rather than a symbol that may be equal to it."""
    return isinstance(size, int) and size == number


def same_size(a: Any, b: Any) -> bool:
    """Whether two sizes are certainly equal without any assumption."""
    return a is b or (a == b) is True


def joined_size(a: Any, b: Any) -> Any:
    """The size that two sizes broadcast to, given that they do: 1 gives way, other sizes are equal."""
    if is_literal(a, 1) or same_size(a, b):
        return b
    if is_literal(b, 1):
        return a
    if isinstance(a, int):
        return a
    return b if isinstance(b, int) else maximum(a, b)


def _padded(shape: Sequence[Any], rank: int) -> Shape:
    return (1,) * (rank - len(shape)) + tuple(shape)


def broadcast(shapes: Iterable[Sequence[Any]]) -> Shape:
    """The common shape by NumPy's rule: aligned at the last axis, sizes of 1 stretched. `()` of nothing."""
    given = [tuple(shape) for shape in shapes]
    rank = max((len(shape) for shape in given), default=0)
    result: Shape = (1,) * rank
    for shape in given:
        result = tuple(joined_size(a, b) for a, b in zip(result, _padded(shape, rank), strict=True))
    return result


def broadcast_conditions(shapes: Iterable[Sequence[Any]]) -> list[tuple[Any, int, int]]:
    """What broadcasting needs: (condition, number of the shape, axis of the result), certain ones left out.

    Each shape is compared with what the shapes before it broadcast to.
    """
    given = [tuple(shape) for shape in shapes]
    rank = max((len(shape) for shape in given), default=0)
    needs: list[tuple[Any, int, int]] = []
    result: Shape = (1,) * rank
    for number, shape in enumerate(given):
        padded = _padded(shape, rank)
        for axis, (a, b) in enumerate(zip(result, padded, strict=True)):
            condition = broadcast_condition(a, b)
            if condition is not True:
                needs.append((condition, number, axis))
        result = tuple(joined_size(a, b) for a, b in zip(result, padded, strict=True))
    return needs


def broadcast_condition(a: Any, b: Any) -> Any:
    """That two sizes are equal or one of them is 1."""
    if same_size(a, b):
        return True
    return any_of((a == b, a == 1, b == 1))


def expands_to_condition(old: Sequence[Any], new: Sequence[Any]) -> Any:
    """That a tensor of shape `old` can be stretched to exactly `new`: sizes are equal or 1 on the old side."""
    if len(old) > len(new):
        return False
    padded = _padded(old, len(new))
    return all_of(True if same_size(a, b) else any_of((a == b, a == 1)) for a, b in zip(padded, new, strict=True))


def equal_shapes_condition(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """That two shapes have the same rank and the same sizes."""
    if len(a) != len(b):
        return False
    return all_of(True if same_size(x, y) else x == y for x, y in zip(a, b, strict=True))


def reshaped(old: Sequence[Any], new: Any) -> Shape:
    """The shape that `reshape` to `new` gives; one size of -1 stands for what is left."""
    sizes = as_shape(new)
    if any(isinstance(size, Named) for size in sizes):
        raise IsUnknown("a size that is not known")
    holes = [axis for axis, size in enumerate(sizes) if is_literal(size, -1)]
    if len(holes) != 1:
        return sizes
    rest = product(size for size in sizes if not is_literal(size, -1))
    return tuple(product(old) // rest if axis == holes[0] else size for axis, size in enumerate(sizes))


def reshape_condition(old: Sequence[Any], new: Sequence[Any]) -> Any:
    """That `new` has as many elements as `old`."""
    before, after = product(old), product(new)
    return True if same_size(before, after) else before == after


def size_groups(old: Sequence[Any], new: Sequence[Any]) -> list[tuple[list[int], list[int]]]:
    """Runs of dimensions of equal size, taken apart as finely as the sizes tell."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(old):
        left = [i]
        right: list[int] = []
        size_left, size_right = old[i], 1
        i += 1
        while not same_size(size_left, size_right):
            rest = (
                size_left // size_right
                if isinstance(size_left, int) and isinstance(size_right, int) and size_right
                else 2
            )
            if j < len(new) and (not right or (rest != 1 and _smaller(size_right, size_left))):
                right.append(j)
                size_right = size_right * new[j]
                j += 1
            elif i < len(old):
                left.append(i)
                size_left = size_left * old[i]
                i += 1
            elif j < len(new):
                right.append(j)
                size_right = size_right * new[j]
                j += 1
            else:
                break
        groups.append((left, right))
    if groups:
        groups[-1][1].extend(range(j, len(new)))
    return groups


def _smaller(a: Any, b: Any) -> bool:
    """Whether more has to be taken on the right; symbolic sizes are compared by their number of factors."""
    if isinstance(a, int) and isinstance(b, int):
        return a < b
    return _factors(a) < _factors(b)


def _factors(value: Any) -> int:
    return 0 if isinstance(value, int) else max(map(len, value.terms))


def layout_conditions(old: Sequence[Any], steps: Sequence[Any], new: Sequence[Any]) -> Iterator[tuple[int, int, Any]]:
    """Pairs of dimensions that become one in `new`, and that elements `steps` apart follow one another there: of
    neighbours, and of others where all dimensions between them have one element."""
    for group, made in size_groups(old, new):
        several = [axis for axis in group if not is_literal(old[axis], 1)]
        sizes = [*(old[axis] for axis in group), *(new[axis] for axis in made)]
        exact = len(made) < 2 or all(isinstance(size, int) for size in sizes)
        for apart in range(1, len(several)):
            for chain in (several[first : first + apart + 1] for first in range(len(several) - apart)):
                axis, *between, after = chain
                if between and all(_adjoin(old, steps, *pair) is True for pair in pairwise(chain)):
                    continue
                longer = (negation(old[one] == 1) for one in between)
                follows = any_of((*longer, _adjoin(old, steps, axis, after), old[axis] == 1, old[after] == 1))
                if follows is not True:
                    if not exact:
                        raise IsUnknown("which dimensions become one")
                    yield axis, after, follows


def _adjoin(old: Sequence[Any], steps: Sequence[Any], axis: int, after: int) -> Any:
    """That a row of one dimension ends where the next one begins."""
    return steps[axis] == steps[after] * old[after]


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """Axes as numbers from 0 in ascending order, of an int or a sequence of ints, negative ones counted from the end.

    Axes that do not exist stay as they are, so that a rule can speak of them.
    """
    if isinstance(axis, Unknown):
        raise IsUnknown(axis.reason)
    given = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    for one in given:
        if not isinstance(one, int):
            raise IsUnknown(one.reason if isinstance(one, Unknown) else "axis is not a constant")
    return tuple(sorted({one + rank if one < 0 else one for one in given}))


def reduced(shape: Sequence[Any], axis: Any, keepdims: bool = False) -> Shape:
    """The shape left when `axis` (an int or several) is reduced."""
    axes = axes_of(axis, len(shape))
    if keepdims:
        return tuple(1 if number in axes else size for number, size in enumerate(shape))
    return tuple(size for number, size in enumerate(shape) if number not in axes)


def trailing_free_axes(axis: Any, rank: int) -> bool:
    """Whether the axes are the last ones without a gap and leave the partition axis out."""
    axes = axes_of(axis, rank)
    return bool(axes) and axes[0] >= 1 and axes == tuple(range(rank - len(axes), rank))


def permuted(shape: Sequence[Any], order: Any) -> Shape:
    """The shape with its axes in `order`."""
    numbers = _numbers(order, len(shape))
    if not all(0 <= number < len(shape) for number in numbers):
        raise IsUnknown("an axis that is not there")
    return tuple(shape[number] for number in numbers)


def expanded(shape: Sequence[Any], axis: Any) -> Shape:
    """The shape with axes of size 1 inserted so that they stand at `axis` in the result."""
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    rank = len(shape) + count
    axes = axes_of(axis, rank)
    rest = iter(shape)
    return tuple(1 if number in axes else next(rest, 1) for number in range(rank))


def squeezed(shape: Sequence[Any], axis: Any) -> Shape:
    """The shape without `axis`, whose size is 1."""
    return reduced(shape, axis)


def split(shape: Sequence[Any], axis: Any, sizes: Any) -> Shape:
    """The shape with one axis replaced by several; one size of -1 stands for what is left."""
    (number,) = axes_of(axis, len(shape))
    return (*shape[:number], *reshaped((shape[number],), sizes), *shape[number + 1 :])


def flattened(shape: Sequence[Any], first: Any, last: Any) -> Shape:
    """The shape with the axes from `first` to `last`, both included, made one."""
    start, stop = _numbers((first, last), len(shape))
    return (*shape[:start], product(shape[start : stop + 1]), *shape[stop + 1 :])


def sliced(shape: Sequence[Any], axis: Any, start: Any, stop: Any, step: Any = 1) -> Shape:
    """The shape with one axis cut down to the steps from `start` to before `stop`."""
    (number,) = _numbers(axis, len(shape))
    return (*shape[:number], ceil_div(stop - start, step), *shape[number + 1 :])


def rearranged(shape: Sequence[Any], source: Any, target: Any, fixed: Mapping[str, Any] | None = None) -> Shape:
    """The shape after the axes named by `source` are put as `target` says; a nested tuple is a group made one axis."""
    sizes = sizes_of_names(shape, source, fixed)
    missing = [name for pattern in target for name in as_shape(pattern) if name not in sizes]
    if missing:
        raise IsUnknown("the source pattern has no " + ", ".join(missing))
    return tuple(product(sizes[name] for name in as_shape(pattern)) for pattern in target)


def sizes_of_names(shape: Sequence[Any], source: Any, fixed: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The sizes of the names of a pattern, in its order. `fixed` gives those of names in groups; one name of each group
    may be left out."""
    given = [name for pattern in as_shape(source) for name in as_shape(pattern)]
    if not all(isinstance(name, str) for name in given) or not isinstance(fixed or {}, Mapping):
        raise IsUnknown("a pattern of something else than names")
    sizes: dict[str, Any] = {}
    for size, pattern in zip(shape, source, strict=True):
        names = as_shape(pattern)
        known = {name: (fixed or {})[name] for name in names if name in (fixed or {})}
        rest = [name for name in names if name not in known]
        if len(rest) > 1:
            raise IsUnknown("sizes of " + ", ".join(rest) + " are not given")
        found = known | {name: size if len(names) == 1 else size // product(known.values()) for name in rest}
        sizes |= {name: found[name] for name in names}
    return sizes


def _numbers(values: Any, rank: int) -> tuple[int, ...]:
    """Axes in the order given, counted from 0."""
    return tuple(axes_of(value, rank)[0] for value in as_shape(values))
