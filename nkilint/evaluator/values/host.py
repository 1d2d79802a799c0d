"""Arrays of numpy, torch and jax in host code, as far as their shape and dtype go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nkilint_rules.words.conditions import IsUnknown, Unknown, product

from ..state.machine import Machine
from .values import BoundMethod


@dataclass(frozen=True, slots=True, eq=False)
class HostArray:
    """An array on the host. A dtype of None is not known."""

    shape: tuple[Any, ...]
    dtype: Any


def host_attribute(machine: Machine, value: HostArray, name: str) -> Any:
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


def host_method(machine: Machine, value: HostArray, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What a method of an array gives."""
    from .arrays import as_dtype, shape_argument

    if name in ("astype", "to", "type", "view"):
        dtypes = [d for a in (*args, kwargs.get("dtype")) if a is not None and (d := as_dtype(a)) is not None]
        return HostArray(value.shape, dtypes[0]) if dtypes else value if name == "to" else HostArray(value.shape, None)
    if name in (
        "copy",
        "contiguous",
        "clone",
        "detach",
        "cpu",
        "numpy",
        "requires_grad_",
        "cuda",
        "round",
        "clip",
        "abs",
        "normal_",
        "uniform_",
        "fill_",
        "zero_",
    ):
        return value
    casts = {"half": "float16", "float": "float32", "bfloat16": "bfloat16", "int": "int32", "double": "float64"}
    if name in casts:
        return HostArray(value.shape, as_dtype(casts[name]))
    if name in ("reshape", "view_as", "resize"):
        sizes = shape_argument(machine, args)
        holes = [i for i, s in enumerate(sizes) if isinstance(s, int) and s == -1]
        if holes:
            rest = product(s for i, s in enumerate(sizes) if i != holes[0])
            sizes = tuple(product(value.shape) // rest if i == holes[0] else s for i, s in enumerate(sizes))
        return HostArray(sizes, value.dtype)
    if name in ("transpose", "permute"):
        order = shape_argument(machine, args) if args else tuple(range(len(value.shape)))[::-1]
        if name == "transpose" and len(order) == 2 and len(value.shape) > 2:
            swapped = list(range(len(value.shape)))
            swapped[order[0]], swapped[order[1]] = swapped[order[1]], swapped[order[0]]
            order = tuple(swapped)
        return HostArray(tuple(value.shape[d] for d in order), value.dtype)
    if name == "size":
        return value.shape[args[0]] if args and isinstance(args[0], int) else value.shape
    if name == "dim":
        return len(value.shape)
    if name == "numel":
        return product(value.shape)
    if name == "squeeze" and not args:
        return HostArray(tuple(s for s in value.shape if s != 1), value.dtype)
    if name == "unsqueeze" and args and isinstance(args[0], int):
        at = args[0] if args[0] >= 0 else len(value.shape) + 1 + args[0]
        return HostArray((*value.shape[:at], 1, *value.shape[at:]), value.dtype)
    return Unknown(f"method `{name}` of an array")


def host_subscript(machine: Machine, value: HostArray, key: Any) -> Any:
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


def host_operator(machine: Machine, left: Any, right: Any) -> Any:
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
