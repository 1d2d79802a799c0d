"""Quotients of sizes, their roundings to integers, and extremes of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from nkilint.symbolic.atoms import bounds
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym, choose, is_integer
from nkilint_rules.language.index_control_flow import IndexControlFlow
from nkilint_rules.words.conditions import IsUnknown, Unknown, any_of, ceil_div, maximum, minimum

from ..device.inputs import as_number
from ..state import joining, protocols
from ..state.machine import Fault, Machine
from ..state.protocols import Args, Keywords, items_of, symbolic_items
from ..state.registers import ask_register
from ..values.containers import DictValue, ListValue
from ..values.grids import Grid
from ..values.host import HostArray
from ..values.inputs import InputTensor
from ..values.numbers import REAL, Quotient, Whole, is_number, is_plain
from .types.long_lists import counted, ends
from .types.ranges import of_positions

Builtin = Callable[[Machine, Args, Keywords], Any]


def _rounding(quotient: Callable[[Any, Any], Any], number: Callable[[Any], int]) -> Builtin:
    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        value = args[0] if args else 0
        if isinstance(value, HostArray):
            value = _only_element(value)
        if isinstance(value, Quotient):
            return quotient(value.dividend, value.divisor)
        if isinstance(value, Whole):
            return value.value
        if isinstance(value, (bool, Cond)):
            return choose(value, 1, 0)
        if isinstance(value, Sym):
            return value
        if is_number(value) and math.isfinite(value):
            return number(value)
        if isinstance(value, Unknown):
            return value
        return Unknown("rounding of a number that is not known")

    return call


def _only_element(array: HostArray) -> Any:
    known = array.known
    return known[0] if known is not None and not array.shape else Unknown("an array as a number")


def _truncated(dividend: Any, divisor: Any) -> Any:
    """`int(a / b)`: towards zero."""
    least, most = bounds(divisor)
    if most < 0:
        return _towards_zero(-dividend, -divisor)
    if least < 0:
        return choose(divisor > 0, _towards_zero(dividend, divisor), _towards_zero(-dividend, -divisor))
    return _towards_zero(dividend, divisor)


def _towards_zero(dividend: Any, divisor: Any) -> Any:
    """The same for a divisor that is not negative."""
    low, high = bounds(dividend)
    if low >= 0:
        return dividend // divisor
    if high <= 0:
        return ceil_div(dividend, divisor)
    return choose(dividend >= 0, dividend // divisor, ceil_div(dividend, divisor))


ceil = _rounding(ceil_div, math.ceil)
floor = _rounding(lambda a, b: a // b, math.floor)
integer = _rounding(_truncated, int)


def in_numpy(rounding: Builtin) -> Builtin:
    """The function of numpy's, which gives a float; of an array one whose elements are not known."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        if args and isinstance(args[0], HostArray):
            array = args[0]
            return HostArray(array.shape, None if array.dtype is None or array.dtype.is_integer else array.dtype)
        value = rounding(machine, args, kwargs)
        if is_number(value):
            return float(value)
        return Whole(value) if isinstance(value, Sym) else value

    return call


def _extreme(which: Callable[[Any, Any], Any], sign: int) -> Builtin:
    """`min` or `max`, by `which`; `sign` is 1 for `max`."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        if len(args) > 1 and "default" in kwargs:
            raise Fault("TypeError")
        long = symbolic_items(machine, args[0]) if len(args) == 1 and kwargs.get("key") is None else None
        if long is not None:
            return _of_many(machine, args[0], long, which, sign, kwargs)
        items = items_of(machine, _any_order(args[0], kwargs)) if len(args) == 1 else args
        items = [settled_input(machine, i) for i in items]
        if not items:
            return kwargs.get("default", Unknown("an extreme of nothing"))
        if kwargs.get("key") is not None:
            return _by_key(machine, items, kwargs["key"], sign)
        if all(is_plain(item) for item in items) and len({type(item) for item in items}) == 1:
            return max(items) if sign > 0 else min(items)
        if not all(isinstance(item, (int, Sym, float)) for item in items):
            unknown = next((item for item in items if isinstance(item, Unknown)), None)
            return unknown or items[_position(machine, items, sign)]
        for item in items:
            ask_register(machine, item, machine.at)
        result = items[0]
        for item in items[1:]:
            symbolic = isinstance(result, Sym) or isinstance(item, Sym)
            if isinstance(result, float) != isinstance(item, float) and symbolic:
                return REAL
            result = which(result, item)
        return result

    return call


def _any_order(value: Any, kwargs: Keywords) -> Any:
    """A set of integers or of texts as a list in any order, of which the extremes are the same."""
    if not isinstance(value, DictValue) or not value.is_set or kwargs.get("key") is not None:
        return value
    alike = all(map(is_integer, value.items)) or all(isinstance(item, str) for item in value.items)
    return ListValue(value.items) if alike else value


def _of_many(
    machine: Machine,
    values: Any,
    found: tuple[Any, Callable[[Any], Any]],
    which: Callable[[Any, Any], Any],
    sign: int,
    kwargs: Keywords,
) -> Any:
    """The extreme of so many numbers as a symbol says, which is the default where there are none."""
    content = counted(machine, values) if isinstance(values, ListValue) else of_positions(machine, *found)
    (there, extreme), *others = ends(content, sign)
    for present, value in others:
        either = choose(present, which(extreme, value), extreme)
        there, extreme = any_of((there, present)), choose(there, either, value)
    if "default" in kwargs:
        return joining.join(machine, there, extreme, kwargs["default"], "the extreme")
    if machine.truth(there) is not True:
        raise IsUnknown("an extreme of what may be nothing")
    return extreme


def _by_key(machine: Machine, items: Args, key: Any, sign: int) -> Any:
    keys = [protocols.call(machine, key, [item], {}) for item in items]
    if all(is_plain(k) for k in keys):
        return (max if sign > 0 else min)(zip(keys, items, strict=True), key=lambda pair: pair[0])[1]
    if not all(isinstance(k, (int, Sym)) for k in keys):
        return items[_position(machine, keys, sign)]
    best, result = keys[0], items[0]
    for each, item in zip(keys[1:], items[1:], strict=True):
        beyond = each > best if sign > 0 else each < best
        if isinstance(beyond, bool):
            best, result = (each, item) if beyond else (best, result)
        else:
            best, result = choose(beyond, each, best), joining.join(machine, beyond, item, result, "the extreme")
    return result


def _position(machine: Machine, keys: Args, sign: int) -> int:
    """Where the first of the values stands beyond which none is, as the program compares them."""
    best = 0
    for place, key in enumerate(keys[1:], 1):
        found = protocols.compare(machine, ">" if sign > 0 else "<", key, keys[best], machine.at)
        if isinstance(found, Grid):
            machine.need(IndexControlFlow.message(grid=machine.at), False, machine.at)
        beyond = machine.truth(found) if isinstance(found, (bool, Cond)) else None
        if beyond is None:
            raise IsUnknown("an extreme of values that are no numbers")
        best = place if beyond else best
    return best


def settled_input(machine: Machine, value: Any) -> Any:
    """A parameter in a function of numbers."""
    if isinstance(value, InputTensor) and not value.cell.keys() & {"view", "text"} and not value.ranks:
        return as_number(machine, value)
    return value


larger, smaller = _extreme(maximum, 1), _extreme(minimum, -1)
