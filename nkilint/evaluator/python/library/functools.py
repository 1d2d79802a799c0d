"""`functools`."""

from __future__ import annotations

from typing import Any

from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.cells import Cell
from ...values.containers import DictValue
from ...values.objects import BoundMethod, FunctionValue, Native, Partial
from ..types.mappings import hashable
from .registry import ANY, models, wrapper


@models("functools.partial", keywords=ANY)
def _partial(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return Partial(args[0], tuple(args[1:]), dict(kwargs))


@models("functools.reduce")
def _reduce(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    items = items_of(machine, args[1])
    if not items and len(args) < 3:
        raise Fault("TypeError")
    result = args[2] if len(args) > 2 else items.pop(0)
    for item in items:
        result = protocols.call(machine, args[0], [result, item], {})
    return result


models("functools.cached_property")(wrapper("cached_property"))


def _cached(function: Any, limit: Any) -> Native:
    """A function that runs once for equal arguments, as long as there are not more than `limit` of them; what each gave
    is kept in a dict."""
    kept = DictValue()

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        try:
            key = hashable((*args, *(part for pair in sorted(kwargs.items()) for part in pair)))
        except IsUnknown:
            return _called_perhaps(machine, function, args, kwargs)
        if key not in kept.items:
            result = protocols.call(machine, function, args, kwargs)
            if limit is not None and not (isinstance(limit, int) and len(kept.items) < limit):
                raise IsUnknown("a cache that is full")
            machine.set(kept.cell, "items", {**kept.items, key: result})
        return kept.items[key]

    return Native(getattr(function, "name", "cached"), call, (function, kept))


def _called_perhaps(machine: Machine, function: Any, args: Args, kwargs: Keywords) -> Any:
    """A call with arguments that may have been seen before: as good as any, if it changes nothing."""
    born = Cell.made
    with machine.recorded() as mark:
        result = protocols.call(machine, function, args, kwargs)
        changes = machine.changes(mark, born)
    if not changes:
        return result
    reason = "a cached function that changes something, with arguments that are not known"
    for cell, key, _, _ in changes.values():
        machine.set(cell, key, Unknown(reason))
    return Unknown(reason)


@models("functools.cache")
def _cache(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return _cached(args[0], None)


@models("functools.lru_cache", keywords=("maxsize", "typed"))
def _lru_cache(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    limit = kwargs.get("maxsize", args[0] if args else 128)
    if isinstance(limit, (FunctionValue, BoundMethod)):
        return _cached(limit, 128)
    return Native("lru_cache", lambda machine, args, kwargs: _cached(args[0], limit))


@models("functools.wraps", keywords=ANY)
def _wraps(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """The function that is wrapped lends its name."""
    (wrapped,) = args

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        (function,) = args
        if isinstance(function, FunctionValue):
            function.shown = getattr(wrapped, "shown", "")
            for name, value in getattr(wrapped, "attrs", {}).items():
                machine.set(function.attrs, name, value)
        return function

    return Native("wraps", call)
