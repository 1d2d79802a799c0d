"""Counters: dicts that count what is put into them, of which what they lack is 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.base.registering import entered
from nkilint_rules.words.conditions import IsUnknown, maximum, minimum

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.protocols import items_of
from ...values.containers import MAX_ITEMS, TOO_LONG, DictValue, ListValue
from ...values.iterators import IteratorValue
from ...values.keys import shown
from .iterators import fixed
from .mappings import hashable, of_kinds

METHODS: dict[str, Callable[..., Any]] = {}
COMBINING: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "|": maximum,
    "&": minimum,
}


def counted(machine: Machine, before: dict[Any, Any], given: Any, more: dict[str, Any], op: str) -> dict[Any, Any]:
    """The counts after those of what is given were added or taken away; a counter that is empty takes them over."""
    after, items = dict(before), [*more.items()]
    if isinstance(given, DictValue) and not given.is_set:
        groups = [[*given.items.items()], items]
    else:
        after = _with_counts(machine, after, [(hashable(item), 1) for item in items_of(machine, given)], op)
        groups = [items]
    for group in groups:
        after = dict(group) if op == "+" and not after else _with_counts(machine, after, group, op)
    return after


def _with_counts(machine: Machine, before: dict[Any, Any], counts: list[tuple[Any, Any]], op: str) -> dict[Any, Any]:
    after = dict(before)
    for key, count in counts:
        after[key] = protocols.binary(machine, op, after.get(key, 0), count, machine.at)
    return after


@entered(of_kinds, ["Counter"])
def combined(machine: Machine, op: str, left: Any, right: Any) -> DictValue:
    """What `left op right` counts: nothing that is not there at least once."""
    counters = [v for v in (left, right) if isinstance(v, DictValue) and v.kind == "Counter"]
    if len(counters) < 2 or op not in COMBINING:
        raise IsUnknown(f"`{op}` on a counter")
    found = {}
    for key in {**left.items, **right.items}:
        counts = left.items.get(key, 0), right.items.get(key, 0)
        if not all(type(count) is int for count in counts):  # whether a truth stays one hangs on the operator
            raise IsUnknown("counters of numbers that are not known")
        count = COMBINING[op](*counts)
        if count > 0:
            found[key] = count
    return DictValue(found, "Counter")


@entered(METHODS, ["update"])
def _update(machine: Machine, target: DictValue, given: Any = (), /, **more: Any) -> None:
    machine.set(target.cell, "items", counted(machine, target.items, given, more, "+"))


@entered(METHODS, ["subtract"])
def _subtract(machine: Machine, target: DictValue, given: Any = (), /, **more: Any) -> None:
    machine.set(target.cell, "items", counted(machine, target.items, given, more, "-"))


@entered(METHODS, ["total"])
def _total(machine: Machine, target: DictValue) -> Any:
    result: Any = 0
    for count in target.items.values():
        result = protocols.binary(machine, "+", result, count, machine.at)
    return result


@entered(METHODS, ["most_common"])
def _most_common(machine: Machine, target: DictValue, count: Any = None) -> ListValue:
    _plain(target)
    if count is not None and not isinstance(count, int):
        raise IsUnknown("so many of a counter as nobody knows")
    pairs = sorted(((shown(k), n) for k, n in target.items.items()), key=lambda pair: pair[1], reverse=True)
    return ListValue(pairs if count is None else pairs[: max(0, count)])


@entered(METHODS, ["elements"])
def _elements(machine: Machine, target: DictValue) -> IteratorValue:
    _plain(target)
    if sum(target.items.values()) > MAX_ITEMS:
        raise IsUnknown(TOO_LONG)
    return fixed(shown(key) for key, count in target.items.items() for _ in range(count))


def _plain(target: DictValue) -> None:
    if not all(isinstance(count, int) for count in target.items.values()):
        raise IsUnknown("counts that are not known")


@entered(METHODS, ["fromkeys"])
def _from_keys(machine: Machine, target: DictValue, *args: Any) -> Any:
    raise Fault("NotImplementedError")
