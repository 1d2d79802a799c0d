"""Attributes of objects and classes of the project."""

from __future__ import annotations

import enum
import inspect
from functools import partial
from typing import Any

from nkilint.base import ir
from nkilint_rules.language.undefined_name import UndefinedName
from nkilint_rules.words.conditions import IsUnknown, Unknown, negation

from ...state import protocols
from ...state.machine import Fault, Machine, Stop, explained
from ...state.paths import Flow, frame, is_handled, one_of_two, raises_where
from ...state.protocols import Args, Keywords
from ...state.refusals import refused
from ...values.cells import MISSING
from ...values.choices import Among, Either, Unbound, among, settled
from ...values.containers import DictValue
from ...values.inheritance import ANYTHING
from ...values.inputs import MADE_FOR_TENSORS
from ...values.objects import (
    BORROWED,
    AttributesValue,
    BoundMethod,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Native,
    Super,
)
from ...values.wording import in_words
from ..exceptions import meets
from .objects import fill, is_exception, is_open, made_plainly, outer_bases
from .slots import has_slots, has_variables, may_be_set


@protocols.attributes.of(Instance)
def _attribute(machine: Machine, value: Instance, name: str, node: ir.Attr) -> Any:
    if value.cls.kind == "property" and name in _OF_PROPERTIES:
        return _part_of_property(value, name)
    if value.cls.lookup("__getattribute__") is not None:
        protocols.escape(machine, [value], f"attribute `{name}`, which `{value.cls.name}` looks up itself")
        return among(f"attribute `{name}`, which `{value.cls.name}` looks up itself", value)
    found = value.cls.find(name)
    if isinstance(found, Instance) and _goes_first(found.cls):
        return _described(machine, value, name, found)
    if name in value.attrs:
        if _may_describe(value.cls, name, found):
            protocols.escape(machine, [value, found], found.reason)
            return among(found.reason, value, value.attrs[name])
        own = value.attrs[name]
        return _perhaps(machine, value, name, own) if isinstance(own, Unbound) else own
    if ANYTHING in value.attrs:
        return among(settled(value.attrs[ANYTHING]).reason, value)  # it may be a method of it
    if name in ("__class__", "__dict__") and value.cls.kind not in _OF_PROJECTS:
        raise IsUnknown(f"`{name}` of a {value.cls.kind}")
    if found is MISSING and name == "__class__":
        return value.cls
    if found is MISSING and name == "__dict__" and has_variables(value.cls):
        return _variables(value)
    if found is MISSING:
        getter = value.cls.lookup("__getattr__")
        if getter is not None:
            return protocols.call(machine, getter, [value, name], {})
        if outer_bases(value.cls) and not _is_no_field(value.cls, name):
            return BoundMethod(value, name) if name in ("_replace", "_asdict") else among(f"attribute `{name}`", value)
        if value.cls.kind in ("namedtuple", "enum", "dataclass") and name in ("_replace", "_asdict", "index"):
            return BoundMethod(value, name)
        if is_handled(machine, "AttributeError") and not hasattr(object, name):
            raise Fault("AttributeError")
        said = f"`{value.cls.name}` has no attribute `{name}`"
        if _may_have(machine, value, name):
            return Unknown(said)
        machine.need(UndefinedName.attribute(name=name, owner=value.cls.name), False, node.at)
        return explained(said)
    _check_there(machine, value.cls, name)
    if isinstance(found, Among) and any(isinstance(each, FunctionValue) for each in found.values):
        protocols.escape(machine, [value, found], found.reason)  # it may describe the attribute
    if is_open(value.cls) and not isinstance(found, (FunctionValue, Native, Instance)):
        return among(f"`{name}`, which a base of `{value.cls.name}` may set", value, found)
    return _described(machine, value, name, found) if isinstance(found, Instance) else bind(machine, found, value, name)


def _may_have(machine: Machine, value: Instance, name: str) -> bool:
    """Whether an object may have an attribute all the same of which nothing is known."""
    return (
        value.supposed
        or MADE_FOR_TENSORS in machine.memo  # it may be what such an object made
        or (value.cls.kind not in ("class", "dataclass") and not _is_no_field(value.cls, name))
        or is_open(value.cls)
        or name.startswith("__")
    )


