"""`enum`."""

from __future__ import annotations

from typing import Any

from ...state.machine import Machine
from ...state.protocols import Args, Keywords
from ...values.objects import Instance
from .registry import marker, models


@models("enum.auto")
def _auto(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return Instance(marker("auto"), {})
