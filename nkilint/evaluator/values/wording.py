"""Values in the words of a user, for messages."""

from __future__ import annotations

from typing import Any

from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint_rules.operations.language_constants import MemoryRegion
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.names import Named
from nkilint_rules.words.tiles import Tile

from .containers import DictValue, ListValue, RangeValue
from .dtypes import FloatLimits, SymbolicDType
from .grids import Grid, MeshGrid
from .grown import LongTuple
from .host import HostArray
from .inputs import InputTensor, ShapeOf
from .instructions import Instruction
from .iterators import DictView, IteratorValue
from .numbers import Real
from .objects import (
    Api,
    BoundMethod,
    ClassValue,
    Environment,
    ExceptionValue,
    External,
    FunctionValue,
    Instance,
    KernelValue,
    Managed,
    ModuleValue,
    Native,
    Partial,
    SomeMember,
    Super,
    Suppressing,
)
from .table import Table
from .unions import TypeUnion

_TYPES = frozenset({"bool", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "object", "range", "set"})
_MORE_TYPES = frozenset({"slice", "str", "tuple", "type"})

words = Table(lambda value: "another value")
"""What a value of a type is, by the value."""


def in_words(value: Any) -> str:
    """What a value is: "the function `load`", "a tensor"."""
    return str(words.entry(type(value))(value))


def _always(said: str, *kinds: type) -> None:
    words.of(*kinds)(lambda value: said)


_always("None", type(None))
_always("a condition", Cond)
_always("an integer", int, Sym)
_always("a float", float, Real)
_always("a bool", bool)
_always("a complex number", complex)
_always("a string", str)
_always("bytes", bytes)
_always("`...`", type(...))
_always("a tuple", tuple, LongTuple)
_always("a range", RangeValue)
_always("a slice", slice)
_always("an iterator", IteratorValue)
_always("an index grid", Grid, MeshGrid)
_always("a dtype", DType, SymbolicDType)
_always("the limits of a dtype", FloatLimits)
_always("a memory", MemoryRegion)
_always("a tensor", Tile)
_always("an array of the host", HostArray)
_always("an instruction", Instruction)
_always("a context manager", Suppressing, Managed)
_always("a union of types", TypeUnion)
_always("`super()`", Super)
_always("variables", Environment)
_always("a value that is not known", Unknown)
words.of(ListValue)(lambda value: "a list" if value.kind == "list" else f"a {value.kind}")
words.of(DictValue)(lambda value: f"a {value.kind}")
words.of(DictView)(lambda value: f"the {value.kind} of a dict")
words.of(InputTensor)(lambda value: "a tensor" if "view" in value.cell else f"the parameter `{value.name}`")
words.of(ShapeOf)(lambda value: f"the shape of `{value.tensor.name}`")
words.of(ModuleValue)(lambda value: f"the module `{value.name}`")
words.of(External)(lambda value: f"`{value.name.removeprefix('builtins.')}`")
words.of(Named)(lambda value: f"`{value.leaf}`")
words.of(Api)(lambda value: f"`nki.{value.name}`" if value.name else "the module `nki`")
words.of(KernelValue)(lambda value: f"the kernel `{value.name}`")
words.of(Partial)(lambda value: f"a part of {in_words(value.function)}")
words.of(ClassValue)(lambda value: f"the class `{value.name}`")
words.of(SomeMember)(lambda value: f"a member of `{value.cls.name}`")
words.of(ExceptionValue)(lambda value: f"an exception {in_words(value.cls)}")


@words.of(FunctionValue)
def _function(value: FunctionValue) -> str:
    return f"the function `{value.name}`" if value.name.isidentifier() else "a lambda function"


@words.of(Native)
def _native(value: Native) -> str:
    name = value.name.rpartition(".")[2]
    return f"the {'type' if name in _TYPES | _MORE_TYPES else 'function'} `{name}`"


@words.of(BoundMethod)
def _method(value: BoundMethod) -> str:
    name = value.function if isinstance(value.function, str) else getattr(value.function, "name", "")
    return f"the method `{name}` of {in_words(value.receiver)}"


@words.of(Instance)
def _object(value: Instance) -> str:
    cls = value.cls
    if cls.kind == "enum" and isinstance(value.attrs.get("name"), str):
        return f"the member `{value.attrs['name']}` of `{cls.name}`"
    return f"an object of `{cls.name}`"