def _is_no_field(cls: ClassValue, name: str) -> bool:
    """Whether a named tuple, which is nothing but that, has no such field."""
    plain = all(each.kind == "namedtuple" for each in cls.mro()) and not is_open(cls)
    return plain and not name.startswith("_") and not hasattr(tuple, name)


def _check_there(machine: Machine, cls: ClassValue, name: str) -> None:
    """Python raises AttributeError where a class has an attribute on some paths only, and this is another one."""
    there = cls.has(name)
    if there is True:
        return
    if cls.lookup("__getattr__") is not None or outer_bases(cls):
        raise IsUnknown(f"attribute `{name}`, which `{cls.name}` may lack")
    raises_where(machine, negation(there), "AttributeError")


def _variables(value: Instance) -> Any:
    """`__dict__` of an object."""
    doubt = f"the variables of an object of `{value.cls.name}`, which has slots or fields too"
    apart = has_slots(value.cls) or any(each.kind == "namedtuple" for each in value.cls.mro())
    return among(doubt, value) if apart or is_exception(value.cls) else AttributesValue(value)


def _described(machine: Machine, value: Instance, name: str, found: Instance) -> Any:
    """What the code of a class gives for an attribute; if that says that there is none, `__getattr__` is asked."""
    getter = value.cls.lookup("__getattr__")
    if getter is None:
        return bind(machine, found, value, name)
    facts, result = machine.facts, None
    lacks: bool | None = False
    with frame(machine, Flow.RAISE, lambda raised: meets(raised, _LACKING) is not False) as opened:
        try:
            result = bind(machine, found, value, name)
        except Fault as fault:
            lacks = meets(fault.raised, _LACKING)
            if lacks is False and not opened.exits:
                raise
        if opened.exits or lacks is None:
            machine.facts = facts
            reason = f"`{name}`, which `{value.cls.name}` may lack"
            protocols.escape(machine, [value], reason)
            raise IsUnknown(reason)
    return protocols.call(machine, getter, [value, name], {}) if lacks else result


_LACKING = External("builtins.AttributeError")


def _goes_first(cls: ClassValue) -> bool:
    """Whether an object of a class describes an attribute in place of what an object has itself."""
    describes = cls.lookup("__get__") is not None and (cls.lookup("__set__") or cls.lookup("__delete__")) is not None
    return cls.kind == "property" or describes


_OF_PROPERTIES = {
    "fget": "getter",
    "fset": "setter",
    "fdel": "deleter",
    "getter": "getter",
    "setter": "setter",
    "deleter": "deleter",
}
"""Attributes of a property, by the function of it that each is or replaces."""


def _part_of_property(value: Instance, name: str) -> Any:
    """A function of a property, or what makes a property with another one."""
    part = _OF_PROPERTIES[name]
    if part != name:
        return value.attrs.get(part)
    return Native(
        name, lambda machine, args, kwargs: Instance(value.cls, {**value.attrs, part: args[0]}, value.supposed)
    )


_OF_PROJECTS = ("class", "dataclass", "enum", "namedtuple")
"""Kinds of classes whose objects have their attributes in a dict."""


def _may_describe(cls: ClassValue, name: str, found: Any) -> bool:
    """Whether what a class has under a name is not known, and may say itself what its objects have; the default of a
    field is taken to be a value."""
    is_field = cls.kind == "dataclass" and any(name == field for field, _ in cls.fields)
    return isinstance(found, Unknown) and not isinstance(found, Either) and not is_field


def _perhaps(machine: Machine, value: Instance, name: str, own: Unbound) -> Any:
    """An attribute that an object may lack: then it is that of its class."""
    if machine.truth(own.defined):
        return own.value
    found = value.cls.find(name)
    if found is MISSING and value.cls.lookup("__getattr__") is None and not outer_bases(value.cls):
        raises_where(machine, negation(own.defined), "AttributeError")
        return own.value
    lacking = Unknown(f"`{name}`, which an object of `{value.cls.name}` may lack")

    def inherited() -> Any:
        return lacking if found is MISSING else bind(machine, found, value, name)

    return one_of_two(machine, own.defined, lambda: own.value, inherited, name)


