"""Comprehensions and generator expressions."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.names import target_names
from nkilint.base.walk import walk
from nkilint.symbolic.integers import Sym
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..state.havoc import changeable, variable_of
from ..state.machine import Machine
from ..state.protocols import escape_expression
from ..values.cells import Cell
from ..values.containers import DictValue, ListValue
from ..values.grown import GrownItems
from ..values.iterators import End, IteratorValue, Symbolic
from ..values.objects import Environment
from .assignment import assign
from .expressions import own_scope
from .interpreter import evaluate, evaluates
from .truths import condition_of
from .types.dict_methods import pairs_of
from .types.iterators import (
    all_at_once,
    at_symbol,
    column_of,
    in_product,
    in_the_midst,
    iterator_over,
    own_cells,
    pull,
    pulled,
)
from .types.long_dicts import distinct
from .types.mappings import hashable


@evaluates(ir.Comprehension)
def _comprehension(machine: Machine, node: ir.Comprehension, env: Environment) -> Any:
    try:
        return _made(machine, node, env)
    except IsUnknown as unknown:
        if any(isinstance(part, (ir.Call, ir.Walrus)) for part in walk(node)):
            machine.unknown(IncompleteAnalysis, unknown.reason, node.at)
            escape_expression(machine, node, env, unknown.reason, told=True)
            for part in walk(node):
                if isinstance(part, ir.Walrus):
                    machine.assign(own_scope(env), part.target.id, Unknown(unknown.reason))
        raise


def _made(machine: Machine, node: ir.Comprehension, env: Environment) -> Any:
    inner = Environment(env.module, env, None)
    first = iterator_over(machine, evaluate(machine, node.clauses[0][1], env))
    if node.kind == "generator":
        return _generator(machine, node, inner, first)
    if node.kind == "list":
        whole = _whole(machine, node, inner, first)
        if whole is not None:
            return ListValue(whole)
    if node.kind == "dict":
        whole = _whole(machine, node, inner, first)
        if whole is not None and any(True for _ in changeable(machine, [whole])):
            raise IsUnknown("a dict of symbolic length, of objects")
        if whole is not None:
            return DictValue(distinct(machine, whole))
    results = list(pulled(machine, _generator(machine, node, inner, first)))
    if node.kind == "dict":
        return DictValue({hashable(k): v for k, v in results})
    if node.kind == "set":
        return DictValue({hashable(v): None for v in results}, "set")
    return ListValue(results)


def _generator(machine: Machine, node: ir.Comprehension, inner: Environment, first: IteratorValue) -> IteratorValue:
    """What a comprehension gives, one by one; `levels` are the iterators of its clauses that are being gone through,
    and that over what an element is unpacked to."""

    def advance(machine: Machine, cell: Cell) -> Any:
        levels = list(cell["levels"])
        while levels:
            try:
                item = pull(machine, levels[-1])
            except End:
                levels.pop()
                continue
            if len(levels) > len(node.clauses):
                machine.set(cell, "levels", tuple(levels))
                return item
            target, iterable, conditions = node.clauses[len(levels) - 1]
            assign(machine, target, item, inner, iterable)
            if not all(_decided(machine, condition, inner) for condition in conditions):
                continue
            if len(levels) == len(node.clauses):
                element = _element(machine, node, inner)
                if not _unpacks(node):
                    machine.set(cell, "levels", tuple(levels))
                    return element
                levels.append(iterator_over(machine, element))
                continue
            levels.append(iterator_over(machine, evaluate(machine, node.clauses[len(levels)][1], inner)))
        raise End

    def whole(machine: Machine) -> Any:
        items = _whole(machine, node, inner, first)
        return None if items is None else (items.length, items.at)

    names = sorted({part.id for part in walk(node) if isinstance(part, ir.Name)})
    bound = sorted({part.target.id for part in walk(node) if isinstance(part, ir.Walrus)})
    scope = own_scope(inner)

    def parts() -> tuple[Any, ...]:
        around = (variable_of(scope, name) for name in bound)
        return inner, first, *(machine.lookup(inner, name) for name in names), *around

    return IteratorValue(advance, parts, whole, levels=(first,))


def _element(machine: Machine, node: ir.Comprehension, inner: Environment) -> Any:
    if node.key is None:
        element = evaluate(machine, node.element, inner)
        return tuple(pairs_of(machine, element).items()) if node.kind == "dict" else element
    return evaluate(machine, node.key, inner), evaluate(machine, node.element, inner)


def _unpacks(node: ir.Comprehension) -> bool:
    """Whether it gives what is in its elements: `[*a for ...]`, `{**d for ...}`."""
    return isinstance(node.element, ir.Starred) or (node.kind == "dict" and node.key is None)


def _decided(machine: Machine, node: ir.Expr, env: Environment) -> bool:
    truth = machine.truth(condition_of(machine, node, env))
    if truth is None:
        raise IsUnknown("a comprehension whose condition depends on the input")
    return truth


def _whole(machine: Machine, node: ir.Comprehension, inner: Environment, first: IteratorValue) -> GrownItems | None:
    """A list built over a symbolic number of items: one element, evaluated at a symbolic position."""
    columns = None if _unpacks(node) else _columns(machine, node, inner, first)
    if columns is None:
        return None
    length, at = in_product(columns)
    if not isinstance(length, Sym):
        return None
    _, end = in_the_midst(machine, first)

    def bind(index: Any) -> None:
        for (target, iterable, _), item in zip(node.clauses, at(index), strict=True):
            assign(machine, target, item, inner, iterable)

    def element(index: Any) -> Any:
        bind(index)
        return _element(machine, node, inner)

    target = node.clauses[0][0]
    name = target.id if isinstance(target, ir.Name) and len(columns) == 1 else "i"
    items = at_symbol(machine, length, name, node.at, element, {id(inner.vars), *own_cells(first)})
    if any(isinstance(part, ir.Lambda) for part in walk(node)):
        bind(length - 1)  # a function sees what the last one leaves
    end()
    return items


def _columns(
    machine: Machine, node: ir.Comprehension, inner: Environment, first: IteratorValue
) -> list[Symbolic] | None:
    """What the clauses go over, where none hangs on another one or on a condition, and all but the first are ranges."""
    bound: set[str] = set()
    for number, (target, iterable, conditions) in enumerate(node.clauses):
        used = {part.id for part in walk(iterable) if isinstance(part, ir.Name)}
        if conditions or (number and (used & bound or not _is_range(iterable))):
            return None
        bound |= target_names(target)
    columns = [all_at_once(machine, first)]
    if columns[0] is not None:
        columns += [column_of(machine, evaluate(machine, iterable, inner)) for _, iterable, _ in node.clauses[1:]]
    known = [column for column in columns if column is not None]
    return known if len(known) == len(node.clauses) else None


def _is_range(node: ir.Expr) -> bool:
    """Whether an expression only calls `range`."""
    calls = [part for part in walk(node) if isinstance(part, (ir.Call, ir.Walrus))]
    return len(calls) == 1 and isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id == "range"
