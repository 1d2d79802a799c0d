"""Comprehensions and generator expressions."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint_rules.words.conditions import IsUnknown

from ..state.machine import Machine
from ..state.protocols import items_of, symbolic_items
from ..state.trace import Loop
from ..values.containers import ITERATOR, DictValue, GrownItems, ListValue
from ..values.objects import Environment
from .assignment import assign
from .expressions import condition_of
from .interpreter import evaluate, evaluates
from .types.mappings import hashable


@evaluates(ir.Comprehension)
def _comprehension(machine: Machine, node: ir.Comprehension, env: Environment) -> Any:
    inner = Environment(env.module, env, None)
    results: list[Any] = []
    if len(node.clauses) == 1 and not node.clauses[0][2] and node.kind in ("list", "generator"):
        symbolic = _symbolic_list(machine, node, env, inner)
        if symbolic is not None:
            return symbolic

    def run(depth: int) -> None:
        if depth == len(node.clauses):
            machine.step()
            element = evaluate(machine, node.element, inner)
            results.append((evaluate(machine, node.key, inner), element) if node.key is not None else element)
            return
        target, iterable, conditions = node.clauses[depth]
        values = evaluate(machine, iterable, env if depth == 0 else inner)
        for item in items_of(machine, values, iterable.at):
            assign(machine, target, item, inner, iterable)
            if all(_decided(machine, c, inner) for c in conditions):
                run(depth + 1)

    run(0)
    if node.kind == "dict":
        return DictValue({hashable(k): v for k, v in results})
    if node.kind == "set":
        return DictValue({hashable(v): None for v in results}, "set")
    return ListValue(results, ITERATOR if node.kind == "generator" else "list")


def _decided(machine: Machine, node: ir.Expr, env: Environment) -> bool:
    truth = machine.truth(condition_of(machine, node, env))
    if truth is None:
        raise IsUnknown("a comprehension whose condition depends on the input")
    return truth


def _symbolic_list(machine: Machine, node: ir.Comprehension, env: Environment, inner: Environment) -> Any:
    """A list built over a range of symbolic length: one element, evaluated at a symbolic position."""
    target, iterable, _ = node.clauses[0]
    values = evaluate(machine, iterable, env)
    symbolic = symbolic_items(values)
    if symbolic is None:
        return _over_items(machine, node, values, inner)
    trips, item = symbolic
    name = target.id if isinstance(target, ir.Name) else "i"
    index = machine.fresh_sym(name, "loop", 0, trips - 1, f"line {node.at.row}")
    loops, facts = machine.loops, machine.facts
    machine.loops = (*loops, Loop(name, "static_range", index, trips, node.at))
    machine.assume(index < trips)
    assign(machine, target, item(index), inner, iterable)
    element = evaluate(machine, node.element, inner)
    machine.loops, machine.facts = loops, facts
    return ListValue(GrownItems((), (element,), index, trips))


def _over_items(machine: Machine, node: ir.Comprehension, values: Any, inner: Environment) -> Any:
    target, iterable, _ = node.clauses[0]
    results = []
    for item in items_of(machine, values, iterable.at):
        machine.step()
        assign(machine, target, item, inner, iterable)
        results.append(evaluate(machine, node.element, inner))
    return ListValue(results, ITERATOR if node.kind == "generator" else "list")
