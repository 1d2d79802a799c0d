"""Arrays that NumPy, PyTorch and JAX make in host code, by shape and dtype, and the dtypes that values name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dtypes import DTYPES, DType

from ..python.iteration import items_of
from ..state.machine import Machine
from .host import HostArray
from .tensors import SymbolicDType, known_dtype
from .values import External, ListValue, Native

_DTYPE_MODULES = ("numpy", "torch", "jax.numpy", "ml_dtypes", "neuron_dtypes", "neuronxcc.starfish.support.dtype")
_DTYPE_ALIASES = {
    "bool_": "bool",
    "bool": "bool",
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "long": "int64",
    "float8_e4m3fn": "float8_e4m3fn",
    "int": "int32",
    "short": "int16",
}


def as_dtype(value: Any) -> Any:
    """The dtype that a value names, or None."""
    if isinstance(value, (DType, SymbolicDType)):
        return value
    if isinstance(value, str):
        return known_dtype(value)
    if isinstance(value, External):
        module, _, leaf = value.name.rpartition(".")
        if module in _DTYPE_MODULES:
            return DTYPES.get(_DTYPE_ALIASES.get(leaf, leaf))
        if value.name == "builtins.float":
            return DTYPES["float32"]
    if isinstance(value, Native) and value.name in ("bool", "int", "float"):
        return DTYPES.get({"bool": "bool", "int": "int32", "float": "float32"}[value.name])
    return None


def shape_argument(machine: Machine, args: list[Any]) -> tuple[Any, ...]:
    """Sizes given one by one or as one sequence."""
    if len(args) == 1 and not isinstance(args[0], (int, Sym)):
        return tuple(items_of(machine, args[0]))
    return tuple(args)


def _dtype(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    found = as_dtype(args[0]) if args else None
    return Unknown("a dtype that is not known") if found is None else found


def _array(position: int = 1, default: str | None = "float64") -> Callable[..., Any]:
    """A constructor whose first argument is a shape and whose dtype stands at `position` or as a keyword."""

    def call(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
        shape = kwargs.get("size", kwargs.get("shape", args[0] if args else None))
        if shape is None:
            return Unknown("an array without a shape")
        sizes = (shape,) if isinstance(shape, (int, Sym)) else tuple(items_of(machine, shape))
        given = kwargs.get("dtype", args[position] if len(args) > position else None)
        dtype = as_dtype(given) if given is not None else DTYPES.get(default) if default else None
        return HostArray(sizes, dtype)

    return call


def _sized(default: str) -> Callable[..., Any]:
    """`randn(2, 3)`, `torch.zeros(2, 3, dtype=...)`."""

    def call(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
        values = [kwargs["size"]] if "size" in kwargs else args
        given = kwargs.get("dtype")
        return HostArray(shape_argument(machine, values), as_dtype(given) if given is not None else DTYPES[default])

    return call


def _random(position: int, default: str) -> Callable[..., Any]:
    """A random constructor whose shape is the argument `size` (or `shape`) at `position`."""

    def call(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
        shape = kwargs.get("size", kwargs.get("shape", args[position] if len(args) > position else None))
        if shape is None:
            return Unknown("a random number")
        given = kwargs.get("dtype")
        sizes = (shape,) if isinstance(shape, (int, Sym)) else tuple(items_of(machine, shape))
        return HostArray(sizes, as_dtype(given) if given is not None else DTYPES[default])

    return call


def _like(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    source = args[0]
    if isinstance(source, HostArray):
        given = as_dtype(kwargs["dtype"]) if "dtype" in kwargs else source.dtype
        return HostArray(source.shape, given)
    return Unknown("an array like one that is not known")


def _converted(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`np.array(x, dtype)`: of an array, or of nested lists of numbers."""
    source = args[0] if args else None
    given = kwargs.get("dtype", args[1] if len(args) > 1 else None)
    dtype = as_dtype(given) if given is not None else None
    if isinstance(source, HostArray):
        return HostArray(source.shape, dtype or source.dtype)
    shape: list[int] = []
    level = source
    while isinstance(level, (ListValue, tuple)):
        items = level.items if isinstance(level, ListValue) else level
        shape.append(len(items))
        if not items:
            break
        level = items[0]
    if isinstance(level, float) or dtype is not None or isinstance(level, int):
        inferred = DTYPES["float64" if isinstance(level, float) else "int64"]
        return HostArray(tuple(shape), dtype or inferred)
    return Unknown("an array of values that are not known")


def _identity(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    size = args[0] if args else kwargs.get("n", kwargs.get("N", Unknown("the size of an identity matrix")))
    given = kwargs.get("dtype")
    return HostArray((size, size), as_dtype(given) if given is not None else DTYPES["float64"])


def _arange(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if args and all(isinstance(a, int) for a in args):
        given = kwargs.get("dtype")
        return HostArray((len(range(*args)),), as_dtype(given) if given is not None else DTYPES["int64"])
    return Unknown("an array of unknown size")


def _generator(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A generator of NumPy has the functions of `numpy.random` as methods."""
    return External("numpy.random")


FUNCTIONS: dict[str, Callable[[Machine, list[Any], dict[str, Any]], Any]] = {
    "numpy.dtype": _dtype,
    "jax.numpy.dtype": _dtype,
    "numpy.random.seed": lambda m, a, k: None,
    "torch.manual_seed": lambda m, a, k: None,
    "numpy.random.rand": _sized("float64"),
    "numpy.random.randn": _sized("float64"),
    "numpy.random.random_sample": _array(9),
    "numpy.random.random": _array(9),
    "numpy.random.standard_normal": _array(9),
    "numpy.random.uniform": _random(2, "float64"),
    "numpy.random.normal": _random(2, "float64"),
    "numpy.random.randint": _random(2, "int64"),
    "numpy.random.integers": _random(2, "int64"),
    "numpy.random.default_rng": _generator,
    "numpy.random.RandomState": _generator,
    "numpy.random.choice": _random(1, "int64"),
    "torch.rand": _sized("float32"),
    "torch.randn": _sized("float32"),
    "torch.zeros": _sized("float32"),
    "torch.ones": _sized("float32"),
    "torch.empty": _sized("float32"),
    "torch.randint": _random(2, "int64"),
    "torch.tensor": _converted,
    "torch.from_numpy": _converted,
    "torch.full": _array(9, None),
    "jax.random.normal": _random(1, "float32"),
    "jax.random.uniform": _random(1, "float32"),
    "jax.random.PRNGKey": lambda m, a, k: Unknown("a random key"),
}
for _module, _default in (("numpy", "float64"), ("jax.numpy", "float32")):
    FUNCTIONS |= {f"{_module}.{n}": _array(1, _default) for n in ("zeros", "ones", "empty", "ndarray")}
    FUNCTIONS |= {f"{_module}.full": _array(2, None), f"{_module}.arange": _arange}
    FUNCTIONS |= {f"{_module}.{n}": _converted for n in ("array", "asarray", "ascontiguousarray")}
    FUNCTIONS |= {f"{_module}.{n}": _identity for n in ("eye", "identity")}
for _module in ("numpy", "torch", "jax.numpy"):
    FUNCTIONS |= {
        f"{_module}.{n}": _like
        for n in ("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like")
    }
