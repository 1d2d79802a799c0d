"""The elements of small arrays on the host: made, selected, computed with."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from nkilint.base.ir import Span
from nkilint.symbolic.atoms import bounds
from nkilint.symbolic.integers import Sym, is_integer, key_of
from nkilint_rules.words.conditions import IsUnknown, Unknown, maximum, minimum
from nkilint_rules.words.dtypes import DTYPES, DType

from ...state import protocols
from ...state.machine import Machine, explained
from ...state.protocols import Args, Keywords
from ...state.refusals import may_raise
from ...values.containers import ListValue
from ...values.host import CHANGED, Formula, HostArray
from ...values.numbers import NUMERIC
from ..rounding import integer
from .broadcasting import MOST, NUMBERS, broadcast, spread
from .element_types import element_type
from .sizes import common_shape

WIDE = 4  # bytes of a type of integers that holds every size


def vector(numbers: Sequence[Any], dtype: Any, is_torch: bool = False) -> HostArray:
    """An array of one dimension."""
    return shaped(HostArray((), dtype, is_torch), (len(numbers),), tuple(numbers))


def shaped(like: HostArray, shape: tuple[Any, ...], numbers: tuple[Any, ...] | Formula | None) -> HostArray:
    """An array of its own with these elements, where they are few and all of them numbers that its type holds."""
    if isinstance(numbers, Formula):
        kept = fits(numbers.element, like.dtype)
    else:
        kept = numbers is not None and len(numbers) <= MOST
        kept = kept and all(isinstance(n, NUMBERS) and fits(n, like.dtype) for n in numbers or ())
    return HostArray(shape, like.dtype, like.is_torch, numbers if kept else None)


def fits(number: Any, dtype: Any) -> bool:
    """Whether a type of integers holds a number, which otherwise wraps around; sizes are taken to fit into 32 bits."""
    if not isinstance(dtype, DType) or not dtype.is_integer or not is_integer(number):
        return True
    (low, high), (least, most) = bounds(number), dtype.integers
    wide = dtype.itemsize >= WIDE
    return (low >= least or (wide and low == -inf)) and (high <= most or (wide and high == inf))


def filled(array: HostArray, number: Any) -> HostArray:
    """A new array of integers, all of them `number`."""
    count = 1
    for size in array.shape:
        count = count * size if isinstance(size, int) and size >= 0 else MOST + 1
    whole = array.dtype is not None and array.dtype.is_integer and isinstance(number, (int, Sym))
    return replace(array, numbers=(number,) * count) if whole and count <= MOST else array


def flat(value: Any) -> Iterator[Any]:
    """The items of nested lists and tuples."""
    for item in value.items if isinstance(value, ListValue) else value:
        yield from flat(item) if isinstance(item, (ListValue, tuple)) else (item,)


def changed(machine: Machine, array: HostArray) -> None:
    """The elements are not known any more, nor are those of what shares them."""
    machine.set(array.memory, CHANGED, True)


# --- parts ---


def selected(array: HostArray, parts: Sequence[Any], shape: tuple[Any, ...]) -> HostArray | Any:
    """What a subscript of integers and slices gives; an element where it names one."""
    known = array.known
    numbers: tuple[Any, ...] | None = None
    if known is not None and all(isinstance(s, int) for s in array.shape):
        ranges = []
        for position, size in enumerate(array.shape):
            part = parts[position] if position < len(parts) else slice(None)
            if isinstance(part, int) and not -size <= part < size:
                return explained("a subscript beyond the end of an array")
            ranges.append(range(size)[part] if isinstance(part, slice) else (part % size,))
        strides = [1] * len(array.shape)
        for position in reversed(range(len(strides) - 1)):
            strides[position] = strides[position + 1] * array.shape[position + 1]
        places = (sum(map(operator.mul, at, strides)) for at in itertools.product(*ranges))
        numbers = tuple(known[place] for place in places)
    if not shape:
        return _described(array, parts[0]) if numbers is None else numbers[0]
    return replace(array, shape=shape, numbers=numbers)


def _described(array: HostArray, position: Any) -> Any:
    """The element at a position, from the formula for all of them."""
    formula = array.formula
    if formula is None or not is_integer(position):
        return Unknown("an element of an array")
    low, high = bounds(position)
    if low < 0 <= high:
        return Unknown("an element of an array, from its begin or from its end")
    return formula.at(position if low >= 0 else array.shape[0] + position)


def nested(array: HostArray) -> Any:
    """The elements as nested lists, as `tolist` gives them."""
    known = array.known
    if known is None or not all(isinstance(s, int) for s in array.shape):
        raise IsUnknown("the elements of an array")
    rows: Sequence[Any] = known
    for size in reversed(array.shape[1:]):
        rows = [ListValue(rows[i : i + size]) for i in range(0, len(rows), size)]
    return ListValue(rows)


@protocols.iterated.of(HostArray)
def _items(machine: Machine, value: HostArray, at: Span | None, count: int | None) -> list[Any]:
    if not value.shape or not isinstance(value.shape[0], int):
        raise IsUnknown("iteration over an array of unknown size")
    return [selected(value, (i,), value.shape[1:]) for i in range(value.shape[0])]


@protocols.subscripts_set.of(HostArray)
def _store(machine: Machine, container: HostArray, key: Any, value: Any, target: Any) -> None:
    try:
        part = protocols.subscript(machine, container, key, target)
        _put_into(machine, part, value)
    except IsUnknown as unknown:
        machine.doubt(unknown.reason)
    changed(machine, container)


@protocols.in_place.of(HostArray)
def _change(machine: Machine, value: HostArray, op: str, other: Any) -> bool:
    try:
        _put_into(machine, value, protocols.binary(machine, op, value, other, machine.at))
    except IsUnknown as unknown:
        machine.doubt(unknown.reason)
    changed(machine, value)
    return True


def _put_into(machine: Machine, part: Any, value: Any) -> None:
    """What is put into a part of an array has the shape of that, or is broadcast to it."""
    if isinstance(value, NUMERIC):
        return
    if not isinstance(part, HostArray) or not isinstance(value, HostArray):
        raise IsUnknown("what is put into an array")
    shape = common_shape(machine, [part.shape, value.shape], "RuntimeError" if part.is_torch else "ValueError")
    if list(map(key_of, shape)) != list(map(key_of, part.shape)):
        raise IsUnknown("what is put into an array")


# --- arithmetic ---


def computed(machine: Machine, op: str, left: Any, right: Any, at: Span) -> tuple[Any, ...] | Formula | None:
    """The elements of `left op right`, for arrays that are broadcast to one shape, and numbers."""
    arrays = [v for v in (left, right) if isinstance(v, HostArray)]
    if op in _FOLLOWED and (formulas := [a.formula for a in arrays]) and None not in formulas:
        return _by_formula(machine, op, left, right, at)
    if op not in _FOLLOWED or not all(isinstance(v, (HostArray, *NUMBERS)) for v in (left, right)):
        return None
    shape = broadcast([a.shape for a in arrays])
    sides = [] if shape is None else [spread(v, shape) for v in (left, right)]
    if not sides or None in sides:
        return None
    return tuple(protocols.binary(machine, op, a, b, at) for a, b in zip(*sides, strict=True))


def _by_formula(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Formula | None:
    """The formula for `left op right`, of rows of one symbolic length, or of one and a number."""
    rows = [v for v in (left, right) if isinstance(v, HostArray)]
    if len({key_of(r.shape[0]) for r in rows}) != 1 or not all(
        isinstance(v, (HostArray, int, Sym)) for v in (left, right)
    ):
        return None
    index = rows[0].formula.index  # type: ignore[union-attr]
    one, other = (v.formula.at(index) if isinstance(v, HostArray) else v for v in (left, right))  # type: ignore[union-attr]
    element = protocols.binary(machine, op, one, other, at)
    return Formula(index, element) if is_integer(element) else None


_FOLLOWED = frozenset({"+", "-", "*", "//", "%"})


def cast(array: HostArray, dtype: Any, machine: Machine) -> HostArray:
    """The array in another dtype: a copy, whose integers are rounded towards zero."""
    known = array.known
    if known is not None and dtype is not None and dtype.is_integer:
        known = tuple(integer(machine, [n], {}) for n in known)
    elif dtype is None or any(not isinstance(n, int) for n in known or ()):
        known = None
    return shaped(HostArray((), dtype, array.is_torch), array.shape, known)


# --- reductions ---

Reduction = Callable[[Machine, list[Any], Span], Any]


def _sums(machine: Machine, numbers: list[Any], at: Span) -> list[Any]:
    return list(itertools.accumulate(numbers, lambda a, b: protocols.binary(machine, "+", a, b, at)))


def _folded(op: str, start: int) -> Reduction:
    def fold(machine: Machine, numbers: list[Any], at: Span) -> Any:
        total: Any = start
        for number in numbers:
            total = protocols.binary(machine, op, total, number, at)
        return total

    return fold


def _extreme(which: Callable[[Any, Any], Any]) -> Reduction:
    def extreme(machine: Machine, numbers: list[Any], at: Span) -> Any:
        if not numbers or any(isinstance(n, float) for n in numbers):
            raise IsUnknown("an extreme of an array")
        found = numbers[0]
        for number in numbers[1:]:
            found = which(found, number)
        return found

    return extreme


def _differences(machine: Machine, numbers: list[Any], at: Span) -> list[Any]:
    return [protocols.binary(machine, "-", b, a, at) for a, b in itertools.pairwise(numbers)]


REDUCTIONS: dict[str, Reduction] = {
    "sum": _folded("+", 0),
    "prod": _folded("*", 1),
    "max": _extreme(maximum),
    "amax": _extreme(maximum),
    "min": _extreme(minimum),
    "amin": _extreme(minimum),
    "cumsum": _sums,
    "diff": _differences,
}


def _mean(machine: Machine, numbers: list[Any], at: Span) -> float:
    if not numbers or not all(type(n) is int and abs(n) < _EXACT for n in numbers):
        raise IsUnknown("the mean of an array")
    total: int = sum(numbers)
    return total / len(numbers)


def _place_of(which: Callable[..., Any]) -> Reduction:
    def place(machine: Machine, numbers: list[Any], at: Span) -> Any:
        return numbers.index(which(_plain(numbers)))

    return place


def _plain(numbers: list[Any]) -> list[Any]:
    if not numbers or not all(type(n) is int for n in numbers):
        raise IsUnknown("the order of elements")
    return numbers


def _order(numbers: list[int]) -> list[int]:
    """The places of the elements in their order; which of two equal ones comes first is not said."""
    if len(set(numbers)) < len(numbers):
        raise IsUnknown("the order of equal elements")
    return sorted(range(len(numbers)), key=numbers.__getitem__)


_TO_NUMBERS = frozenset({"sum", "prod", "max", "amax", "min", "amin", "mean", "argmax", "argmin"})
_EXTREMES = frozenset({"max", "amax", "min", "amin"})
_EXACT = 2**40  # a sum of as many integers below this as are kept is exact in float64

REDUCTIONS_OF_NUMPY: dict[str, Reduction] = {
    "mean": _mean,
    "argmax": _place_of(max),
    "argmin": _place_of(min),
    "sort": lambda machine, numbers, at: sorted(_plain(numbers)),
    "argsort": lambda machine, numbers, at: _order(_plain(numbers)),
    "unique": lambda machine, numbers, at: sorted(set(_plain(numbers))),
    "flip": lambda machine, numbers, at: numbers[::-1],
}
"""What numpy's functions of these names give; its methods, and torch, mean other things by some of them."""


