"""Objects and classes of the project."""

from __future__ import annotations

from functools import partial
from typing import Any

from nkilint.base import ir
from nkilint.symbolic.conditions import Cond
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...state import joining, protocols
from ...state.machine import Fault, Machine, Stop
from ...state.paths import demand
from ...state.protocols import Args, Keywords, items_of, truth_of
from ...values.cells import MISSING
from ...values.choices import Unbound, among, as_one
from ...values.containers import DictValue
from ...values.inheritance import ANYTHING
from ...values.objects import (
    Api,
    ClassValue,
    Environment,
    External,
    FunctionValue,
    Instance,
    Native,
    Parameter,
    Super,
    member_number,
)
from ...values.wording import in_words


def as_parts(value: Instance) -> tuple[Any, ...] | None:
    """What the hash of a named tuple, or of a record that does not change, is made of: what it is equal by."""
    fields = value.cls.fields
    if any(name not in value.attrs or isinstance(value.attrs[name], Unbound) for name, _ in fields):
        return None
    if value.cls.kind == "namedtuple":
        return tuple(value.attrs[name] for name, _ in fields)
    options = value.cls.options
    plain = (
        value.cls.kind == "dataclass" and options.get("frozen") is True and not options.keys() & {"eq", "unsafe_hash"}
    )
    if not plain or any(isinstance(d, Instance) and d.attrs.keys() & {"compare", "hash"} for _, d in fields):
        return None
    return _RECORD, value.cls, *(value.attrs[name] for name, _ in fields)


_RECORD = object()  # no tuple of the program's has it


protocols.truths.of(ClassValue, Super)(lambda machine, value, node: True)


@protocols.truths.of(Instance)
def _truth(machine: Machine, value: Instance, node: ir.Expr) -> Any:
    """As `__bool__` or `__len__` say; objects of classes that are not all known may have either."""
    number = member_number(value)
    if number is not value:
        return truth_of(machine, number, node)
    method = value.cls.lookup("__bool__")
    if method is not None:
        found = protocols.call(machine, method, [value], {})
        if not isinstance(found, (bool, Cond, Unknown)):
            raise Fault("TypeError")
        return found
    if value.cls.lookup("__len__") is not None:
        return truth_of(machine, protocols.length_of(machine, value), node)
    if value.cls.kind == "namedtuple":
        return bool(value.cls.fields)
    if value.cls.kind == "enum" and value.cls.is_flag:
        return truth_of(machine, value.attrs.get("value"), node)
    return Unknown(f"truth of an object of `{value.cls.name}`") if is_open(value.cls) else True


@protocols.equalities.of(ClassValue, FunctionValue, Native, rank=-1)
def _equal_as_one(machine: Machine, left: Any, right: Any) -> Any:
    """Functions and classes are equal to themselves only, but for classes whose bases may say otherwise."""
    if any(isinstance(v, ClassValue) and is_open(v) for v in (left, right)) and left is not right:
        return Unknown(f"comparison of {in_words(left)} and {in_words(right)}")
    return joining.same(left, right) or protocols.is_another(left, right)


_PLAIN_BASES = frozenset({"abc", "builtins", "enum", "torch", "typing", "typing_extensions", "unittest"})
"""Packages whose classes leave what their subclasses set alone, and have no truth of their own."""


def is_open(cls: ClassValue) -> bool:
    """Whether a class may have methods that are not known, from bases outside the project."""
    return ANYTHING in cls.attrs or any(
        not (isinstance(base, Native) and base.name == "object")
        and not (isinstance(base, External) and base.name.partition(".")[0] in _PLAIN_BASES)
        for base in outer_bases(cls)
    )


def outer_bases(cls: ClassValue) -> list[Any]:
    """The bases that the project does not define, without that of the kernel language, which adds nothing to read."""
    bases = [base for each in cls.mro() for base in each.bases]
    return [base for base in bases if not isinstance(base, ClassValue) and not _is_of_kernels(base)]


def _is_of_kernels(base: Any) -> bool:
    return isinstance(base, Api) and base.name == "language.NKIObject"


def takes_fields(cls: ClassValue) -> bool:
    """Whether objects of a class are made of values for its fields."""
    return cls.kind in ("dataclass", "namedtuple") or _takes_any_fields(cls)


