"""Expressions: each function gives the value of one kind of node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from nkilint.base import ir
from nkilint.base.names import bound_names
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint_rules.indexing.mask_conjunction import MaskConjunction
from nkilint_rules.language.undefined_name import UndefinedName
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, negation

from ..device.versions import check_comparison
from ..state import protocols
from ..state.machine import Fault, Machine, explained
from ..state.paths import demand, in_both, one_of_two, where
from ..state.protocols import escape_names, get_attribute, items_of
from ..state.registers import ask_register
from ..values.cells import MISSING
from ..values.choices import Either, Text, Unbound, settled
from ..values.containers import DictValue, ListValue
from ..values.grids import Grid
from ..values.grown import GrownItems, Items, LongTuple, joined
from ..values.inputs import Counted, as_used
from ..values.objects import Api, BoundMethod, ClassValue, Environment, FunctionValue, Instance, Partial
from .builtins import builtin
from .functions import define_function
from .interpreter import alternatives, evaluate, evaluates, undecided
from .truths import condition_of
from .types.formats import is_lavish, may_raise_in
from .types.mappings import hashable
from .types.ranges import all_items
from .types.texts import own_text, written

# --- leaves ---


@evaluates(ir.Const)
def _const(machine: Machine, node: ir.Const, env: Environment) -> Any:
    return node.value


@evaluates(ir.Name, alternatives=True)
def _name(machine: Machine, node: ir.Name, env: Environment) -> Any:
    value = machine.lookup(env, node.id)
    if value is MISSING:
        value = MISSING if _is_variable(node.id, env) else builtin(node.id)
        if value is MISSING:
            return _undefined(machine, node, env)
    if isinstance(value, Unbound):
        _note_unbound(machine, node.id)
    while isinstance(value, Unbound):
        demand(machine, _unbound(node.id, env), UndefinedName.message(name=node.id), value.defined, node.at)
        machine.assume(value.defined, "granted")
        value = value.value
    return machine.under_facts(as_used(value))


def _is_local(name: str, env: Environment) -> bool:
    """Whether a name is one of the function's own, which stands for nothing else while it is not bound."""
    return env.function is not None and name in env.function.locals and name not in (env.redirected or ())


def _is_variable(name: str, env: Environment) -> bool:
    """Whether a name is that of a function, or of one around it, and stands for nothing else."""
    if _is_local(name, env) or env.parent is None or env.parent.parent is None:
        return _is_local(name, env)
    return env.parent.around(name) is not env.module.env


def _unbound(name: str, env: Environment) -> str:
    """What Python raises where a variable has no value."""
    return "UnboundLocalError" if _is_local(name, env) else "NameError"


def _note_unbound(machine: Machine, name: str) -> None:
    """Loops that bind a name are to know that something reads it where it may not be bound."""
    machine.memo.setdefault("read unbound", set()).add(name)


def _undefined(machine: Machine, node: ir.Name, env: Environment) -> Any:
    """A name that is bound nowhere on this path."""
    _note_unbound(machine, node.id)
    if env.module.state == "incomplete" or "*" in env.module.env.vars:
        return Unknown(f"`{node.id}` may come from a star import that is not known")
    raised = _unbound(node.id, env)
    demand(machine, raised, UndefinedName.message(name=node.id), False, node.at)
    return explained(f"`{node.id}` is not defined")


@evaluates(ir.Attr, alternatives=True)
def _attribute(machine: Machine, node: ir.Attr, env: Environment) -> Any:
    called = machine.callee is node
    owner = alternatives(machine, node.value, env)
    machine.callee = node if called else None
    return get_attribute(machine, owner, node.name, node)


@evaluates(ir.Index, alternatives=True)
def _index(machine: Machine, node: ir.Index, env: Environment) -> Any:
    value = alternatives(machine, node.value, env)
    key = evaluate(machine, node.key, env)
    if isinstance(key, Sym) and isinstance(value, (ListValue, DictValue, tuple)):
        ask_register(machine, key, node.key.at)
    if isinstance(value, Either):
        return in_both(machine, value, lambda one: protocols.subscript(machine, one, key, node))
    return protocols.subscript(machine, value, key, node)


@evaluates(ir.SliceExpr)
def _slice(machine: Machine, node: ir.SliceExpr, env: Environment) -> Any:
    parts = [None if p is None else evaluate(machine, p, env) for p in (node.start, node.stop, node.step)]
    return slice(*parts)


