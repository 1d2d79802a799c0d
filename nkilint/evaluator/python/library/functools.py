"""`functools`."""

from __future__ import annotations

from typing import Any

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.objects import FunctionValue, Native, Partial
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
