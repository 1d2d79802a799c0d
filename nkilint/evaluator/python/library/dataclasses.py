"""`dataclasses`."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.walk import walk
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords
from ...values.cells import MISSING
from ...values.choices import Unbound
from ...values.containers import DictValue, ListValue
from ...values.objects import ClassValue, External, Instance, Parameter
from ..types.objects import calls_of_kinds, field_default, field_option, has_default, instantiate, is_open
from .copy import deeply_copied
from .registry import ANY, Function, marker, models


def _record(value: Any) -> Instance:
    """A dataclass object, the argument of the functions of `dataclasses`."""
    if not isinstance(value, Instance) or (not _is_record(value.cls) and is_open(value.cls)):
        raise IsUnknown("a dataclass object that is not known")
    if not _is_record(value.cls):
        raise Fault("TypeError")
    if any(name not in value.attrs or isinstance(value.attrs[name], Unbound) for name, _ in value.cls.fields):
        raise IsUnknown(f"a field of `{value.cls.name}` that is not set")
    return value


def _is_record(cls: ClassValue) -> bool:
    return any(each.parameters is not None for each in cls.mro())


@models("dataclasses.is_dataclass")
def _asks_for_record(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (value,) = args
    cls = value.cls if isinstance(value, Instance) else value
    if not isinstance(cls, ClassValue):
        return (
            False
            if isinstance(cls, (int, float, str, tuple, ListValue, DictValue, Sym)) or cls is None
            else Unknown("`is_dataclass` of what is not known")
        )
    return _is_record(cls) or (Unknown(f"the bases of `{cls.name}`") if is_open(cls) else False)


@models("dataclasses.fields")
def _fields(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (value,) = args
    cls = value if isinstance(value, ClassValue) else _record(value).cls
    if not _is_record(cls):
        raise IsUnknown("the fields of a class that is no record")
    return tuple(_described(name, default) for name, default in cls.fields)


def _described(name: str, default: Any) -> Instance:
    """What `fields` says of a field."""
    said = dict(default.attrs) if isinstance(default, Instance) and default.cls.kind == "field" else {}
    if not said and default is not MISSING:
        said = {"default": default}
    none = External("dataclasses.MISSING")
    plain = {"default": none, "default_factory": none, "init": True, "repr": True, "compare": True, "hash": None}
    open_ones = {key: Unknown(f"`{key}` of a field") for key in ("type", "kw_only", "metadata")}
    return Instance(_FIELD, {"name": name, **open_ones, **plain, **said})


_FIELD = marker("Field")


@models("dataclasses.replace", keywords=ANY)
def _replaced(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    before = _record(args[0])
    given = dict(kwargs)
    for name, default in before.cls.fields:
        if field_option(default, "init") is not False:
            given.setdefault(name, before.attrs[name])
        elif name in kwargs:
            raise Fault("ValueError")
    for each in before.cls.parameters or ():
        if not each.stored and each.name not in given:
            if not has_default(each.default):
                raise Fault("ValueError")
            given[each.name] = field_default(machine, each.default)
    return instantiate(machine, before.cls, [], given, None)


@models("dataclasses.asdict")
def _as_dict(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    before = _record(args[0])
    return DictValue({name: _plain(machine, before.attrs[name], _as_dict) for name, _ in before.cls.fields})


@models("dataclasses.astuple")
def _as_tuple(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    before = _record(args[0])
    return tuple(_plain(machine, before.attrs[name], _as_tuple) for name, _ in before.cls.fields)


def _plain(machine: Machine, value: Any, convert: Function) -> Any:
    """What becomes of a field's value: dataclass objects within it are converted too, and all else is copied."""
    if isinstance(value, Instance) and _is_record(value.cls):
        return convert(machine, [value], {})
    if isinstance(value, Instance) and value.cls.kind == "namedtuple":
        parts = {name: _plain(machine, value.attrs[name], convert) for name, _ in value.cls.fields}
        return Instance(value.cls, {**value.attrs, **parts})
    if isinstance(value, tuple):
        return tuple(_plain(machine, item, convert) for item in value)
    if isinstance(value, ListValue) and value.kind == "list":
        return ListValue(_plain(machine, item, convert) for item in value.items)
    if isinstance(value, DictValue) and not value.is_set:
        return value.like({k: _plain(machine, item, convert) for k, item in value.items.items()})
    return deeply_copied(machine, [value], {})