def _takes_any_fields(cls: ClassValue) -> bool:
    """Whether it is a class of the kernel language: what is not given is None, and what no field names is one then."""
    return any(_is_of_kernels(base) for each in cls.mro() for base in each.bases)


# --- calls ---


@protocols.calls.of(ClassValue)
def _call_class(
    machine: Machine, cls: ClassValue, args: Args, kwargs: Keywords, node: ir.Call | None, env: Environment | None
) -> Any:
    plain = {name: as_one(value) for name, value in kwargs.items()}
    return instantiate(machine, cls, [as_one(value) for value in args], plain, node)


@protocols.calls.of(Instance)
def _call_instance(
    machine: Machine, value: Instance, args: Args, kwargs: Keywords, node: ir.Call | None, env: Environment | None
) -> Any:
    args, kwargs = [as_one(each) for each in args], {name: as_one(each) for name, each in kwargs.items()}
    method = value.cls.lookup("__call__")
    if isinstance(method, FunctionValue):
        return protocols.call(machine, method, [value, *args], kwargs, node)
    made_by = calls_of_kinds.get(value.cls.kind)
    result = None if made_by is None else made_by(machine, value, args, kwargs, node)
    if result is not None:
        return result
    reason = f"call of an object of `{value.cls.name}`"
    protocols.escape(machine, [value, *args, *kwargs.values()], reason)
    return among(reason, value, *args, *kwargs.values())


calls_of_kinds: dict[str, Any] = {}
"""What calls do of objects that decorators make, by the kind of their class; None where it is not known."""


# --- making ---

makers_of_kinds: dict[str, Any] = {}
"""What calls of classes make that are no objects of these, by the kind of the class."""


def instantiate(machine: Machine, cls: ClassValue, args: Args, kwargs: Keywords, node: ir.Call | None) -> Any:
    """A new object of a class of the project."""
    if cls.kind == "enum":
        return _enum_member(machine, cls, args)
    if cls.kind in makers_of_kinds:
        return makers_of_kinds[cls.kind](machine, args, kwargs)
    if not isinstance(cls.lookup("__del__"), (Unknown, type(None))):
        raise Stop(f"`{cls.name}` does something when its objects end")
    maker = cls.lookup("__new__")
    if maker is not None:
        instance = _made_by(machine, cls, maker, args, kwargs, node)
        if not isinstance(instance, Instance) or cls not in instance.cls.mro():
            return instance
        cls = instance.cls
    else:
        if any(isinstance(base, (Native, External, Unknown)) for base in outer_bases(cls)):
            machine.doubts += not is_exception(cls)  # what it is made of may not do
            lacking = next(filter(partial(_is_abstract, cls), (n for c in cls.mro() for n in c.attrs)), None)
            if lacking is not None:
                _misfit(machine, cls, f"is abstract: it lacks `{lacking}`", node)
        instance = Instance(cls, {"args": tuple(args)} if is_exception(cls) else {})
    machine.contain(*args, *kwargs.values())
    init = cls.initializer()
    if isinstance(init, FunctionValue):
        given = protocols.call(machine, init, [instance, *args], kwargs, node)
        if given is not None and not isinstance(given, Unknown):
            raise Fault("TypeError")
    elif isinstance(init, ClassValue) or (init is None and takes_fields(cls)):
        fill(machine, instance, init or cls, args, kwargs, node)
    elif init is None and is_exception(cls):
        if kwargs:
            _misfit(machine, cls, "takes no keyword arguments", node)
    elif (args or kwargs or init is not None) and not (maker is not None and init is None):
        _hand_to_bases(machine, instance, init, args, kwargs, node)
    return instance


def _made_by(machine: Machine, cls: ClassValue, maker: Any, args: Args, kwargs: Keywords, node: ir.Call | None) -> Any:
    """What the `__new__` of a class gives."""
    function = maker.attrs.get("getter") if isinstance(maker, Instance) and maker.cls.kind == "staticmethod" else maker
    plain = cls.kind in ("class", "dataclass") and not any(map(_has_its_own_way, outer_bases(cls)))
    if isinstance(function, FunctionValue) and plain:
        found = protocols.call(machine, function, [cls, *args], kwargs, node)
        if not isinstance(found, Unknown):
            return found
    reason = maker.reason if isinstance(maker, Unknown) else f"`{cls.name}` makes its objects itself"
    protocols.escape(machine, [cls, *args, *kwargs.values()], reason)
    return Unknown(reason)


