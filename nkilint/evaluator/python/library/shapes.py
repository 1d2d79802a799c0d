"""Functions of numpy, torch and jax of whose results the shape is told, whatever the elements are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from nkilint.symbolic.integers import key_of
from nkilint_rules.words.conditions import IsUnknown
from nkilint_rules.words.dtypes import BOOL, DTYPES

from ...state import protocols
from ...state.machine import Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.containers import ListValue
from ...values.host import HostArray
from .broadcasting import broadcast
from .elements import joined, listed
from .registry import ANY, models
from .sizes import common_shape

_UNKNOWN = "the shape of an array"
Shape = tuple[Any, ...]


def _array(value: Any) -> HostArray:
    found = listed(value)
    if not isinstance(found, HostArray):
        raise IsUnknown(_UNKNOWN)
    return found


def _arrays(machine: Machine, values: Any) -> list[HostArray]:
    found = [_array(each) for each in items_of(machine, values)]
    if not found:
        raise IsUnknown(_UNKNOWN)
    return found


def _made(shape: Sequence[Any], *parts: HostArray) -> HostArray:
    """An array of that shape, of the dtype that all parts share."""
    alike = len({str(part.dtype) for part in parts}) == 1
    return HostArray(tuple(shape), parts[0].dtype if alike else None, parts[0].is_torch)


def _axis(value: Any, rank: int) -> int:
    if type(value) is not int or not -rank <= value < rank:
        raise IsUnknown(_UNKNOWN)
    return value % rank


def _option(args: Args, kwargs: Keywords, at: int, *names: str, default: Any = None) -> Any:
    """An argument by its place or by one of its names."""
    named = [kwargs[name] for name in names if name in kwargs]
    return args[at] if len(args) > at else named[0] if named else default


def _sum(sizes: Sequence[Any]) -> Any:
    total: Any = 0
    for size in sizes:
        total = total + size
    return total


# --- products ---


def product_of(left: HostArray, right: HostArray) -> HostArray:
    """A product of matrices, or of batches of them; a row counts as a matrix, and goes again."""
    one, other = left.shape, right.shape
    if not one or not other or key_of(one[-1]) != key_of(other[-2:][0]):
        raise IsUnknown(_UNKNOWN)
    batch = broadcast([one[:-2], other[:-2]]) if one[:-2] and other[:-2] else (*one[:-2], *other[:-2])
    if batch is None:
        raise IsUnknown(_UNKNOWN)
    return _made((*batch, *(one[-2:-1] if len(one) > 1 else ()), *other[-1:][: len(other) - 1]), left, right)


def _product(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    left, right = args[:2]
    return product_of(_array(left), _array(right))


def _dot(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    left, right = map(_array, args[:2])
    if len(left.shape) > 2 or len(right.shape) > 2:
        raise IsUnknown(_UNKNOWN)
    return product_of(left, right)


def _outer(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    left, right = map(_array, args[:2])
    if len(left.shape) != 1 or len(right.shape) != 1:
        raise IsUnknown(_UNKNOWN)
    return _made((*left.shape, *right.shape), left, right)


def _einsum(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    text, *given = args
    parts = [_array(each) for each in given]
    if not isinstance(text, str) or "." in text or "->" not in text:
        raise IsUnknown(_UNKNOWN)
    sources, _, result = text.replace(" ", "").partition("->")
    named = sources.split(",")
    if list(map(len, named)) != [len(part.shape) for part in parts] or not set(result) <= set("".join(named)):
        raise IsUnknown(_UNKNOWN)
    sizes: dict[str, Any] = {}
    for letters, part in zip(named, parts, strict=True):
        for letter, size in zip(letters, part.shape, strict=True):
            if key_of(sizes.setdefault(letter, size)) != key_of(size):
                raise IsUnknown(_UNKNOWN)
    return _made([sizes[letter] for letter in result], *parts)


# --- the same elements ---


def _by_method(name: str, *keywords: str) -> Callable[..., Any]:
    """A function that does what a method of the array does."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        given = [*args[1:], *(kwargs[key] for key in keywords if key in kwargs)]
        if any(key not in keywords for key in kwargs):
            raise IsUnknown(f"`{name}` with these arguments")
        return protocols.call_method(machine, _array(args[0]), name, given, {}, None)

    return call


