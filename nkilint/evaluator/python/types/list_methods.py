"""Methods of lists, deques and tuples."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

from nkilint.base import ir
from nkilint.base.registering import entered
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym, is_integer
from nkilint.symbolic.work import charge
from nkilint_rules.words.conditions import IsUnknown, Unknown, maximum, minimum

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords, equal, items_of, truth_of
from ...values.choices import Either
from ...values.containers import MAX_ITEMS, TOO_LONG, ListValue
from ...values.grown import GrowingItems, GrownItems, Items
from ...values.numbers import is_plain
from ...values.objects import Instance
from .long_lists import concatenated, counted, ends_of, with_others
from .ranges import all_items, is_there, place
from .sequences import countable

Method = Callable[..., Any]
_OF_LISTS: dict[str, Method] = {}


def _of_list(*names: str) -> Callable[[Method], Method]:
    return entered(_OF_LISTS, names)


@protocols.methods.of(ListValue)
def _list_method(
    machine: Machine, receiver: ListValue, name: str, args: Args, kwargs: Keywords, node: ir.Call | None
) -> Any:
    method = _OF_LISTS.get(name)
    foreign = name in _OF_DEQUES if receiver.kind == "list" else name == "sort" or (name == "pop" and bool(args))
    if method is None or foreign:
        raise IsUnknown(f"method `{name}` of a {receiver.kind}")
    machine.contain(*args)
    return method(machine, receiver, *args, **kwargs)


_OF_DEQUES = frozenset({"appendleft", "popleft", "extendleft", "rotate"})


def _put(machine: Machine, target: ListValue, items: Any, at_left: bool = False) -> None:
    """Replace the items; a deque that is full loses those at the other end."""
    if target.limit is not None:
        excess = len(items) - target.limit
        items = items if excess <= 0 else items[: target.limit] if at_left else items[excess:]
    machine.set(target.cell, "items", items)


def _plain_items(target: ListValue, name: str) -> tuple[Any, ...]:
    """The items of a list that is to be changed otherwise than by adding to its end."""
    if isinstance(target.cell["items"], GrownItems):
        raise IsUnknown(f"`{name}` on a list of symbolic length")
    return target.items


@_of_list("append")
def _append(machine: Machine, target: ListValue, item: Any) -> None:
    extend(machine, target, (item,))


@_of_list("extend")
def _extend(machine: Machine, target: ListValue, more: Any) -> None:
    several = isinstance(more, ListValue) and isinstance(more.cell["items"], Either)
    if several and target.limit is None and not isinstance(target.cell["items"], GrowingItems):
        machine.set(target.cell, "items", concatenated(machine, target, more).cell["items"])
        return
    extend(machine, target, all_items(machine, more))


COPIED = 64  # items for a unit of work


def extend(machine: Machine, target: ListValue, more: Items) -> None:
    """Add items at the end."""
    if isinstance(more, tuple) and len(more) > MAX_ITEMS:
        raise IsUnknown(TOO_LONG)
    extended = target.extended(more, machine.fresh_sym("at", "loop", 0, 0))
    if isinstance(extended, tuple) and len(extended) > MAX_ITEMS:
        raise IsUnknown(TOO_LONG)
    charge(1 + (len(extended) // COPIED if isinstance(extended, tuple) else 0))
    if target.limit is not None and not isinstance(extended, tuple):
        raise IsUnknown("a deque that a loop fills")
    _put(machine, target, extended)


@_of_list("appendleft")
def _append_left(machine: Machine, target: ListValue, item: Any) -> None:
    if isinstance(items := target.cell["items"], GrownItems):
        machine.set(target.cell, "items", with_others(machine, items, 0, 0, (item,)))
        return
    _put(machine, target, (item, *_plain_items(target, "appendleft")), at_left=True)


@_of_list("extendleft")
def _extend_left(machine: Machine, target: ListValue, more: Any) -> None:
    for item in items_of(machine, more):
        _append_left(machine, target, item)


@_of_list("insert")
def _insert(machine: Machine, target: ListValue, position: Any, item: Any) -> None:
    if not isinstance(position, int):
        raise IsUnknown("`insert` at a position that is not known")
    if isinstance(content := target.cell["items"], GrownItems):
        countable(position)
        first, _ = ends_of(slice(position, None), content.length)
        machine.set(target.cell, "items", with_others(machine, content, first, first, (item,)))
        return
    items = list(_plain_items(target, "insert"))
    if target.limit is not None and len(items) >= target.limit:
        raise IsUnknown("`insert` into a deque that is full")
    countable(position)
    items.insert(position, item)
    machine.set(target.cell, "items", tuple(items))


@_of_list("pop", "popleft")
def _pop(machine: Machine, target: ListValue, position: Any = -1) -> Any:
    if not isinstance(position, int):
        raise IsUnknown("`pop` at a position that is not known")
    countable(position)
    content = target.cell["items"]
    if isinstance(content, GrownItems) and is_there(machine, position, content.length):
        at = place(machine, position, content.length)
        item = content.at(at)
        machine.set(target.cell, "items", with_others(machine, content, at, at + 1, ()))
        return item
    items = list(_plain_items(target, "pop"))
    if not -len(items) <= position < len(items):
        raise Fault("IndexError")
    item = items.pop(position)
    machine.set(target.cell, "items", tuple(items))
    return item


_OF_LISTS["popleft"] = lambda machine, target: _pop(machine, target, 0)


@_of_list("clear")
def _clear(machine: Machine, target: ListValue) -> None:
    machine.set(target.cell, "items", ())


@_of_list("copy")
def _copy(machine: Machine, target: ListValue) -> ListValue:
    return ListValue(counted(machine, target), target.kind, target.limit)


@_of_list("reverse")
def _reverse(machine: Machine, target: ListValue) -> None:
    machine.set(target.cell, "items", _plain_items(target, "reverse")[::-1])


@_of_list("rotate")
def _rotate(machine: Machine, target: ListValue, steps: Any = 1) -> None:
    items = _plain_items(target, "rotate")
    if not isinstance(steps, int):
        raise IsUnknown("`rotate` by a number that is not known")
    countable(steps)
    by = steps % len(items) if items else 0
    machine.set(target.cell, "items", items[len(items) - by :] + items[: len(items) - by])


@_of_list("sort")
def _sort(machine: Machine, target: ListValue, *, key: Any = None, reverse: Any = False) -> None:
    before = _plain_items(target, "sort")
    items = in_order(machine, list(before), key, reverse)
    if target.cell["items"] is not before:
        raise Fault("ValueError")
    machine.set(target.cell, "items", tuple(items))


def in_order(machine: Machine, items: list[Any], key: Any, reverse: Any, is_set: bool = False) -> list[Any]:
    """`sorted(items, key=key, reverse=reverse)`; of a set nothing but the order itself tells which of two is first."""
    if not isinstance(reverse, Cond) and not is_integer(reverse) and not isinstance(reverse, bool):
        raise IsUnknown("a direction that is no number, which versions of Python differ about")
    keys = items if key is None else [protocols.call(machine, key, [item], {}) for item in items]
    alike = all(map(is_plain, keys)) and len({type(k) for k in keys} - {float, bool, int}) <= 1
    mixed = {type(k) for k in keys} & {float, bool, int} and {type(k) for k in keys} - {float, bool, int}
    backwards = machine.truth(truth_of(machine, reverse, ir.Const(machine.at, None)))
    if len(items) > 1 and key is None and not alike and backwards is not None and _are_few_integers(items):
        return _sorted_integers(items)[:: -1 if backwards else 1]
    if backwards is None and len(items) > 1:
        raise IsUnknown("a sorted sequence whose direction is not known")
    if not alike or mixed:
        keys = [_Ordered(machine, key) for key in keys]
    try:
        order = sorted(zip(keys, items, strict=True), key=lambda pair: pair[0], reverse=bool(backwards))
    except TypeError:
        raise IsUnknown("a sorted sequence of values without an order") from None
    upwards = [key for key, _ in order[:: -1 if backwards else 1]]
    if is_set and not all(a < b for a, b in (pairwise(upwards) if alike else combinations(upwards, 2))):
        raise IsUnknown("the order of a set")
    return [item for _, item in order]


class _Ordered:
    """A value to be sorted that Python compares as the program says."""

    __slots__ = ("machine", "value")

    def __init__(self, machine: Machine, value: Any) -> None:
        self.machine, self.value = machine, value

    def __lt__(self, other: _Ordered) -> bool:
        found = protocols.compare(self.machine, "<", self.value, other.value, self.machine.at)
        less = self.machine.truth(found) if isinstance(found, (bool, Cond)) else None
        if less is None:
            raise IsUnknown("a sorted sequence of values that are not known")
        return less


FEW = 4  # sizes that are sorted


def _are_few_integers(items: list[Any]) -> bool:
    return len(items) <= FEW and all(isinstance(item, (int, Sym)) and not isinstance(item, bool) for item in items)


def _sorted_integers(items: list[Any]) -> list[Any]:
    """Integers, of which equal ones are the same, each put before those that are larger."""
    found: list[Any] = []
    for item in items:
        for at, other in enumerate(found):
            found[at], item = minimum(item, other), maximum(item, other)
        found.append(item)
    return found


@_of_list("__getitem__")
def item_of(machine: Machine, target: Any, key: Any) -> Any:
    """`target[key]`, written as a call."""
    here = ir.Const(machine.at, None)
    return protocols.subscript(machine, target, key, ir.Index(machine.at, here, here))


@_of_list("index")
def _index(machine: Machine, target: ListValue, item: Any, start: Any = 0, *stop: Any) -> Any:
    return position_of(machine, target.items, item, start, *stop)


@_of_list("count")
def _count(machine: Machine, target: ListValue, item: Any) -> Any:
    return count_of(machine, target.items, item)


@_of_list("remove")
def _remove(machine: Machine, target: ListValue, item: Any) -> None:
    items = _plain_items(target, "remove")
    position = position_of(machine, items, item)
    if isinstance(position, Unknown):
        raise IsUnknown(position.reason)
    machine.set(target.cell, "items", items[:position] + items[position + 1 :])


@protocols.methods.of(tuple)
def _tuple_method(
    machine: Machine, receiver: tuple[Any, ...], name: str, args: Args, kwargs: Keywords, node: ir.Call | None
) -> Any:
    if name == "index":
        return position_of(machine, receiver, *args, **kwargs)
    if name == "__getitem__":
        return item_of(machine, receiver, *args, **kwargs)
    return count_of(machine, receiver, *args, **kwargs) if name == "count" else Unknown(f"method `{name}`")


def _matches(machine: Machine, items: tuple[Any, ...], item: Any) -> list[bool]:
    if any(isinstance(each, Instance) and each.cls.lookup("__eq__") is not None for each in (item, *items)):
        raise IsUnknown("a search among objects that say themselves what they are equal to")
    found = [True if item is other else equal(machine, other, item) for other in items]
    if not all(isinstance(match, bool) for match in found):
        raise IsUnknown("a search among symbolic values")
    return found


def count_of(machine: Machine, items: tuple[Any, ...], item: Any) -> Any:
    return sum(_matches(machine, items, item))


def position_of(machine: Machine, items: tuple[Any, ...], item: Any, start: Any = 0, *stop: Any) -> Any:
    """Where the first equal item stands; Python raises where there is none."""
    if not all(isinstance(bound, int) for bound in (start, *stop)):
        raise IsUnknown("a search between bounds that are not known")
    first, last, _ = slice(start, stop[0] if stop else None).indices(len(items))
    found = _matches(machine, items, item)
    if True not in found[first:last]:
        raise Fault("ValueError")
    return found.index(True, first, last)


@protocols.in_place.of(ListValue)
def _in_place(machine: Machine, value: ListValue, op: str, other: Any) -> bool:
    if op == "*":
        repeated = protocols.binary(machine, "*", value, other, machine.at)
        if isinstance(repeated, Unknown):
            machine.doubt(repeated.reason)  # it may be too long
        content = repeated.cell["items"] if isinstance(repeated, ListValue) else repeated
        machine.set(value.cell, "items", content)
    elif op == "+" and not isinstance(other, Unknown):
        _extend(machine, value, other)
    elif op == "+":
        machine.set(value.cell, "items", other)
    return op in ("*", "+")
