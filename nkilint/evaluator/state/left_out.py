"""Code of the project that is not followed, though it may ask something of the device: nothing is shown of that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from nkilint.base import ir
from nkilint.base.walk import walk
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis

from ..values.cells import MISSING
from ..values.containers import DictValue, ListValue
from ..values.iterators import DictView, IteratorValue
from ..values.objects import Api, BoundMethod, ClassValue, FunctionValue, Instance, ModuleValue, Native, Partial
from .havoc import parts_of

if TYPE_CHECKING:
    from .machine import Machine

_HOLDING = (tuple, ListValue, DictValue, DictView, IteratorValue, BoundMethod, Native, Partial)


def leave_out(machine: Machine, values: Iterable[Any], reason: str, at: ir.Span, every: bool = True) -> None:
    """Code that `values` have is not followed here: the methods that Python calls by itself, and, if `every` is meant,
    what else may be called."""
    if machine.in_kernel and any(_ask(machine, function) for function in _functions(values, every)):
        machine.unknown(IncompleteAnalysis, reason, at)


def _functions(values: Iterable[Any], every: bool) -> Iterator[FunctionValue]:
    """What may be called through values."""
    waiting, seen = list(values), set[int]()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, FunctionValue):
            yield value
        elif isinstance(value, Instance) and value.cls.name in _WRAPPING:
            waiting += value.attrs.values()
        elif isinstance(value, (ClassValue, Instance)):
            cls = value if isinstance(value, ClassValue) else value.cls
            for name, member in (pair for each in cls.mro() for pair in each.attrs.items()):
                own = name.startswith("__") or name in _OF_ENUMERATIONS
                if every or own:
                    waiting.append(member)
        elif isinstance(value, _HOLDING):
            waiting += parts_of(value)


_WRAPPING = frozenset({"classmethod", "property", "staticmethod"})
_OF_ENUMERATIONS = frozenset({"_missing_", "_generate_next_value_"})


def _ask(machine: Machine, function: FunctionValue) -> bool:
    """Whether a function calls something of NKI, or one of the project that does."""
    waiting, seen = [function], set[int]()
    while waiting:
        here = waiting.pop()
        if id(here.node) in seen:
            continue
        seen.add(id(here.node))
        for name in _called(here.node):
            value = machine.lookup(here.env, name)
            if value is MISSING or isinstance(value, ModuleValue):
                continue
            if isinstance(value, Api):
                return True
            waiting += _functions([value], every=True) if isinstance(value, (FunctionValue, ClassValue)) else ()
    return False


@lru_cache(4_096)
def _called(function: ir.FunctionDef) -> frozenset[str]:
    """The names in a function that are called, or of which an attribute is."""
    found = set[str]()
    for node in walk(function.body):
        if isinstance(node, ir.Call):
            here = node.func
            while isinstance(here, ir.Attr):
                here = here.value
            found |= {here.id} if isinstance(here, ir.Name) else set()
    return frozenset(found)