@evaluates(ir.Format)
def _format(machine: Machine, node: ir.Format, env: Environment) -> Any:
    values = [evaluate(machine, part, env) for part in node.parts]
    for value in values:
        if isinstance(value, Instance):
            own_text(machine, value, ("__format__", "__str__", "__repr__"))
    plain = all(isinstance(value, (str, int, float)) or value is None for value in values)
    try:
        return "".join(map(str, values)) if plain else written(machine, values)
    except ValueError:  # a number of too many digits
        raise Fault("ValueError") from None


_CONVERSIONS: dict[str, Callable[[Any], str]] = {"s": str, "r": repr, "a": ascii}


@evaluates(ir.Formatted)
def _formatted(machine: Machine, node: ir.Formatted, env: Environment) -> Any:
    value = evaluate(machine, node.value, env)
    spec = _format(machine, ir.Format(node.at, node.spec), env)
    if isinstance(value, Instance):
        own_text(
            machine, value, ("__repr__",) if node.conversion in ("r", "a") else ("__format__", "__str__", "__repr__")
        )
    plain = isinstance(value, (str, int, float)) or value is None
    if isinstance(spec, str) and is_lavish(spec):
        raise IsUnknown("a format of so many characters")
    if plain and isinstance(spec, str):
        try:
            return format(_CONVERSIONS[node.conversion](value) if node.conversion else value, spec)
        except (ValueError, TypeError):
            machine.doubt(f"`{spec}` is no format for the value")
    elif spec:
        may_raise_in(machine, "a format", format, Text() if node.conversion else value, spec)
    return written(machine, [Unknown("the format of a text")])


@evaluates(ir.Sequence)
def _sequence(machine: Machine, node: ir.Sequence, env: Environment) -> Any:
    items: list[Any] = []
    before: Items = ()
    reason = ""
    for item in node.items:
        if isinstance(item, ir.Starred):
            try:
                value = evaluate(machine, item.value, env)
                more = items_of(machine, value, item.at) if node.kind == "set" else all_items(machine, value, item.at)
                if isinstance(more, GrownItems):
                    machine.contain(*items)
                    index = machine.fresh_sym("at", "loop", 0, 0)
                    before, items = joined(joined(before, tuple(items), index), more, index), []
                else:
                    items += more
            except IsUnknown as unknown:
                reason = unknown.reason
        else:
            items.append(evaluate(machine, item, env))
    machine.contain(*items)
    if reason:
        raise IsUnknown(reason)
    if isinstance(before, GrownItems):
        whole = joined(before, tuple(items), machine.fresh_sym("at", "loop", 0, 0))
        return ListValue(whole) if node.kind == "list" or isinstance(whole, tuple) else LongTuple(whole)
    if node.kind == "tuple":
        return tuple(items) if any(isinstance(item, ir.Starred) for item in node.items) else Counted(items)
    return ListValue(items) if node.kind == "list" else DictValue({hashable(i): None for i in items}, "set")


@evaluates(ir.DictExpr)
def _dict(machine: Machine, node: ir.DictExpr, env: Environment) -> Any:
    pairs = [
        (key if key is None else evaluate(machine, key, env), evaluate(machine, value, env), key)
        for key, value in node.items
    ]
    items: dict[Any, Any] = {}
    for key, value, node_of_key in pairs:
        if node_of_key is not None:
            items[hashable(key)] = value
        elif isinstance(value, DictValue):
            items.update(value.items)
        else:
            raise IsUnknown("unpacking of something that is no dict")
    return DictValue(items)


# --- operators ---


@evaluates(ir.Binary)
def _binary(machine: Machine, node: ir.Binary, env: Environment) -> Any:
    left = evaluate(machine, node.left, env)
    right = evaluate(machine, node.right, env)
    return protocols.binary(machine, node.op, left, right, node.at)


@evaluates(ir.Unary)
def _unary(machine: Machine, node: ir.Unary, env: Environment) -> Any:
    if node.op == "not":
        truth = condition_of(machine, node.operand, env)
        return truth if isinstance(truth, Unknown) else negation(truth)
    return protocols.unary(machine, node.op, evaluate(machine, node.operand, env), node.at)


