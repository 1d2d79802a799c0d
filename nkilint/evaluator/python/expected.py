"""What a loop is expected to carry, since it did when it was evaluated before: in a loop around it, or by another call.

Where that is so its body need not be evaluated once more when it is known what an iteration leaves behind. Only plain
stand-ins are expected: numbers, tensors, and items that grow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import walk
from nkilint.symbolic.integers import Sym

from ..state import joining
from ..state.machine import Machine
from ..values.cells import MISSING
from ..values.choices import Unbound, settled
from ..values.containers import DictValue, ListValue
from ..values.grown import GrowingItems
from ..values.inputs import TUPLES
from ..values.numbers import Real
from ..values.objects import Environment, Instance
from ..values.tensors import View
from .carried import Carried, like
from .iteration import Iteration

DEPTH = 4  # attributes of attributes that are looked at
MOST = 400  # values that are looked at

Path = tuple[Any, ...]
"""How a value is reached: a name, then attributes and, as numbers, positions in lists."""


def remember(machine: Machine, node: ir.For, env: Environment, carried: Iterable[Carried]) -> None:
    """Note the places that got stand-ins because of what an iteration left there."""
    wanted = {(id(p.cell), p.key): p.start for p in carried if p.is_open and _is_plain(p.start)}
    found = {}
    for path, value in _values(machine, node, env) if wanted else ():
        for cell, key in _places(value):
            if (id(cell), key) in wanted:
                found[path, key] = wanted.pop((id(cell), key))
    machine.memo["expected", id(node)] = found


def expected(machine: Machine, node: ir.For, env: Environment, loop: Iteration) -> Iterator[Carried]:
    """The places that had stand-ins before, with new ones."""
    for (path, key), earlier in machine.memo.get(("expected", id(node)), {}).items():
        for cell, name in _places(_reached(machine, env, path)):
            if name != key or isinstance(cell[key], Unbound):  # which an object may have of its class instead
                continue
            if (start := like(machine, str(key), settled(cell[key]), earlier, loop)) is not MISSING:
                yield Carried(cell, key, cell[key], start, is_open=True)


def misjudged(place: Carried, now: Any) -> bool:
    """Whether a stand-in was expected in vain: an iteration left what was there, or asked what is in a list that grows,
    which is known only `now`."""
    if joining.same(place.start, now):
        return True
    growing = list(_growing(place.start))
    for each in growing:
        each.held.values = (place.before, now)
    return any(each.held.asked for each in growing)


def _growing(start: Any) -> Iterator[GrowingItems]:
    if isinstance(start, GrowingItems):
        yield start
    for part in start.values() if isinstance(start, dict) else start if isinstance(start, tuple) else ():
        yield from _growing(part)


def _values(machine: Machine, node: ir.For, env: Environment) -> Iterator[tuple[Path, Any]]:
    """The objects and containers that the body of a loop has names for, and their attributes, next ones first."""
    key = ("named", id(node))
    if key not in machine.memo:
        machine.memo[key] = sorted({each.id for part in node.body for each in walk(part) if isinstance(each, ir.Name)})
    around: list[tuple[Path, Any]] = [((name,), settled(machine.lookup(env, name))) for name in machine.memo[key]]
    seen: set[int] = set()
    for path, value in around:  # which grows meanwhile
        if id(value) in seen or not isinstance(value, (ListValue, DictValue, Instance)):
            continue
        yield path, value
        seen.add(id(value))
        if len(path) <= DEPTH and len(around) < MOST:
            around += [((*path, step), settled(part)) for step, part in _parts(value)]


def _reached(machine: Machine, env: Environment, path: Path) -> Any:
    value = settled(machine.lookup(env, path[0]))
    for step in path[1:]:
        value = settled(dict(_parts(value)).get(step, MISSING))
    return value


def _parts(value: Any) -> Iterable[tuple[Any, Any]]:
    """The attributes of an object and the items of a list, by their names and positions."""
    if isinstance(value, Instance):
        return value.attrs.items()
    items = value.cell["items"] if isinstance(value, ListValue) else ()
    return enumerate(items) if isinstance(items, tuple) else ()


def _places(value: Any) -> Iterator[tuple[dict[Any, Any], Any]]:
    """Where an object or container keeps what can be changed."""
    if isinstance(value, (ListValue, DictValue)):
        yield value.cell, "items"
    elif isinstance(value, Instance):
        yield from ((value.attrs, name) for name in value.attrs)


def _is_plain(start: Any) -> bool:
    """Whether a stand-in says all of what it stands for, and leads to no other value."""
    if type(start) in TUPLES:
        return all(map(_is_plain, start))
    if isinstance(start, dict):
        return all(map(_is_plain, start.values()))
    return isinstance(start, (int, float, str, Sym, Real, View, GrowingItems)) or start is None
