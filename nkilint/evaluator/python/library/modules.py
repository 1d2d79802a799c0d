"""Modules by their names, as `sys.modules` and `importlib` give them."""

from __future__ import annotations

from typing import Any

from nkilint.project.files import is_outside

from ...state.machine import Fault, Machine
from ...state.modules import outside
from ...state.protocols import Args, Keywords
from ...values.choices import among
from ...values.objects import AttributesValue, ModuleValue
from .registry import ANY, models

_REASON = "a module by a name that is not known"


def module_named(machine: Machine, name: Any) -> Any:
    """The module of the project with that name, or one of all of them."""
    known = list(machine.modules.values.values())
    if name == "":
        raise Fault("ValueError")
    if isinstance(name, str) and is_outside(name.partition(".")[0]):
        return outside(name)
    if isinstance(name, str) and name != "__main__":
        found = [module for module in known if module.name == name]
        meant = found[0] if len(found) == 1 else machine.modules(known[0], name, 0)
        if isinstance(meant, ModuleValue):
            return meant
    return among(_REASON, *(AttributesValue(module.env) for module in known))


@models("sys.modules.get")
@models("importlib.import_module", keywords=("package",))
@models("builtins.__import__", keywords=ANY)
def _named(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return module_named(machine, args[0] if len(args) == 1 and not kwargs else None)


@models("inspect.currentframe")
@models("inspect.getmodule")
@models("inspect.stack")
@models("sys._getframe")
@models("sys.modules.items")
@models("sys.modules.values")
def _some(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """What gives access to variables of any module."""
    return module_named(machine, None)
