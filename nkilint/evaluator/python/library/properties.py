"""`property`, `staticmethod` and `classmethod`."""

from __future__ import annotations

from typing import Any

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords
from ...values.objects import Instance
from ..types.objects import calls_of_kinds
from .registry import marker, models, wrapper

for _kind in ("staticmethod", "classmethod"):
    models(f"builtins.{_kind}")(wrapper(_kind))


@models("builtins.property", keywords=("fget", "fset", "fdel", "doc"))
def _property(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    given = {**dict(zip(("fget", "fset", "fdel", "doc"), args, strict=False)), **kwargs}
    parts = {"getter": given.get("fget"), "setter": given.get("fset"), "deleter": given.get("fdel")}
    return Instance(marker("property"), parts)


def _wrapped(machine: Machine, value: Instance, args: Args, kwargs: Keywords, node: Any) -> Any:
    return protocols.call(machine, value.attrs["getter"], args, kwargs, node)


def _no_call(machine: Machine, value: Instance, args: Args, kwargs: Keywords, node: Any) -> Any:
    raise Fault("TypeError")


calls_of_kinds["staticmethod"] = _wrapped
calls_of_kinds["property"] = calls_of_kinds["classmethod"] = _no_call