def reduced(machine: Machine, name: str, array: Any, args: Args, kwargs: Keywords) -> Any:
    """A reduction of all elements, or a running one of an array of one dimension."""
    options = {**dict(zip(("axis",), args, strict=False)), **kwargs}
    axis = options.pop("axis", options.pop("dim", None))
    values = vector(tuple(flat(array)), DTYPES["int64"]) if isinstance(array, (ListValue, tuple)) else array
    if name in _EXTREMES and not args and not kwargs and isinstance(values, HostArray) and values.formula is not None:
        may_raise(machine, "ValueError", values.shape[0] > 0, f"`{name}` of an array that may be empty")
        low, high = bounds(values.formula.element)
        ends = (int(low) if low > -inf else None, int(high) if high < inf else None)
        return machine.fresh_sym(name, "carried", *ends, f"`{name}` of an array of symbolic size")
    known = values.known if isinstance(values, HostArray) else None
    several = isinstance(values, HostArray) and len(values.shape) != 1
    apart = several and (axis is not None or name not in _TO_NUMBERS)
    if known is None or options or axis not in (None, 0, -1) or len(args) > 1 or apart:
        if not isinstance(values, HostArray) or values.is_torch or len(args) > 1:
            raise IsUnknown(f"`{name}` of an array")
        return _along(name, values, axis, options, bool(args or kwargs))
    found = {**REDUCTIONS, **REDUCTIONS_OF_NUMPY}[name](machine, list(known), machine.at)
    return vector(found, values.dtype, values.is_torch) if isinstance(found, list) else found


