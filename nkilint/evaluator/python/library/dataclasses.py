"""`dataclasses`."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.walk import walk
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...state.machine import Machine
from ...state.protocols import Args, Keywords
from ...values.containers import DictValue, ListValue
from ...values.objects import ClassValue, Instance
from ..types.objects import calls_of_kinds, instantiate
from .registry import ANY, Function, marker, models


def _record(value: Any) -> Instance:
    """A dataclass object, the argument of the functions of `dataclasses`."""
    if isinstance(value, Instance) and value.cls.fields:
        return value
    raise IsUnknown("a dataclass object that is not known")


@models("dataclasses.replace", keywords=ANY)
def _replaced(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    before = _record(args[0])
    if any(name not in before.attrs for name, _ in before.cls.fields):
        raise IsUnknown(f"a field of `{before.cls.name}` that is not set")
    given = {name: before.attrs[name] for name, _ in before.cls.fields}
    return instantiate(machine, before.cls, [], {**given, **kwargs}, None)


@models("dataclasses.asdict")
def _as_dict(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    before = _record(args[0])
    return DictValue({name: _plain(machine, before.attrs.get(name), _as_dict) for name, _ in before.cls.fields})


@models("dataclasses.astuple")
def _as_tuple(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    before = _record(args[0])
    return tuple(_plain(machine, before.attrs.get(name), _as_tuple) for name, _ in before.cls.fields)


def _plain(machine: Machine, value: Any, convert: Function) -> Any:
    """What becomes of a field's value, dataclass objects within it converted too."""
    if isinstance(value, Instance) and value.cls.kind == "dataclass":
        return convert(machine, [value], {})
    if isinstance(value, tuple):
        return tuple(_plain(machine, item, convert) for item in value)
    if isinstance(value, ListValue):
        return ListValue(_plain(machine, item, convert) for item in value.items)
    if isinstance(value, DictValue):
        return value.like({k: _plain(machine, item, convert) for k, item in value.items.items()})
    return value


@models(
    "dataclasses.dataclass",
    keywords=("frozen", "slots", "repr", "kw_only", "match_args", "order", "eq", "unsafe_hash"),
)
def _dataclass(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if args and isinstance(args[0], ClassValue):
        args[0].kind = "dataclass"
        return args[0]
    return Instance(marker("dataclass decorator"), {"options": dict(kwargs)})


def _decorate(machine: Machine, value: Instance, args: Args, kwargs: Keywords, node: Any) -> Any:
    """A call of `dataclass(...)`."""
    if not args or not isinstance(args[0], ClassValue):
        return None
    args[0].kind = "dataclass"
    args[0].options = value.attrs["options"]
    if args[0].options.get("slots", False) is not False:
        args[0].slots = _slots(args[0])
    return args[0]


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
    return Instance(marker("field"), dict(kwargs))
