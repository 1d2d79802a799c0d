"""The functions of Python's own modules and of others outside the project that are modelled, by their full names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint_rules.words.conditions import Unknown

from ...state.machine import Machine
from ...state.protocols import Args, Keywords
from ...values.objects import ClassValue, Instance, ModuleValue, Native

Function = Callable[[Machine, Args, Keywords], Any]
FUNCTIONS: dict[str, Function] = {}
CONSTANTS: dict[str, Any] = {}
MOST = 100_000  # items of a list that is written out


def models(*names: str) -> Callable[[Function], Function]:
    """Make the decorated function what calls of these names do."""

    def register(function: Function) -> Function:
        FUNCTIONS.update(dict.fromkeys(names, function))
        return function

    return register


_NATIVES: dict[str, Native] = {}


def native(name: str) -> Native:
    """The built-in function or type of that name: always the same object."""
    if name not in _NATIVES:
        _NATIVES[name] = Native(name, FUNCTIONS[f"builtins.{name}"])
    return _NATIVES[name]


def marker(kind: str) -> ClassValue:
    """The class of what a function of a library makes, where the evaluator asks for its kind only."""
    return ClassValue(kind, (), {}, ModuleValue("builtins", None), kind)


def wrapper(kind: str) -> Function:
    """A decorator that marks what it is given."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        return Instance(marker(kind), {"getter": args[0] if args else None})

    return call


def first_argument(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """A decorator that keeps the meaning of what it is given."""
    return args[0] if args else Unknown("a call without arguments")