@models(
    "dataclasses.dataclass",
    keywords=("frozen", "slots", "repr", "kw_only", "match_args", "order", "eq", "unsafe_hash"),
)
def _dataclass(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if args and isinstance(args[0], ClassValue):
        return _record_of(machine, args[0], {})
    return Instance(marker("dataclass decorator"), {"options": dict(kwargs)})


def _decorate(machine: Machine, value: Instance, args: Args, kwargs: Keywords, node: Any) -> Any:
    """A call of `dataclass(...)`."""
    if not args or not isinstance(args[0], ClassValue):
        return None
    return _record_of(machine, args[0], value.attrs["options"])


def _record_of(machine: Machine, cls: ClassValue, options: Keywords) -> ClassValue:
    """What the decorator makes of a class."""
    cls.kind, cls.options = "dataclass", options
    found = {p.name: p for base in reversed(cls.mro()[1:]) for p in base.parameters or ()}
    by_keyword = options.get("kw_only", False) is not False
    for name, annotation in cls.annotations.items():
        kind, default = _leaf(annotation), cls.attrs.get(name, MISSING)
        by_keyword = by_keyword or kind == "KW_ONLY"
        if kind not in ("ClassVar", "KW_ONLY"):
            own = field_option(default, "kw_only")
            found[name] = Parameter(name, default, by_keyword if own is None else bool(own), kind != "InitVar")
            if isinstance(default, Instance) and default.cls.kind == "field" and "default" in default.attrs:
                machine.set(cls.attrs, name, default.attrs["default"])
            elif isinstance(default, Instance) and default.cls.kind == "field":
                machine.forget(cls.attrs, name)
    cls.parameters = tuple(found.values())
    _check(machine, cls)
    cls.fields = [(p.name, p.default) for p in cls.parameters if p.stored]
    if options.get("slots", False) is not False:
        cls.slots = _slots(cls)
    return cls


def _check(machine: Machine, cls: ClassValue) -> None:
    """What Python refuses to make a record of, once for all its objects."""
    for each in cls.parameters or ():
        own = field_option(each.default, "default")
        default = each.default if own is None else own
        if isinstance(default, ListValue) or (isinstance(default, DictValue) and default.kind != "frozenset"):
            raise Fault("ValueError")  # all objects would share it
        if isinstance(default, Instance) and default.cls.parameters is not None and not default.cls.frozen:
            raise IsUnknown(f"the default of `{each.name}`, which versions of Python differ about")
    taken = [p for p in cls.parameters or () if not p.by_keyword and field_option(p.default, "init") is not False]
    optional = [has_default(p.default) for p in taken]
    bases = [base.frozen for base in cls.mro()[1:] if any(b.parameters is not None for b in base.mro())]
    unlike = bool(bases) and cls.options.get("frozen", False) is (not any(bases))
    if unlike or sorted(optional) != optional:
        raise Fault("TypeError")
    if cls.options.get("frozen", False) is True and not all(bases):
        raise IsUnknown("a frozen record of bases of both kinds, which versions of Python differ about")


def _leaf(annotation: ir.Expr) -> str:
    """The last name of what an annotation says first, such as `ClassVar` of `typing.ClassVar[int]`."""
    node = annotation.value if isinstance(annotation, ir.Index) else annotation
    if isinstance(node, ir.Const):
        return str(node.value).partition("[")[0].rpartition(".")[2].strip()
    return node.id if isinstance(node, ir.Name) else node.name if isinstance(node, ir.Attr) else ""


def _slots(cls: ClassValue) -> Any:
    """The names of the fields, where it is known what is one."""
    annotations = [node for each in cls.mro() for node in walk(tuple(each.annotations.values()))]
    plain = cls.options["slots"] is True and not any(map(_may_tell_no_field, annotations))
    return tuple(name for name, _ in cls.fields) if plain else Unknown("slots that are not known")


def _may_tell_no_field(node: ir.Node) -> bool:
    """Whether a part of an annotation is `ClassVar` or `InitVar`, or a text that may be."""
    name = node.id if isinstance(node, ir.Name) else node.name if isinstance(node, ir.Attr) else ""
    return name in ("ClassVar", "InitVar") or (isinstance(node, ir.Const) and "Var" in str(node.value))


calls_of_kinds["dataclass decorator"] = _decorate


@models(
    "dataclasses.field",
    keywords=("default", "default_factory", "repr", "compare", "hash", "init", "metadata", "kw_only"),
)
def _field(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if kwargs.keys() >= {"default", "default_factory"}:
        raise Fault("ValueError")
    return Instance(marker("field"), dict(kwargs))