def _has_its_own_way(base: Any) -> bool:
    """Whether a base outside the project may make objects in another way than `object` does."""
    return not (isinstance(base, Native) and base.name == "object") and base not in _PLAIN_MAKERS


_PLAIN_MAKERS = (External("abc.ABC"), External("builtins.object"), External("typing.Generic"))


def made_plainly(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """`object.__new__(cls)`."""
    cls = args[0] if args else None
    if not isinstance(cls, ClassValue) or cls.kind not in ("class", "dataclass"):
        raise IsUnknown("`__new__` of what is no class of the project")
    if any(map(_has_its_own_way, outer_bases(cls))):
        raise IsUnknown(f"`{cls.name}`, which has a base that makes its objects itself")
    if kwargs or len(args) > 1:
        raise Fault("TypeError") if cls.lookup("__new__") is not None else IsUnknown("arguments for `object`")
    return Instance(cls, {})


def is_exception(cls: ClassValue) -> bool:
    """Whether a class is an exception of the project, which holds nothing but the arguments that it is made with and
    what is set."""
    bases = outer_bases(cls)
    return bool(bases) and all(isinstance(base, External) and base.name in _EXCEPTIONS for base in bases)


_EXCEPTIONS = frozenset(
    f"builtins.{name}"
    for name in (
        "ArithmeticError", "AssertionError", "BufferError", "Exception", "IndexError", "LookupError",
        "NotImplementedError", "OverflowError", "RecursionError", "RuntimeError", "TypeError", "ValueError",
        "ZeroDivisionError",
    )
)  # fmt: skip


def _is_abstract(cls: ClassValue, name: str) -> bool:
    """Whether objects of a class cannot be made, for a function that its subclasses are to define."""
    found = cls.lookup(name)
    functions = (found,) if isinstance(found, FunctionValue) else found.attrs.values() if describes(found) else ()
    return any(isinstance(f, FunctionValue) and f.attrs.get(ABSTRACT) is True for f in functions) and any(
        isinstance(base, External) and base.name in _ABSTRACT_BASES for base in outer_bases(cls)
    )


ABSTRACT = "__isabstractmethod__"
_ABSTRACT_BASES = frozenset({"abc.ABC", "typing.Protocol", "typing_extensions.Protocol"})


def describes(value: Any) -> bool:
    """Whether a value in the body of a class is a function that a decorator of Python's wraps."""
    return isinstance(value, Instance) and value.cls.kind in (
        "property",
        "cached_property",
        "staticmethod",
        "classmethod",
    )


def _hand_to_bases(
    machine: Machine, instance: Instance, init: Any, args: Args, kwargs: Keywords, node: ir.Call | None
) -> None:
    """What becomes of arguments that no function of the class takes."""
    cls = instance.cls
    outside = any(isinstance(base, External) for c in cls.mro() for base in c.bases)
    if is_open(cls) or init is not None:
        protocols.escape(machine, [init, *args, *kwargs.values()], f"a base of `{cls.name}` that is not followed")
    elif not outside:
        misfit = CallSignature.message(callee=cls.name, problem="takes no arguments")
        demand(machine, "TypeError", misfit, False, node.at if node else machine.at)
    if outside:
        instance.attrs.update({f"arg{position}": value for position, value in enumerate(args)})
        instance.attrs.update(kwargs)
    if init is not None:
        protocols.escape(machine, [instance], f"`__init__` of `{cls.name}`, which is no plain function")


def fill(
    machine: Machine, instance: Instance, cls: ClassValue, args: Args, kwargs: Keywords, node: ir.Call | None
) -> None:
    """What the initializer does that a class gets for its fields."""
    parameters = cls.parameters or tuple(Parameter(name, default, False, True) for name, default in cls.fields)
    taken = [p for p in parameters if field_option(p.default, "init") is not False]
    names, by_position = [p.name for p in taken], [p.name for p in taken if not p.by_keyword]
    given = {**dict(zip(by_position, args, strict=False)), **kwargs}
    lenient = _takes_any_fields(cls)
    unexpected = [k for k in kwargs if k not in names and not lenient]
    if len(args) > len(by_position) or unexpected:
        counted = f"takes {len(by_position)} arguments, {len(args)} given"
        _misfit(machine, cls, f"takes no argument `{unexpected[0]}`" if unexpected else counted, node)
    handed_on = []
    for each in parameters:
        if each.name in given:
            value = given[each.name]
        elif has_default(each.default):
            value = field_default(machine, each.default)
        elif each not in taken:
            continue
        elif lenient:
            value = None
        else:
            _misfit(machine, cls, f"is missing `{each.name}`", node)
            value = Unknown(f"`{each.name}` was not given")
        if each.stored and _is_set_otherwise(instance.cls, each.name):
            protocols.set_attribute(machine, instance, each.name, value)
        elif each.stored:
            instance.attrs[each.name] = value
        else:
            handed_on.append(value)
    instance.attrs.update({name: value for name, value in kwargs.items() if name not in names and lenient})
    post = instance.cls.lookup("__post_init__")
    if isinstance(post, FunctionValue):
        protocols.call(machine, post, [instance, *handed_on], {})


def _is_set_otherwise(cls: ClassValue, name: str) -> bool:
    """Whether code of the project takes part in setting an attribute."""
    found = cls.lookup(name)
    describes = isinstance(found, Instance) and (
        found.cls.kind == "property" or found.cls.lookup("__set__") is not None
    )
    return not cls.frozen and (describes or cls.lookup("__setattr__") is not None)


def _misfit(machine: Machine, cls: ClassValue, problem: str, node: ir.Call | None) -> None:
    misfit = CallSignature.message(callee=cls.name, problem=problem)
    demand(machine, "TypeError", misfit, False, node.at if node else machine.at)


def has_default(default: Any) -> bool:
    """Whether a field has one; `field(...)` may say so or not."""
    if isinstance(default, Instance) and default.cls.kind == "field":
        return not default.attrs.keys().isdisjoint(("default", "default_factory"))
    return default is not MISSING


def field_option(default: Any, name: str) -> Any:
    """What `field(...)` says of a dataclass field; None where it says nothing."""
    return default.attrs.get(name) if isinstance(default, Instance) and default.cls.kind == "field" else None


def field_default(machine: Machine, default: Any) -> Any:
    """The value of a dataclass field's default: `field(default_factory=...)` is called."""
    if isinstance(default, Instance) and default.cls.kind == "field":
        if default.attrs.get("default_factory") is not None:
            return protocols.call(machine, default.attrs["default_factory"], [], {})
        return default.attrs.get("default")
    return default


def _enum_member(machine: Machine, cls: ClassValue, args: list[Any]) -> Any:
    for member in cls.attrs.values():
        if isinstance(member, Instance) and args and is_value_of(machine, member, args[0]):
            return member
    return Unknown(f"a member of `{cls.name}`")


def is_value_of(machine: Machine, member: Instance, value: Any) -> bool:
    """Whether a member of an enumeration certainly stands for a value."""
    return protocols.equal(machine, member.attrs.get("value"), value) is True


# --- methods ---


@protocols.methods.of(Instance)
def _method(machine: Machine, receiver: Instance, name: str, args: Args, kwargs: Keywords, node: ir.Call | None) -> Any:
    if name == "_replace":
        if args or not kwargs.keys() <= {each for each, _ in receiver.cls.fields}:
            raise IsUnknown("`_replace` of what is no field")
        return Instance(receiver.cls, {**receiver.attrs, **kwargs}, receiver.supposed)
    return DictValue(receiver.attrs) if name == "_asdict" else Unknown(f"method `{name}` of `{receiver.cls.name}`")


@protocols.methods.of(ClassValue)
def _class_method(
    machine: Machine, receiver: ClassValue, name: str, args: Args, kwargs: Keywords, node: ir.Call | None
) -> Any:
    if name == "_make" and args:
        return instantiate(machine, receiver, items_of(machine, args[0]), {}, node)
    return Unknown(f"method `{name}` of {in_words(receiver)}")