def bind(machine: Machine, found: Any, receiver: Any, name: str = "") -> Any:
    """An attribute found in a class by its name, seen from an instance of it."""
    if isinstance(found, FunctionValue):
        return BoundMethod(receiver, found)
    if isinstance(found, Instance) and found.cls.kind in ("property", "cached_property"):
        if isinstance(receiver, ClassValue):
            return found
        getter = found.attrs.get("getter")
        if getter is None:
            raise Fault("AttributeError")
        value = protocols.call(machine, getter, [receiver], {})
        if found.cls.kind == "cached_property" and isinstance(receiver, Instance):
            machine.set(receiver.attrs, name or getter.name, value)
        return value
    if isinstance(found, Instance) and found.cls.kind == "staticmethod":
        return found.attrs["getter"]
    if isinstance(found, Instance) and found.cls.kind == "classmethod":
        return BoundMethod(receiver.cls if isinstance(receiver, Instance) else receiver, found.attrs["getter"])
    if isinstance(found, Native):
        return BoundMethod(receiver, found)
    if isinstance(found, Instance) and found.cls.lookup("__get__") is not None:
        seen = (None, receiver) if isinstance(receiver, ClassValue) else (receiver, receiver.cls)
        return protocols.call(machine, found.cls.lookup("__get__"), [found, *seen], {})
    return among(found.reason, receiver, found) if isinstance(found, Unknown) else found


@protocols.attributes.of(ClassValue)
def _attribute_of_class(machine: Machine, cls: ClassValue, name: str, node: ir.Attr) -> Any:
    if name == "__name__":
        return settled(cls.attrs.get(ANYTHING, cls.name))
    if name == "__module__" and cls.module.ir is not None:
        return cls.module.name
    found = cls.find(name)
    if found is not MISSING:
        _check_there(machine, cls, name)
        if isinstance(found, Instance) and found.cls.kind in ("staticmethod", "classmethod"):
            return bind(machine, found, cls)
        return found if isinstance(found, (FunctionValue, Native)) else bind(machine, found, cls)
    if name == "__mro__" and not is_open(cls):
        return (*cls.mro(), External("builtins.object"))
    if cls.kind == "enum" and name == "__members__":
        return DictValue({k: v for k, v in cls.attrs.items() if isinstance(v, Instance) and v.cls is cls})
    if name in ("__init__", "_make"):
        return BoundMethod(cls, name)
    if cls.kind == "enum" and not (is_open(cls) or name.startswith("_") or hasattr(enum.Flag, name)):
        return refused(machine, "AttributeError", UndefinedName.attribute(owner=cls.name, name=name), node.at, cls)
    raise IsUnknown(f"`{cls.name}` has no attribute `{name}`")


@protocols.attributes.of(Super)
def _attribute_of_super(machine: Machine, value: Super, name: str, node: ir.Attr) -> Any:
    found = value.find(name)
    if name == "__init__" and isinstance(value.receiver, Instance):
        receiver, init = value.receiver, value.receiver.cls.initializer(value.owner)
        if isinstance(init, ClassValue):
            return Native(name, lambda machine, args, kwargs: fill(machine, receiver, init, args, kwargs, None))
        found = MISSING if init is None else init
    if (
        found is MISSING
        and name == "__init__"
        and isinstance(value.receiver, Instance)
        and is_exception(value.receiver.cls)
    ):
        return Native(name, partial(_note_arguments, value.receiver))
    if found is MISSING and name in ("__init__", "__post_init__"):
        return Native(name, lambda machine, args, kwargs: None)
    if found is MISSING and name == "__new__":
        return Native(name, made_plainly)
    return Unknown(f"attribute `{name}` of `super()`") if found is MISSING else bind(machine, found, value.receiver)


def _note_arguments(receiver: Instance, machine: Machine, args: Args, kwargs: Keywords) -> None:
    """What an exception does that is initialized: it keeps the arguments."""
    if kwargs:
        raise Fault("TypeError")
    machine.contain(*args)
    machine.set(receiver.attrs, "args", tuple(args))


