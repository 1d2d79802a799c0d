"""What Python certainly raises at: a finding where nothing handles it, and nothing was guessed of what raises."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.base.walk import walk
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.language.undefined_name import UndefinedName
from nkilint_rules.rule import Message
from nkilint_rules.words.conditions import Unknown, all_of, negation

from ..values.containers import DictValue, ListValue
from ..values.inputs import GIVEN, GUESSED_NUMBERS, Counted
from ..values.wording import in_words
from .machine import Fault, Machine, explained
from .paths import Flow, demand, is_handled, leave_where

CONTAINERS = (tuple, ListValue, DictValue)
"""Values that hold others."""


def refused(machine: Machine, raised: str, message: Message, at: Span | None, *values: Any) -> Unknown:
    """What is left of a value in place of which the program raises the built-in exception `raised` for the sake of some
    values: a finding, unless something handles it, or callers may give others."""
    if not machine.in_kernel or machine.trusting or is_handled(machine, raised):
        raise Fault(raised)
    if any(is_given(machine, value) for value in values):
        return Unknown(f"`{raised}` is raised")
    demand(machine, raised, message, False, at)
    return explained(f"`{raised}` is raised")


def may_raise(machine: Machine, raised: str, holds: Any, reason: str) -> None:
    """Python raises the built-in exception `raised` unless something `holds`, of which no rule tells: what is not
    certain leaves a kernel open where nothing handles it."""
    condition = machine.undecided(reason) if isinstance(holds, Unknown) else holds
    truth = machine.truth(condition)
    if truth is False:
        raise Fault(raised)
    if truth is None and is_handled(machine, raised):
        leave_where(machine, Flow.RAISE, negation(condition), raised)
    elif truth is None:
        machine.doubt(reason)


def is_given(machine: Machine, value: Any) -> bool:
    """Whether a value may be what a parameter of the kernel's is by default, which callers may replace."""
    return any(_is_part_of(value, given) for given in machine.memo.get(GIVEN, ()))


def _is_part_of(value: Any, given: Any) -> bool:
    if isinstance(given, tuple) and any(_is_part_of(value, item) for item in given):
        return True
    if isinstance(given, (DictValue, ListValue)):
        return isinstance(value, type(given)) and value.cell is given.cell
    return value is given or (type(value) is type(given) and isinstance(given, (int, float, str)) and value == given)


def is_surely_number(machine: Machine, value: Any) -> bool:
    """Whether a value is a number, and no parameter that was taken for one, nor what only the device knows."""
    if not isinstance(value, Sym):
        return isinstance(value, (int, float))
    guessed = machine.memo.get(GUESSED_NUMBERS, ())
    return all(v.kind in ("input", "loop", "program") and v.name not in guessed for v in variables(value))


def attribute_refused(machine: Machine, value: Any, name: str, node: ir.Attr) -> Unknown:
    """What is left of an attribute that the type of a value does not have."""
    said = UndefinedName.attribute(owner=node.value.at, name=name)
    return refused(machine, "AttributeError", said, node.at, value)


def not_callable(node: ir.Call, kind: str) -> Message:
    """What there is to say of a call of a value of that kind."""
    callee: Any = node.func.at
    if isinstance(node.func, (ir.Name, ir.Attr)):
        callee = node.func.id if isinstance(node.func, ir.Name) else node.func.name
    return CallSignature.not_callable(callee=callee, kind=kind)


def operands_refused(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Unknown:
    """What is left of `left op right` where the types of the two have no such operation."""
    given = f"{in_words(left)} and {in_words(right)}"
    return refused(machine, "TypeError", CallSignature.takes_none(callee=op, given=given), at, left, right)


def count_is_guessed(machine: Machine, value: Any) -> bool:
    """Whether a list or tuple may have another length than it has here, as shapes of another number of dimensions have:
    what sizes of inputs are in, unless these are known."""
    if isinstance(value, Counted):
        return False
    trace, items = machine.trace, value.items if isinstance(value, ListValue) else value
    guessed = bool(trace.ranks_guessed or trace.ranks_used or trace.ranks_asked or machine.supposed)
    return guessed or any(v.kind == "input" for item in items if isinstance(item, Sym) for v in variables(item))


def ends_before(machine: Machine, value: Any, key: Any) -> bool:
    """Whether a position certainly lies outside a tuple or a text."""
    outside = isinstance(key, int) and not -len(value) <= key < len(value) and not is_given(machine, value)
    return outside and machine.in_kernel and not machine.trusting and not count_is_guessed(machine, value)


def is_lasting(machine: Machine, held: DictValue | ListValue) -> bool:
    """Whether a module made it."""
    return any(first < held.cell.born <= last for first, last in machine.modules.lasting)


def may_be_longer(machine: Machine, held: ListValue, key: Any, node: ir.Index) -> bool:
    """Whether a position may lie outside of a list that a module holds, and that something may have put more into."""
    if not machine.in_kernel or not is_lasting(machine, held):
        return False
    inside = all_of((key >= -len(held.items), key < len(held.items)))
    if inside is True or machine.truth(inside) is True:
        return False
    return may_be_filled_elsewhere(machine, held, node)


def may_be_filled_elsewhere(machine: Machine, held: DictValue | ListValue, node: ir.Index) -> bool:
    """Whether a module holds what something may have put more into before a kernel runs: any dict or list but one that
    the module of the subscript makes itself, and whose name stands there for nothing else than to look into it."""
    if not is_lasting(machine, held):
        return False
    module = machine.modules.of_file(node.at.file)
    if module is None or not isinstance(node.value, ir.Name):
        return True
    nodes = list(walk(module.body))
    made = {id(target) for statement in module.body for target, value in statement.assigns if value is not None}
    stored = {
        id(part) for each in nodes if isinstance(each, ir.Stmt) for target, _ in each.assigns for part in walk(target)
    }
    harmless = {id(n.value) for n in nodes if isinstance(n, ir.Index) and id(n) not in stored}
    harmless |= {id(n.value) for n in nodes if isinstance(n, ir.Attr) and n.name not in _CHANGING}
    harmless |= {id(right) for n in nodes if isinstance(n, ir.Compare) for _, right in n.rest}
    named = [n for n in nodes if isinstance(n, ir.Name) and n.id == node.value.id]
    return sum(id(n) in made for n in named) != 1 or any(id(n) not in made | harmless for n in named)


_CHANGING = frozenset(
    {"__iadd__", "__ior__", "__setitem__", "append", "appendleft", "clear", "extend", "extendleft", "insert", "pop"}
    | {"popitem", "popleft", "remove", "setdefault", "update"}
)
"""Methods after which a dict or a list may hold something else."""
