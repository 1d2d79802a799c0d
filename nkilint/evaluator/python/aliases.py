"""What `type name = value` binds."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.records import dataclass

from ..state import protocols
from ..state.machine import Machine
from ..values.objects import Environment
from .interpreter import evaluate, evaluates


@dataclass(frozen=True, slots=True, eq=False)
class AliasValue:
    """A name for a type, and the scope that the type is evaluated in."""

    node: ir.TypeAlias
    env: Environment


@evaluates(ir.TypeAlias)
def _alias(machine: Machine, node: ir.TypeAlias, env: Environment) -> AliasValue:
    scope = Environment(env.module, env, env.function) if node.parameters else env
    for name in node.parameters:
        scope.vars[name] = Unknown(f"`{name}`, a parameter of `{node.name}`")
    return AliasValue(node, scope)


@protocols.subscripts.of(AliasValue)
def _of_types(machine: Machine, alias: AliasValue, key: Any, node: ir.Index) -> AliasValue:
    """What the parameters stand for is not told apart."""
    return alias


@protocols.attributes.of(AliasValue)
def _attribute(machine: Machine, alias: AliasValue, name: str, node: ir.Attr) -> Any:
    if name == "__value__":
        return evaluate(machine, alias.node.value, alias.env)
    return alias.node.name if name == "__name__" else Unknown(f"attribute `{name}` of a type alias")


@protocols.truths.of(AliasValue)
def _truth(machine: Machine, alias: AliasValue, node: ir.Expr) -> bool:
    return True