def _along(name: str, array: HostArray, axis: Any, options: Keywords, asked: bool) -> HostArray:
    """What a reduction leaves of the dimensions, or a function of the elements along one of them; which ones they are
    is not known."""
    rank, keep = len(array.shape), options.get("keepdims", False)
    axes = axis if isinstance(axis, tuple) else (axis,)
    numbers = all(type(each) is int and -rank <= each < rank for each in axes)
    dtype = DTYPES["int64"] if name.startswith("arg") else array.dtype
    if name in _SHAPED and not options and (numbers or not (asked or name == "cumsum")):
        return HostArray(array.shape, dtype)
    sizes = [1 if i in {a % rank for a in axes} else n for i, n in enumerate(array.shape)] if numbers else []
    if name not in _TO_NUMBERS or not set(options) <= {"keepdims"} or not isinstance(keep, bool) or not sizes:
        raise IsUnknown(f"`{name}` of an array")
    left = sizes if keep else [n for i, n in enumerate(sizes) if i not in {a % rank for a in axes}]
    if not left:
        raise IsUnknown(f"`{name}` of an array")
    kept = dtype is None or dtype.is_float or name in _EXTREMES or name.startswith("arg")
    return HostArray(tuple(left), dtype if kept else None)


_SHAPED = frozenset({"argsort", "cumsum", "flip", "sort"})


