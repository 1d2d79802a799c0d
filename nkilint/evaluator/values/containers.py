"""Lists, dicts, sets and ranges, some of symbolic length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nkilint.symbolic.integers import Sym, choose
from nkilint_rules.words.conditions import IsUnknown, Unknown, maximum
from nkilint_rules.words.records import dataclass

from .cells import Cell
from .choices import Either
from .grown import Copies, GrowingItems, GrownItems, Items, copied, count_of, joined
from .pairs import Pairs
from .substitution import in_parts, in_value, is_older, rewritten


class ListValue:
    """A list or deque; `cell["items"]` is a tuple, replaced as a whole, what loops of symbolic length make of one, or
    unknown."""

    __slots__ = ("cell", "kind", "limit")

    def __init__(self, items: Any = (), kind: str = "list", limit: int | None = None) -> None:
        self.cell = Cell(items=items if isinstance(items, (GrownItems, GrowingItems, Unknown)) else tuple(items))
        self.kind, self.limit = kind, limit

    @property
    def items(self) -> tuple[Any, ...]:
        items = self.cell["items"]
        if isinstance(items, Unknown):
            raise IsUnknown(items.reason)
        if isinstance(items, GrowingItems):
            raise IsUnknown(EXTENDED)
        return written_out(items) if isinstance(items, GrownItems) else items

    @property
    def length(self) -> Any:
        return _length(self.cell["items"])

    def extended(self, more: Items, index: Any) -> Any:
        """What `items` is after an extension; `index` counts what is added at once."""
        items = self.cell["items"]
        if isinstance(items, GrowingItems):
            return GrowingItems(items.first, joined(items.added, more, index), items.held)
        return joined(items if isinstance(items, GrownItems) else self.items, more, index)


def written_out(items: GrownItems) -> tuple[Any, ...]:
    """Each of the items that loops made, where their number is known."""
    if not isinstance(items.length, int) or items.length > MAX_EXPANDED:
        raise IsUnknown("a list of symbolic length")
    return tuple(items.at(i) for i in range(items.length))


def _length(items: Any) -> Any:
    """How many items there are, by what a cell holds."""
    if isinstance(items, Either):
        then, otherwise = _length(items.then), _length(items.otherwise)
        known = isinstance(then, (int, Sym)) and isinstance(otherwise, (int, Sym))
        return choose(items.condition, then, otherwise) if known else Unknown(items.reason)
    return items if isinstance(items, Unknown) else count_of(items)


EXTENDED = "a list read in the loop that extends it"
MAX_ITEMS = 100_000  # items, or characters, that are written out
TOO_LONG = "a list too long to follow"
MAX_EXPANDED = 4096  # items of a summarised list that are written out


class DictValue:
    """A dict; `cell["items"]` maps plain keys to their values, is what loops of symbolic length put there, or unknown.
    A set has None values. What a defaultdict lacks a call of its `factory` gives."""

    __slots__ = ("cell", "factory", "kind")

    def __init__(self, items: Any = None, kind: str = "dict", factory: Any = None) -> None:
        self.cell = Cell(items=items if isinstance(items, (Unknown, Pairs)) else dict(items or {}))
        self.kind, self.factory = kind, factory

    def like(self, items: Any) -> DictValue:
        """Another one of this kind."""
        return DictValue(items, self.kind, self.factory)

    @property
    def items(self) -> dict[Any, Any]:
        items = self.cell["items"]
        if isinstance(items, Unknown):
            raise IsUnknown(items.reason)
        if isinstance(items, Pairs):
            raise IsUnknown("a dict of symbolic length")
        return items  # type: ignore[no-any-return]

    @property
    def is_set(self) -> bool:
        return self.kind in ("set", "frozenset")


COUNTED = frozenset({"dynamic_range", "fori_loop"})
ON_DEVICE = COUNTED | {"while_loop"}
"""Kinds of ranges whose loops stay loops on the device, with their indices in registers, however often they run."""


@dataclass(frozen=True, slots=True, eq=False)
class RangeValue:
    """A range of any kind; `kind` is "range", "affine_range", "sequential_range", "static_range" or "dynamic_range"."""

    start: Any
    stop: Any
    step: Any
    kind: str

    @property
    def trips(self) -> Any:
        return maximum(-((self.start - self.stop) // self.step), 0)


@rewritten.of(RangeValue)
def _in_range(value: RangeValue, mapping: Mapping[Any, Any]) -> Any:
    return in_parts(value, (value.start, value.stop, value.step, value.kind), RangeValue, mapping)


def _as_a_whole(value: ListValue | DictValue, mapping: Mapping[Any, Any]) -> Any:
    """What becomes of a container without a look at what it holds; None where that decides."""
    if value.cell.one_of is not None:
        made, position = value.cell.one_of
        return made.elsewhere(value, position, mapping)
    return value if is_older(value.cell, mapping) else None


@rewritten.of(ListValue)
def _in_list(value: ListValue, mapping: Mapping[Any, Any]) -> Any:
    whole = _as_a_whole(value, mapping)
    before = value.cell["items"]
    if whole is not None or not isinstance(before, (tuple, GrownItems)):
        return value if whole is None else whole
    items = in_value(before, mapping)
    return value if items is before else ListValue(items, value.kind, value.limit)


@rewritten.of(DictValue)
def _in_dict(value: DictValue, mapping: Mapping[Any, Any]) -> Any:
    whole = _as_a_whole(value, mapping)
    content = value.cell["items"]
    if whole is not None or not isinstance(content, (dict, Pairs)):
        return value if whole is None else whole
    if isinstance(content, Pairs):
        return in_parts(value, (content,), value.like, mapping)
    pairs = {k: in_value(v, mapping) for k, v in value.items.items()}
    return value if all(pairs[k] is v for k, v in value.items.items()) else value.like(pairs)


@copied.of(ListValue)
def _copy_list(value: ListValue, copies: Copies) -> ListValue:
    items = value.cell["items"]
    kept = items if isinstance(items, (GrowingItems, Unknown)) else copies.of(items)
    return ListValue(kept, value.kind, value.limit)


@copied.of(DictValue)
def _copy_dict(value: DictValue, copies: Copies) -> Any:
    if type(value) is not DictValue or isinstance(value.cell["items"], Unknown):
        return Unknown("the variables of an object that a loop makes")
    if isinstance(value.cell["items"], Pairs):  # whose values nothing changes
        return value.like(value.cell["items"])
    return value.like({key: copies.of(item) for key, item in value.items.items()})
