"""What a kernel may find otherwise than imports left it, because functions change it before a launch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nkilint.project.changed_later import Changed, Flow, changed_later, own_functions
from nkilint_rules.words.conditions import Unknown

from ..python.modules import run_module
from ..state.havoc import DEFINED, havoc, parts_of
from ..state.machine import Machine
from ..values.choices import among
from ..values.containers import DictValue, ListValue
from ..values.host import HostArray
from ..values.inheritance import ANYTHING
from ..values.objects import ClassValue, Environment, FunctionValue, Instance, ModuleValue, Native

_FIXED = frozenset({"enum", "namedtuple", "property", "classmethod", "staticmethod"})
_CONTAINERS = (ListValue, DictValue, HostArray)
_ANY_NAME = "*"  # in place of a variable: there may be any
_SPECIAL = frozenset({"__name__", "__file__", "__doc__"})

_Owner = ModuleValue | Environment | ClassValue | Instance | FunctionValue


def forget_settings(machine: Machine, module: ModuleValue) -> bool:
    """Take nothing for known that functions change in the modules that a kernel's own leads to, or in the classes,
    objects and functions that these hold; whether there is anything of that kind."""
    owners = list(_reachable(machine, module))
    sources = [owner.ir for owner in owners if isinstance(owner, ModuleValue) and owner.ir is not None]
    own = own_functions(tuple(sources))
    changes = [changed_later(source, own) for source in sources]
    flow = Flow(changes)
    everywhere = Changed(
        own,
        captured=set().union(*(each.captured for each in changes)),
        attributes=set().union(*(each.attributes for each in changes)),
        of_classes=set(flow.attributes_of_classes()),
        any_attribute=any(each.any_attribute for each in changes),
    )
    filled = flow.filled()
    before = len(machine.journal)
    for owner in owners:
        held = _held(owner)
        for name in [name for name in held if name in filled]:
            if isinstance(held[name], _CONTAINERS):
                havoc(machine, [held[name]], _said(name))
            elif isinstance(held[name], Native):  # it may keep what it gave
                machine.set(held, name, Unknown(_said(name)))
        _forget(machine, owner, held, everywhere)
    return len(machine.journal) > before


def _said(name: str) -> str:
    return f"`{name}`, which functions may change before a kernel runs"


def _reachable(machine: Machine, module: ModuleValue) -> Iterator[_Owner]:
    """The modules that one leads to, with what holds variables or attributes in them."""
    waiting: list[Any] = [module]
    seen = dict[int, Any]()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, ModuleValue):
            if value.ir is None:
                continue
            run_module(machine, value)
            yield value
            waiting += value.env.vars.values()
        elif isinstance(value, FunctionValue):
            yield value
            waiting += [value.env, *value.attrs.values(), *value.defaults.values()]
        elif isinstance(value, Environment):
            waiting.append(value.module)
            if value is not value.module.env:
                yield value
                waiting += [*value.vars.values(), *([value.parent] if value.parent is not None else [])]
        elif isinstance(value, (ClassValue, Instance)):
            yield value
            waiting += [*value.attrs.values(), *([value.module] if isinstance(value, ClassValue) else [value.cls])]
        else:
            waiting += parts_of(value)


def _held(owner: _Owner) -> dict[str, Any]:
    if isinstance(owner, ModuleValue):
        return owner.env.vars
    return owner.vars if isinstance(owner, Environment) else owner.attrs


def _forget(machine: Machine, owner: _Owner, held: dict[str, Any], changed: Changed) -> None:
    """Forget what functions bind or set, and what they may, where it is not there yet."""
    names = set[str]()
    if isinstance(owner, ModuleValue):
        assert owner.ir is not None
        here = changed_later(owner.ir, changed.own)
        names = here.variables | {name for name in changed.attributes & held.keys() if not _is_defined(held[name])}
        if here.any_variable:
            names |= {name for name, value in held.items() if not _is_defined(value) and name not in _SPECIAL}
            names.add(_ANY_NAME)
    elif isinstance(owner, Environment):
        names = changed.captured & held.keys()
    elif isinstance(owner, FunctionValue):
        names = changed.attributes & held.keys()
    elif (owner if isinstance(owner, ClassValue) else owner.cls).kind not in _FIXED:
        names = changed.of_classes & held.keys() if isinstance(owner, ClassValue) else set(changed.attributes)
        if changed.any_attribute:
            names |= {name for name, value in held.items() if not _is_defined(value) and name not in _SPECIAL}
            names |= {ANYTHING} if isinstance(owner, Instance) else set()
    for name in sorted(names):
        machine.set(held, name, among(_said(name), held[name]) if name in held else Unknown(_said(name)))


def _is_defined(value: Any) -> bool:
    return isinstance(value, DEFINED)
