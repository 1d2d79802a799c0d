"""Lists and tuples, and the items that their subscripts stand for."""

from __future__ import annotations

import collections
import sys
from itertools import pairwise
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, choose
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, any_of, maximum, negation
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.shapes import Sizes

from ...state import joining, protocols
from ...state.machine import Fault, Machine, explained
from ...state.paths import is_handled
from ...state.protocols import equal
from ...state.refusals import CONTAINERS, attribute_refused, ends_before, may_be_longer, may_raise, operands_refused
from ...values.choices import Either, among
from ...values.containers import EXTENDED, MAX_ITEMS, TOO_LONG, DictValue, ListValue, RangeValue, written_out
from ...values.grown import MAX_CASES, GrowingItems, GrownItems, LongTuple
from ...values.objects import ClassValue, FunctionValue
from ...values.tensors import View
from ...values.wording import in_words
from .long_lists import concatenated, counted, part_of, repeated
from .numbers import PLAIN, bound_method
from .ranges import check_position, place

MAX_CHOICES = 64

protocols.truths.of(tuple)(lambda machine, value, node: bool(value))
protocols.lengths.of(tuple)(lambda machine, value: len(value))


@protocols.lengths.of(ListValue)
def _length(machine: Machine, value: ListValue) -> Any:
    return value.length


protocols.iterated.of(tuple)(lambda machine, value, at, count: list(value))


@protocols.lengths.of(LongTuple)
def _length_of_long_tuple(machine: Machine, value: LongTuple) -> Any:
    return value.items.length


@protocols.truths.of(LongTuple)
def _truth_of_long_tuple(machine: Machine, value: LongTuple, node: ir.Expr) -> Any:
    return value.items.length != 0


@protocols.iterated.of(LongTuple)
def _items_of_long_tuple(machine: Machine, value: LongTuple, at: Span | None, count: int | None) -> list[Any]:
    return list(written_out(value.items))


@protocols.iterated_symbolically.of(LongTuple)
def _symbolic_items_of_long_tuple(machine: Machine, value: LongTuple) -> Any:
    return value.items.length, value.items.at


@protocols.subscripts.of(LongTuple)
def _element_of_long_tuple(machine: Machine, value: LongTuple, key: Any, node: ir.Index) -> Any:
    if isinstance(key, slice):
        part = part_of(machine, value.items, key)
        return part if isinstance(part, tuple) else LongTuple(part)
    return key if isinstance(key, Unknown) else _grown_element(machine, value.items, key, node)


@protocols.truths.of(ListValue)
def _truth(machine: Machine, value: ListValue, node: ir.Expr) -> Any:
    return value.length != 0


@protocols.iterated.of(ListValue)
def _items(machine: Machine, value: ListValue, at: Span | None, count: int | None) -> list[Any]:
    return list(value.items)


@protocols.attributes.of(tuple, ListValue)
def _attribute(machine: Machine, value: Any, name: str, node: ir.Attr) -> Any:
    if isinstance(value, ListValue) and value.kind == "deque" and name == "maxlen":
        return value.limit
    kind = tuple if isinstance(value, tuple) else collections.deque if value.kind == "deque" else list
    if not hasattr(kind, name):
        return attribute_refused(machine, value, name, node)
    return bound_method(value, kind, name)


@protocols.iterated_symbolically.of(ListValue)
def _symbolic_items(machine: Machine, value: ListValue) -> Any:
    items = value.cell["items"]
    if isinstance(items, GrowingItems):
        items = counted(machine, value)
    return (items.length, items.at) if isinstance(items, GrownItems) and isinstance(items.length, Sym) else None


# --- comparisons and arithmetic ---


_COMPARED = "comparison of a sequence with something else"
_OTHERS = (int, float, str, bytes, Sym, Cond, tuple, ListValue, DictValue, RangeValue, FunctionValue, ClassValue)


@protocols.equalities.of(tuple, ListValue, rank=2)
def _equal(machine: Machine, left: Any, right: Any) -> Any:
    if not isinstance(left, (tuple, ListValue)) or not isinstance(right, (tuple, ListValue)):
        return False if all(isinstance(v, _OTHERS) or v is None for v in (left, right)) else Unknown(_COMPARED)
    if isinstance(left, ListValue) and isinstance(right, ListValue) and left.kind != right.kind:
        return False
    shapes = isinstance(left, Sizes) or isinstance(right, Sizes) or machine.dialect != BETA1
    if isinstance(left, tuple) != isinstance(right, tuple) and not shapes:
        return False
    a = left if isinstance(left, tuple) else left.items
    b = right if isinstance(right, tuple) else right.items
    if len(a) != len(b):
        return False
    if a is b:
        return True  # Python compares elements by identity first
    machine.step()
    result = _equal_items(machine, a, b)
    if any(isinstance(side, ListValue) and side.items is not kept for side, kept in ((left, a), (right, b))):
        raise IsUnknown("a list that changes while it is compared")
    return result


