"""Arrays of numpy, torch and jax on the host: what is done with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown, product

from ...state import protocols
from ...state.machine import Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.dtypes import as_dtype
from ...values.host import HostArray
from ...values.objects import BoundMethod

protocols.lengths.of(HostArray)(lambda machine, value: value.shape[0])
protocols.truths.of(HostArray)(lambda machine, value, node: True)


@protocols.attributes.of(HostArray)
def _attribute(machine: Machine, value: HostArray, name: str, node: ir.Attr) -> Any:
    if name == "shape":
        return value.shape
    if name == "dtype":
        return Unknown("dtype of an array") if value.dtype is None else value.dtype
    if name == "ndim":
        return len(value.shape)
    if name == "T":
        return HostArray(value.shape[::-1], value.dtype)
    if name in ("device", "nbytes", "itemsize"):
        return Unknown(f"attribute `{name}` of an array")
    return BoundMethod(value, name)


def shape_argument(machine: Machine, args: list[Any]) -> tuple[Any, ...]:
    """Sizes given one by one or as one sequence."""
    if len(args) == 1 and not isinstance(args[0], (int, Sym)):
        return tuple(items_of(machine, args[0]))
    return tuple(args)


@protocols.methods.of(HostArray)
def _method(machine: Machine, value: HostArray, name: str, args: Args, kwargs: Keywords, node: ir.Call | None) -> Any:
    """What a method of an array gives."""
    if name in _KEEPING:
        return value
    if name in _CASTS:
        return HostArray(value.shape, as_dtype(_CASTS[name]))
    method = _METHODS.get(name)
    result = None if method is None else method(machine, value, args, kwargs)
    return Unknown(f"method `{name}` of an array") if result is None else result


_KEEPING = frozenset(
    {
        "copy", "contiguous", "clone", "detach", "cpu", "numpy", "requires_grad_", "cuda", "round", "clip", "abs",
        "normal_", "uniform_", "fill_", "zero_",
    }
)  # fmt: skip
_CASTS = {"half": "float16", "float": "float32", "bfloat16": "bfloat16", "int": "int32", "double": "float64"}


def _cast(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    dtypes = [d for a in (*args, kwargs.get("dtype")) if a is not None and (d := as_dtype(a)) is not None]
    return HostArray(value.shape, dtypes[0] if dtypes else None)


def _moved(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    made = _cast(machine, value, args, kwargs)
    return value if made.dtype is None else made


def _reshaped(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    sizes = shape_argument(machine, args)
    holes = [i for i, s in enumerate(sizes) if isinstance(s, int) and s == -1]
    if holes:
        rest = product(s for i, s in enumerate(sizes) if i != holes[0])
        sizes = tuple(product(value.shape) // rest if i == holes[0] else s for i, s in enumerate(sizes))
    return HostArray(sizes, value.dtype)


def _permuted(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    order = shape_argument(machine, args) if args else tuple(range(len(value.shape)))[::-1]
    return HostArray(tuple(value.shape[d] for d in order), value.dtype)


def _transposed(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    order = shape_argument(machine, args) if args else ()
    if len(order) == 2 and len(value.shape) > 2:
        swapped = list(range(len(value.shape)))
        swapped[order[0]], swapped[order[1]] = swapped[order[1]], swapped[order[0]]
        args = swapped
    return _permuted(machine, value, args, kwargs)


def _size(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    return value.shape[args[0]] if args and isinstance(args[0], int) else value.shape


def _squeezed(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    return None if args else HostArray(tuple(s for s in value.shape if s != 1), value.dtype)


def _unsqueezed(machine: Machine, value: HostArray, args: Args, kwargs: Keywords) -> Any:
    if not args or not isinstance(args[0], int):
        return None
    at = args[0] if args[0] >= 0 else len(value.shape) + 1 + args[0]
    return HostArray((*value.shape[:at], 1, *value.shape[at:]), value.dtype)


_METHODS: dict[str, Callable[[Machine, HostArray, Args, Keywords], Any]] = {
    **dict.fromkeys(("astype", "type", "view"), _cast),
    **dict.fromkeys(("reshape", "view_as", "resize"), _reshaped),
    "to": _moved,
    "permute": _permuted,
    "transpose": _transposed,
    "size": _size,
    "dim": lambda machine, value, args, kwargs: len(value.shape),
    "numel": lambda machine, value, args, kwargs: product(value.shape),
    "squeeze": _squeezed,
    "unsqueeze": _unsqueezed,
}


@protocols.subscripts.of(HostArray)
def _subscript(machine: Machine, value: HostArray, key: Any, node: ir.Index) -> Any:
    if isinstance(key, Unknown):
        return key
    parts = key if isinstance(key, tuple) else (key,)
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
        elif isinstance(part, int):
            used += 1
        else:
            return Unknown("a subscript of an array")
    return HostArray((*shape, *value.shape[used:]), value.dtype)


@protocols.arithmetic.of(HostArray, rank=6)
def _arithmetic(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """Arithmetic on arrays: the shape by broadcasting."""
    shapes = [v.shape for v in (left, right) if isinstance(v, HostArray)]
    dtypes = [v.dtype for v in (left, right) if isinstance(v, HostArray)]
    rank = max(map(len, shapes))
    shape = []
    for position in range(rank):
        sizes = [s[len(s) - rank + position] for s in shapes if len(s) - rank + position >= 0]
        shape.append(next((s for s in sizes if not (isinstance(s, int) and s == 1)), 1))
    dtype = dtypes[0] if len({str(d) for d in dtypes}) == 1 else None
    return HostArray(tuple(shape), dtype)
