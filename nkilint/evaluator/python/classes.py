"""Class definitions."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir

from ..state.machine import Machine
from ..state.paths import Flow
from ..values.cells import MISSING
from ..values.objects import ClassValue, Environment, External, FunctionValue, Instance
from .interpreter import evaluate, run_block, runs


@runs(ir.ClassDef)
def _class(machine: Machine, node: ir.ClassDef, env: Environment) -> Flow:
    machine.assign(env, node.name, define_class(machine, node, env))
    return Flow.NEXT


_KINDS = {
    "enum.Enum": "enum", "enum.IntEnum": "enum", "enum.Flag": "enum", "enum.IntFlag": "enum", "enum.StrEnum": "enum",
    "typing.NamedTuple": "namedtuple", "dataclasses.dataclass": "dataclass",
}  # fmt: skip


def define_class(machine: Machine, node: ir.ClassDef, env: Environment) -> Any:
    bases = tuple(evaluate(machine, base, env) for base in node.bases)
    kind = "class"
    for base in bases:
        if isinstance(base, ClassValue):
            kind = base.kind if base.kind in ("enum", "dataclass", "namedtuple") else kind
        elif isinstance(base, External):
            kind = _KINDS.get(base.name, kind)
    inner = Environment(env.module, env, None)
    inner.is_class = True
    run_block(machine, node.body, inner)
    cls = ClassValue(node.name, bases, inner.vars, env.module, kind)
    for base in reversed(bases):
        if isinstance(base, ClassValue):
            cls.fields += base.fields
    for statement in node.body:
        if isinstance(statement, ir.AnnAssign) and isinstance(statement.target, ir.Name):
            name = statement.target.id
            cls.fields = [f for f in cls.fields if f[0] != name] + [(name, inner.vars.get(name, MISSING))]
    for value in inner.vars.values():
        if isinstance(value, FunctionValue):
            value.owner = cls
        elif isinstance(value, Instance) and value.cls.kind in ("property", "staticmethod", "classmethod"):
            for function in value.attrs.values():
                if isinstance(function, FunctionValue):
                    function.owner = cls
    if kind == "enum":
        _make_members(machine, cls, node)
    for decorator in reversed(node.decorators):
        wrapper = evaluate(machine, decorator, env)
        if isinstance(wrapper, External) and wrapper.name == "dataclasses.dataclass":
            cls.kind = "dataclass"
        elif isinstance(wrapper, Instance) and wrapper.cls.kind == "dataclass decorator":
            cls.kind = "dataclass"
    return cls


def _make_members(machine: Machine, cls: ClassValue, node: ir.ClassDef) -> None:
    number = 0
    for name, value in list(cls.attrs.items()):
        if name.startswith("_") or (isinstance(value, (FunctionValue, Instance)) and not _plain(value)):
            continue
        if isinstance(value, Instance) and value.cls.name == "auto":
            number += 1
            value = number
        elif isinstance(value, int):
            number = value
        cls.attrs[name] = Instance(cls, {"name": name, "value": value})


def _plain(value: Any) -> bool:
    return isinstance(value, Instance) and value.cls.name == "auto"
