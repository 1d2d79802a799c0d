"""`functools`."""

from __future__ import annotations

from typing import Any

from ...state import protocols
from ...state.machine import Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.objects import Native, Partial
from .registry import ANY, first_argument, models, wrapper


@models("functools.partial", keywords=ANY)
def _partial(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return Partial(args[0], tuple(args[1:]), dict(kwargs))


@models("functools.reduce")
def _reduce(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    items = items_of(machine, args[1])
    result = args[2] if len(args) > 2 else items.pop(0)
    for item in items:
        result = protocols.call(machine, args[0], [result, item], {})
    return result


models("functools.cache")(first_argument)
models("functools.cached_property")(wrapper("cached_property"))
models("functools.lru_cache")(lambda m, a, k: a[0] if a else Native("identity", first_argument))
models("functools.wraps")(lambda m, a, k: Native("identity", first_argument))
