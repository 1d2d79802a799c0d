"""Two branches that are about to be joined: what each changed, and what it made for itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..values.cells import MISSING, Cell
from ..values.containers import DictValue, ListValue
from ..values.iterators import IteratorValue
from ..values.objects import RESULT, Environment, FunctionValue, Instance
from .havoc import parts_of

Change = tuple[dict[Any, Any], Any, Any, Any]
Changes = Mapping[tuple[int, Any], Change]


class Sides:
    """What each of two branches changed of the state in which they begin. What was made after the moment `born` is
    theirs alone; of the variables in `ended` only functions read more than the result."""

    def __init__(self, then: Changes, otherwise: Changes, born: float, ended: Cell | None = None) -> None:
        self.then, self.otherwise, self.born, self.ended = then, otherwise, born, ended
        self._counted: dict[int, Counter[int]] = {}

    def content(self, container: ListValue | DictValue, side: Changes) -> Any:
        """What a container holds at the end of a side."""
        return self._kept(container.cell, "items", side)

    def made_each_its_own(self, a: ListValue | DictValue, b: ListValue | DictValue) -> bool:
        """Whether each side made its container, and only one place there refers to it."""
        return all(
            value.cell.born > self.born and self._references(side)[id(value)] == 1
            for value, side in ((a, self.then), (b, self.otherwise))
        )

    def _kept(self, cell: dict[Any, Any], key: Any, side: Changes) -> Any:
        place = id(cell), key
        if place in side:
            return side[place][3]
        other = self.otherwise if side is self.then else self.then
        return other[place][2] if place in other else cell.get(key, MISSING)

    def _references(self, side: Changes) -> Counter[int]:
        """How often each value is referred to at the end of a side, by what was there before."""
        if id(side) not in self._counted:
            found = self._counted[id(side)] = Counter()
            stack = [change[3] for change in side.values() if self._lasts(change)]
            entered: set[int] = set()
            while stack:
                value = stack.pop()
                found[id(value)] += 1
                if id(value) not in entered:
                    entered.add(id(value))
                    stack.extend(self._within(value, side))
        return self._counted[id(side)]

    def _lasts(self, change: Change) -> bool:
        cell, key, _, _ = change
        return not self._is_inside(cell) and (cell is not self.ended or key == RESULT)

    def _is_inside(self, cell: dict[Any, Any]) -> bool:
        return isinstance(cell, Cell) and cell.born > self.born

    def _within(self, value: Any, side: Changes) -> Iterable[Any]:
        if isinstance(value, (Environment, FunctionValue)):
            around = self._variables(value if isinstance(value, Environment) else value.env, side)
            return [*around, *(value.defaults.values() if isinstance(value, FunctionValue) else ())]
        if isinstance(value, (ListValue, DictValue, Instance, IteratorValue)):
            cell = value.attrs if isinstance(value, Instance) else value.cell
            if not self._is_inside(cell):
                return ()
            held = [self._kept(cell, key, side) for key in self._keys(cell, side)]
            return held if type(value) in (ListValue, DictValue, Instance) else [*held, *parts_of(value)]
        return parts_of(value)

    def _variables(self, env: Environment | None, side: Changes) -> Iterator[Any]:
        """What the scopes that a side made hold, and the one that ends."""
        while env is not None:
            if self._is_inside(env.vars) or env.vars is self.ended:
                yield from (self._kept(env.vars, key, side) for key in self._keys(env.vars, side))
            env = env.parent

    def _keys(self, cell: dict[Any, Any], side: Changes) -> list[Any]:
        changed = (key for changed, key, _, now in side.values() if changed is cell and now is not MISSING)
        return list(dict.fromkeys((*cell, *changed)))
