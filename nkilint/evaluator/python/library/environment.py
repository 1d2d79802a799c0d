"""Environment variables: none is set, which the report says of kernels whose modules ask."""

from __future__ import annotations

from typing import Any

from ...state.machine import Machine
from ...state.protocols import Args, Keywords
from ...values.containers import DictValue, ListValue
from .registry import models


@models("os.environ.get", "os.getenv", keywords=("default",))
def _get(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return args[1] if len(args) > 1 else kwargs.get("default")


models("os.environ.keys", "os.environ.values", "os.environ.items")(lambda machine, args, kwargs: ListValue([]))
models("os.environ.copy")(lambda machine, args, kwargs: DictValue())
