"""Functions of numpy that lay the elements of small arrays out anew, select among them, or compare them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from nkilint.base.ir import Span
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dtypes import BOOL, DTYPES

from ...state import protocols
from ...state.machine import Machine
from ...state.protocols import Args, Keywords
from ...values.containers import ListValue
from ...values.host import HostArray
from .broadcasting import MOST, NUMBERS, broadcast, spread
from .elements import listed, selected, shaped, vector
from .registry import ANY, models
from .shapes import repeated, tiled
from .sizes import common_shape


def _common(values: Sequence[Any]) -> tuple[Any, ...] | None:
    """The shape of arrays, and of numbers with them, where it can be told."""
    if not all(isinstance(v, (HostArray, *NUMBERS)) for v in values):
        return None
    shapes = [v.shape for v in values if isinstance(v, HostArray)]
    return shapes[0] if len({str(shape) for shape in shapes}) == 1 else broadcast(shapes)


def together(values: Sequence[Any]) -> tuple[tuple[int, ...], list[tuple[Any, ...]]]:
    """Arrays and numbers broadcast to one shape, with their elements there."""
    shape = broadcast([v.shape for v in values if isinstance(v, HostArray)])
    sides = [] if shape is None else [spread(v, shape) for v in values]
    known = [side for side in sides if side is not None]
    if shape is None or len(known) != len(values):
        raise IsUnknown("the elements of an array")
    return shape, known


@protocols.elementwise.of(HostArray, rank=6)
def _compared(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """What a comparison gives for each element; with what is no number, what Python says of two objects."""
    if not all(isinstance(v, (HostArray, *NUMBERS)) for v in (left, right)):
        return NotImplemented
    common_shape(machine, [v.shape for v in (left, right) if isinstance(v, HostArray)], "ValueError")
    try:
        shape, (one, other) = together([left, right])
    except IsUnknown as unknown:
        common = _common([left, right])
        return Unknown(unknown.reason) if common is None else HostArray(common, BOOL)
    found = tuple(protocols.compare(machine, op, a, b, at) for a, b in zip(one, other, strict=True))
    return shaped(HostArray((), BOOL), shape, found)


@protocols.truths.of(HostArray)
def _truth(machine: Machine, value: HostArray, node: Any) -> Any:
    """That of the only element."""
    known = value.known
    if known is None or len(known) != 1:
        machine.doubt("the truth of an array")  # of several elements there is none
        return Unknown("the truth of an array")
    return protocols.truths(machine, known[0], node)


def gathered(array: HostArray, key: HostArray) -> HostArray:
    """The elements of a row at places that an array holds, or where it is true."""
    known, chosen = array.known, key.known
    if known is None or chosen is None or len(array.shape) != 1 or len(key.shape) != 1:
        raise IsUnknown("a subscript of an array")
    if key.dtype == BOOL:
        if len(known) != len(chosen) or not all(isinstance(t, int) for t in chosen):
            raise IsUnknown("a subscript of an array")
        return vector([n for n, true in zip(known, chosen, strict=True) if true], array.dtype, array.is_torch)
    if not all(type(n) is int and -len(known) <= n < len(known) for n in chosen):
        raise IsUnknown("a subscript of an array")
    return vector([known[n] for n in chosen], array.dtype, array.is_torch)


def _truths(value: Any) -> list[bool]:
    known = value.known if isinstance(value, HostArray) else None
    if known is None or not all(isinstance(n, (int, float)) for n in known):
        raise IsUnknown("which elements of an array are true")
    return [bool(n) for n in known]


def _alike(values: Sequence[Any]) -> Any:
    """The dtype of arrays that all have the same, and numbers beside them."""
    dtypes = {str(v.dtype): v.dtype for v in values if isinstance(v, HostArray)}
    return next(iter(dtypes.values())) if len(dtypes) == 1 else DTYPES["int64"] if not dtypes else None


def _chosen(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """`where(condition, x, y)`, and `where(condition)`, the places."""
    if kwargs or len(args) not in (1, 3):
        raise IsUnknown("`where` with these arguments")
    if len(args) == 1:
        return _places(machine, args, kwargs)
    given = [listed(a) for a in args]
    try:
        shape, (tests, ones, others) = together(given)
    except IsUnknown:
        common = _common(given)
        if common is None:
            raise
        return HostArray(common, _alike(given[1:]))
    if not all(isinstance(t, (int, float)) for t in tests):
        return HostArray(shape, _alike(given[1:]))
    numbers = tuple(a if test else b for test, a, b in zip(tests, ones, others, strict=True))
    return shaped(HostArray((), _alike(given[1:])), shape, numbers)


def _places(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """The places of the elements that are true, an array for each dimension."""
    array = listed(args[0])
    truths = _truths(array)
    found = [at for at, true in zip(itertools.product(*map(range, array.shape)), truths, strict=True) if true]
    return tuple(vector([at[d] for at in found], DTYPES["int64"]) for d in range(len(array.shape)))


def _flat_places(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return vector([at for at, true in enumerate(_truths(listed(args[0]))) if true], DTYPES["int64"])


def _meshed(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """`meshgrid(x, y, ...)`: for each row of numbers, an array that repeats it along the dimensions of the others."""
    rows = [listed(a) for a in args]
    indexing = kwargs.get("indexing", "xy")
    plain = set(kwargs) <= {"indexing"} and indexing in ("xy", "ij")
    if not plain or not all(isinstance(r, HostArray) and len(r.shape) == 1 for r in rows):
        raise IsUnknown("`meshgrid` with these arguments")
    order = list(range(len(rows)))
    if indexing == "xy" and len(rows) > 1:
        order[:2] = [1, 0]
    shape = tuple(rows[i].shape[0] for i in order)
    made = []
    for i, row in enumerate(rows):
        along = tuple(row.shape[0] if j == i else 1 for j in order)
        numbers = None if broadcast([shape]) is None else spread(shaped(row, along, row.known), shape)
        made.append(shaped(HostArray((), row.dtype), shape, numbers))
    return ListValue(made)


def _repeated(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """`repeat(a, n)`: each element n times, one after the other."""
    if "axis" in kwargs or len(args) > 2:
        return repeated(machine, args, kwargs)
    array, count = listed(args[0]), _count(args, kwargs.get("repeats"))
    known = array.known if isinstance(array, HostArray) else None
    if known is None or len(known) * count > MOST:
        raise IsUnknown("`repeat` with these arguments")
    return vector([n for n in known for _ in range(count)], array.dtype)


def _tiled(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """`tile(a, n)` of a row: the row n times."""
    array, count = listed(args[0]), args[1] if len(args) == 2 else kwargs.get("reps")
    known = array.known if isinstance(array, HostArray) and len(array.shape) == 1 else None
    if known is None or type(count) is not int or len(known) * count > MOST:
        return tiled(machine, args, kwargs)
    return vector(known * count, array.dtype)


def _count(args: Args, named: Any) -> int:
    count = args[1] if len(args) == 2 else named
    if type(count) is not int:
        raise IsUnknown("how often elements are repeated")
    return count


def _split(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """`split(a, n)` and `split(a, [ends])` along the first dimension: views of the array."""
    array, parts = listed(args[0]), args[1] if len(args) == 2 else None
    size = array.shape[0] if isinstance(array, HostArray) and array.shape else None
    ends = parts.items if isinstance(parts, ListValue) else parts
    if type(size) is not int or kwargs:
        raise IsUnknown("`split` with these arguments")
    if type(ends) is int and ends > 0 and size % ends == 0:
        cuts = list(range(size // ends, size, size // ends)) if size else []
    elif isinstance(ends, tuple) and all(type(n) is int and 0 <= n <= size for n in ends):
        cuts = list(ends)
    else:
        raise IsUnknown("`split` with these arguments")
    slices = [slice(a, b) for a, b in itertools.pairwise([0, *cuts, size])]
    return ListValue([selected(array, (s,), (len(range(*s.indices(size))), *array.shape[1:])) for s in slices])


models("numpy.where", "jax.numpy.where", "torch.where", keywords=ANY)(_chosen)
for _module in ("numpy", "jax.numpy"):
    models(f"{_module}.nonzero")(_places)
    models(f"{_module}.flatnonzero")(_flat_places)
    models(f"{_module}.meshgrid", keywords=ANY)(_meshed)
    models(f"{_module}.repeat", keywords=ANY)(_repeated)
    models(f"{_module}.tile", keywords=ANY)(_tiled)
    models(f"{_module}.split", keywords=ANY)(_split)
