"""Python's built-in functions on attributes of objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint_rules.words.conditions import IsUnknown, Unknown, any_of

from ...device.api import resolve
from ...state import joining, protocols
from ...state.idle_facts import WHICH
from ...state.machine import Fault, Machine
from ...state.paths import Flow, branch, raises
from ...state.protocols import Args, Keywords, get_attribute, set_attribute
from ...values.cells import MISSING, Cell, Missing
from ...values.choices import Text, Unbound, among
from ...values.containers import DictValue, ListValue
from ...values.inheritance import ANYTHING
from ...values.inputs import InputTensor
from ...values.objects import RESULT, Api, ClassValue, External, FunctionValue, Instance, ModuleValue
from ...values.tensors import View
from ..blocks import attempt
from ..exceptions import meets
from ..types.objects import is_open
from ..types.slots import has_variables
from .external import lacks
from .registry import models


@models("builtins.hasattr")
def _hasattr(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value, name = args
    if isinstance(value, Instance) and isinstance(name, str):
        found = value.cls.find(name)
        making = any(value.cls.lookup(each) is not None for each in ("__getattr__", "__getattribute__"))
        if ANYTHING in value.attrs or making or isinstance(found, (Instance, Unknown)) or hasattr(object, name):
            protocols.escape(machine, [value], "`hasattr` of an object that makes its attributes")
            return Unknown("`hasattr` of an object that makes its attributes")
        if found is MISSING and (name in ("__dict__", "__weakref__") or is_open(value.cls)):
            return name in value.attrs or Unknown(f"`hasattr` of `{name}`")
        own = value.attrs.get(name)
        if found is not MISSING and (there := value.cls.has(name)) is not True:
            return any_of((there, own.defined)) if isinstance(own, Unbound) else name in value.attrs or there
        return found is not MISSING or (own.defined if isinstance(own, Unbound) else name in value.attrs)
    if isinstance(value, (View, InputTensor)):
        return name in ("shape", "dtype", "ndim")
    if value is None and isinstance(name, str):
        return hasattr(None, name)
    if isinstance(value, External) and isinstance(name, str) and _lacks(machine, value, name):
        return False
    if isinstance(value, Api) and isinstance(name, str):
        return not isinstance(resolve(machine, value.dialect, f"{value.name}.{name}", None), Unknown)
    if isinstance(value, _BUILT_IN) and isinstance(name, str):
        missing = object()
        return _of_built_in(machine, value, name, missing) is not missing
    return Unknown("`hasattr` of a value that is not known")


_BUILT_IN = (str, tuple, ListValue, DictValue, Text)
"""Values whose attributes are those of their type in Python."""


def _of_built_in(machine: Machine, value: Any, name: str, default: Any) -> Any:
    around, machine.trusting = machine.trusting, True  # that there is none is an answer
    try:
        return get_attribute(machine, value, name, ir.Attr(machine.at, ir.Const(machine.at, None), name))
    except Fault as fault:
        if fault.raised != "AttributeError":
            raise
        return default
    finally:
        machine.trusting = around


def _lacks(machine: Machine, value: Any, name: str) -> bool:
    """Whether it is sure that an object, a class or a module has no such attribute."""
    if isinstance(value, External):
        return lacks(machine, value, name)
    if isinstance(value, Instance):
        return name not in value.attrs and ANYTHING not in value.attrs and _lacks(machine, value.cls, name)
    if value is None:
        return not hasattr(None, name)
    known = isinstance(value, ClassValue) and all(isinstance(b, ClassValue) for c in value.mro() for b in c.bases)
    return known and value.find(name) is MISSING and value.lookup("__getattr__") is None


@models("builtins.getattr")
def _getattr(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if not isinstance(args[1], str):
        return Unknown("`getattr` with a name that is not known")
    value, name = args[0], args[1]
    if len(args) > 2:
        own = value.attrs.get(name) if isinstance(value, (Instance, FunctionValue)) else None
        if isinstance(own, Unbound) and (isinstance(value, FunctionValue) or _lacks(machine, value.cls, name)):
            return joining.join(machine, own.defined, own.value, args[2], name)
        if _lacks(machine, value, name):
            return args[2]
        if isinstance(value, _BUILT_IN):
            return _of_built_in(machine, value, name, args[2])
    node = ir.Attr(machine.at, ir.Const(machine.at, None), name)
    plain = isinstance(value, (Instance, ClassValue)) and not isinstance(
        value.attrs.get(name, MISSING), (Missing, Unbound)
    )
    if len(args) > 2 and isinstance(value, (Instance, ClassValue, View, InputTensor)) and not plain:
        return _or(machine, lambda: get_attribute(machine, value, name, node), args[2])
    return get_attribute(machine, value, name, node)


def _or(machine: Machine, look: Callable[[], Any], default: Any) -> Any:
    """What a look at an attribute gives, or a default where the code that it runs says that there is none."""
    result = Cell()
    missing = External("builtins.AttributeError")

    def body() -> Flow:
        try:
            machine.set(result, RESULT, look())
        except Fault as fault:
            return raises(machine, fault.raised)
        return Flow.NEXT

    def absent() -> Flow:
        machine.set(result, RESULT, default)
        return Flow.NEXT

    def handle(raised: Any) -> Flow:
        met = meets(raised, missing)
        if met is not None:
            return absent() if met else raises(machine, raised)
        which = machine.undecided(f"line {machine.at.row}: {WHICH}")
        return branch(machine, which, absent, lambda: raises(machine, raised))

    flow = attempt(
        machine, machine.at, body, lambda: Flow.NEXT, handle, lambda raised: meets(raised, missing) is not False
    )
    if flow is not Flow.NEXT:
        raise Fault(machine.raising)
    return result[RESULT]


@models("builtins.setattr")
def _setattr(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if not isinstance(args[1], str):
        raise IsUnknown("`setattr` with a name that is not known")
    set_attribute(machine, args[0], args[1], args[2])


@models("builtins.delattr")
def _delattr(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if not isinstance(args[1], str):
        raise IsUnknown("`delattr` with a name that is not known")
    protocols.delete_attribute(machine, args[0], args[1])


@models("builtins.vars")
def _vars(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if not args or not isinstance(args[0], (Instance, ModuleValue)):
        return among("`vars` of something that is not followed", *args)
    if isinstance(args[0], Instance) and not has_variables(args[0].cls) and args[0].cls.lookup("__dict__") is None:
        raise Fault("TypeError")
    return get_attribute(machine, args[0], "__dict__", ir.Attr(machine.at, ir.Const(machine.at, None), "__dict__"))
