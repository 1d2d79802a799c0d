"""Names of packages that are not analysed: dtypes, numbers and shapes are followed, the rest is unknown."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from nkilint_rules.conditions import IsUnknown, Unknown, ceil_div, maximum, minimum, product
from nkilint_rules.dtypes import DTYPES, DType

from .. import ir
from ..symbolic.integers import Sym
from . import library
from .host import HostArray
from .inputs import as_number
from .iteration import items_of
from .machine import Machine
from .modules import outside
from .rounding import ceil, extreme, floor, in_numpy, integer, is_number
from .tensors import Grid, InputTensor, SymbolicDType, View, known_dtype
from .updates import touch_somewhere
from .values import REAL, ClassValue, DictValue, External, Instance, ListValue, ModuleValue, Native, Partial, Real

_CONSTANTS = {
    "math.pi": math.pi,
    "math.e": math.e,
    "math.inf": math.inf,
    "math.nan": math.nan,
    "numpy.pi": math.pi,
    "numpy.e": math.e,
    "numpy.inf": math.inf,
    "numpy.nan": math.nan,
    "numpy.newaxis": None,
    "typing.TYPE_CHECKING": False,
    "torch.inf": math.inf,
    "jax.numpy.inf": math.inf,
}
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


def external_attribute(value: External, name: str) -> Any:
    full = f"{value.name}.{name}"
    if full in _CONSTANTS:
        return _CONSTANTS[full]
    return outside(full)


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


def external_subscript(machine: Machine, value: External, key: Any) -> Any:
    if value.name in ("numpy.mgrid", "numpy.ogrid", "numpy.s_", "numpy.r_"):
        return Unknown(f"`{value.name}[...]`")
    return value  # a generic type, as in `list[int]`


def _plain_math(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
        for value in args:
            if isinstance(value, Unknown):
                return value
        if all(is_number(a) for a in args):
            try:
                return function(*args)
            except (ValueError, OverflowError, ZeroDivisionError, TypeError) as error:
                return Unknown(f"arithmetic: {error}")
        if any(isinstance(a, HostArray) for a in args):
            return next(a for a in args if isinstance(a, HostArray))
        return (
            REAL
            if all(isinstance(a, (int, float, Sym, Real)) for a in args)
            else Unknown("a function of unknown values")
        )

    return call


def _product(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return product(items_of(machine, args[0]))


def _dtype(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    found = as_dtype(args[0]) if args else None
    return Unknown("a dtype that is not known") if found is None else found


def _cdiv(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return ceil_div(args[0], args[1])


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


def _same_shape(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    arrays = [a for a in args if isinstance(a, HostArray)]
    return arrays[0] if arrays else _plain_math(lambda *_: REAL)(machine, args, kwargs)


def _identity(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    size = args[0] if args else kwargs.get("n", kwargs.get("N", Unknown("the size of an identity matrix")))
    given = kwargs.get("dtype")
    return HostArray((size, size), as_dtype(given) if given is not None else DTYPES["float64"])


def _arange(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if args and all(isinstance(a, int) for a in args):
        given = kwargs.get("dtype")
        return HostArray((len(range(*args)),), as_dtype(given) if given is not None else DTYPES["int64"])
    return Unknown("an array of unknown size")


def _first(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return args[0] if args else Unknown("a call without arguments")


def _partial(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return Partial(args[0], tuple(args[1:]), dict(kwargs))


def _wrapper(kind: str) -> Callable[..., Any]:
    def call(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
        getter = args[0] if args else None
        return Instance(_marker(kind), {"getter": getter})

    return call


def _marker(kind: str) -> ClassValue:
    return ClassValue(kind, (), {}, ModuleValue("builtins", None), kind)


def _dataclass(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], ClassValue):
        args[0].kind = "dataclass"
        return args[0]
    return Instance(_marker("dataclass decorator"), {})


def _field(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return Instance(_marker("field"), dict(kwargs))


def _namedtuple(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    names = args[1].replace(",", " ").split() if isinstance(args[1], str) else items_of(machine, args[1])
    from .values import MISSING

    cls = ClassValue(str(args[0]), (), {}, ModuleValue("collections", None), "namedtuple")
    cls.fields = [(str(n), MISSING) for n in names]
    return cls


def _auto(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return Instance(_marker("auto"), {})


def _generator(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A generator of NumPy has the functions of `numpy.random` as methods."""
    return External("numpy.random")


