"""`collections`."""

from __future__ import annotations

from keyword import iskeyword
from typing import Any

from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords, items_of, symbolic_items
from ...values.cells import MISSING
from ...values.containers import DictValue, ListValue
from ...values.objects import ClassValue, ModuleValue
from ..types.counters import counted
from ..types.dict_methods import pairs_of
from ..types.ranges import of_positions
from .registry import ANY, models, native


@models("collections.namedtuple", keywords=("defaults",))
def _namedtuple(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    names = args[1].replace(",", " ").split() if isinstance(args[1], str) else items_of(machine, args[1])
    known = [name for name in (args[0], *names) if isinstance(name, str)]
    if len(known) <= len(names):
        raise IsUnknown("a named tuple whose names are not known")
    sound = all(name.isidentifier() and not iskeyword(name) for name in known)
    if not sound or len(set(names)) < len(names) or any(name.startswith("_") for name in names):
        raise Fault("ValueError")
    cls = ClassValue(str(args[0]), (), {}, ModuleValue("collections", None), "namedtuple")
    given = kwargs.get("defaults")
    defaults = [] if given is None else items_of(machine, given)
    if len(defaults) > len(names):
        raise Fault("TypeError")
    cls.fields = list(zip(map(str, names), [MISSING] * (len(names) - len(defaults)) + defaults, strict=True))
    cls.slots = ()
    return cls


@models("collections.deque", keywords=("maxlen",))
def _deque(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if len(args) > 2:
        raise Fault("TypeError")
    limit = kwargs.get("maxlen", args[1] if len(args) > 1 else None)
    if limit is not None and not isinstance(limit, int):
        raise IsUnknown("a deque whose greatest length is not known")
    if limit is not None and limit < 0:
        raise Fault("ValueError")
    symbolic = symbolic_items(machine, args[0]) if args and limit is None else None
    if symbolic is not None:
        return ListValue(of_positions(machine, *symbolic), "deque")
    items = items_of(machine, args[0]) if args else []
    return ListValue(items[max(0, len(items) - limit) :] if limit is not None else items, "deque", limit)


@models("collections.OrderedDict", keywords=ANY)
def _ordered_dict(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return DictValue({**(pairs_of(machine, args[0]) if args else {}), **kwargs}, "OrderedDict")


@models("collections.defaultdict", keywords=ANY)
def _defaultdict(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    factory = args[0] if args else None
    if isinstance(factory, Unknown):
        raise IsUnknown(factory.reason)
    if factory is not None and protocols.call(machine, native("callable"), [factory], {}) is not True:
        raise Fault("TypeError")
    return DictValue({**(pairs_of(machine, args[1]) if len(args) > 1 else {}), **kwargs}, "defaultdict", factory)


@models("collections.Counter", keywords=ANY)
def _counter(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if len(args) > 1:
        raise Fault("TypeError")
    given = args[0] if args and args[0] is not None else ()
    return DictValue(counted(machine, {}, given, kwargs, "+"), "Counter")
