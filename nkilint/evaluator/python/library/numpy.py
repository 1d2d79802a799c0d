"""`numpy`, and `jax.numpy`, which has the same names."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import partial
from typing import Any

from nkilint.base.ir import Span
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dtypes import DTYPES

from ...device.dtypes import limits_of
from ...state import protocols
from ...state.machine import Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.grids import Grid
from ...values.host import HostArray
from ...values.objects import External
from ..rounding import ceil, floor, in_numpy, larger, smaller
from ..types.iterators import fixed
from .constructors import converted, model_common, of_shape, of_sizes, random, reduction
from .element_types import element_type
from .elements import REDUCTIONS_OF_NUMPY
from .registry import ANY, CONSTANTS, MOST, Function, models
from .sizes import sizes_of

CONSTANTS |= {
    "numpy.pi": math.pi,
    "numpy.e": math.e,
    "numpy.inf": math.inf,
    "numpy.nan": math.nan,
    "numpy.newaxis": None,
    "jax.numpy.inf": math.inf,
}


@models("numpy.dtype", "jax.numpy.dtype", keywords=ANY)
def _dtype(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    found = element_type(machine, args[0]) if args else None
    return Unknown("a dtype that is not known") if found is None else found


@models("numpy.finfo", "torch.finfo", "jax.numpy.finfo")
def _finfo(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return limits_of(machine, *args)


def _identity(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    size = args[0] if args else kwargs.get("n", kwargs.get("N", Unknown("the size of an identity matrix")))
    given = kwargs.get("dtype")
    return HostArray(sizes_of(machine, (size, size)), element_type(machine, given, DTYPES["float64"]))


@models("numpy.random.default_rng", "numpy.random.RandomState", keywords=ANY)
def _generator(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """A generator of NumPy has the functions of `numpy.random` as methods."""
    return External("numpy.random")


def _of_two(extreme: Function) -> Function:
    """Of arrays with many elements, the shape of what they are broadcast to."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        try:
            return extreme(machine, args, kwargs)
        except IsUnknown:
            if len(args) != 2 or kwargs or not any(isinstance(a, HostArray) for a in args):
                raise
            found = protocols.binary(machine, "+", args[0], args[1], machine.at)
            return replace(found, numbers=None) if isinstance(found, HostArray) else found

    return call


@models("numpy.ndindex")
def _places(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """The positions in an array of these sizes, one after the other."""
    sizes = args[0] if len(args) == 1 and isinstance(args[0], tuple) else tuple(args)
    if not all(type(size) is int for size in sizes) or math.prod(sizes) > MOST:
        raise IsUnknown("the positions in an array of unknown size")
    return fixed(list(itertools.product(*map(range, sizes))))


@models("numpy.fromfunction", "jax.numpy.fromfunction", keywords=ANY)
def _from_function(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """What a function gives for the coordinates of all elements, each an array of that shape."""
    given = dict(kwargs)
    shape = args[1] if len(args) > 1 else given.pop("shape", None)
    dtype = given.pop("dtype", args[2] if len(args) > 2 else None)
    if not args or shape is None or given.pop("like", None) is not None:
        return Unknown("an array of coordinates that are not known")
    sizes = tuple(items_of(machine, shape))
    kind = element_type(machine, dtype, DTYPES["float64"])
    return protocols.call(machine, args[0], [HostArray(sizes, kind) for _ in sizes], given)


for _module, _default in (("numpy", "float64"), ("jax.numpy", "float32")):
    model_common(_module)
    for _name, _start in (("zeros", 0), ("ones", 1), ("empty", None), ("ndarray", None)):
        models(f"{_module}.{_name}", keywords=ANY)(of_shape(1, _default, _start))
    for _name in REDUCTIONS_OF_NUMPY:
        models(f"{_module}.{_name}", keywords=ANY)(partial(reduction, _name))
    models(f"{_module}.full", keywords=ANY)(of_shape(2, None))
    for _name in ("array", "asarray", "ascontiguousarray"):
        models(f"{_module}.{_name}", keywords=ANY)(converted)
    for _name in ("eye", "identity"):
        models(f"{_module}.{_name}", keywords=ANY)(_identity)

models("numpy.maximum", keywords=ANY)(_of_two(larger))
models("numpy.minimum", keywords=ANY)(_of_two(smaller))
models("numpy.ceil", keywords=ANY)(in_numpy(ceil))
models("numpy.floor", keywords=ANY)(in_numpy(floor))
models("numpy.random.seed", keywords=ANY)(lambda m, a, k: None)
models("numpy.random.rand", "numpy.random.randn", keywords=ANY)(of_sizes("float64"))
models("numpy.random.random_sample", "numpy.random.random", "numpy.random.standard_normal", keywords=ANY)(of_shape(9))
models("numpy.random.uniform", "numpy.random.normal", keywords=ANY)(random(2, "float64"))
models("numpy.random.randint", "numpy.random.integers", keywords=ANY)(random(2, "int64"))
models("numpy.random.choice", keywords=ANY)(random(1, "int64"))

_OPERATORS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "floor_divide": "//", "mod": "%",
    "remainder": "%", "power": "**",
}  # fmt: skip
FLOATS = frozenset(
    {
        "arccos", "arcsin", "arctan", "arctan2", "cbrt", "cos", "cosh", "deg2rad", "degrees", "divide", "exp", "exp2",
        "expm1", "float_power", "hypot", "log", "log10", "log1p", "log2", "logaddexp", "mean", "median", "rad2deg",
        "radians", "sin", "sinc", "sinh", "sqrt", "std", "tan", "tanh", "true_divide", "var",
    }
)  # fmt: skip
"""Functions that give a float for any numbers."""


def on_numbers(machine: Machine, name: str, args: Args, at: Span) -> Any:
    """What `numpy.add` and its like give for numbers and index grids; None where they are given something else."""
    symbol = _OPERATORS.get(name.partition("numpy.")[2])
    if symbol is None or len(args) != 2 or not all(isinstance(a, (Grid, int, float, Sym)) for a in args):
        return None
    return protocols.binary(machine, symbol, args[0], args[1], at)