def _equal_items(machine: Machine, left: Any, right: Any) -> Any:
    """Whether items are the same or equal, of which none is looked at behind one that certainly is not."""
    found: list[Any] = []
    for x, y in zip(left, right, strict=True):
        found.append(x is y or equal(machine, x, y))
        if found[-1] is False:
            return False
    return all_of(found)


@protocols.equalities.of(slice, rank=2)
def _equal_slices(machine: Machine, left: Any, right: Any) -> Any:
    if not isinstance(left, slice) or not isinstance(right, slice):
        known = all(isinstance(v, (*_OTHERS, slice)) or v is None for v in (left, right))
        return False if known else Unknown(_COMPARED)
    return left is right or _equal_items(machine, *((v.start, v.stop, v.step) for v in (left, right)))


@protocols.orders.of(tuple, ListValue, rank=1)
def _order(machine: Machine, op: str, left: Any, right: Any) -> Any:
    """As the first two items that differ say, or else the lengths."""
    kinds = ["tuple" if isinstance(side, tuple) else getattr(side, "kind", "") for side in (left, right)]
    if kinds[0] != kinds[1] or not isinstance(right, (tuple, ListValue)):
        return Unknown(f"comparison of {in_words(left)} and {in_words(right)}")
    a, b = (side if isinstance(side, tuple) else side.items for side in (left, right))
    if not all(isinstance(x, (int, float, str, Sym, tuple)) for x in (*a, *b)):
        return Unknown(f"comparison of {in_words(left)} and {in_words(right)}")
    if max(len(a), len(b)) > MAX_CHOICES:
        return Unknown("comparison of long sequences")
    result: Any = PLAIN[op](len(a), len(b))
    for x, y in reversed(list(zip(a, b, strict=False))):
        same = x is y or equal(machine, x, y)
        differ = True if same is True else protocols.orders.entry(type(x), type(y))(machine, op, x, y)
        unknown = next((side for side in (same, differ) if isinstance(side, Unknown)), None)
        result = unknown or any_of((all_of((same, result)), all_of((negation(same), differ))))
        if isinstance(result, Unknown) and same is False:
            result = differ
    return result


