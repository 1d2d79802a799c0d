"""Whether Python raises when it formats values that are not known: it is tried with others of the same types."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...state.machine import Machine
from ...values.choices import Text
from ...values.containers import DictValue, ListValue
from ...values.grown import GrownItems, LongTuple
from ...values.numbers import Real
from ...values.objects import Instance, SomeMember

WIDEST = 999  # characters that a value of a format asks for
_MANY = re.compile(r"\d{4,}")
_WIDE = re.compile(r"%[^a-zA-Z%]*\d{4,}|\{[^{}]*:[^{}]*\d{4,}")  # where a text asks for many as a format


def is_lavish(spec: str) -> bool:
    """Whether a format asks for a text of more characters than it is worth while to write."""
    return _MANY.search(spec) is not None


def has_lavish(text: str) -> bool:
    """Whether a text with formats in it does so."""
    return _WIDE.search(text) is not None


def may_raise_in(machine: Machine, what: str, compute: Callable[..., Any], *values: Any) -> None:
    """No kernel is verified where `compute` may raise for values like these."""
    try:
        if any(isinstance(value, str) and has_lavish(value) for value in values):
            raise IsUnknown("a format of so many characters")
        compute(*map(_like, values))
    except (ArithmeticError, AttributeError, IsUnknown, LookupError, TypeError, ValueError):
        machine.doubt(f"Python may raise at {what}")


def _like(value: Any) -> Any:
    """A value of Python's own of the type that a value has."""
    if isinstance(value, (Unknown, Instance, SomeMember)):
        raise IsUnknown("nothing is known of a value")
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-WIDEST, min(WIDEST, value))
    if isinstance(value, (str, bytes, bool, float, type(None))):
        return value
    if isinstance(value, (Sym, Cond)):
        return 1 if isinstance(value, Sym) else True
    if isinstance(value, Real):
        return 1.5
    if isinstance(value, Text):
        return "a"
    if isinstance(value, LongTuple):
        return tuple(_items(value.items))
    if isinstance(value, tuple):
        return tuple(map(_like, value))
    if isinstance(value, ListValue):
        return _items(value.cell["items"])
    if isinstance(value, DictValue):
        return dict.fromkeys(range(len(value.items)), 0) if not value.is_set else set(range(len(value.items)))
    return _Other()


def _items(content: Any) -> list[Any]:
    """As many items as make a difference."""
    if isinstance(content, GrownItems):
        return [*_items(content.before), *_items(content.added)]
    if not isinstance(content, tuple):
        raise IsUnknown("nothing is known of some items")
    return list(map(_like, content))


class _Other:
    """What has a text, and no other format."""
