"""`copy`."""

from __future__ import annotations

from typing import Any

from ...state.machine import Machine
from ...state.protocols import Args, Keywords
from ...values.containers import DictValue, ListValue
from ...values.inputs import TUPLES
from ...values.objects import Instance
from .registry import models


@models("copy.copy")
def _copied(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """A copy of a container; what is in it is shared."""
    value = args[0]
    if isinstance(value, ListValue):
        return ListValue(value.items)
    if isinstance(value, DictValue):
        return DictValue(value.items, value.kind)
    return Instance(value.cls, dict(value.attrs)) if isinstance(value, Instance) else value


@models("copy.deepcopy")
def _deeply_copied(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value = args[0]
    if type(value) in TUPLES:
        return tuple(_deeply_copied(machine, [item], {}) for item in value)
    if isinstance(value, ListValue):
        return ListValue(_deeply_copied(machine, [item], {}) for item in value.items)
    if isinstance(value, DictValue):
        return DictValue({k: _deeply_copied(machine, [v], {}) for k, v in value.items.items()}, value.kind)
    if isinstance(value, Instance) and value.cls.kind != "enum":
        return Instance(value.cls, {k: _deeply_copied(machine, [v], {}) for k, v in value.attrs.items()})
    return value
