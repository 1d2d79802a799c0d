"""Values that are not known, and values of which two are possible."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.integers import Sym
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...device import updates
from ...state import joining, protocols
from ...state.havoc import tensors_in
from ...state.machine import Explained, Machine
from ...state.paths import in_both
from ...state.protocols import Args, Keywords
from ...values.choices import Among, Either, among
from ...values.objects import Environment, Instance
from ...values.tensors import View


def _written_somewhere(machine: Machine, values: Args, reason: str, told: bool) -> None:
    """Tensors handed to something that is not followed may be written there."""
    found = tensors_in(machine, values)
    updates.touch_somewhere(machine, found, reason, machine.at)
    known = [isinstance(value, View) or value.view is not None for value in found]
    if found and not told:
        said = f"a tensor is handed to something that is not followed: {reason}"
        said = Explained(said) if isinstance(reason, Explained) else said
        machine.unknown(IncompleteAnalysis, said, hides_writes=not all(known))


protocols.escapes.append(_written_somewhere)


@protocols.calls.of(Unknown)
def _call_unknown(
    machine: Machine, function: Unknown, args: Args, kwargs: Keywords, node: ir.Call | None, env: Environment | None
) -> Any:
    handed = [function, *args, *kwargs.values()]
    if not tensors_in(machine, handed):  # of which it would be said
        machine.unknown(IncompleteAnalysis, function.reason, node.at if node is not None else None, hides_writes=False)
    protocols.escape(machine, handed, function.reason)
    return among(function.reason, function, *args, *kwargs.values())


@protocols.calls.of(Either)
def _call_either(
    machine: Machine, function: Either, args: Args, kwargs: Keywords, node: ir.Call | None, env: Environment | None
) -> Any:
    return in_both(machine, function, lambda chosen: protocols.call(machine, chosen, args, kwargs, node, env))


@protocols.attributes.of(Either)
def _attribute_of_either(machine: Machine, value: Either, name: str, node: ir.Attr) -> Any:
    return in_both(machine, value, lambda chosen: protocols.get_attribute(machine, chosen, name, node))


@protocols.truths.of(Either)
def _truth_of_either(machine: Machine, value: Either, node: ir.Expr) -> Any:
    return joining.apply(machine, value, lambda side: protocols.truth_of(machine, side, node))


@protocols.iterated.of(Unknown)
def _items(machine: Machine, value: Unknown, at: Span | None, count: int | None) -> list[Any]:
    raise IsUnknown(value.reason)


def _itself(machine: Machine, value: Unknown, *rest: Any) -> Unknown:
    return value


@protocols.lengths.of(Unknown)
def _length(machine: Machine, value: Unknown) -> Sym:
    """A number, whatever it is; nothing is refuted by it. What has no length raises."""
    machine.doubt(value.reason)
    return machine.fresh_sym("length", "carried", 0, None, value.reason)


def with_classes(value: Unknown) -> Unknown:
    """A class that is not known, of a value that is not: it may be that of each object that this may be."""
    objects = [each for each in value.values if isinstance(each, Instance)] if isinstance(value, Among) else []
    return among(value.reason, value, *(each.cls for each in objects)) if objects else value


@protocols.attributes.of(Unknown)
def _attribute(machine: Machine, value: Unknown, name: str, node: ir.Attr) -> Unknown:
    return with_classes(value) if name == "__class__" else value


for _table in (
    protocols.subscripts,
    protocols.truths,
    protocols.unary_operators,
    protocols.memberships,
):
    _table.of(Unknown)(_itself)


def _first_unknown(machine: Machine, *given: Any) -> Unknown:
    """Of two values, the first that is not known."""
    return next(value for value in given if isinstance(value, Unknown))


protocols.equalities.of(Unknown, rank=9)(_first_unknown)
protocols.orders.of(Unknown, rank=9)(_first_unknown)
protocols.arithmetic.of(Unknown, rank=5)(_first_unknown)
