"""`copy`."""

from __future__ import annotations

from typing import Any

from nkilint_rules.words.conditions import IsUnknown

from ...state.machine import Machine
from ...state.protocols import Args, Keywords
from ...values.containers import DictValue, ListValue
from ...values.inputs import TUPLES
from ...values.iterators import IteratorValue
from ...values.objects import Instance
from .registry import models


@models("copy.copy")
def _copied(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """A copy of a container; what is in it is shared."""
    value = args[0]
    if isinstance(value, ListValue):
        return ListValue(value.items, value.kind, value.limit)
    if isinstance(value, DictValue):
        return value if value.kind == "frozenset" else DictValue(value.items, value.kind)
    if isinstance(value, IteratorValue) or (isinstance(value, Instance) and value.cls.lookup("__copy__") is not None):
        raise IsUnknown("a copy of an object that says how it is copied")
    return Instance(value.cls, dict(value.attrs)) if isinstance(value, Instance) else value


@models("copy.deepcopy")
def _deeply_copied(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value = args[0]
    if type(value) in TUPLES:
        return tuple(_deeply_copied(machine, [item], {}) for item in value)
    if isinstance(value, ListValue):
        items = tuple(_deeply_copied(machine, [item], {}) for item in value.items)
        return ListValue(items, value.kind, value.limit)
    if isinstance(value, DictValue):
        return DictValue({k: _deeply_copied(machine, [v], {}) for k, v in value.items.items()}, value.kind)
    if isinstance(value, Instance) and value.cls.kind != "enum":
        if any(value.cls.lookup(name) is not None for name in ("__deepcopy__", "__reduce__", "__reduce_ex__")):
            raise IsUnknown(f"a copy of an object of `{value.cls.name}`")
        return Instance(value.cls, {k: _deeply_copied(machine, [v], {}) for k, v in value.attrs.items()})
    if isinstance(value, slice):
        return slice(*(_deeply_copied(machine, [part], {}) for part in (value.start, value.stop, value.step)))
    if isinstance(value, IteratorValue):
        raise IsUnknown("a copy of an iterator")
    return value
