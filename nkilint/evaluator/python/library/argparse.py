"""`argparse`: programs are run without arguments. Numbers among the options are then what they are by default; what
else an option is stays open, so that both ways are followed which it decides between."""

from __future__ import annotations

from typing import Any

from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...state import protocols
from ...state.machine import Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.cells import MISSING
from ...values.containers import ListValue
from ...values.objects import ClassValue, Instance, ModuleValue, Native
from .registry import ANY, models

_REASON = "an option of the program"
_OTHERS = "*"  # in place of a name: options that are not known


def _add(machine: Machine, args: Args, kwargs: Keywords) -> None:
    parser, *flags = args
    name = _destination(flags, kwargs)
    default = kwargs.get("default", MISSING)
    asked = "required" in kwargs or (flags and not str(flags[0]).startswith("-"))
    open_value = default is MISSING or asked or "action" in kwargs
    machine.set(parser.attrs, name, Unknown(_REASON) if open_value else _by_default(machine, default, kwargs))


def _destination(flags: list[Any], kwargs: Keywords) -> str:
    """The attribute that an option becomes."""
    named = [kwargs["dest"]] if "dest" in kwargs else flags
    if not named or not all(isinstance(each, str) for each in named):
        return _OTHERS
    long = [each for each in named if each.startswith("--")]
    return str((long or named)[0]).lstrip("-").replace("-", "_")


def _by_default(machine: Machine, value: Any, kwargs: Keywords) -> Any:
    """A default, which the type of the option is applied to where it is a text."""
    if isinstance(value, str) and "type" in kwargs:
        value = protocols.call(machine, kwargs["type"], [value], {})
    several = items_of(machine, value) if isinstance(value, (ListValue, tuple)) else [value]
    numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in several)
    return value if numbers else Unknown(_REASON)


def _set_defaults(machine: Machine, args: Args, kwargs: Keywords) -> None:
    for name, value in kwargs.items():
        machine.set(args[0].attrs, name, _by_default(machine, value, {}))


def _parse(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (parser,) = args
    if kwargs or not machine.is_program or _OTHERS in parser.attrs:
        raise IsUnknown("the arguments of a program")
    return Instance(_ARGUMENTS, dict(parser.attrs))


def _parse_known(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return (_parse(machine, args, kwargs), ListValue([]))


def _itself(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """A group of options, which is a way to add to those of the parser."""
    return args[0]


_METHODS = {
    "add_argument": _add,
    "add_argument_group": _itself,
    "add_mutually_exclusive_group": _itself,
    "parse_args": _parse,
    "parse_known_args": _parse_known,
    "set_defaults": _set_defaults,
}
_ARGPARSE = ModuleValue("argparse", None)
_ARGUMENTS = ClassValue("Namespace", (), {}, _ARGPARSE, "arguments")
_PARSER = ClassValue(
    "ArgumentParser", (), {name: Native(name, call) for name, call in _METHODS.items()}, _ARGPARSE, "parser"
)


@models("argparse.ArgumentParser", keywords=ANY)
def _parser(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return Instance(_PARSER, {_OTHERS: True} if "parents" in kwargs else {})