@evaluates(ir.Compare)
def _compare(machine: Machine, node: ir.Compare, env: Environment) -> Any:
    left = alternatives(machine, node.left, env)
    parts: list[Any] = []
    for op, right_node in node.rest:
        goes_on = all_of(part for part in parts if isinstance(part, (bool, Cond)))
        right = where(machine, goes_on, partial(evaluate, machine, right_node, env))
        check_comparison(machine, op, left is None or right is None, node.at)
        parts.append(protocols.compare(machine, op, left, right, node.at))
        if parts[-1] is False:
            return False
        if len(node.rest) > 1 and isinstance(parts[-1], _NO_TRUTHS) and not isinstance(parts[-1], bool):
            raise IsUnknown("a chain of comparisons that give no truths")
        left = right
    if len(parts) == 1:
        return parts[0]
    if any(isinstance(p, Grid) for p in parts):
        machine.need(MaskConjunction.message(operator="a chained comparison", symbol="&"), False, node.at)
        result = parts[0]
        for part in parts[1:]:
            result = protocols.binary(machine, "&", result, part, node.at)
        return result
    if all(isinstance(p, (bool, Cond, Unknown)) for p in parts):
        return all_of(parts)
    return Unknown("comparison of tensors")


_NO_TRUTHS = (int, Sym, float, str, tuple, type(None), Instance, ListValue, DictValue)


@evaluates(ir.Conditional, alternatives=True)
def _conditional(machine: Machine, node: ir.Conditional, env: Environment) -> Any:
    condition = condition_of(machine, node.test, env)
    return one_of_two(
        machine,
        undecided(machine, node.test, condition) if isinstance(condition, Unknown) else condition,
        lambda: alternatives(machine, node.then, env),
        lambda: alternatives(machine, node.otherwise, env),
        "the value of the conditional expression",
    )


# --- calls and definitions ---


@evaluates(ir.Call, alternatives=True)
def _call(machine: Machine, node: ir.Call, env: Environment) -> Any:
    machine.callee = node.func
    function = alternatives(machine, node.func, env)
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    open_ended, opened = "", []
    for name, expression in node.args:
        value = settled((evaluate if name in ("*", "**") else alternatives)(machine, expression, env))
        if name is None:
            args.append(value)
        elif name == "*":
            try:
                args += items_of(machine, value, expression.at)
            except IsUnknown as unknown:
                open_ended = unknown.reason
                opened.append(value)
        elif name == "**" and not isinstance(value, DictValue):
            open_ended = "unpacked keyword arguments that are not known"
            opened.append(value)
        else:
            _add_keywords(kwargs, value.items if name == "**" else {name: value})
    machine.at = node.at
    if open_ended:
        if isinstance(function, _FOLLOWED):
            machine.unknown(IncompleteAnalysis, open_ended, node.at)
        protocols.escape(machine, [function, *args, *kwargs.values(), *opened], open_ended)
        return Unknown(open_ended)
    return protocols.call(machine, function, args, kwargs, node, env)


def _add_keywords(kwargs: dict[str, Any], more: Mapping[Any, Any]) -> None:
    """Arguments by name, each of which a call has once."""
    twice = more.keys() & kwargs.keys()
    if any(isinstance(name, (int, float, tuple)) or name is None for name in more) or twice:
        raise Fault("TypeError")
    if not all(isinstance(name, str) for name in more):
        raise IsUnknown("the name of an argument that is not known")
    kwargs.update(more)


_FOLLOWED = (Api, BoundMethod, ClassValue, FunctionValue, Partial)
"""What may ask something of the device, or have that done."""


@evaluates(ir.Lambda)
def _lambda(machine: Machine, node: ir.Lambda, env: Environment) -> Any:
    return define_function(machine, node.function, env)


@evaluates(ir.Walrus, alternatives=True)
def _walrus(machine: Machine, node: ir.Walrus, env: Environment) -> Any:
    value = alternatives(machine, node.value, env)
    machine.assign(own_scope(env), node.target.id, value)
    return value


def own_scope(env: Environment) -> Environment:
    """The scope that a walrus binds in: comprehensions have no variables of their own but those of their clauses."""
    while env.function is None and env.parent is not None and not env.is_class:
        env = env.parent
    return env


@evaluates(ir.Starred)
def _starred(machine: Machine, node: ir.Starred, env: Environment) -> Any:
    return evaluate(machine, node.value, env)


@evaluates(ir.UnsupportedExpr)
def _unsupported(machine: Machine, node: ir.UnsupportedExpr, env: Environment) -> Any:
    """Something that is not modelled runs, with what its parts can reach."""
    reason = f"`{node.what}` is not modelled"
    escape_names(machine, node.held, env, reason)
    for name in sorted(bound_names(node)):
        machine.assign(own_scope(env), name, Unknown(reason))
    return Unknown(reason)
