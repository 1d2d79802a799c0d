"""What attributes objects may have: any, or those that `__slots__` names."""

from __future__ import annotations

from nkilint.base.names import private
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...values.objects import ClassValue, External, Native
from ..exceptions import builtin_exception

_WITHOUT_VARIABLES = frozenset(
    {"abc.ABC", "typing.Generic", "typing.NamedTuple", "typing.Protocol", "typing_extensions.Protocol"}
)
"""Bases outside the project whose objects have no variables."""


def has_variables(cls: ClassValue) -> bool:
    """Whether objects of a class have a dict of what is set: where one of the classes says nothing of slots."""
    slots = [each.slots for each in cls.mro()]
    outer = [base for each in cls.mro() for base in each.bases if not isinstance(base, ClassValue)]
    named = [each for each in slots if not isinstance(each, Unknown)]
    if any(each is None or "__dict__" in each for each in named) or any(map(builtin_exception, outer)):
        return True
    if len(named) < len(slots) or not all(map(_is_without_variables, outer)):
        raise IsUnknown(f"what attributes objects of `{cls.name}` may have")
    return False


def _is_without_variables(base: object) -> bool:
    if isinstance(base, Native):
        return base.name == "object"
    return isinstance(base, External) and base.name in _WITHOUT_VARIABLES


def has_slots(cls: ClassValue) -> bool:
    """Whether some attributes of its objects stand in slots, and not among their variables."""
    return any(each.slots not in (None, ()) for each in cls.mro())


def may_be_set(cls: ClassValue, name: str) -> bool:
    """Whether objects of a class may have an attribute of their own of that name."""
    if has_variables(cls):
        return True
    for each in cls.mro():
        if name in each.slots or any(private(slot, each.name) == name for slot in each.slots):
            return True
        if name in each.attrs:
            return False
    return False