# --- ranges ---


def ranged(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """`arange(start, stop, step)`."""
    given = kwargs.get("dtype")
    if not all(isinstance(a, int) for a in args) and 1 <= len(args) <= 2 and all(map(is_integer, args)):
        return _long(machine, args, element_type(machine, given, DTYPES["int64"]))
    if not args or not all(isinstance(a, int) for a in args):
        return Unknown("an array of unknown size")
    values = range(*args)
    dtype = element_type(machine, given, DTYPES["int64"])
    if dtype is None or not dtype.is_integer or len(values) > MOST:
        return HostArray((len(values),), dtype)
    return vector(values, dtype)


def _long(machine: Machine, args: Args, dtype: Any) -> HostArray:
    """`arange(start, stop)` of a symbolic length."""
    start, stop = args if len(args) == 2 else (0, args[0])
    count = maximum(stop - start, 0)
    index = machine.fresh_sym("element", "loop", 0, maximum(count, 1) - 1)
    whole = dtype is not None and dtype.is_integer
    return shaped(HostArray((), dtype), (count,), Formula(index, index + start) if whole else None)


def spaced(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """`linspace(start, stop, count)`, both ends included."""
    options = {**dict(zip(("start", "stop", "num"), args, strict=False)), **kwargs}
    start: Any = options.get("start")
    stop: Any = options.get("stop")
    count = options.pop("num", options.pop("steps", 50))
    included = options.get("endpoint", True)
    known = set(options) <= {"start", "stop", "endpoint", "dtype"} and isinstance(included, bool)
    plain = all(isinstance(v, (int, float)) for v in (start, stop))
    if not known or not isinstance(count, int) or not plain or not 2 <= count <= MOST:
        raise IsUnknown("`linspace` with these arguments")
    step = (stop - start) / (count - 1 if included else count)
    numbers = [i * step + start for i in range(count)]
    numbers[-1] = float(stop) if included else numbers[-1]
    made = vector(numbers, DTYPES["float64"])
    given = options.get("dtype")
    return made if given is None else cast(made, element_type(machine, given), machine)


def joined(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """`concatenate((a, b))` of arrays of one dimension, or lists of numbers."""
    parts = [listed(p) for p in (args[0].items if isinstance(args[0], ListValue) else args[0])]
    known = [p.known for p in parts if isinstance(p, HostArray) and len(p.shape) == 1]
    if kwargs or len(args) != 1 or len(known) != len(parts) or None in known or len({str(p.dtype) for p in parts}) != 1:
        raise IsUnknown("`concatenate` of arrays that are not known")
    return vector([n for numbers in known for n in numbers or ()], parts[0].dtype)


def listed(value: Any) -> Any:
    """The array that numpy makes of a list of integers, or of one of floats."""
    items = value.items if isinstance(value, ListValue) else value
    if isinstance(items, tuple) and items:
        for kind, dtype in ((int, "int64"), (float, "float64")):
            if all(type(item) is kind for item in items):
                return vector(items, DTYPES[dtype])
    return value