@protocols.arithmetic.of(tuple, ListValue, rank=2)
def _arithmetic(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    if op == "+" and isinstance(left, tuple) and isinstance(right, tuple):
        return left + right if len(left) + len(right) <= MAX_ITEMS else Unknown(TOO_LONG)
    if op == "+" and isinstance(left, ListValue) and isinstance(right, ListValue):
        if left.kind != right.kind:
            raise Fault("TypeError")
        contents = left.cell["items"], right.cell["items"]
        if left.limit is None and any(isinstance(content, (GrownItems, GrowingItems, Either)) for content in contents):
            return concatenated(machine, left, right)
        if len(left.items) + len(right.items) > MAX_ITEMS:
            return Unknown(TOO_LONG)
        items = left.items + right.items
        return ListValue(items[max(0, len(items) - (left.limit or len(items))) :], left.kind, left.limit)
    if op == "*":
        sequence, count = (right, left) if isinstance(left, (int, Sym)) else (left, right)
        if isinstance(sequence, (tuple, ListValue)):
            return _repeated(machine, sequence, count)
    if isinstance(left, CONTAINERS) and isinstance(right, CONTAINERS):
        return operands_refused(machine, op, left, right, at)
    return Unknown(f"`{op}` on {in_words(left)} and {in_words(right)}")


def countable(count: int) -> None:
    """Python counts items by its index type, and raises OverflowError beyond."""
    if not -sys.maxsize - 1 <= count <= sys.maxsize:
        raise Fault("OverflowError")


def _repeated(machine: Machine, sequence: Any, count: Any) -> Any:
    if isinstance(count, int):
        countable(count)
        if isinstance(sequence, ListValue) and isinstance(sequence.length, Sym) and count <= MAX_CASES:
            content = counted(machine, sequence)
            if isinstance(content, GrownItems) and sequence.limit is None:
                return ListValue(repeated(machine, content, count), sequence.kind)
        if count * len(sequence if isinstance(sequence, tuple) else sequence.items) > MAX_ITEMS:
            return Unknown(TOO_LONG)
        if isinstance(sequence, tuple):
            return sequence * count
        items = sequence.items * count
        kept = items if sequence.limit is None else items[max(0, len(items) - sequence.limit) :]
        return ListValue(kept, sequence.kind, sequence.limit)
    items = sequence.items if isinstance(sequence, ListValue) and sequence.limit is None else sequence
    if isinstance(count, Sym) and isinstance(items, tuple) and 0 < len(items) <= MAX_CASES:
        many = GrownItems((), items, machine.fresh_sym("k", "loop", 0, count - 1), maximum(count, 0))
        return ListValue(many, sequence.kind) if isinstance(sequence, ListValue) else LongTuple(many)
    return Unknown("a sequence repeated a symbolic number of times")


# --- subscripts ---


@protocols.subscripts.of(tuple, ListValue)
def element(machine: Machine, value: Any, key: Any, node: ir.Index) -> Any:
    """`value[key]` of a list, a tuple or a string."""
    if isinstance(key, Unknown):
        return key
    key = choose(key, 1, 0) if isinstance(key, (bool, Cond)) else key
    if isinstance(value, ListValue) and isinstance(value.cell["items"], GrownItems):
        if isinstance(key, slice):
            return ListValue(part_of(machine, value.cell["items"], key))
        return _grown_element(machine, value.cell["items"], key, node)
    if isinstance(value, ListValue) and isinstance(value.cell["items"], GrowingItems):
        growing = value.cell["items"]
        if isinstance(key, int) and isinstance(growing.added, tuple) and -len(growing.added) <= key < 0:
            return growing.added[key]
        first = growing.first_ones()
        if isinstance(key, int) and 0 <= key < len(first):
            return first[key]
        if isinstance(key, slice):
            return ListValue(part_of(machine, counted(machine, value), key))
        return among(EXTENDED, growing.added, *growing.held.all())
    sequence = value.items if isinstance(value, ListValue) else value
    if isinstance(key, slice):
        if not all(p is None or isinstance(p, int) for p in (key.start, key.stop, key.step)):
            return _part_of_known(machine, sequence, key, isinstance(value, ListValue))
        if key.step == 0:
            raise Fault("ValueError")
        if isinstance(value, ListValue) and value.kind == "deque":
            raise Fault("TypeError")
        part = sequence[key]
        return ListValue(part) if isinstance(value, ListValue) else part
    if not isinstance(key, (int, Sym)):
        return Unknown("a subscript that is no integer")
    if isinstance(value, ListValue) and may_be_longer(machine, value, key, node):
        raise IsUnknown("a position outside of a list that a module holds, which something may have filled")
    if isinstance(value, ListValue) or is_handled(machine, "IndexError") or ends_before(machine, value, key):
        check_position(machine, key, len(sequence), node)
    elif isinstance(key, Sym):
        inside = all_of((key >= -len(sequence), key < len(sequence)))
        may_raise(machine, "IndexError", inside, "a position that may lie outside of a tuple or a text")
    if isinstance(key, int):
        if not -len(sequence) <= key < len(sequence):
            why = f"subscript {key} of a sequence of {len(sequence)}"
            told = isinstance(value, ListValue) or ends_before(machine, value, key)
            return explained(why) if told else Unknown(why)
        return sequence[key]
    if machine.truth(all_of((key >= -len(sequence), key < len(sequence)))) is False:
        return Unknown("a position outside the sequence")
    return chosen(machine, sequence, place(machine, key, len(sequence)))


def _part_of_known(machine: Machine, sequence: Any, key: slice, is_list: bool) -> Any:
    """A slice with symbolic bounds of a sequence whose items are known."""
    if not isinstance(sequence, tuple):
        return Unknown("a slice of a sequence with symbolic bounds")
    part = part_of(machine, sequence, key)
    return ListValue(part) if is_list else part if isinstance(part, tuple) else LongTuple(part)


def _grown_element(machine: Machine, items: GrownItems, key: Any, node: ir.Index) -> Any:
    if isinstance(key, bool) or not isinstance(key, (int, Sym)):
        raise IsUnknown("a subscript that is no integer")
    check_position(machine, key, items.length, node)
    found = items.at(place(machine, key, items.length))
    if isinstance(found, Unknown) and isinstance(key, Sym):
        machine.selecting.update(variables(key))
    return found


def chosen(machine: Machine, items: Any, key: Sym) -> Any:
    """The element at a symbolic position."""
    if items and all(joining.same(items[0], item) for item in items[1:]):
        return items[0]
    if key.bounds[0] >= 0 and key.bounds[1] < len(items) and all(type(item) is int for item in items):
        steps = {other - item for item, other in pairwise(items)}
        if len(steps) == 1:
            return items[0] + steps.pop() * key
    if len(items) > MAX_CHOICES or any(isinstance(item, (View, ListValue)) for item in items):
        machine.selecting.update(variables(key))
    if not items or len(items) > MAX_CHOICES:
        return among("a symbolic position in a long sequence", *items)
    low, high = key.bounds
    first = max(0, int(low)) if low != float("-inf") else 0
    last = min(len(items) - 1, int(high)) if high != float("inf") else len(items) - 1
    if last < first:
        return Unknown("a position outside the sequence")
    possible = items[first : last + 1]
    bases = {id(item.base) for item in possible if isinstance(item, View)}
    if 1 < len(bases) == len(possible):
        choices = [key == position for position in range(first, last + 1)]
        if not (first <= low and high <= last):
            choices[-1] = all_of(negation(choice) for choice in choices[:-1])
        return joining.one_of(machine, possible, tuple(choices), "the element")
    result = items[last]
    for position in range(last - 1, first - 1, -1):
        result = joining.join(machine, key == position, items[position], result, "the element")
    return result
