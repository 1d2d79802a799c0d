"""Arrays of numpy, torch and jax on the host: what is done with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown, product
from nkilint_rules.words.dtypes import BOOL

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.containers import DictValue, ListValue
from ...values.dtypes import as_dtype
from ...values.host import HostArray
from ...values.numbers import Real
from ...values.objects import BoundMethod
from ...values.wording import in_words
from ..types.ranges import check_position
from ..types.sequences import element
from .element_types import element_type
from .elements import REDUCTIONS, cast, changed, computed, listed, nested, reduced, selected, shaped
from .layouts import gathered
from .shapes import product_of, repeated, taken_at, tiled
from .sizes import common_shape, regrouped

protocols.lengths.of(HostArray)(lambda machine, value: value.shape[0])


@protocols.attributes.of(HostArray)
def _attribute(machine: Machine, value: HostArray, name: str, node: ir.Attr) -> Any:
    if name == "shape":
        return value.shape
    if name == "dtype":
        return Unknown("dtype of an array") if value.dtype is None else value.dtype
    if name == "ndim":
        return len(value.shape)
    if name == "T":
        return replace(value, shape=value.shape[::-1], numbers=value.numbers if len(value.shape) < 2 else None)
    if name == "size" and not value.is_torch:
        return product(value.shape)
    if name in ("real", "imag"):
        return replace(value, numbers=None)
    if name in _NO_METHODS:
        return Unknown(f"attribute `{name}` of an array")
    return BoundMethod(value, name)


_NO_METHODS = frozenset(
    {
        "H", "base", "ctypes", "data", "device", "flags", "flat", "grad", "is_cuda", "itemsize", "layout", "mH", "mT",
        "nbytes", "requires_grad", "strides",
    }
)  # fmt: skip
"""What else arrays have that is not called."""


def shape_argument(machine: Machine, args: list[Any]) -> tuple[Any, ...]:
    """Sizes given one by one or as one sequence."""
    if len(args) == 1 and not isinstance(args[0], (int, Sym)):
        return tuple(items_of(machine, args[0]))
    return tuple(args)


@protocols.methods.of(HostArray)
def _method(machine: Machine, value: HostArray, name: str, args: Args, kwargs: Keywords, node: ir.Call | None) -> Any:
    """What a method of an array gives."""
    result = _result(machine, value, name, args, kwargs)
    if isinstance(result, HostArray):
        return replace(result, is_torch=value.is_torch and name != "numpy")
    if result is None:
        changed(machine, value)
        return Unknown(f"method `{name}` of an array")
    return result


def _result(machine: Machine, value: HostArray, name: str, args: Args, kwargs: Keywords) -> Any:
    if name in _KEEPING:
        return value
    if name in REDUCTIONS:
        return reduced(machine, name, value, args, kwargs)
    if name in _CHANGING:
        changed(machine, value)
        return value
    if name in _NEW:
        return shaped(value, value.shape, value.known if name not in _OTHER else None)
    if name in _CASTS:
        return HostArray(value.shape, as_dtype(_CASTS[name]))
    method = {**_METHODS, **(_OF_TORCH if value.is_torch else _OF_NUMPY)}.get(name)
    return None if method is None else method(machine, value, args, kwargs)


_KEEPING = frozenset({"contiguous", "detach", "cpu", "numpy", "requires_grad_", "cuda"})
_CHANGING = frozenset({"normal_", "uniform_", "fill_", "zero_"})
_OTHER = frozenset({"round", "clip", "abs"})
_NEW = _OTHER | {"copy", "clone"}
_CASTS = {"half": "float16", "float": "float32", "bfloat16": "bfloat16", "int": "int32", "double": "float64"}


def _cast(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    dtypes = [d for a in (*args, kwargs.get("dtype")) if a is not None and (d := as_dtype(a)) is not None]
    return cast(value, dtypes[0] if dtypes else None, machine)


def _retyped(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    """numpy's `astype`, whose first argument is a dtype."""
    element_type(machine, args[0] if args else kwargs.get("dtype"))
    return _cast(machine, value, args[:1], kwargs)


