"""`operator`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint_rules.words.conditions import IsUnknown

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.containers import DictValue
from ...values.objects import Native
from .registry import models


def _operator(symbol: str) -> Callable[..., Any]:
    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        return protocols.binary(machine, symbol, args[0], args[1], machine.at)

    return call


for _name, _symbol in {
    "add": "+", "and_": "&", "floordiv": "//", "lshift": "<<", "mod": "%", "mul": "*", "or_": "|", "pow": "**",
    "rshift": ">>", "sub": "-", "truediv": "/", "xor": "^",
}.items():  # fmt: skip
    models(f"operator.{_name}")(_operator(_symbol))


def _comparison(symbol: str) -> Callable[..., Any]:
    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        left, right = args
        return protocols.compare(machine, symbol, left, right, machine.at)

    return call


for _name, _symbol in {"eq": "==", "ge": ">=", "gt": ">", "le": "<=", "lt": "<", "ne": "!="}.items():
    models(f"operator.{_name}")(_comparison(_symbol))


@models("operator.attrgetter")
def _attribute_getter(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if not args or not all(isinstance(name, str) for name in args):
        raise IsUnknown("`attrgetter` of attributes that are not known")
    here = ir.Const(machine.at, None)

    def one(machine: Machine, value: Any, path: str) -> Any:
        for name in path.split("."):
            value = protocols.get_attribute(machine, value, name, ir.Attr(machine.at, here, name))
        return value

    def call(machine: Machine, given: Args, kwargs: Keywords) -> Any:
        (value,) = given
        found = tuple(one(machine, value, path) for path in args)
        return found if len(found) > 1 else found[0]

    return Native("attrgetter", call)


@models("operator.itemgetter")
def _item_getter(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if len(args) != 1 or not isinstance(args[0], (int, str)):
        raise IsUnknown("`itemgetter` of several items")
    key = args[0]

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        if isinstance(args[0], DictValue):
            if key not in args[0].items:
                raise IsUnknown(f"whether there is a key `{key}`")
            return args[0].items[key]
        if isinstance(key, str):
            raise IsUnknown("a named item of what is no dict")
        items = items_of(machine, args[0])
        if not -len(items) <= key < len(items):
            raise Fault("IndexError")
        return items[key]

    return Native("itemgetter", call)
