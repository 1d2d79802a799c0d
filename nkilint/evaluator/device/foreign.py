"""Objects of Python that are given to operations: what the rulebook sees of them."""

from __future__ import annotations

from typing import Any

from nkilint_rules.operations import lookup
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dtypes import BOOL
from nkilint_rules.words.values import Foreign

from ..state.machine import Machine
from ..values.containers import RangeValue
from ..values.iterators import DictView, IteratorValue
from ..values.objects import (
    BoundMethod,
    ClassValue,
    ExceptionValue,
    FunctionValue,
    Instance,
    Managed,
    ModuleValue,
    Native,
    Partial,
    SomeMember,
    Super,
    Suppressing,
    member_number,
)
from ..values.tensors import View
from ..values.unions import TypeUnion
from ..values.wording import in_words

_SURELY = (FunctionValue, BoundMethod, Partial, Native, ModuleValue, RangeValue, IteratorValue, DictView)
_PLAIN = (slice, bytes, complex, type(...))
_PERHAPS = (*(Instance, SomeMember, ClassValue, ExceptionValue, Super, Managed, Suppressing, TypeUnion),)
"""What may have the methods of a number, or stand for what the caller gives."""
_NUMBERS = frozenset({"int", "float", "complex"})


def plain_object(machine: Machine, value: Any) -> Any:
    """An object in the rulebook's terms: one that no operation takes is told as such."""
    if isinstance(value, Native) and value.name == "bool":
        return BOOL
    number = member_number(value)
    if number is not value:
        return number
    of_tensor = isinstance(value, BoundMethod) and isinstance(value.receiver, View)
    open_name = of_tensor and lookup(machine.dialect, f"tensor.{value.function}") is None
    if isinstance(value, _PERHAPS) or open_name or (isinstance(value, Native) and value.name in _NUMBERS):
        return Unknown(f"{in_words(value)} as an argument")
    return Foreign(in_words(value)) if isinstance(value, (*_SURELY, *_PLAIN)) else value
