"""`property`, `staticmethod` and `classmethod`."""

from __future__ import annotations

from typing import Any

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords
from ...values.objects import Instance
from ..types.objects import calls_of_kinds
from .registry import models, wrapper

for _kind in ("property", "staticmethod", "classmethod"):
    models(f"builtins.{_kind}")(wrapper(_kind))


def _with_setter(machine: Machine, value: Instance, args: Args, kwargs: Keywords, node: Any) -> Any:
    return Instance(value.cls, {**value.attrs, "setter": args[0]}) if args else None


def _wrapped(machine: Machine, value: Instance, args: Args, kwargs: Keywords, node: Any) -> Any:
    return protocols.call(machine, value.attrs["getter"], args, kwargs, node)


def _no_call(machine: Machine, value: Instance, args: Args, kwargs: Keywords, node: Any) -> Any:
    raise Fault("TypeError")


calls_of_kinds["property"] = _with_setter
calls_of_kinds["staticmethod"] = _wrapped
calls_of_kinds["classmethod"] = _no_call