def _moved(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    made = _cast(machine, value, args, kwargs)
    return value if made.dtype is None else made


def _reshaped(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    if not args:
        return None
    return replace(value, shape=regrouped(machine, value, shape_argument(machine, args)))


def _permuted(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    order = shape_argument(machine, args) if args else tuple(range(len(value.shape)))[::-1]
    if len(order) != len(value.shape):
        return None
    order = tuple(_axis(value, d) for d in order)
    if len(set(order)) < len(order):
        raise Fault("RuntimeError" if value.is_torch else "ValueError")
    return HostArray(tuple(value.shape[d] for d in order), value.dtype)


def _axis(value: HostArray, axis: Any, more: int = 0) -> int:
    """A dimension, counted from either end."""
    rank = len(value.shape) + more
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise IsUnknown("a dimension of an array that is not known")
    return axis % rank


def _transposed(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    """numpy's `transpose`, which takes all dimensions or none."""
    order = shape_argument(machine, [a for a in args if a is not None])
    if order and len(order) != len(value.shape):
        return None
    return _permuted(machine, value, list(order), kwargs)


def _exchanged(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    """Torch's `transpose(a, b)`, which is numpy's `swapaxes`."""
    if len(args) != 2 or kwargs:
        return None
    first, second = (_axis(value, a) for a in args)
    order = list(range(len(value.shape)))
    order[first], order[second] = second, first
    return HostArray(tuple(value.shape[d] for d in order), value.dtype)


def _viewed(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    """Torch's `view` takes sizes, or a dtype of the same width."""
    if len(args) == 1 and not isinstance(args[0], (int, Sym, tuple, ListValue)):
        dtype = as_dtype(args[0])
        same = dtype is not None and value.dtype is not None and dtype.itemsize == value.dtype.itemsize
        return HostArray(value.shape, dtype) if same else None
    return _reshaped(machine, value, args, kwargs)


def _seen_as(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    """numpy's `view` takes a dtype; the last dimension changes with its width."""
    return _viewed(machine, value, args, kwargs) if args and as_dtype(args[0]) is not None else None


def _turned(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    return HostArray(value.shape[::-1], value.dtype) if len(value.shape) <= 2 and not args else None


def _size(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    return value.shape[_axis(value, args[0])] if args else value.shape


def _squeezed(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    if not args and not kwargs:
        return HostArray(tuple(s for s in value.shape if s != 1), value.dtype)
    if len(args) != 1 or kwargs or not isinstance(value.shape[_axis(value, args[0])], int):
        return None
    at = _axis(value, args[0])
    if value.shape[at] != 1 and not value.is_torch:
        raise Fault("ValueError")
    return HostArray(value.shape[:at] + value.shape[at + (value.shape[at] == 1) :], value.dtype)


def _unsqueezed(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    if len(args) != 1 or kwargs:
        return None
    at = _axis(value, args[0], 1)
    return HostArray((*value.shape[:at], 1, *value.shape[at:]), value.dtype)


def _flattened(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    return None if args or kwargs else replace(value, shape=(product(value.shape),))


def _only(value: HostArray, args: Args) -> Any:
    """The one element of an array that has just one."""
    known = value.known
    return known[0] if known is not None and len(known) == 1 and not args else Unknown("an element of an array")


_Method = Callable[[Machine, HostArray, Args, Keywords], Any]
_METHODS: dict[str, _Method] = {
    "reshape": _reshaped,
    "flatten": _flattened,
    "ravel": _flattened,
    "tolist": lambda machine, value, args, kwargs: nested(value),
    "item": lambda machine, value, args, kwargs: _only(value, args),
    "squeeze": _squeezed,
}
_OF_NUMPY: dict[str, _Method] = {
    "astype": _retyped,
    "view": _seen_as,
    "transpose": _transposed,
    "swapaxes": _exchanged,
    "repeat": lambda machine, value, args, kwargs: repeated(machine, [value, *args], kwargs),
}
_OF_TORCH: dict[str, _Method] = {
    "type": _cast,
    "to": _moved,
    "view": _viewed,
    "permute": _permuted,
    "transpose": _exchanged,
    "swapaxes": _exchanged,
    "t": _turned,
    "size": _size,
    "dim": lambda machine, value, args, kwargs: len(value.shape),
    "numel": lambda machine, value, args, kwargs: product(value.shape),
    "unsqueeze": _unsqueezed,
    "repeat": lambda machine, value, args, kwargs: tiled(machine, [value, shape_argument(machine, args)], kwargs),
}


@protocols.subscripts.of(HostArray)
def _subscript(machine: Machine, value: HostArray, key: Any, node: ir.Index) -> Any:
    if isinstance(key, Unknown):
        return key
    if isinstance(key, HostArray) and (value.known is not None or key.dtype == BOOL):
        return gathered(value, key)
    if isinstance(key, Sym) and value.known is not None and len(value.shape) == 1:
        return element(machine, ListValue(value.known), key, node)
    parts = key if isinstance(key, tuple) else (key,)
    if sum(isinstance(part, (HostArray, ListValue)) for part in parts) == 1:
        return taken_at(value, parts)
    shape: list[Any] = []
    used = 0
    given = sum(1 for p in parts if p is not None and p is not Ellipsis)
    for part in parts:
        if part is None:
            shape.append(1)
        elif part is Ellipsis:
            count = len(value.shape) - given
            shape += value.shape[used : used + count]
            used += count
        elif isinstance(part, slice):
            if used >= len(value.shape) or not isinstance(value.shape[used], int):
                raise IsUnknown("a slice of an array of unknown size")
            if not all(p is None or isinstance(p, int) for p in (part.start, part.stop, part.step)):
                raise IsUnknown("a slice of an array at a position that is not known")
            shape.append(len(range(*part.indices(value.shape[used]))))
            used += 1
        elif isinstance(part, (int, Sym)) and used < len(value.shape):
            if isinstance(value.shape[used], (int, Sym)):
                check_position(machine, part, value.shape[used], node)
            used += 1
        else:
            raise IsUnknown("a subscript of an array")
    if value.formula is None and any(isinstance(part, Sym) for part in parts):
        value = replace(value, numbers=None)
    if Ellipsis in parts:
        return replace(value, shape=(*shape, *value.shape[used:]), numbers=None)
    if None in parts:
        return selected(value, [p for p in parts if p is not None], (*shape, *value.shape[used:]))
    return selected(value, parts, (*shape, *value.shape[used:]))


def shapes_of(*values: Any) -> list[tuple[Any, ...]]:
    return [v.shape for v in values if isinstance(v, HostArray)]


@protocols.arithmetic.of(HostArray, rank=6)
def _arithmetic(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """Arithmetic on arrays: the shape by broadcasting."""
    if op == "@":
        return product_of(left, right) if len(shapes_of(left, right)) == 2 else Unknown("a product of an array")
    left, right = (_operand(v) for v in (left, right))
    is_torch = any(v.is_torch for v in (left, right) if isinstance(v, HostArray))
    shape = common_shape(machine, shapes_of(left, right), "RuntimeError" if is_torch else "ValueError")
    dtypes = [v.dtype for v in (left, right) if isinstance(v, HostArray)]
    alike = len({str(d) for d in dtypes}) == 1
    floats = op == "/" or any(isinstance(v, (float, Real)) for v in (left, right))
    dtype = dtypes[0] if alike and not (floats and dtypes[0] is not None and dtypes[0].is_integer) else None
    return shaped(HostArray((), dtype, is_torch), shape, computed(machine, op, left, right, at))


def _operand(value: Any) -> Any:
    """An operand of arithmetic on arrays, for which lists of numbers are arrays, too."""
    found = listed(value)
    if isinstance(found, (str, tuple, ListValue, DictValue)) or found is None:
        raise IsUnknown(f"an array and {in_words(value)}")
    return found


@protocols.unary_operators.of(HostArray)
def _unary(machine: Machine, value: HostArray, op: str, at: Span) -> Any:
    if op == "-":
        return _arithmetic(machine, "-", 0, value, at)
    return Unknown(f"`{op}` on an array of the host") if op == "not" else replace(value, numbers=None)
