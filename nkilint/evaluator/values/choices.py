"""Values of which more than one is possible, or of which only the type is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nkilint_rules.words.conditions import Unknown

from .substitution import in_value, rewritten


@dataclass(frozen=True, slots=True, eq=False)
class Unbound:
    """A variable that is bound only where `defined` holds."""

    defined: Any
    value: Any
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A string whose content is not fully known."""


def settled(value: Any) -> Any:
    """`value` without the doubt whether it is bound."""
    while isinstance(value, Unbound):
        value = value.value
    return value


class Either(Unknown):
    """One of two values that have no form in common, by a condition. It is what a name or an attribute stands for, and
    what goes into a call and comes out; all else sees just an unknown value (`as_one`)."""

    __slots__ = ("cases", "condition", "otherwise", "then")

    def __init__(self, condition: Any, then: Any, otherwise: Any, reason: str, cases: int) -> None:
        super().__init__(reason)
        self.condition, self.then, self.otherwise, self.cases = condition, then, otherwise, cases


def as_one(value: Any) -> Any:
    """The value for all that do not ask which of two it is."""
    return Unknown(value.reason) if type(value) is Either else value


@rewritten.of(Unbound)
def _in_unbound(value: Unbound, mapping: Mapping[Any, Any]) -> Unbound:
    return Unbound(in_value(value.defined, mapping), in_value(value.value, mapping), value.why)


@rewritten.of(Either)
def _in_either(value: Either, mapping: Mapping[Any, Any]) -> Either:
    condition, then, otherwise = in_value((value.condition, value.then, value.otherwise), mapping)
    return Either(condition, then, otherwise, value.reason, value.cases)
