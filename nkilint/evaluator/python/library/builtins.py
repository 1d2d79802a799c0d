"""Python's built-in functions on single values, and its types."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import Unknown, any_of

from ...device.api import resolve
from ...device.inputs import settled_number
from ...device.language import make_range
from ...state import protocols
from ...state.machine import Machine
from ...state.protocols import (
    Args,
    Keywords,
    get_attribute,
    set_attribute,
)
from ...state.trace import Event
from ...values.choices import Text
from ...values.containers import DictValue, ListValue, RangeValue
from ...values.inputs import TUPLES, InputTensor
from ...values.numbers import REAL, Real
from ...values.objects import (
    ANYTHING,
    Api,
    AttributesValue,
    BoundMethod,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Native,
    Partial,
)
from ...values.table import Table
from ...values.tensors import View
from ..rounding import integer, larger, smaller
from .iterables import truth
from .registry import models, native


@models("builtins.bool")
def _bool(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return truth(machine, args[0]) if args else False


@models("builtins.float")
def _float(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value = args[0] if args else 0.0
    if isinstance(value, str):
        return (
            float(value) if value.strip("+-").lower() in ("inf", "nan", "infinity") else Unknown("a number in a string")
        )
    return float(value) if isinstance(value, (int, float)) else value if isinstance(value, Unknown) else REAL


@models("builtins.int")
def _int(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if args and isinstance(args[0], str):
        return int(args[0]) if args[0].strip("+- ").isdecimal() else Unknown("a number in a string")
    return integer(machine, [settled_number(machine, a) for a in args], kwargs)


@models("builtins.str", "builtins.repr", "builtins.format", "builtins.bin", "builtins.hex", "builtins.oct")
def _str(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return str(args[0]) if args and isinstance(args[0], (str, int, float)) else Text()


@models("builtins.abs")
def _abs(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value = args[0]
    if isinstance(value, View):
        return Unknown("`abs` of a tensor")
    return abs(value)


@models("builtins.divmod")
def _divmod(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return (
        protocols.binary(machine, "//", args[0], args[1], machine.at),
        protocols.binary(machine, "%", args[0], args[1], machine.at),
    )


@models("builtins.pow")
def _pow(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return protocols.binary(machine, "**", args[0], args[1], machine.at)


@models("builtins.round")
def _round(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return (
        round(*args)
        if all(isinstance(a, (int, float)) for a in args)
        else Unknown("rounding of a number that is not known")
    )


@models("builtins.range")
def _range(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return make_range(machine, "range", args, None)


@models("builtins.isinstance")
def _isinstance(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value, kinds = args
    if isinstance(value, Unknown):
        return value
    if isinstance(kinds, Unknown):
        return kinds
    if not isinstance(kinds, tuple):
        kinds = (kinds,)
    return any_of(_is_a(value, kind) for kind in kinds)


_instances = Table(lambda kind, value: Unknown("isinstance of a type that is not known"))
"""Whether a value is of a type, by what stands for the type."""


def _is_a(value: Any, kind: Any) -> Any:
    return _instances.entry(type(kind))(kind, value)


@_instances.of(ClassValue)
def _of_class(kind: ClassValue, value: Any) -> bool:
    return isinstance(value, Instance) and kind in value.cls.mro()


@_instances.of(Native)
def _of_builtin(kind: Native, value: Any) -> Any:
    accepted = _TYPES.get(kind.name)
    if accepted is None:
        return Unknown(f"isinstance of `{kind.name}`")
    if kind.name == "int" and isinstance(value, InputTensor):
        return "number" in value.cell
    if kind.name == "float" and isinstance(value, Sym):
        return False
    return isinstance(value, accepted) and not (kind.name == "float" and isinstance(value, bool))


@_instances.of(Api)
def _of_api(kind: Api, value: Any) -> Any:
    if kind.name.rpartition(".")[2] in ("NkiTensor", "tensor"):
        return isinstance(value, (View, InputTensor))
    return Unknown(f"isinstance of `{kind.name}`")


@_instances.of(External)
def _of_external(kind: External, value: Any) -> Any:
    leaf = kind.name.rpartition(".")[2]
    if leaf in ("Enum", "IntEnum"):
        return isinstance(value, Instance) and value.cls.kind == "enum"
    if isinstance(value, (int, float, str, ListValue, DictValue, tuple, Sym)) or value is None:
        return leaf in ("Number", "Integral") and isinstance(value, (int, Sym))
    return Unknown(f"isinstance of `{kind.name}`")


@models("builtins.hasattr")
def _hasattr(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value, name = args
    if isinstance(value, Instance) and isinstance(name, str):
        if ANYTHING in value.attrs or value.cls.lookup("__getattr__") is not None:
            return Unknown("`hasattr` of an object that makes its attributes")
        return name in value.attrs or value.cls.lookup(name) is not None
    if isinstance(value, (View, InputTensor)):
        return name in ("shape", "dtype", "ndim")
    if isinstance(value, Api) and isinstance(name, str):
        return not isinstance(resolve(machine, value.dialect, f"{value.name}.{name}", None), Unknown)
    return Unknown("`hasattr` of a value that is not known")


def _lacks(value: Any, name: str) -> bool:
    """Whether it is sure that an object or a class has no such attribute."""
    if isinstance(value, Instance):
        return name not in value.attrs and _lacks(value.cls, name)
    known = isinstance(value, ClassValue) and all(isinstance(b, ClassValue) for c in value.mro() for b in c.bases)
    return known and value.lookup(name) is None and value.lookup("__getattr__") is None


@models("builtins.getattr")
def _getattr(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if not isinstance(args[1], str):
        return Unknown("`getattr` with a name that is not known")
    value, name = args[0], args[1]
    if len(args) > 2 and _lacks(value, name):
        return args[2]
    return get_attribute(machine, args[0], args[1], ir.Attr(machine.at, ir.Const(machine.at, None), args[1]))


@models("builtins.setattr")
def _setattr(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if isinstance(args[1], str):
        set_attribute(machine, args[0], args[1], args[2])


@models("builtins.type")
def _type(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value = args[0]
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, bool):
        return native("bool")
    for name in ("int", "float", "str", "tuple", "list", "dict"):
        if isinstance(value, _TYPES[name]):
            return native(name)
    return Unknown(f"type of {type(value).__name__}")


@models("builtins.issubclass", "builtins.print", "builtins.delattr", "builtins.help", "builtins.breakpoint")
def _nothing(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return None


@models("builtins.vars")
def _vars(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return AttributesValue(args[0]) if args and isinstance(args[0], Instance) else Unknown("`vars` of a scope")


@models("builtins.callable")
def _callable(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return isinstance(args[0], (FunctionValue, BoundMethod, Native, Partial, ClassValue, Api))


@models("builtins.super")
def _super(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return Unknown("`super()`")


@models(
    "builtins.object",
    "builtins.complex",
    "builtins.id",
    "builtins.hash",
    "builtins.open",
    "builtins.input",
    "builtins.exec",
    "builtins.eval",
    "builtins.globals",
    "builtins.locals",
    "builtins.chr",
    "builtins.ord",
    "builtins.bytes",
    "builtins.bytearray",
    "builtins.memoryview",
    "builtins.compile",
    "builtins.dir",
    "builtins.__import__",
)
def _object(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return Unknown("an object")


@models("builtins.slice")
def _slice(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return slice(*args)


@models("builtins.reveal")
def _reveal(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """Writes into the trace what the evaluator knows about a value."""
    machine.emit(Event("reveal", machine.site(), None, (), {"value": _copied(args[0])}))
    return args[0]


def _copied(value: Any) -> Any:
    """The value as it is now, safe from later changes to lists and dicts."""
    if isinstance(value, (ListValue, DictValue)):
        items = value.cell["items"]
        copy = ListValue() if isinstance(value, ListValue) else DictValue(kind=value.kind)
        copy.cell["items"] = {k: _copied(v) for k, v in items.items()} if isinstance(items, dict) else _copied(items)
        return copy
    return tuple(_copied(item) for item in value) if type(value) in TUPLES else value


_TYPES: dict[str, Any] = {
    "int": (int, Sym),
    "float": (float, Real),
    "str": (str, Text),
    "tuple": tuple,
    "list": ListValue,
    "dict": DictValue,
    "set": DictValue,
    "bool": (bool, Cond),
    "slice": slice,
    "range": RangeValue,
    "object": object,
    "complex": complex,
}


models("builtins.min", keywords=("key", "default"))(smaller)
models("builtins.max", keywords=("key", "default"))(larger)
