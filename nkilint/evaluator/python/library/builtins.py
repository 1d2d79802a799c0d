"""Python's built-in functions on single values, and its types."""

from __future__ import annotations

import builtins
import collections
import importlib
from collections.abc import Iterator
from typing import Any

from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown, any_of
from nkilint_rules.words.dtypes import DType

from ...device.language import make_range
from ...state.machine import Fault, Machine
from ...state.protocols import (
    Args,
    Keywords,
)
from ...state.trace import Event
from ...values.cells import Cell
from ...values.choices import Text
from ...values.containers import DictValue, ListValue, RangeValue
from ...values.grown import LongTuple
from ...values.host import HostArray
from ...values.inputs import TUPLES, InputTensor
from ...values.numbers import OF_CALLER, REAL, Quotient, Real
from ...values.objects import (
    Api,
    BoundMethod,
    ClassValue,
    ExceptionValue,
    External,
    FunctionValue,
    Instance,
    ModuleValue,
    Native,
    Partial,
    SomeMember,
)
from ...values.table import Table
from ...values.tensors import View
from ...values.unions import TypeUnion
from ...values.wording import in_words
from ..rounding import larger, smaller
from ..types.objects import is_open
from ..types.texts import own_text
from ..types.unknowns import with_classes
from .iterables import truth
from .math import of_numbers
from .registry import models, native


