"""Expressions: each function gives the value of one kind of node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint.symbolic.conditions import Cond, Opaque
from nkilint.symbolic.integers import Sym
from nkilint_rules.indexing.mask_conjunction import MaskConjunction
from nkilint_rules.language.index_control_flow import IndexControlFlow
from nkilint_rules.language.tensor_control_flow import TensorControlFlow
from nkilint_rules.language.undefined_name import UndefinedName
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, negation
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import ON_CHIP

from ..device.inputs import as_number
from ..device.versions import check_comparison
from ..state.machine import Machine, explained, settled
from ..values import joining
from ..values.tensors import Grid, InputTensor, View
from ..values.values import (
    MISSING,
    REAL,
    DictValue,
    Either,
    Environment,
    External,
    ListValue,
    Real,
    Text,
    Unbound,
    as_one,
)
from . import attributes, comparisons, definitions, indexing, operators
from .iteration import items_of


def evaluate(machine: Machine, node: ir.Expr, env: Environment) -> Any:
    """The value of `node`; what cannot be modelled is `Unknown`."""
    try:
        return as_one(_HANDLERS[type(node)](machine, node, env))
    except IsUnknown as unknown:
        return Unknown(unknown.reason)


def alternatives(machine: Machine, node: ir.Expr, env: Environment) -> Any:
    """The value of `node`, which may be one of two."""
    if type(node) not in _PASSING_ON:
        return evaluate(machine, node, env)
    try:
        return _HANDLERS[type(node)](machine, node, env)
    except IsUnknown as unknown:
        return Unknown(unknown.reason)


def truth_of(machine: Machine, value: Any, node: ir.Expr) -> Any:
    """The condition under which Python takes `value` for true: a bool, a Cond or Unknown."""
    if isinstance(value, Either):
        return joining.apply(machine, value, lambda side: truth_of(machine, side, node))
    if isinstance(value, (bool, Cond, Unknown)):
        return value
    if isinstance(value, Sym):
        return value != 0
    if value is None or isinstance(value, (int, float, str, tuple)):
        return bool(value)
    if isinstance(value, ListValue):
        return value.length != 0
    if isinstance(value, DictValue):
        return bool(value.items)
    if isinstance(value, Grid):
        machine.need(IndexControlFlow.message(grid=node.at), False, node.at)
        return explained("a condition on an index grid")
    if isinstance(value, InputTensor) and "view" not in value.cell:
        return as_number(machine, value) != 0 if "number" in value.cell else Opaque(value.name, "input")
    if isinstance(value, View) and _asks_for_content(machine, value):
        what = f"`{value.base.name}`" if value.base.name else "a tile"
        machine.need(TensorControlFlow.message(what=what), False, node.at)
        return Opaque(f"the value on line {node.at.row}", "runtime")
    if isinstance(value, (Real, Text)):
        return Unknown("truth of a value that is not known")
    if isinstance(value, External):
        return Unknown(f"truth of `{value.name}`")
    return True


def _asks_for_content(machine: Machine, value: View) -> bool:
    """Whether the truth of a tensor is about what it holds: a tensor in HBM, and in 0.x any that has a name, is an
    object that is there, where `None` might be."""
    if machine.dialect == BETA1:
        return bool(value.memory in ON_CHIP) and not value.base.memory_open
    return value.base.kind == "result" and not value.base.name


# --- leaves ---


def _const(machine: Machine, node: ir.Const, env: Environment) -> Any:
    return node.value


def _name(machine: Machine, node: ir.Name, env: Environment) -> Any:
    value = machine.lookup(env, node.id)
    if value is MISSING:
        value = definitions.builtin(node.id)
        if value is MISSING:
            return definitions.undefined(machine, node, env)
    if isinstance(value, Unbound):
        machine.need(UndefinedName.message(name=node.id), value.defined, node.at)
        machine.assume(value.defined, "granted")
        value = value.value
    return machine.settle(value)


def _attribute(machine: Machine, node: ir.Attr, env: Environment) -> Any:
    return attributes.get_attribute(machine, alternatives(machine, node.value, env), node.name, node)


def _index(machine: Machine, node: ir.Index, env: Environment) -> Any:
    value = evaluate(machine, node.value, env)
    key = evaluate(machine, node.key, env)
    return indexing.subscript(machine, value, key, node)


def _slice(machine: Machine, node: ir.SliceExpr, env: Environment) -> Any:
    parts = [None if p is None else evaluate(machine, p, env) for p in (node.start, node.stop, node.step)]
    return slice(*parts)


def _format(machine: Machine, node: ir.Format, env: Environment) -> Any:
    text = ""
    for part in node.parts:
        value = evaluate(machine, part, env)
        if not isinstance(value, (str, int, float, bool)) and value is not None:
            return Text()
        text += str(value)
    return text


def _sequence(machine: Machine, node: ir.Sequence, env: Environment) -> Any:
    items: list[Any] = []
    for item in node.items:
        if isinstance(item, ir.Starred):
            items += items_of(machine, evaluate(machine, item.value, env), item.at)
        else:
            items.append(evaluate(machine, item, env))
    machine.contain(*items)
    if node.kind == "tuple":
        return tuple(items)
    return ListValue(items) if node.kind == "list" else DictValue({hashable(i): None for i in items}, "set")


def hashable(value: Any) -> Any:
    """A key for a dict of the evaluator."""
    if isinstance(value, (Sym, Cond)):
        raise IsUnknown("a symbolic key of a dict")
    if isinstance(value, Unknown):
        raise IsUnknown(value.reason)
    if isinstance(value, tuple):
        return tuple(hashable(v) for v in value)
    if isinstance(value, (ListValue, DictValue)) or value.__hash__ is None:
        raise IsUnknown("a key of a dict that has no hash")
    return value


def _dict(machine: Machine, node: ir.DictExpr, env: Environment) -> Any:
    items: dict[Any, Any] = {}
    for key, value in node.items:
        if key is None:
            other = evaluate(machine, value, env)
            if not isinstance(other, DictValue):
                raise IsUnknown("unpacking of something that is no dict")
            items.update(other.items)
        else:
            items[hashable(evaluate(machine, key, env))] = evaluate(machine, value, env)
    return DictValue(items)


# --- operators ---


def _binary(machine: Machine, node: ir.Binary, env: Environment) -> Any:
    left = evaluate(machine, node.left, env)
    right = evaluate(machine, node.right, env)
    return operators.binary(machine, node.op, left, right, node.at)


def _unary(machine: Machine, node: ir.Unary, env: Environment) -> Any:
    if node.op == "not":
        truth = truth_of(machine, alternatives(machine, node.operand, env), node.operand)
        return truth if isinstance(truth, Unknown) else negation(truth)
    return operators.unary(machine, node.op, evaluate(machine, node.operand, env), node.at)


def _bool_op(machine: Machine, node: ir.BoolOp, env: Environment) -> Any:
    left = evaluate(machine, node.left, env)
    if isinstance(left, Grid):
        right = evaluate(machine, node.right, env)
        machine.need(
            MaskConjunction.message(operator=f"`{node.op}`", symbol="&" if node.op == "and" else "|"), False, node.at
        )
        return operators.binary(machine, "&" if node.op == "and" else "|", left, right, node.at)
    condition = truth_of(machine, left, node.left)
    if isinstance(condition, Unknown):
        evaluate(machine, node.right, env)
        return condition
    decided = machine.truth(condition)
    is_and = node.op == "and"
    if decided is not None:
        return evaluate(machine, node.right, env) if decided is is_and else left
    facts = machine.facts
    machine.assume(condition if is_and else negation(condition))
    right = evaluate(machine, node.right, env)
    machine.facts = facts
    if isinstance(left, (bool, Cond)):
        other = truth_of(machine, right, node.right) if isinstance(right, (bool, Cond, Sym, int)) else None
        if isinstance(other, (bool, Cond)):
            return (condition & other) if is_and else (condition | other)
    if isinstance(right, Unknown):
        return right
    return joining.join(machine, condition, *((right, left) if is_and else (left, right)), f"`{node.op}`")


def _compare(machine: Machine, node: ir.Compare, env: Environment) -> Any:
    left = alternatives(machine, node.left, env)
    parts: list[Any] = []
    for op, right_node in node.rest:
        right = evaluate(machine, right_node, env)
        check_comparison(machine, op, node.at)
        parts.append(comparisons.compare(machine, op, left, right, node.at))
        left = right
    if len(parts) == 1:
        return parts[0]
    if any(isinstance(p, Grid) for p in parts):
        machine.need(MaskConjunction.message(operator="a chained comparison", symbol="&"), False, node.at)
        result = parts[0]
        for part in parts[1:]:
            result = operators.binary(machine, "&", result, part, node.at)
        return result
    if all(isinstance(p, (bool, Cond, Unknown)) for p in parts):
        return all_of(parts)
    return Unknown("comparison of tensors")


def _conditional(machine: Machine, node: ir.Conditional, env: Environment) -> Any:
    condition = truth_of(machine, alternatives(machine, node.test, env), node.test)
    if isinstance(condition, Unknown):
        condition = Opaque(f"line {node.test.at.row}: {condition.reason}", "runtime")
    decided = machine.truth(condition)
    if decided is not None:
        return alternatives(machine, node.then if decided else node.otherwise, env)
    facts = machine.facts
    machine.assume(condition)
    then = alternatives(machine, node.then, env)
    machine.facts = facts
    machine.assume(negation(condition))
    otherwise = alternatives(machine, node.otherwise, env)
    machine.facts = facts
    return joining.join(machine, condition, then, otherwise, "the value of the conditional expression")


# --- calls and definitions ---


def _call(machine: Machine, node: ir.Call, env: Environment) -> Any:
    from .calls import call_value

    function = alternatives(machine, node.func, env)
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    open_ended = ""
    for name, expression in node.args:
        value = settled((evaluate if name in ("*", "**") else alternatives)(machine, expression, env))
        if name is None:
            args.append(value)
        elif name == "*":
            try:
                args += items_of(machine, value, expression.at)
            except IsUnknown as unknown:
                open_ended = unknown.reason
        elif name == "**":
            if isinstance(value, DictValue):
                kwargs.update({str(k): v for k, v in value.items.items()})
            else:
                open_ended = "unpacked keyword arguments that are not known"
        else:
            kwargs[name] = value
    if open_ended:
        return Unknown(open_ended)
    machine.at = node.at
    return call_value(machine, function, args, kwargs, node, env)


def _lambda(machine: Machine, node: ir.Lambda, env: Environment) -> Any:
    return definitions.define_function(machine, node.function, env)


def _comprehension(machine: Machine, node: ir.Comprehension, env: Environment) -> Any:
    return definitions.comprehend(machine, node, env)


def _walrus(machine: Machine, node: ir.Walrus, env: Environment) -> Any:
    value = alternatives(machine, node.value, env)
    machine.assign(env, node.target.id, value)
    return value


def _starred(machine: Machine, node: ir.Starred, env: Environment) -> Any:
    return evaluate(machine, node.value, env)


def _unsupported(machine: Machine, node: ir.UnsupportedExpr, env: Environment) -> Any:
    return Unknown(f"`{node.what}` is not modelled")


_HANDLERS: dict[type, Callable[[Machine, Any, Environment], Any]] = {
    ir.Const: _const,
    ir.Name: _name,
    ir.Attr: _attribute,
    ir.Index: _index,
    ir.SliceExpr: _slice,
    ir.Format: _format,
    ir.Sequence: _sequence,
    ir.DictExpr: _dict,
    ir.Binary: _binary,
    ir.Unary: _unary,
    ir.BoolOp: _bool_op,
    ir.Compare: _compare,
    ir.Conditional: _conditional,
    ir.Call: _call,
    ir.Lambda: _lambda,
    ir.Comprehension: _comprehension,
    ir.Walrus: _walrus,
    ir.Starred: _starred,
    ir.UnsupportedExpr: _unsupported,
}

_PASSING_ON = frozenset((ir.Name, ir.Attr, ir.Conditional, ir.Call, ir.Walrus))

__all__ = ["REAL", "alternatives", "evaluate", "hashable", "truth_of"]
