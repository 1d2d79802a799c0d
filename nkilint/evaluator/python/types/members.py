"""Members of enumerations that the caller, or a branch, chooses."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.symbolic.integers import choose
from nkilint_rules.words.conditions import Unknown

from ...state import joining, protocols
from ...state.machine import Machine
from ...values.choices import as_one
from ...values.objects import ClassValue, External, Instance, SomeMember

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
    return _index(value)


@joining.common_forms.of(Instance, SomeMember)
def _join(machine: Machine, condition: Any, a: Any, b: Any, name: str, sides: Any) -> Any:
    """The one of two members that a branch chose."""
    if not isinstance(b, (Instance, SomeMember)) or a.cls is not b.cls or not _is_plain(a.cls):
        return None
    one, other = (side.position if isinstance(side, SomeMember) else _index(side) for side in (a, b))
    return None if one is None or other is None else SomeMember(a.cls, choose(condition, one, other))


def _is_plain(cls: ClassValue) -> bool:
    """Whether members of an enumeration are nothing but that: no numbers or texts, and without methods."""
    bases = {base for each in cls.mro() for base in each.bases if not isinstance(base, ClassValue)}
    held = [value for each in cls.mro() for value in each.attrs.values()]
    return bases == {External("enum.Enum")} and all(
        value.cls is cls if isinstance(value, Instance) else isinstance(value, (str, int, float, type(None)))
        for value in held
    )


def _index(member: Instance) -> int | None:
    return next((i for i, each in enumerate(member.cls.members) if each is member), None)


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
