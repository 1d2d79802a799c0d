"""Conditions that have one answer for all sizes, or that test one bit of a size where its remainder was meant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nkilint.base import ir
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, is_integer, sym
from nkilint_rules.language.vacuous_check import VacuousCheck
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, any_of, negation

from ..state import protocols
from ..state.machine import Machine
from ..state.protocols import items_of
from ..values.containers import ListValue
from ..values.inputs import InputTensor, ShapeOf
from ..values.objects import Environment
from .interpreter import evaluate
from .types.numbers import PLAIN, is_one_bit


class _NoAnswer(Exception):
    """The condition is made of more than arithmetic on sizes."""


def check_condition(machine: Machine, condition: Any, test: ir.Expr, env: Environment, kind: str) -> None:
    """Report a decided condition that is decided for all values of its names, and tests of one bit of a size."""
    if not machine.in_kernel:
        return
    for part in _bit_tests(machine, test, env):
        machine.need(VacuousCheck.bit(condition=part.at, number=_bit(machine, part, env)), False, part.at)
    if not isinstance(condition, bool):
        return
    blind = _Blind(machine, env)
    try:
        answer = blind.truth(test)
    except (_NoAnswer, IsUnknown):
        return
    if isinstance(answer, bool) and blind.leaves and (answer or kind != "assertion"):
        outcome = "always true" if answer else "never true"
        machine.need(VacuousCheck.message(kind=kind, condition=test.at, outcome=outcome), False, test.at)


def _bit_tests(machine: Machine, test: ir.Expr, env: Environment) -> Iterator[ir.Binary]:
    """The parts `size & number` of comparisons with zero, where the number is a power of two."""
    if isinstance(test, ir.Unary) and test.op == "not":
        yield from _bit_tests(machine, test.operand, env)
    elif isinstance(test, ir.BoolOp):
        yield from _bit_tests(machine, test.left, env)
        yield from _bit_tests(machine, test.right, env)
    elif isinstance(test, ir.Compare) and len(test.rest) == 1 and isinstance(test.left, ir.Binary):
        (op, right), part = test.rest[0], test.left
        is_test = part.op == "&" and op in ("==", "!=") and isinstance(right, ir.Const) and right.value == 0
        if is_test and _bit(machine, part, env) > 1 and _is_size(_plain_value(machine, part.left, env)):
            yield part


def _bit(machine: Machine, part: ir.Binary, env: Environment) -> int:
    """The power of two on the right, or 0."""
    value = _plain_value(machine, part.right, env)
    return int(value) if is_one_bit(value) else 0


def _is_size(value: Any) -> bool:
    """Whether the value is made of sizes of inputs, and of nothing that may be a set of flags."""
    found = variables(value) if isinstance(value, Sym) else ()
    return bool(found) and all(v.kind == "input" and v.bounds[0] >= 1 for v in found)


def _plain_value(machine: Machine, node: ir.Expr, env: Environment) -> Any:
    """The value of a name, an attribute, a subscript or a number; None for anything else."""
    return evaluate(machine, node, env) if isinstance(node, (ir.Const, ir.Name, ir.Attr, ir.Index)) else None


class _Blind:
    """Evaluates a condition with every size in it replaced by an integer that can be anything."""

    def __init__(self, machine: Machine, env: Environment) -> None:
        self.machine, self.env = machine, env
        self.leaves: dict[Any, Any] = {}

    def truth(self, node: ir.Expr) -> Any:
        if isinstance(node, ir.Unary) and node.op == "not":
            return negation(self.truth(node.operand))
        if isinstance(node, ir.BoolOp):
            parts = (self.truth(node.left), self.truth(node.right))
            return all_of(parts) if node.op == "and" else any_of(parts)
        if not isinstance(node, ir.Compare):
            raise _NoAnswer
        parts_of_chain = []
        left = self.value(node.left)
        for op, right_node in node.rest:
            right = self.value(right_node)
            if op not in ("==", "!=", "<", "<=", ">", ">="):
                raise _NoAnswer
            parts_of_chain.append(protocols.compare(self.machine, op, left, right, node.at))
            left = right
        result = all_of(parts_of_chain)
        if isinstance(result, Unknown):
            raise _NoAnswer
        return result

    def value(self, node: ir.Expr) -> Any:
        if isinstance(node, ir.Const) and isinstance(node.value, int):  # whether a size is None says what it may be
            return node.value
        if isinstance(node, ir.Binary) and node.op in ("+", "-", "*", "//", "%"):
            left, right = self.value(node.left), self.value(node.right)
            if node.op in ("//", "%") and not (isinstance(right, int) and right > 0):
                raise _NoAnswer
            return PLAIN[node.op](left, right)
        if isinstance(node, (ir.Name, ir.Attr, ir.Index)):
            return self.leaf(node)
        raise _NoAnswer

    def leaf(self, node: ir.Expr) -> Any:
        value = evaluate(self.machine, node, self.env)
        name = _text(node)
        if isinstance(value, InputTensor):
            value = value.cell.get("number")
        if isinstance(value, ShapeOf):
            value = tuple(items_of(self.machine, value)) if value.tensor.ranks else None
        if isinstance(value, ListValue):
            value = value.items
        if isinstance(value, tuple) and all(isinstance(v, (int, Sym)) for v in value):
            return tuple(self._free(f"{name}[{i}]") for i in range(len(value)))
        if is_integer(value):
            return self._free(name)
        raise _NoAnswer

    def _free(self, name: str) -> Any:
        return self.leaves.setdefault(name, sym(f"any {name}", "input", None, None))


def _text(node: ir.Expr) -> str:
    if isinstance(node, ir.Name):
        return node.id
    if isinstance(node, ir.Attr):
        return f"{_text(node.value)}.{node.name}"
    if isinstance(node, ir.Index) and isinstance(node.key, (ir.Const, ir.Name)):
        key = node.key.value if isinstance(node.key, ir.Const) else node.key.id
        return f"{_text(node.value)}[{key}]"
    raise _NoAnswer
