"""Exceptions as values, and which handlers they meet."""

from __future__ import annotations

import builtins
from typing import Any

from nkilint.base import ir
from nkilint_rules.words.conditions import Unknown

from ..state import protocols
from ..state.machine import Machine
from ..values.choices import Unbound, among
from ..values.inheritance import ANYTHING
from ..values.objects import ClassValue, ExceptionValue, External, Instance

protocols.truths.of(ExceptionValue)(lambda machine, value, node: True)


@protocols.attributes.of(ExceptionValue)
def _attribute(machine: Machine, value: ExceptionValue, name: str, node: ir.Attr) -> Any:
    if ANYTHING in value.attrs:
        return among(value.attrs[ANYTHING].reason, value)
    if name in value.attrs:
        own = value.attrs[name]
        return Unknown(f"attribute `{name}` of an exception, which some paths set") if isinstance(own, Unbound) else own
    known = {"args": value.args, "__class__": value.cls}
    if name == "value" and value.cls.name == "builtins.StopIteration":
        return value.args[0] if value.args else None
    return known.get(name, Unknown(f"attribute `{name}` of an exception"))


@protocols.attributes_set.of(ExceptionValue)
def _set_attribute(machine: Machine, value: ExceptionValue, name: str, new: Any) -> None:
    machine.set(value.attrs, name, new)


@protocols.attributes_deleted.of(ExceptionValue)
def _delete_attribute(machine: Machine, value: ExceptionValue, name: str) -> None:
    reason = f"attribute `{name}` of an exception, which was deleted"
    machine.doubt(reason)
    machine.set(value.attrs, name, Unknown(reason))


def builtin_exception(value: Any) -> type[BaseException] | None:
    """The exception class of Python that a value stands for."""
    name = value.name if isinstance(value, External) else value if isinstance(value, str) else ""
    found = getattr(builtins, name.removeprefix("builtins."), None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


def class_of(raised: Any) -> Any:
    """The class of an exception that is raised as an object, as a class, or by the name of a built-in one."""
    if isinstance(raised, str):
        return External(f"builtins.{raised}")
    return raised.cls if isinstance(raised, (ExceptionValue, Instance)) else raised


def meets(raised: Any, kind: Any) -> bool | None:
    """Whether a handler for `kind` takes an exception; None where it is not known."""
    if isinstance(kind, tuple):
        found = [meets(raised, each) for each in kind]
        return True if True in found else None if None in found else False
    wanted, cls = builtin_exception(kind), class_of(raised)
    if wanted is BaseException or (wanted is Exception and not isinstance(cls, ClassValue)):
        own = builtin_exception(cls)
        return own is None or issubclass(own, wanted)
    if isinstance(cls, ClassValue):
        if isinstance(kind, ClassValue):
            return kind in cls.mro()
        bases = [base for each in cls.mro() for base in each.bases if not isinstance(base, ClassValue)]
        found = [meets(base, kind) for base in bases]
        return True if True in found else None if None in found or not isinstance(kind, External) else False
    own = builtin_exception(cls)
    if own is None:
        return None
    if isinstance(kind, ClassValue):
        return False
    return None if wanted is None else issubclass(own, wanted)
