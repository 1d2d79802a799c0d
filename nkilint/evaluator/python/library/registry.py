"""The functions of Python's own modules and of others outside the project that are modelled, by their full names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from nkilint.base.registering import entered
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...state import protocols
from ...state.havoc import parts_of
from ...state.machine import Fault, Machine
from ...state.paths import is_handled
from ...state.protocols import Args, Keywords
from ...values.choices import Text, among
from ...values.containers import DictValue, ListValue, RangeValue
from ...values.grown import GrowingItems, GrownItems, LongTuple
from ...values.objects import ClassValue, Instance, ModuleValue, Native
from .signatures import takes

Function = Callable[[Machine, Args, Keywords], Any]
FUNCTIONS: dict[str, Function] = {}
CONSTANTS: dict[str, Any] = {}
MOST = 100_000  # items of a list that is written out


ANY = frozenset({"*"})
_KEYWORDS: dict[str, frozenset[str]] = {}


def models(*names: str, keywords: Iterable[str] = ()) -> Callable[[Function], Function]:
    """Make the decorated function what calls of these names do; it takes no keyword arguments but `keywords`."""
    _KEYWORDS.update(dict.fromkeys(names, frozenset(keywords)))
    return entered(FUNCTIONS, names)


def invoke(machine: Machine, name: str, args: Args, kwargs: Keywords) -> Any:
    """A call of a function that is modelled; what the model does not foresee may change all that it can reach."""
    fits = takes(name, len(args), tuple(kwargs))
    if _misfit(name, args, kwargs) or (not fits and is_handled(machine, "TypeError")):
        raise Fault("TypeError")
    if name not in _OF_ITEMS and any(isinstance(value, _MISFITS) for value in args):
        machine.doubts += 1
    elif any(isinstance(value, (Text, Unknown)) for value in args):
        machine.doubts += 1
    elif name not in _OF_OBJECTS and any(isinstance(value, Instance) for value in args):
        machine.doubts += 1
    accepted = _KEYWORDS[name]
    ignored = [key for key in kwargs if key not in accepted] if accepted is not ANY else []
    try:
        if ignored:
            raise IsUnknown(f"`{name}` with `{ignored[0]}`")
        result = FUNCTIONS[name](machine, args, kwargs)
        if not fits and not isinstance(result, Unknown) and name != "builtins.reveal":
            raise IsUnknown(f"`{name.removeprefix('builtins.')}` with so many arguments")
        if isinstance(result, Unknown) and name not in _ASKING_TYPES and any(map(_has_methods, args)):
            raise IsUnknown(result.reason)
        return result
    except IsUnknown as unknown:
        reason = unknown.reason
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError):
        reason = f"`{name.removeprefix('builtins.')}` with these arguments"
    given: list[Any] = [*args, *kwargs.values()]
    if name in _OF_ITEMS:
        given = [item for value in given for item in _items_of(value)]
    harmless = name in _READING or (name in _OF_ITEMS and all(map(_is_data, given)))
    if not harmless or any(map(_has_methods, args)):
        protocols.escape(machine, given, reason)
    return among(reason, *given)


def _items_of(value: Any) -> Iterable[Any]:
    """What stands in a list, a tuple or a dict, which functions of items leave as it is; all else is what it is."""
    content = value.cell["items"] if type(value) in (ListValue, DictValue) else value
    return parts_of(content) if isinstance(content, (tuple, dict, GrowingItems, GrownItems, LongTuple)) else (content,)


def _misfit(name: str, args: Args, kwargs: Keywords) -> bool:
    """Whether arguments are of types that Python's function certainly does not take."""
    start = args[1] if len(args) == 2 else kwargs.get("start", 0)
    if name == "builtins.enumerate" and (isinstance(start, (float, tuple, ListValue, DictValue)) or start is None):
        return True
    return name in ("builtins.enumerate", "builtins.sum") and isinstance(start, (str, bytes))


_MISFITS = (ListValue, DictValue, tuple)
_OF_OBJECTS = frozenset(f"builtins.{name}" for name in ("getattr", "hasattr", "isinstance", "setattr", "type"))
"""Functions that take any object; what code of its class raises is followed."""
_OF_ITEMS = frozenset(
    f"builtins.{name}"
    for name in (
        "all", "any", "dict", "enumerate", "filter", "frozenset", "isinstance", "iter", "len", "list", "map", "max",
        "min", "next", "print", "reversed", "sorted", "set", "sum", "tuple", "zip",
    )
)  # fmt: skip
"""Functions that take containers; others may raise where they are given one."""

_READING = frozenset(
    f"builtins.{name}" for name in ("abs", "bool", "float", "int", "len", "isinstance", "range", "type")
)
"""Functions that change nothing of what they are given, whatever it is, but through methods of the project."""


_ASKING_TYPES = frozenset({"builtins.isinstance", "builtins.issubclass", "builtins.type", "builtins.callable"})
"""Functions that call no method of the first thing that they are given."""


def _has_methods(value: Any) -> bool:
    """Whether a function of Python may call a method of an object that the project defines."""
    names = (name for cls in value.cls.mro() for name in cls.attrs) if isinstance(value, Instance) else ()
    return any(name.startswith("__") and name not in _OF_THEIR_OWN for name in names)


_OF_THEIR_OWN = frozenset({"__init__", "__post_init__", "__doc__", "__slots__", "__repr__", "__annotations__"})
"""What classes define that is called when objects are made or printed."""


def _is_data(value: Any) -> bool:
    """Whether a value is made of numbers, texts and containers of them alone, which functions of items only look at."""
    waiting, seen = [value], set[int]()
    while waiting:
        part = waiting.pop()
        if isinstance(part, (int, float, str, bytes, type(None), Sym, Cond)) or id(part) in seen:
            continue
        seen.add(id(part))
        if not isinstance(part, (tuple, dict, ListValue, DictValue, GrowingItems, GrownItems, LongTuple, RangeValue)):
            return False
        waiting += parts_of(part)
    return True


def _invoke_native(name: str, machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return invoke(machine, name, args, kwargs)


_NATIVES: dict[str, Native] = {}


def native(name: str) -> Native:
    """The built-in function or type of that name: always the same object."""
    if name not in _NATIVES:
        _NATIVES[name] = Native(name, partial(_invoke_native, f"builtins.{name}"))
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