def _product_of_iterables(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    import itertools

    lists = [items_of(machine, a) for a in args]
    total = product(len(x) for x in lists)
    if total > 100_000:
        raise IsUnknown("a product of sequences that is too large")
    return ListValue(itertools.product(*lists))


def _deque(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return ListValue(items_of(machine, args[0]) if args else ())


def _operator(symbol: str) -> Callable[..., Any]:
    def call(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
        from .operators import binary

        return binary(machine, symbol, args[0], args[1], machine.at)

    return call


def _chain(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return ListValue(item for a in args for item in items_of(machine, a))


def _reduce(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from .calls import call_value

    items = items_of(machine, args[1])
    result = args[2] if len(args) > 2 else items.pop(0)
    for item in items:
        result = call_value(machine, args[0], [result, item], {})
    return result


def _log2(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return _plain_math(math.log2)(machine, args, kwargs)


def _settled_input(machine: Machine, value: Any) -> Any:
    """A parameter in a function of numbers."""
    if isinstance(value, InputTensor) and "view" not in value.cell and not value.ranks:
        return as_number(machine, value)
    return value


larger, smaller = extreme(maximum, 1, _settled_input), extreme(minimum, -1, _settled_input)


def _copied(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A copy of a container; what is in it is shared."""
    value = args[0]
    if isinstance(value, ListValue):
        return ListValue(value.items)
    if isinstance(value, DictValue):
        return DictValue(value.items, value.kind)
    return Instance(value.cls, dict(value.attrs)) if isinstance(value, Instance) else value


def _deeply_copied(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    value = args[0]
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(_deeply_copied(machine, [item], {}) for item in value)
    if isinstance(value, ListValue):
        return ListValue(_deeply_copied(machine, [item], {}) for item in value.items)
    if isinstance(value, DictValue):
        return DictValue({k: _deeply_copied(machine, [v], {}) for k, v in value.items.items()}, value.kind)
    if isinstance(value, Instance) and value.cls.kind != "enum":
        return Instance(value.cls, {k: _deeply_copied(machine, [v], {}) for k, v in value.attrs.items()})
    return value


_HOST_MODULES = ("numpy", "torch", "jax.numpy")
_ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "sqrt": math.sqrt,
    "log": math.log,
    "log2": math.log2,
    "exp": math.exp,
    "cos": math.cos,
    "sin": math.sin,
    "tanh": math.tanh,
    "abs": abs,
    "square": lambda x: x * x,
    "negative": lambda x: -x,
    "power": pow,
}
_OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
_FUNCTIONS: dict[str, Callable[[Machine, list[Any], dict[str, Any]], Any]] = {
    "math.ceil": ceil,
    "math.floor": floor,
    "math.trunc": integer,
    "math.prod": _product,
    **{
        f"math.{n}": _plain_math(getattr(math, n))
        for n in (
            "sqrt",
            "log",
            "log2",
            "log10",
            "exp",
            "pow",
            "gcd",
            "isqrt",
            "cos",
            "sin",
            "tan",
            "tanh",
            "fabs",
            "erf",
            "isclose",
            "lcm",
            "factorial",
            "atan",
            "hypot",
            "degrees",
            "radians",
        )
    },
    "functools.partial": _partial,
    "functools.reduce": _reduce,
    "functools.wraps": lambda m, a, k: Native("identity", _first),
    "functools.lru_cache": lambda m, a, k: a[0] if a else Native("identity", _first),
    "functools.cache": _first,
    "functools.cached_property": _wrapper("cached_property"),
    "dataclasses.dataclass": _dataclass,
    "dataclasses.field": _field,
    "enum.auto": _auto,
    "collections.namedtuple": _namedtuple,
    "collections.OrderedDict": lambda m, a, k: DictValue(a[0].items if a and isinstance(a[0], DictValue) else {}),
    "itertools.product": _product_of_iterables,
    "itertools.chain": _chain,
    "copy.copy": _copied,
    "collections.deque": _deque,
    **library.FUNCTIONS,
    "operator.mul": _operator("*"),
    "operator.add": _operator("+"),
    "operator.sub": _operator("-"),
    "operator.floordiv": _operator("//"),
    "operator.mod": _operator("%"),
    "copy.deepcopy": _deeply_copied,
    "typing.cast": lambda m, a, k: a[1],
    "contextlib.contextmanager": _first,
    "abc.abstractmethod": _first,
    "numpy.dtype": _dtype,
    "numpy.maximum": larger,
    "numpy.minimum": smaller,
    "numpy.prod": _product,
    "numpy.ceil": in_numpy(ceil),
    "numpy.floor": in_numpy(floor),
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
    _FUNCTIONS |= {f"{_module}.{n}": _array(1, _default) for n in ("zeros", "ones", "empty", "ndarray")}
    _FUNCTIONS |= {f"{_module}.full": _array(2, None), f"{_module}.arange": _arange}
    _FUNCTIONS |= {f"{_module}.{n}": _converted for n in ("array", "asarray", "ascontiguousarray")}
    _FUNCTIONS |= {f"{_module}.{n}": _identity for n in ("eye", "identity")}
for _module in _HOST_MODULES:
    _FUNCTIONS |= {
        f"{_module}.{n}": _like
        for n in ("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like")
    }
    for _name, _function in _ELEMENTWISE.items():
        _FUNCTIONS[f"{_module}.{_name}"] = _plain_math(_function)
    _FUNCTIONS |= {
        f"{_module}.{n}": _same_shape
        for n in ("clip", "round", "tril", "triu", "where", "add", "multiply", "subtract", "divide", "softmax")
    }


def call_external(machine: Machine, name: str, args: list[Any], kwargs: dict[str, Any], node: ir.Call | None) -> Any:
    """A call of something outside the project."""
    function = _FUNCTIONS.get(name)
    if any(isinstance(a, InputTensor) for a in args):
        args = [_settled_input(machine, a) for a in args]
    symbol = _OPERATORS.get(name.partition("numpy.")[2])
    if symbol is not None and len(args) == 2 and all(isinstance(a, (Grid, int, float, Sym)) for a in args):
        from .operators import binary

        return binary(machine, symbol, args[0], args[1], node.at if node else machine.at)
    if function is not None:
        return function(machine, args, kwargs)
    dtype = as_dtype(External(name))
    if dtype is not None:
        return _cast(args, dtype)
    if name.rpartition(".")[2] in ("cdiv", "div_ceil") and len(args) == 2:
        return _cdiv(machine, args, kwargs)
    if name.startswith("numpy.") and all(is_number(a) for a in args):
        return REAL
    if any(isinstance(a, (View, InputTensor)) for a in (*args, *kwargs.values())) and machine.in_kernel:
        machine.unknown("NKI003", f"`{name}` is not followed")
        touch_somewhere(machine, [*args, *kwargs.values()], f"`{name}` is not followed", machine.at)
    return Unknown(f"`{name}` is not followed")


def _cast(args: list[Any], dtype: DType) -> Any:
    """`np.float32(x)`."""
    value = args[0] if args else 0
    if isinstance(value, (int, float)):
        return float(value) if dtype.is_float else int(value)
    return HostArray(value.shape, dtype) if isinstance(value, HostArray) else REAL if dtype.is_float else value


def call_instance(
    machine: Machine, value: Instance, args: list[Any], kwargs: dict[str, Any], node: ir.Call | None
) -> Any:
    """A call of an object that a decorator of the standard library made."""
    if value.cls.kind == "dataclass decorator" and args and isinstance(args[0], ClassValue):
        args[0].kind = "dataclass"
        return args[0]
    if value.cls.kind == "property" and args:
        return Instance(value.cls, {**value.attrs, "setter": args[0]})
    if value.cls.kind in ("staticmethod", "classmethod"):
        from .calls import call_value

        return call_value(machine, value.attrs["getter"], args, kwargs, node)
    return Unknown(f"call of an object of `{value.cls.name}`")
