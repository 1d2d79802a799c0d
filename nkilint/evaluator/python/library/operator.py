"""`operator`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint_rules.words.conditions import IsUnknown

from ...state import protocols
from ...state.machine import Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.containers import DictValue
from ...values.objects import Native
from .registry import models


def _operator(symbol: str) -> Callable[..., Any]:
    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        return protocols.binary(machine, symbol, args[0], args[1], machine.at)

    return call


for _name, _symbol in {"add": "+", "floordiv": "//", "mod": "%", "mul": "*", "sub": "-"}.items():
    models(f"operator.{_name}")(_operator(_symbol))


@models("operator.itemgetter")
def _item_getter(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if len(args) != 1 or not isinstance(args[0], (int, str)):
        raise IsUnknown("`itemgetter` of several items")
    key = args[0]

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        if isinstance(args[0], DictValue):
            return args[0].items[key]
        if isinstance(key, str):
            raise IsUnknown("a named item of what is no dict")
        return items_of(machine, args[0])[key]

    return Native("itemgetter", call)
