"""Members of enumerations that the caller chooses."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint_rules.words.conditions import Unknown

from ...state import joining, protocols
from ...state.machine import Machine
from ...values.choices import as_one
from ...values.objects import Instance, SomeMember

protocols.truths.of(SomeMember)(lambda machine, value, node: True)


@protocols.equalities.of(SomeMember, rank=5)
def _equal(machine: Machine, left: Any, right: Any) -> Any:
    positions = [_position(side, (left, right)) for side in (left, right)]
    if None in positions:
        unlike = isinstance(left, (SomeMember, Instance)) and isinstance(right, (SomeMember, Instance))
        return False if unlike and left.cls is not right.cls else Unknown("a member of an enumeration compared")
    return positions[0] == positions[1]


def _position(value: Any, both: tuple[Any, Any]) -> Any:
    """Where a member stands in the enumeration; None for what is no member of it."""
    if isinstance(value, SomeMember):
        return value.position
    classes = [side.cls for side in both if isinstance(side, SomeMember)]
    if not isinstance(value, Instance) or value.cls is not classes[0]:
        return None
    return next((i for i, member in enumerate(value.cls.members) if member is value), None)


@protocols.attributes.of(SomeMember)
def _attribute(machine: Machine, value: SomeMember, name: str, node: ir.Attr) -> Any:
    return of_each(machine, value, lambda member: protocols.get_attribute(machine, member, name, node))


def of_each(machine: Machine, value: SomeMember, use: Any) -> Any:
    """What `use`, which changes nothing, makes of the member that it is."""
    *first, last = list(enumerate(value.members))
    result = use(last[1])
    for position, member in reversed(first):
        result = as_one(joining.join(machine, value.position == position, use(member), result, "the member"))
    return result
