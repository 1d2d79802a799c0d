"""`functools`."""

from __future__ import annotations

from functools import partial
from typing import Any

from nkilint.base import ir
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, any_of, negation

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.cells import Cell
from ...values.choices import among
from ...values.containers import DictValue, ListValue
from ...values.objects import ClassValue, External, FunctionValue, Instance, ModuleValue, Native, Partial
from ..types.objects import is_open
from .registry import ANY, models, wrapper


@models("functools.partial", keywords=ANY)
def _partial(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if isinstance(args[0], (int, float, str, tuple, Sym, ListValue, DictValue)) or args[0] is None:
        raise Fault("TypeError")
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


def _ordered_by(function: Any) -> ClassValue:
    """The class of what `cmp_to_key` makes of values: they are compared as `function` says."""

    def compared(op: str) -> Native:
        def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
            left, right = (each.attrs["obj"] for each in args)
            found = protocols.call(machine, function, [left, right], {})
            return protocols.compare(machine, op, found, 0, machine.at)

        return Native("compared", call, (function,))

    attrs = {name: compared(op) for name, op in {**_OPPOSITES_OF, "__eq__": "=="}.items()}
    return ClassValue("K", (), attrs, ModuleValue("functools", None))


_OPPOSITES_OF = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


@models("functools.cmp_to_key")
def _key_of(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (function,) = args
    cls = _ordered_by(function)
    return Native("cmp_to_key", lambda machine, args, kwargs: Instance(cls, {"obj": args[0]}), (function,))


_DERIVED = {
    "__lt__": {"__gt__": (False, False), "__le__": (True, True), "__ge__": (False, None)},
    "__le__": {"__ge__": (False, True), "__lt__": (True, False), "__gt__": (False, None)},
    "__gt__": {"__lt__": (False, False), "__ge__": (True, True), "__le__": (False, None)},
    "__ge__": {"__le__": (False, True), "__gt__": (True, False), "__lt__": (False, None)},
}
"""By the comparison that a class has, what the others come to: that one or its opposite; or equal, and not equal."""


@models("functools.total_ordering")
def _total_ordering(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (cls,) = args
    own = [name for name in _DERIVED if isinstance(cls, ClassValue) and cls.lookup(name) is not None]
    if not own or is_open(cls) or not all(isinstance(cls.lookup(name), FunctionValue) for name in own):
        raise IsUnknown("an order of a class that is not known")
    for name, (keeps, equal) in _DERIVED[own[0]].items():
        if name not in own:
            machine.set(cls.attrs, name, Native(name, partial(_derived, own[0], keeps, equal)))
    return cls


def _derived(root: str, keeps: bool, equal: bool | None, machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """A comparison that follows from the one that a class has, and from whether the two are equal."""
    value, other = args
    found = protocols.call(machine, value.cls.lookup(root), [value, other], {})
    if isinstance(found, (Unknown, External)):
        return found
    here = ir.Const(machine.at, None)
    truth = protocols.truth_of(machine, found, here)
    truth = truth if keeps or isinstance(truth, Unknown) else negation(truth)
    if equal is None or isinstance(truth, Unknown) or truth is equal:
        return truth
    born = Cell.made
    with machine.recorded() as mark:
        same = protocols.compare(machine, "==" if equal else "!=", value, other, machine.at)
        changes = machine.changes(mark, born)
    if isinstance(truth, Cond) and changes:
        raise IsUnknown("a comparison that changes something, and may not be made")
    same = same if isinstance(same, Unknown) else protocols.truth_of(machine, same, here)
    return any_of((truth, same)) if equal else all_of((truth, same))


models("functools.cached_property")(wrapper("cached_property"))


@models("functools.update_wrapper", keywords=ANY)
def _update_wrapper(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    """The function that is wrapped lends its name, and what the program has set."""
    function, wrapped = args
    if isinstance(function, FunctionValue):
        is_function = isinstance(wrapped, FunctionValue)
        name = wrapped.name if is_function else Unknown("the name of what is wrapped")
        lent = {"__name__": name, **(wrapped.attrs if is_function else {})}
        for key, value in lent.items():
            machine.set(function.attrs, key, among("what a wrapper takes over", value) if kwargs else value)
        machine.set(function.attrs, "__wrapped__", wrapped)
    return function


@models("functools.wraps", keywords=ANY)
def _wraps(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (wrapped,) = args
    return Native("wraps", lambda machine, args, _: _update_wrapper(machine, [*args, wrapped], kwargs), (wrapped,))
