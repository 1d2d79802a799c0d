"""What Python does with None: nearly everything raises."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.base.names import target_names
from nkilint.base.walk import walk
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.language.undefined_name import UndefinedName
from nkilint_rules.rule import Message
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...state import protocols
from ...state.machine import NO_VARIABLES, Fault, Machine
from ...state.paths import is_handled
from ...state.refusals import CONTAINERS, is_surely_number, refused
from ...state.trace import links
from ...values.wording import in_words

_ORDERS = frozenset({"<", "<=", ">", ">="})


def raises_surely(
    machine: Machine, exception: str, at: Span, message: Message | None = None, node: ir.Expr | None = None
) -> None:
    """It is a finding where it may be nobody's to give something else than None, of which `node` is the expression.
    Elsewhere raise where nothing decides whether the kernel comes here; else what follows is unknown."""
    machine.trace.nothing.setdefault(at, None)
    on_a_path = any(link.origin == "path" for link in links(machine.facts))
    handled = is_handled(machine, exception)
    certain = (node is not None and _comes_of_nothing(machine, node)) or not _may_be_given(machine, at)
    if message is not None and certain and not (on_a_path and handled):
        raise IsUnknown(refused(machine, exception, message, at).reason)
    if on_a_path:
        return
    if not handled:
        machine.trace.raised = machine.site(at)
    raise Fault(exception)


def _may_be_given(machine: Machine, at: Span) -> bool:
    """Whether something may be None here that a caller, or somebody before, replaces by something else: a parameter of
    the kernel's, a field of an object that it takes, or what a module or class makes None."""
    kernel = machine.functions[0] if machine.functions else None
    if kernel is None or machine.unset or NO_VARIABLES in machine.trace.assumptions:
        return True
    if any(is_none(p.default) for p in kernel.params):
        return True
    modules = [machine.modules.of_file(place.file) for place in (at, kernel.at)]
    return any(module is None or any(map(_is_none_outside, module.body)) for module in modules)


def _comes_of_nothing(machine: Machine, node: ir.Expr) -> bool:
    """Whether an expression calls functions that return nothing, or is the name of what such calls gave."""
    if isinstance(node, ir.Call):
        called = [definition for call, definition in machine.trace.calls if call is node]
        return bool(called) and all(map(_returns_nothing, called))
    if not isinstance(node, ir.Name) or not machine.functions or node.id not in machine.functions[-1].locals:
        return False
    function = machine.functions[-1]
    below = list(walk(function.body))
    bound = [pair for each in below for pair in each.assigns if node.id in target_names(pair[0])]
    otherwise = any(node.id in each.binds for each in below) or any(p.name == node.id for p in function.params)
    plain = all(isinstance(target, ir.Name) and isinstance(value, ir.Call) for target, value in bound)
    if otherwise or not plain or not bound:
        return False
    return all(value is not None and _comes_of_nothing(machine, value) for _, value in bound)


def _returns_nothing(function: ir.FunctionDef) -> bool:
    """Whether a function is without a `return` that gives something."""
    returns = (each for each in walk(function.body) if isinstance(each, ir.Return))
    return not function.is_generator and all(each.value is None or is_none(each.value) for each in returns)


def _is_none_outside(statement: ir.Stmt) -> bool:
    """Whether a statement gives a name outside of functions None."""
    inside = statement.body if isinstance(statement, ir.ClassDef) else (statement,)
    return any(is_none(value) for each in inside for _, value in each.assigns)


def is_none(node: ir.Expr | None) -> bool:
    return isinstance(node, ir.Const) and node.value is None


@protocols.attributes.of(type(None))
def _attribute(machine: Machine, value: None, name: str, node: ir.Attr) -> Any:
    if not hasattr(None, name):
        said = UndefinedName.of_none(owner=node.value.at, name=name)
        raises_surely(machine, "AttributeError", node.at, said, node.value)
    return Unknown(f"attribute `{name}` of None")


@protocols.subscripts.of(type(None))
def _subscript(machine: Machine, value: None, key: Any, node: ir.Index) -> Any:
    said = CallSignature.unusable(expression=node.value.at, kind="None", use="has no items")
    raises_surely(machine, "TypeError", node.at, said, node.value)
    return Unknown("a subscript of None")


@protocols.lengths.of(type(None))
def _length(machine: Machine, value: None) -> Any:
    raises_surely(machine, "TypeError", machine.at, CallSignature.takes_none(callee="len", given="None"))
    return Unknown("the length of None")


@protocols.iterated.of(type(None))
def _iterated(machine: Machine, value: None, at: Span | None, count: int | None) -> list[Any]:
    said = None if at is None else CallSignature.unusable(expression=at, kind="None", use="cannot be iterated over")
    raises_surely(machine, "TypeError", at or machine.at, said)
    raise IsUnknown("iteration over None")


@protocols.elementwise.of(type(None), rank=1)
def _ordered(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    other = right if left is None else left
    plain = other is None or isinstance(other, (str, *CONTAINERS)) or is_surely_number(machine, other)
    if op not in _ORDERS or not plain:
        return NotImplemented
    given = f"{in_words(left)} and {in_words(right)}"
    raises_surely(machine, "TypeError", at, CallSignature.takes_none(callee=op, given=given))
    return Unknown(f"comparison of {given}")
