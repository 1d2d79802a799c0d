"""Environment variables: none is set, which the report says of kernels whose modules ask."""

from __future__ import annotations

from typing import Any

from nkilint_rules.words.conditions import Unknown

from ...state.machine import VARIABLES_SET, Machine
from ...state.protocols import Args, Keywords
from ...values.containers import DictValue, ListValue
from .registry import models


@models("os.environ.get", "os.getenv", keywords=("default",))
def _get(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return _asked(machine, args[1] if len(args) > 1 else kwargs.get("default"))


@models("os.environ.keys", "os.environ.values", "os.environ.items")
def _all(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return _asked(machine, ListValue([]))


@models("os.environ.copy")
def _copy(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return _asked(machine, DictValue())


def _asked(machine: Machine, value: Any) -> Any:
    """`value`, as long as nothing can have set variables."""
    return Unknown(VARIABLES_SET) if machine.in_kernel and machine.variables_set else value
