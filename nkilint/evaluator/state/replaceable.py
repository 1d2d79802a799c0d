"""What functions of the project may give another value before a kernel runs: variables and attributes of modules, and
those of classes and objects that modules hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import walk

from ..values.objects import ClassValue, FunctionValue, Instance, ModuleValue
from . import protocols
from .havoc import declared
from .machine import Machine

_MAKING = frozenset({"__init__", "__new__", "__post_init__"})
_ANY = "setattr"  # in place of a name: attributes of any name are set
_BY_NAME = frozenset({"setattr", "vars", "__dict__", "__setattr__"})
"""Functions and attributes through which attributes are set whose names stand elsewhere."""


def replaceable(machine: Machine) -> Iterator[Any]:
    """The values that functions may put others in place of, in the modules that a kernel's own leads to."""
    modules, held = _around(machine)
    for module in modules:
        yield from (module.env.vars[name] for name in declared(machine, module, "global") if name in module.env.vars)
    names = frozenset[str]().union(*(_set_by_functions(machine, module) for module in modules))
    for attributes in held if names else ():
        yield from (value for name, value in attributes.items() if name in names or _ANY in names)


def may_be_given(machine: Machine, owner: Instance, name: str) -> bool:
    """Whether functions may give an attribute to an object that modules hold."""
    modules, held = _around(machine)
    if not any(attributes is owner.attrs for attributes in held):
        return False
    return any(not _set_by_functions(machine, module).isdisjoint({name, _ANY}) for module in modules)


def _around(machine: Machine) -> tuple[list[ModuleValue], list[Mapping[str, Any]]]:
    """The modules that a kernel's own leads to, and their attributes, with those of the classes and objects in them."""
    own = machine.modules.values.get(machine.functions[0].at.file) if machine.functions else None
    waiting: list[Any] = [] if own is None else [own]
    modules, held, seen = list[ModuleValue](), list[Mapping[str, Any]](), set[int]()
    while waiting:
        owner = waiting.pop()
        if isinstance(owner, FunctionValue):
            owner = owner.env.module
        if not isinstance(owner, (ModuleValue, ClassValue, Instance)) or id(owner) in seen:
            continue
        seen.add(id(owner))
        if isinstance(owner, ModuleValue):
            if owner.ir is None:
                continue
            protocols.attributes.entry(ModuleValue)(machine, owner, "__name__", None)  # which runs it, if nothing has
            modules.append(owner)
        held.append(owner.env.vars if isinstance(owner, ModuleValue) else owner.attrs)
        waiting += [*held[-1].values(), *([owner.module] if isinstance(owner, ClassValue) else [])]
    return modules, held


def _set_by_functions(machine: Machine, module: ModuleValue) -> frozenset[str]:
    """The names of attributes that functions of a module set, other than those that make objects."""
    key = "set by functions", module.name
    if key not in machine.memo:
        functions = [part for part in walk(module.ir.body if module.ir else ()) if isinstance(part, ir.FunctionDef)]
        parts = [part for function in functions if function.name not in _MAKING for part in walk(function.body)]
        targets = [target for part in parts if isinstance(part, ir.Stmt) for target, _ in part.assigns]
        names = {part.name for part in walk(targets) if isinstance(part, ir.Attr)}
        calls = {_ANY for part in parts if isinstance(part, ir.Name) and part.id in _BY_NAME}
        calls |= {_ANY for part in parts if isinstance(part, ir.Attr) and part.name in _BY_NAME}
        machine.memo[key] = frozenset(names | calls)
    found: frozenset[str] = machine.memo[key]
    return found