@protocols.attributes_set.of(Instance)
def _set_attribute(machine: Machine, value: Instance, name: str, new: Any) -> None:
    own = value.cls.lookup("__setattr__")
    if own is not None:
        protocols.call(machine, own, [value, name, new], {})
        return
    if value.cls.kind == "enum" and name in ("name", "value"):
        raise Fault("AttributeError")
    if name in OF_OBJECTS:
        set_what_it_is(machine, value, name, new)
        return
    setter = value.cls.lookup(name)
    if isinstance(setter, Instance) and setter.cls.kind == "property":
        if setter.attrs.get("setter") is None:
            raise Fault("AttributeError")
        protocols.call(machine, setter.attrs["setter"], [value, new], {})
        return
    if isinstance(setter, Instance) and setter.cls.lookup("__set__") is not None:
        protocols.call(machine, setter.cls.lookup("__set__"), [setter, value, new], {})
        return
    if _is_fixed(value.cls, name):
        _refuse(machine, value, name)
        return
    if not may_be_set(value.cls, name):
        raise Fault("AttributeError")
    if _may_describe(value.cls, name, setter):
        protocols.escape(machine, [value, new, setter], setter.reason)
    machine.contain(new)
    machine.set(value.attrs, name, new)


OF_OBJECTS = frozenset({"__class__", "__dict__"})
"""Attributes that say what an object is, and what it has."""


def set_what_it_is(machine: Machine, value: Instance, name: str, new: Any) -> None:
    """An object gets another class, or other variables, which something else may hold, too."""
    if name == "__class__":
        raise Stop("an object gets another class")
    protocols.escape(machine, [value, new], "an object gets other variables")


def _is_fixed(cls: ClassValue, name: str) -> bool:
    """Whether an attribute stays what it is: an item of a named tuple, a field of a frozen record, and whatever an
    object of the very class has that is frozen."""
    for base in cls.mro():
        frozen = base.options.get("frozen", False) if base.kind == "dataclass" else False
        fixed = frozen is not False and (base is cls or any(name == field for field, _ in base.fields))
        if fixed and frozen is not True:
            raise IsUnknown(f"whether `{base.name}` is frozen")
        if fixed or (base.kind == "namedtuple" and any(name == item for item, _ in base.fields)):
            return True
    return False


def _refuse(machine: Machine, value: Instance, name: str) -> None:
    said = UndefinedName.fixed(owner=in_words(value), name=name)
    machine.doubt(refused(machine, "AttributeError", said, None, value).reason)


@protocols.attributes_set.of(ClassValue)
def _set_attribute_of_class(machine: Machine, value: ClassValue, name: str, new: Any) -> None:
    if value.kind == "enum" and isinstance(value.attrs.get(name), Instance):
        raise Fault("AttributeError")  # a member stays what it is
    if name in _OF_TYPES:
        protocols.escape(machine, [value, new], f"setting `{name}` of a class")
    else:
        machine.set(value.attrs, name, new)


_OF_TYPES = frozenset(name for name, kind in vars(type).items() if inspect.isdatadescriptor(kind))
"""What a class has by being a class, and not for its objects."""


@protocols.attributes_deleted.of(Instance)
def _delete_attribute(machine: Machine, value: Instance, name: str) -> None:
    deleter = value.cls.lookup("__delattr__")
    if deleter is not None:
        protocols.call(machine, deleter, [value, name], {})
        return
    if name in getattr(value.attrs, "borrowed", ()):
        raise IsUnknown(BORROWED)
    found = value.cls.lookup(name)
    if isinstance(found, Instance) and found.cls.kind == "property":
        if found.attrs.get("deleter") is None:
            raise Fault("AttributeError")
        protocols.call(machine, found.attrs["deleter"], [value], {})
        return
    if isinstance(found, Instance) and found.cls.lookup("__delete__") is not None:
        protocols.call(machine, found.cls.lookup("__delete__"), [found, value], {})
        return
    if _is_fixed(value.cls, name):
        _refuse(machine, value, name)
        return
    if name not in value.attrs and ANYTHING not in value.attrs:
        raise Fault("AttributeError")
    if name not in value.attrs:
        machine.doubt(f"whether there is an attribute `{name}` to delete")
    if isinstance(own := value.attrs.get(name), Unbound):
        raises_where(machine, negation(own.defined), "AttributeError")
    machine.delete(value.attrs, name)
