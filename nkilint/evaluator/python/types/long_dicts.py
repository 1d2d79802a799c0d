"""Dicts that loops of symbolic length fill: keys are found by the iteration that puts them there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown, any_of

from ...state import protocols
from ...state.havoc import changeable
from ...state.machine import Machine
from ...values.cells import MISSING
from ...values.choices import among
from ...values.containers import EXTENDED, DictValue
from ...values.grown import GrowingItems, GrownItems, Items, joined
from ...values.iterators import DictView
from ...values.pairs import Pairs, Pattern, as_pairs, patterns
from ...values.substitution import in_value

CHANGED_LATER = "an item of a dict of symbolic length"


def pairs_in(value: Any) -> Pairs | None:
    """The pairs of a dict that a loop of symbolic length fills, or of a view of it."""
    content = value.owner.cell["items"] if isinstance(value, DictView) else value.cell["items"]
    return content if isinstance(content, Pairs) else None


def item_under(machine: Machine, pairs: Pairs, key: Any) -> Any:
    """What stands under a key; MISSING where certainly nothing does."""
    growing = isinstance(pairs.items, GrowingItems)
    items: Items = pairs.items.added if isinstance(pairs.items, GrowingItems) else pairs.items
    for pattern in patterns(items):
        match = pattern.where(key)
        holds = False if match is None else machine.truth(match[0])
        if holds is None:
            raise IsUnknown("a key of which it is not known whether a dict has it")
        if holds and match is not None:
            found = items.at(match[1]) if isinstance(items, GrownItems) else items[match[1]]
            return found[1] if isinstance(found, tuple) else found
    if growing:
        raise IsUnknown(EXTENDED)
    return MISSING


def is_among(machine: Machine, pairs: Pairs, key: Any) -> Any:
    """Whether a key is one of these."""
    if isinstance(pairs.items, GrowingItems):
        return item_under(machine, pairs, key) is not MISSING
    matches = [pattern.where(key) for pattern in patterns(pairs.items)]
    return any_of(match[0] for match in matches if match is not None)


def with_item(machine: Machine, container: DictValue, key: Any, value: Any) -> Pairs:
    """The pairs of a dict with one more, under a key that may be symbolic, or with another value under it."""
    content = container.cell["items"]
    if isinstance(content, Unknown) or container.kind != "dict" or container.factory is not None:
        raise IsUnknown("a symbolic key of a dict")
    if any(True for _ in changeable(machine, [value])):  # of which each iteration has its own
        raise IsUnknown("a symbolic key of a dict of objects")
    pairs = as_pairs(content)
    known: Items = pairs.added if isinstance(pairs, GrowingItems) else pairs
    place = _place_of(machine, known, key)
    if place is not None and isinstance(known, tuple):
        changed: Items = (*known[:place], (known[place][0], value), *known[place + 1 :])
    elif place is None:
        changed = joined(known, ((key, value),), machine.fresh_sym("at", "loop", 0, 0))
    else:
        raise IsUnknown(CHANGED_LATER)
    return Pairs(GrowingItems(pairs.first, changed, pairs.held) if isinstance(pairs, GrowingItems) else changed)


def _place_of(machine: Machine, items: Items, key: Any) -> Any:
    """Where a key stands; None where it certainly is not there."""
    for pattern in patterns(items):
        match = pattern.where(key)
        holds = False if match is None else machine.truth(match[0])
        if holds is None:
            raise IsUnknown("a key of which it is not known whether a dict has it")
        if holds and match is not None:
            return match[1]
    return None


def distinct(machine: Machine, items: Any) -> Any:
    """The pairs of a dict that a loop has filled, where no key can be equal to another one."""
    if isinstance(items, Unknown):
        return items
    try:
        found = list(patterns(items.added if isinstance(items, GrowingItems) else items))
        others = [_elsewhere(machine, pattern) for pattern in found]
        apart = all(
            _is_apart(machine, pattern, other, one == two)
            for one, pattern in enumerate(found)
            for two, other in enumerate(others[: one + 1])
        )
    except IsUnknown as unknown:
        return among(unknown.reason, items)
    return Pairs(items) if apart else among("keys of a dict that may be equal in several iterations", items)


def _elsewhere(machine: Machine, pattern: Pattern) -> tuple[Any, Any]:
    """The key in some iterations, and where it stands."""
    names: dict[Any, Any] = {}
    for index, trips in pattern.indices:
        names[index.variable] = machine.fresh_sym(f"{index}'", "loop", 0, trips - 1)
    return in_value(pattern.key, names), in_value(pattern.position, names)


def _is_apart(machine: Machine, pattern: Pattern, other: tuple[Any, Any], same: bool) -> bool:
    """Whether a key of some iterations is found at its own place alone if it is of this pattern, and else nowhere."""
    match = pattern.where(other[0])
    if match is None:
        return not same
    if same:
        return machine.truth(match[1] == other[1]) is True
    return machine.truth(match[0]) is False


@protocols.iterated_symbolically.of(DictValue, DictView)
def _symbolic_items(machine: Machine, value: Any) -> Any:
    pairs = pairs_in(value)
    if pairs is None or not isinstance(pairs.items, GrownItems) or not isinstance(pairs.items.length, Sym):
        return None
    return pairs.items.length, taker(value, pairs.items.at)


def taker(value: Any, at: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What an iteration over a dict, or a view of it, gives at a position."""
    kind = value.kind if isinstance(value, DictView) else "keys"

    def take(position: Any) -> Any:
        pair = at(position)
        if not isinstance(pair, tuple) or kind == "items":
            return pair
        return pair[0] if kind == "keys" else pair[1]

    return take
