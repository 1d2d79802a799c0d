"""What makes arrays, in numpy, torch and jax alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dtypes import DTYPES

from ...state.machine import Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.containers import ListValue, RangeValue
from ...values.host import HostArray
from ...values.numbers import NUMERIC
from .arrays import shape_argument
from .element_types import element_type
from .elements import REDUCTIONS, cast, filled, flat, ranged, reduced, shaped, spaced
from .elementwise import model_elementwise
from .registry import ANY, models
from .sizes import sizes_of


def of_shape(position: int = 1, default: str | None = "float64", start: int | None = None) -> Callable[..., Any]:
    """A constructor whose first argument is a shape and whose dtype stands at `position` or as a keyword; it fills the
    array with `start`."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        shape = kwargs.get("size", kwargs.get("shape", args[0] if args else None))
        if shape is None:
            return Unknown("an array without a shape")
        sizes = sizes_of(machine, shape)
        given = kwargs.get("dtype", args[position] if len(args) > position else None)
        dtype = element_type(machine, given, DTYPES.get(default) if default else None)
        made = HostArray(sizes, dtype)
        value = kwargs.get("fill_value", args[1] if position == FILL and len(args) > 1 else start)
        if not isinstance(value, (*NUMERIC, Unknown)) and value is not None:
            raise IsUnknown("what an array is filled with")
        return made if value is None else filled(made, value)

    return call


FILL = 2  # where the dtype stands after a value that the array is filled with


def of_sizes(default: str) -> Callable[..., Any]:
    """`randn(2, 3)`, `torch.zeros(2, 3, dtype=...)`."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        values = [kwargs["size"]] if "size" in kwargs else args
        given = kwargs.get("dtype")
        sizes = sizes_of(machine, shape_argument(machine, values))
        return HostArray(sizes, element_type(machine, given, DTYPES[default]))

    return call


def random(position: int, default: str) -> Callable[..., Any]:
    """A random constructor whose shape is the argument `size` (or `shape`) at `position`."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        shape = kwargs.get("size", kwargs.get("shape", args[position] if len(args) > position else None))
        if shape is None:
            return Unknown("a random number")
        given = kwargs.get("dtype")
        return HostArray(sizes_of(machine, shape), element_type(machine, given, DTYPES[default]))

    return call


def like(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    source = args[0]
    if isinstance(source, HostArray):
        return HostArray(source.shape, element_type(machine, kwargs.get("dtype"), source.dtype))
    return Unknown("an array like one that is not known")


def converted(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """`np.array(x, dtype)`: of an array, or of nested lists of numbers."""
    source = args[0] if args else None
    given = kwargs.get("dtype", args[1] if len(args) > 1 else None)
    dtype = element_type(machine, given)
    if isinstance(source, HostArray):
        return source if dtype is None else cast(source, dtype, machine)
    if isinstance(source, RangeValue):
        source = tuple(items_of(machine, source))
    shape: list[int] = []
    level = source
    while isinstance(level, (ListValue, tuple)):
        items = level.items if isinstance(level, ListValue) else level
        shape.append(len(items))
        if not items:
            break
        level = items[0]
    numbers = tuple(flat(source)) if isinstance(source, (ListValue, tuple)) else (source,)
    if not all(isinstance(n, NUMERIC) for n in numbers):
        return _stacked(tuple(shape), numbers, dtype)
    if dtype is None and not isinstance(level, (float, int, Sym)):
        return Unknown("an array of values that are not known")
    truths = bool(numbers) and all(isinstance(n, bool) for n in numbers)
    whole = all(isinstance(n, (int, Sym)) for n in numbers) and not truths
    made = HostArray((), dtype or DTYPES["int64" if whole else "bool" if truths else "float64"])
    if math.prod(shape) != len(numbers):
        raise IsUnknown("an array of rows that are not of one length")
    return shaped(made, tuple(shape), numbers if made.dtype.is_integer == whole else None)


def _stacked(shape: tuple[int, ...], parts: Sequence[Any], dtype: Any) -> Any:
    """An array of arrays of one shape; of anything else it is not known how many dimensions it adds."""
    arrays = [part for part in parts if isinstance(part, HostArray)]
    alike = {array.shape for array in arrays if all(isinstance(n, int) for n in array.shape)}
    if len(arrays) < len(parts) or len(alike) != 1 or math.prod(shape) != len(parts):
        return Unknown("an array of values that are not known")
    dtypes = {array.dtype for array in arrays}
    return HostArray((*shape, *arrays[0].shape), dtype or (dtypes.pop() if len(dtypes) == 1 else None))


def reduction(name: str, machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return reduced(machine, name, args[0], args[1:], kwargs)


def model_common(module: str) -> None:
    """What the modules for arrays have in common."""
    for name in ("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like"):
        models(f"{module}.{name}", keywords=ANY)(like)
    models(f"{module}.arange", keywords=ANY)(ranged)
    models(f"{module}.linspace", keywords=ANY)(spaced)
    for name in REDUCTIONS:
        models(f"{module}.{name}", keywords=ANY)(partial(reduction, name))
    model_elementwise(module)