def _expanded(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    array, axis = _array(args[0]), _option(args, kwargs, 1, "axis", "dim")
    at = _axis(axis, len(array.shape) + 1)
    return _made((*array.shape[:at], 1, *array.shape[at:]), array)


def _moved(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    array, source, target = args
    array = _array(array)
    order = list(array.shape)
    size = order.pop(_axis(source, len(array.shape)))
    order.insert(_axis(target, len(array.shape)), size)
    return _made(order, array)


def _broadcast(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    array, shape = _array(args[0]), tuple(items_of(machine, _option(args, kwargs, 1, "shape", "size")))
    found = common_shape(machine, [array.shape, shape], "ValueError") if len(array.shape) <= len(shape) else ()
    if list(map(key_of, found)) != list(map(key_of, shape)):
        raise IsUnknown(_UNKNOWN)
    return _made(shape, array)


def _kept(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """What has the shape of the first argument."""
    array = _array(args[0])
    return HostArray(array.shape, array.dtype, array.is_torch)


# --- more of them ---


def repeated(machine: Machine, args: Args, kwargs: Keywords) -> HostArray:
    """`repeat(a, n, axis)`: each part along a dimension n times."""
    array, count, axis = _array(args[0]), _option(args, kwargs, 1, "repeats"), _option(args, kwargs, 2, "axis")
    if type(count) is not int or count < 0:
        raise IsUnknown(_UNKNOWN)
    at = _axis(axis, len(array.shape))
    return _made([size * count if i == at else size for i, size in enumerate(array.shape)], array)


def tiled(machine: Machine, args: Args, kwargs: Keywords) -> HostArray:
    """`tile(a, (n, m))`, which is torch's `repeat`: the array so often along each dimension."""
    array, times = _array(args[0]), _option(args, kwargs, 1, "reps")
    counts = [times] if type(times) is int else items_of(machine, times)
    if not all(type(count) is int and count >= 0 for count in counts):
        raise IsUnknown(_UNKNOWN)
    rank = max(len(counts), len(array.shape))
    sizes = [1] * (rank - len(array.shape)) + list(array.shape)
    counts = [1] * (rank - len(counts)) + counts
    return _made([size * count for size, count in zip(sizes, counts, strict=True)], array)


def taken_at(array: HostArray, parts: Sequence[Any]) -> HostArray:
    """A subscript of slices that take all, and of one array, or list, of positions."""
    at = next(i for i, part in enumerate(parts) if isinstance(part, (HostArray, ListValue)))
    whole = all(isinstance(part, slice) and part == slice(None) for i, part in enumerate(parts) if i != at)
    places = _array(parts[at])
    if (
        not whole
        or places.dtype is None
        or not places.dtype.is_integer
        or places.dtype == BOOL
        or len(parts) > len(array.shape)
    ):
        raise IsUnknown("a subscript of an array")
    return _made((*array.shape[:at], *places.shape, *array.shape[at + 1 :]), array)


def _padded(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    array, width = _array(args[0]), _option(args, kwargs, 1, "pad_width")
    pairs = [width] * len(array.shape)
    if isinstance(width, (tuple, ListValue)):
        given = items_of(machine, width)
        nested = all(isinstance(each, (tuple, ListValue)) for each in given)
        pairs = given if nested else [width] * len(array.shape)
        pairs = pairs * len(array.shape) if len(pairs) == 1 else pairs
    ends = [items_of(machine, p) if isinstance(p, (tuple, ListValue)) else [p, p] for p in pairs]
    if len(ends) != len(array.shape) or any(len(pair) != 2 for pair in ends):
        raise IsUnknown(_UNKNOWN)
    return _made([_sum([size, *pair]) for size, pair in zip(array.shape, ends, strict=True)], array)


def _along(axis: Any, machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """Arrays one after the other along a dimension."""
    try:
        return joined(machine, args, kwargs)
    except IsUnknown:
        parts = _arrays(machine, args[0])
    rank = len(parts[0].shape)
    where = _axis(_option(args, kwargs, 1, "axis", "dim", default=0) if axis is None else axis, rank)
    return _put_together(parts, where)


def _put_together(parts: Sequence[HostArray], where: int) -> HostArray:
    shapes = [(*part.shape[:where], *part.shape[where + 1 :]) for part in parts]
    if any(str(shape) != str(shapes[0]) for shape in shapes):
        raise IsUnknown(_UNKNOWN)
    first = parts[0].shape
    return _made((*first[:where], _sum([part.shape[where] for part in parts]), *first[where + 1 :]), *parts)


def _beside(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """`hstack`: along the second dimension, of rows along the only one."""
    return _along(None if len(_arrays(machine, args[0])[0].shape) == 1 else 1, machine, args, {})


def _below(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """`vstack`: along the first dimension, of which rows have one each."""
    parts = [_made((1, *p.shape), p) if len(p.shape) == 1 else p for p in _arrays(machine, args[0])]
    return _put_together(parts, 0)


def _stacked(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    parts = _arrays(machine, args[0])
    if any(str(part.shape) != str(parts[0].shape) for part in parts):
        raise IsUnknown(_UNKNOWN)
    at = _axis(_option(args, kwargs, 1, "axis", "dim", default=0), len(parts[0].shape) + 1)
    return _made((*parts[0].shape[:at], len(parts), *parts[0].shape[at:]), *parts)


def _permutation(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (given,) = args
    return HostArray((given,), DTYPES["int64"]) if type(given) is int else _kept(machine, args, kwargs)


def _taken(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """`take_along_axis`: an element for each index."""
    return HostArray(_array(args[1]).shape, _array(args[0]).dtype)


for _module in ("numpy", "jax.numpy", "torch"):
    models(f"{_module}.matmul", keywords=ANY)(_product)
    models(f"{_module}.einsum", keywords=ANY)(_einsum)
    models(f"{_module}.outer", keywords=ANY)(_outer)
    models(f"{_module}.stack", keywords=ANY)(_stacked)
    models(f"{_module}.broadcast_to", keywords=ANY)(_broadcast)
    models(f"{_module}.vstack", keywords=ANY)(_below)
    models(f"{_module}.hstack", keywords=ANY)(_beside)
    models(f"{_module}.reshape", keywords=ANY)(_by_method("reshape", "newshape", "shape"))
    for _name in ("concatenate", "cat"):
        models(f"{_module}.{_name}", keywords=ANY)(partial(_along, None))
    models(f"{_module}.roll", keywords=ANY)(_kept)
for _module in ("numpy", "jax.numpy"):
    models(f"{_module}.dot")(_dot)
    models(f"{_module}.pad", keywords=ANY)(_padded)
    models(f"{_module}.expand_dims", keywords=ANY)(_expanded)
    models(f"{_module}.moveaxis")(_moved)
    models(f"{_module}.take_along_axis", keywords=ANY)(_taken)
    models(f"{_module}.transpose", keywords=ANY)(_by_method("transpose", "axes"))
    models(f"{_module}.squeeze", keywords=ANY)(_by_method("squeeze", "axis"))
    models(f"{_module}.swapaxes")(_by_method("swapaxes"))
models("torch.mm", "torch.bmm")(_product)
models("torch.transpose")(_by_method("transpose"))
models("torch.permute")(_by_method("permute"))
models("torch.nn.functional.softmax", "jax.nn.softmax", keywords=ANY)(_kept)
models("numpy.random.permutation", "torch.randperm", keywords=ANY)(_permutation)
