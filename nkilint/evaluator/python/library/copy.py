"""`copy`."""

from __future__ import annotations

from typing import Any

from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...state.machine import Machine
from ...state.protocols import Args, Keywords
from ...values.containers import DictValue, ListValue
from ...values.grown import LongTuple
from ...values.inputs import TUPLES
from ...values.iterators import DictView, IteratorValue
from ...values.objects import BORROWED, External, Instance
from ..types.objects import is_open
from .registry import models


@models("copy.copy")
def _copied(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """A copy of a container; what is in it is shared."""
    value = args[0]
    if isinstance(value, ListValue):
        return ListValue(value.items, value.kind, value.limit)
    if isinstance(value, DictValue):
        return value if value.kind == "frozenset" else value.like(value.items)
    if isinstance(value, Instance) and value.cls.kind != "enum":
        return Instance(value.cls, dict(_attributes(value)), value.supposed)
    return _same(value)


@models("copy.deepcopy")
def deeply_copied(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (value,) = args
    return _Copier().copy(value)


class _Copier:
    """Makes one copy of each object, wherever it is met."""

    def __init__(self) -> None:
        self.made: dict[int, Any] = {}

    def copy(self, value: Any) -> Any:
        if type(value) in TUPLES:
            return tuple(self.copy(item) for item in value)
        if isinstance(value, slice):
            return slice(*map(self.copy, (value.start, value.stop, value.step)))
        if id(value) in self.made:
            return self.made[id(value)]
        made: Any
        if isinstance(value, ListValue):
            made = self.made[id(value)] = ListValue((), value.kind, value.limit)
            made.cell["items"] = tuple(map(self.copy, value.items))
        elif type(value) is DictValue:
            made = self.made[id(value)] = DictValue({}, value.kind, self.copy(value.factory))
            made.cell["items"] = {self.copy(k): self.copy(v) for k, v in value.items.items()}
        elif isinstance(value, Instance) and value.cls.kind != "enum":
            made = self.made[id(value)] = Instance(value.cls, {}, value.supposed)
            made.attrs.update({name: self.copy(each) for name, each in _attributes(value).items()})
        else:
            return _same(value)
        return made


_OWN_WAYS = (
    "__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__",
    "__getnewargs_ex__", "__new__",
)  # fmt: skip


_COPIED = ("class", "dataclass", "namedtuple")


def _attributes(value: Instance) -> dict[str, Any]:
    """What an object that says nothing of how it is copied has of its own."""
    if (
        value.cls.kind not in _COPIED
        or is_open(value.cls)
        or any(value.cls.lookup(name) is not None for name in _OWN_WAYS)
    ):
        raise IsUnknown(f"a copy of an object of `{value.cls.name}`")
    if getattr(value.attrs, "borrowed", ()):
        raise IsUnknown(BORROWED)
    return value.attrs


def _same(value: Any) -> Any:
    """What is no container is its own copy, where that is known."""
    if isinstance(value, (IteratorValue, Unknown, DictValue, DictView, External, LongTuple)):
        raise IsUnknown("a copy of something that is not known")
    return value
