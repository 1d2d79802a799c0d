"""Objects that iterations of a loop make and that several places hold: who changes one by one of them changes it for
the others, and iterations may change those of the ones before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from nkilint_rules.words.conditions import Unknown

from ..state.havoc import CHANGEABLE, parts_of
from ..state.machine import Machine
from ..state.sides import Changes
from ..values.cells import MISSING, Cell
from ..values.choices import Among, among, settled
from ..values.grown import MANY, GrowingItems, GrownItems, Made, cell_of
from ..values.objects import FunctionValue
from .iteration import Iteration, changing

_OPEN = (Unknown, Among)
"""Types of values that are not known, and none of two by a condition."""


def made_in(loop: Iteration, values: Iterable[Any]) -> Iterator[Any]:
    """What can be changed of that which iterations made, among what `values` lead to."""
    stack, seen = list(values), dict[int, Any]()
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        cell = cell_of(value) if isinstance(value, CHANGEABLE) else None
        if cell is not None and getattr(cell, "born", 0) <= loop.born:
            continue
        if cell is not None:
            yield value
        stack += (value.added,) if isinstance(value, GrowingItems) else parts_of(value)


def misses(start: Any, now: Any, loop: Iteration) -> bool:
    """Whether a stand-in that is not known says nothing of what iterations make and leave in its place."""
    return type(start) in _OPEN and any(True for _ in made_in(loop, [now]))


def change_earlier_ones(machine: Machine, changes: Changes, loop: Iteration) -> bool:
    """Whether an iteration changes what earlier ones made."""
    lasting = machine.modules.lasting
    return any(
        isinstance(cell, Cell)
        and cell.born > loop.born
        and not any(first < cell.born <= last for first, last in lasting)
        for cell, _, _, _ in changes.values()
    )


def forgotten(value: Any, loop: Iteration, name: str) -> Any:
    """A value of which iterations may change what the ones before them made; how long lists are is known still."""
    lists = _made(value, loop)
    for made in lists:
        made.changed[MANY] = True
    if lists:
        return value
    return among(changing(name, loop), value) if any(True for _ in made_in(loop, [value])) else value


def shared(changes: Changes, loop: Iteration) -> list[tuple[tuple[dict[Any, Any], Any], ...]]:
    """The places that hold the same objects at the end of an iteration, those together that do; a list that has been
    given one of them twice stands there twice."""
    owners: dict[int, list[tuple[dict[Any, Any], Any]]] = {}
    kept = []  # so that nothing new gets their identities
    for cell, key, _, now in changes.values():
        for each in _items(now):
            for value in made_in(loop, [each]):
                kept.append(value)
                owners.setdefault(id(value), []).append((cell, key))
    found = {tuple((id(cell), key) for cell, key in places): tuple(places) for places in owners.values()}
    return [places for places in found.values() if len(places) > 1]


def _items(now: Any) -> tuple[Any, ...]:
    """What an iteration leaves at a place, each item by itself that it puts into a list."""
    if isinstance(now, GrowingItems) and isinstance(now.added, tuple):
        return now.added
    return () if isinstance(now, (int, float, str)) else (now,)


def link(groups: list[tuple[tuple[dict[Any, Any], Any], ...]], loop: Iteration) -> None:
    """Let what several places hold know of each other, after the loop: lists, the objects of some iteration in a place
    that is not known, and those that others hold."""
    for places in groups:
        values = [settled(cell.get(key, MISSING)) for cell, key in places]
        lists = [made for value in values for made in _made(value, loop)]
        rest = [value for value in values if not _made(value, loop)]
        open_ones = list(made_in(loop, [value for value in rest if type(value) in _OPEN]))
        others = list(made_in(loop, [value for value in rest if type(value) not in _OPEN]))
        for number, made in enumerate(lists):
            made.kin += (*lists[:number], *lists[number + 1 :], *open_ones, *others)
        _relate(others, (*lists, *open_ones), loop)
        _relate(open_ones, (*lists, *others), loop)


def _relate(objects: list[Any], kin: tuple[Any, ...], loop: Iteration) -> None:
    for each in objects:
        for cell in (cell_of(each), *_variables(each, loop)):
            if isinstance(cell, Cell):
                cell.kin += kin


def _variables(value: Any, loop: Iteration) -> Iterator[Cell]:
    """The variables of the calls in the loop that a function was made in."""
    env = value.env if isinstance(value, FunctionValue) else None
    while env is not None and env.vars.born > loop.born:
        yield env.vars
        env = env.parent


def _made(value: Any, loop: Iteration) -> list[Made]:
    """The elements that the loop has put into a list."""
    items = value.added if isinstance(value, GrowingItems) else value
    return [items.made] if isinstance(items, GrownItems) and items.made.born == loop.born else []
