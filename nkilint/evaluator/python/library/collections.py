"""`collections`."""

from __future__ import annotations

from typing import Any

from ...state.machine import Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.cells import MISSING
from ...values.containers import DictValue, ListValue
from ...values.objects import ClassValue, ModuleValue
from .registry import models


@models("collections.namedtuple")
def _namedtuple(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    names = args[1].replace(",", " ").split() if isinstance(args[1], str) else items_of(machine, args[1])
    cls = ClassValue(str(args[0]), (), {}, ModuleValue("collections", None), "namedtuple")
    cls.fields = [(str(n), MISSING) for n in names]
    return cls


@models("collections.deque")
def _deque(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return ListValue(items_of(machine, args[0]) if args else ())


@models("collections.OrderedDict")
def _ordered_dict(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return DictValue(args[0].items if args and isinstance(args[0], DictValue) else {})