@models("builtins.bool")
def _bool(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return truth(machine, args[0]) if args else False


@models("builtins.float")
@of_numbers("float")
def _float(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value = args[0] if args else 0.0
    if isinstance(value, (str, bytes)):
        try:
            return float(value)
        except ValueError:
            raise Fault("ValueError") from None
    if value is None or isinstance(value, (tuple, slice, ListValue, DictValue, RangeValue, FunctionValue, DType)):
        raise Fault("TypeError")
    if isinstance(value, Sym):
        return Quotient(value, 1)
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, (InputTensor, HostArray)):
        return OF_CALLER if isinstance(value, InputTensor) else REAL
    return value if isinstance(value, (Unknown, Real)) else Unknown("a number that is made of something else")


@models("builtins.hash")
def _hash(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    raise IsUnknown("a hash")


@models("builtins.exit", "builtins.quit", "sys.exit")
def _exit(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    raise Fault("SystemExit")


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
    kinds = tuple(_types_in(kinds))
    if any(isinstance(kind, Instance) for kind in kinds):
        raise IsUnknown("`isinstance` of an object that says itself what its objects are")
    return any_of(_is_a(value, kind) for kind in kinds)


def _types_in(kinds: Any) -> Iterator[Any]:
    """The types that a tuple, or a union, of them names."""
    if isinstance(kinds, (tuple, TypeUnion)):
        for kind in kinds if isinstance(kinds, tuple) else kinds.kinds:
            yield from (None,) if kind is None and isinstance(kinds, TypeUnion) else _types_in(kind)
    else:
        yield Unknown("no type") if kinds is None else kinds


_instances = Table(lambda kind, value: Unknown("isinstance of a type that is not known"))
"""Whether a value is of a type, by what stands for the type."""


def _is_a(value: Any, kind: Any) -> Any:
    if kind is None:
        return value is None
    return _instances.entry(type(kind))(kind, value)


@_instances.of(ClassValue)
def _of_class(kind: ClassValue, value: Any) -> Any:
    if kind.kind == "typed dict":
        raise Fault("TypeError")
    if isinstance(value, (Instance, SomeMember)) and kind in value.cls.mro():
        return True
    if _asks_for_members(kind):
        return Unknown(f"isinstance of `{kind.name}`, which others may be taken for")
    if not isinstance(value, (Instance, SomeMember)):
        return False
    unknown = any(isinstance(base, Unknown) for each in value.cls.mro() for base in each.bases)
    return Unknown(f"the bases of `{value.cls.name}`") if unknown or _poses(value.cls) else False


def _asks_for_members(cls: ClassValue) -> bool:
    """Whether classes that do not derive from a class may pass for its subclasses: by what they have, or by a hook."""
    protocol = any(isinstance(base, External) and base.name in _PROTOCOLS for c in cls.mro() for base in c.bases)
    return protocol or cls.lookup("__subclasshook__") is not None


_PROTOCOLS = frozenset({"typing.Protocol", "typing_extensions.Protocol"})


def _poses(cls: ClassValue) -> bool:
    """Whether objects of a class may say that they are of another one."""
    return any(cls.lookup(name) is not None for name in ("__class__", "__getattribute__"))


@_instances.of(Native)
def _of_builtin(kind: Native, value: Any) -> Any:
    accepted = _TYPES.get(kind.name)
    if accepted is None:
        return Unknown(f"isinstance of `{kind.name}`")
    if kind.name == "int" and isinstance(value, InputTensor):
        return "number" in value.cell or (value.is_number and value.view is None)
    if isinstance(value, (Instance, SomeMember)) and kind.name != "object":
        return _of_builtin_base(kind, value.cls)
    if isinstance(value, LongTuple):
        return kind.name in ("tuple", "object")
    if isinstance(value, (ListValue, DictValue)) and accepted in (ListValue, DictValue):
        return value.kind == kind.name or (value.kind in _DICTS and kind.name == "dict")
    return isinstance(value, accepted)


_DICTS = frozenset({"Counter", "OrderedDict", "defaultdict"})


def _of_builtin_base(kind: Native, cls: ClassValue) -> Any:
    """Whether objects of a class are of a built-in type that it derives from."""
    bases = [base for each in cls.mro() for base in each.bases if not isinstance(base, ClassValue)]
    if kind in bases or (cls.kind == "namedtuple" and kind.name == "tuple"):
        return True
    names = [base.name for base in bases if isinstance(base, External)]
    if (cls.is_integer and kind.name == "int") or ("enum.StrEnum" in names and kind.name == "str"):
        return True
    plain = all(name.startswith(("enum.", "builtins.", "abc.", "typing.")) for name in names)
    closed = plain and not _poses(cls) and not any(isinstance(b, Native) and b.name != "object" for b in bases)
    return False if closed and not any(isinstance(b, Unknown) for b in bases) else Unknown(f"the bases of `{cls.name}`")


@_instances.of(Api)
def _of_api(kind: Api, value: Any) -> Any:
    if kind.name.rpartition(".")[2] in ("NkiTensor", "tensor"):
        return isinstance(value, (View, InputTensor))
    return Unknown(f"isinstance of `{kind.name}`")


@_instances.of(External)
def _of_external(kind: External, value: Any) -> Any:
    leaf = kind.name.rpartition(".")[2]
    if leaf in ("Enum", "IntEnum") and (leaf == "Enum" or not isinstance(value, (SomeMember, Instance))):
        return isinstance(value, SomeMember) or (isinstance(value, Instance) and value.cls.kind == "enum")
    if isinstance(value, (Instance, SomeMember)):
        bases = [b for c in value.cls.mro() for b in c.bases if not isinstance(b, ClassValue)]
        return kind in bases or Unknown(f"isinstance of `{kind.name}`")
    python = _python_type(value)
    if python is not None:
        package = kind.name.rpartition(".")[0].replace("typing", "collections.abc")
        if package in ("collections.abc", "numbers"):
            abstract = getattr(importlib.import_module(package), leaf, None)
            if isinstance(abstract, type):
                return issubclass(python, abstract)
        return False if kind.name.partition(".")[0] in _OF_ARRAYS else Unknown(f"isinstance of `{kind.name}`")
    return Unknown(f"isinstance of `{kind.name}`")


def _python_type(value: Any) -> type | None:
    """The type that a value has in Python, of one that is no object of the project's."""
    if isinstance(value, (ListValue, DictValue)):
        found = getattr(builtins, value.kind, None) or getattr(collections, value.kind)
        return found if isinstance(found, type) else None
    if isinstance(value, (Sym, Cond)):
        return bool if isinstance(value, Cond) else int
    return type(value) if isinstance(value, (int, float, str, bytes, tuple)) or value is None else None


_OF_ARRAYS = frozenset({"jax", "ml_dtypes", "numpy", "torch"})
"""Packages whose classes plain values are no instances of."""


@models("builtins.type")
def _type(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if len(args) == 3:
        return _made_class(*args)
    (value,) = args
    if isinstance(value, (Instance, ExceptionValue)):
        return value.cls
    if isinstance(value, Unknown):
        return with_classes(value)
    if isinstance(value, (bool, Cond)):
        return native("bool")
    if isinstance(value, (ListValue, DictValue)):
        known = value.kind in ("list", "dict", "set", "frozenset")
        return native(value.kind) if known else Unknown(f"type of a {value.kind}")
    for name in ("int", "float", "str", "tuple"):
        if isinstance(value, _TYPES[name]):
            return native(name)
    return Unknown(f"type of {in_words(value)}")


def _made_class(name: str, bases: tuple[Any, ...], content: DictValue) -> ClassValue:
    """`type(name, bases, content)`, where nothing takes part in the making."""
    plain = all(isinstance(b, ClassValue) and b.kind == "class" and not is_open(b) for b in bases)
    functions = any(isinstance(value, (FunctionValue, Instance)) for value in content.items.values())
    if not plain or functions or any(b.lookup("__init_subclass__") is not None for b in bases):
        raise IsUnknown("a class that `type` makes")
    return ClassValue(name, bases, Cell(content.items), ModuleValue("builtins", None))


@models("builtins.issubclass")
def _issubclass(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    cls, kinds = args
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(cls, ClassValue) or not all(isinstance(kind, ClassValue) for kind in kinds):
        raise IsUnknown("`issubclass` of classes that are not known")
    if any(kind in cls.mro() for kind in kinds):
        return True
    if is_open(cls) or any(map(_asks_for_members, kinds)):
        raise IsUnknown(f"the bases of `{cls.name}`")
    return False


@models("builtins.print", keywords=("sep", "end", "file", "flush"))
def _print(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    for value in args:
        if isinstance(value, Instance):
            own_text(machine, value)
    between = [kwargs[name] for name in ("sep", "end") if name in kwargs]
    if not all(text is None or isinstance(text, (str, Text)) for text in between):
        raise IsUnknown("a text between what is printed that is none")
    if not isinstance(kwargs.get("file"), (External, type(None))):
        raise IsUnknown("a file that is not known")
    return None


@models("builtins.help", "builtins.breakpoint")
def _nothing(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return None


@models("builtins.callable")
def _callable(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (value,) = args
    if isinstance(value, Instance):
        return value.cls.lookup("__call__") is not None or (Unknown("`callable`") if is_open(value.cls) else False)
    if isinstance(value, (FunctionValue, BoundMethod, Native, Partial, ClassValue, Api)):
        return True
    plain = isinstance(value, (int, float, str, tuple, ListValue, DictValue, Sym, Cond)) or value is None
    return False if plain else Unknown("`callable` of a value that is not known")


@models("builtins.super")
def _super(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return Unknown("`super()`")


@models(
    "builtins.object",
    "builtins.complex",
    "builtins.id",
    "builtins.open",
    "builtins.input",
    "builtins.exec",
    "builtins.eval",
    "builtins.globals",
    "builtins.locals",
    "builtins.bytes",
    "builtins.bytearray",
    "builtins.memoryview",
    "builtins.compile",
    "builtins.dir",
    "builtins.aiter",
    "builtins.anext",
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
    "int": (int, Sym, Cond),
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
