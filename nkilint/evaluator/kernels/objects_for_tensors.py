"""Objects in the place of inputs that are called tensors, or nothing at all, and have attributes that tensors lack."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from nkilint_rules.words.conditions import IsUnknown

from ..python.types.objects import instantiate
from ..state.machine import Fault, Machine
from ..values.inputs import MADE_FOR_TENSORS, InputTensor
from ..values.objects import ClassValue, FunctionValue, ModuleValue
from .set_later import set_by


def object_instead(machine: Machine, tensor: InputTensor, free: Collection[str], module: ModuleValue) -> Any:
    """The object that an input is of which attributes are read that tensors lack, if one class has them all and makes
    its objects of a tensor; else the tensor."""
    asked = {
        name.removeprefix(f"{tensor.name}.").partition(".")[0] for name in free if name.startswith(f"{tensor.name}.")
    }
    fitting = [cls for cls in _classes(module) if all(_has(cls, name) for name in asked)] if asked else []
    init = fitting[0].initializer() if len(fitting) == 1 else None
    params = init.node.params[1:] if isinstance(init, FunctionValue) else ()
    needed = [p for p in params if p.default is None]
    if not isinstance(init, FunctionValue) or len(needed) != 1 or needed[0].kind in ("*", "**"):
        return tensor
    inner = replace(tensor, name=f"{tensor.name}.{needed[0].name}", cell={})
    try:
        made = instantiate(machine, fitting[0], [], {needed[0].name: inner}, None)
    except (Fault, IsUnknown):
        return tensor
    machine.memo.setdefault(MADE_FOR_TENSORS, {})[id(made)] = made, inner
    machine.trace.assumptions.setdefault(f"{tensor.name} is a `{fitting[0].name}`", None)
    return made


def _has(cls: ClassValue, name: str) -> bool:
    if cls.annotation(name) is not None or cls.lookup(name) is not None:
        return True
    init = cls.initializer()
    return isinstance(init, FunctionValue) and name in set_by(init.node)


def _classes(module: ModuleValue) -> Iterator[ClassValue]:
    """The classes of the project that a module can name, and those that what it imports can."""
    seen, waiting = {id(module)}, [module]
    found: dict[int, ClassValue] = {}
    while waiting:
        here = waiting.pop()
        for value in here.env.vars.values():
            if isinstance(value, ClassValue):
                found[id(value)] = value
            around = _module_of(value)
            known = around is not None and around.env is not None  # one of Python's own has no variables here
            if around is not None and known and id(around) not in seen:
                seen.add(id(around))
                waiting.append(around)
    yield from found.values()


def _module_of(value: Any) -> ModuleValue | None:
    if isinstance(value, ModuleValue):
        return value
    if isinstance(value, ClassValue):
        return value.module
    return value.env.module if isinstance(value, FunctionValue) else None
