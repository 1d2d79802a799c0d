"""Environment variables: none is set, which the report says of kernels whose modules ask."""

from __future__ import annotations

from typing import Any

from nkilint_rules.words.conditions import Unknown

from ...state import protocols
from ...state.machine import Machine
from ...state.protocols import Args, Keywords
from ...values.containers import DictValue, ListValue
from ...values.objects import External
from .registry import models

CHANGED = Unknown("an environment variable that the program sets")


def _unless_set(machine: Machine, value: Any) -> Any:
    """`value`, unless the program sets variables itself."""
    return CHANGED if machine.modules.sets_variables else value


@models("os.environ.get", "os.getenv", keywords=("default",))
def _get(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return _unless_set(machine, args[1] if len(args) > 1 else kwargs.get("default"))


@models("os.environ.keys", "os.environ.values", "os.environ.items")
def _listed(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return _unless_set(machine, ListValue([]))


@models("os.environ.copy")
def _copy(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return _unless_set(machine, DictValue())


@models("os.environ.setdefault", "os.environ.update", "os.environ.pop", "os.environ.clear", "os.putenv", "os.unsetenv")
def _change(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    machine.modules.sets_variables = True
    return CHANGED


@protocols.subscripts_set.of(External)
def _set_item(machine: Machine, container: External, key: Any, value: Any, target: Any) -> None:
    if container.name == "os.environ":
        machine.modules.sets_variables = True
