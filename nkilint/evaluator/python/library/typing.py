"""`typing` and `abc`, whose functions hand on what they are given."""

from __future__ import annotations

from typing import Any

from nkilint_rules.words.conditions import IsUnknown

from ...state import protocols
from ...state.machine import Machine
from ...state.protocols import Args, Keywords
from ...values.containers import DictValue
from ...values.objects import AttributesValue, ClassValue, External, FunctionValue, Instance, ModuleValue, Native
from ..types.objects import ABSTRACT, describes, makers_of_kinds
from .registry import ANY, CONSTANTS, models, native

CONSTANTS["typing.TYPE_CHECKING"] = False


@models("abc.abstractmethod")
def _abstract_method(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (value,) = args
    for function in (value, *(value.attrs.values() if describes(value) else ())):
        if isinstance(function, FunctionValue):
            machine.set(function.attrs, ABSTRACT, True)
    return value


def _typed_dict(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """A plain dict: the class says what is in it, and Python asks for none of that."""
    return protocols.call(machine, native("dict"), args, kwargs)


makers_of_kinds["typed dict"] = _typed_dict


def _equal_namespaces(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    left, right = args
    if not isinstance(right, Instance) or right.cls is not _NAMESPACE:
        return External("builtins.NotImplemented")
    return protocols.equal(machine, *(DictValue(AttributesValue(each).items) for each in (left, right)))


_NAMESPACE = ClassValue(
    "SimpleNamespace", (), {"__eq__": Native("__eq__", _equal_namespaces)}, ModuleValue("types", None)
)


@models("types.SimpleNamespace", keywords=ANY)
def _namespace(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if args:
        raise IsUnknown("a namespace of what it is given, as only later versions of Python take it")
    machine.contain(*kwargs.values())
    return Instance(_NAMESPACE, dict(kwargs))


models("typing.cast")(lambda m, a, k: a[1])
