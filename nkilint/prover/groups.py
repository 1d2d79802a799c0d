"""Conditions in groups that have nothing to do with each other: each can be met by itself, or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from nkilint.symbolic import Cond, Var
from nkilint.symbolic.evaluation import opaques, variables
from nkilint.symbolic.work import charge

NAMES = 8  # that one unit of work looks at


class Group:
    """Some conditions, what they are about, and whether values were found that meet them all, once that was asked."""

    __slots__ = ("answer", "conditions", "is_asked", "names")

    def __init__(self, conditions: list[Cond], names: list[Any]) -> None:
        self.conditions, self.names = conditions, names
        self.answer: bool | None = None
        self.is_asked = False


class Groups:
    """Groups of conditions that share neither variables nor opaque facts. Those of `base` go on as they are, with what
    is known of them, as far as nothing is added to them."""

    __slots__ = ("_groups", "_keys", "_next", "_owners")

    def __init__(self, base: Groups | None = None) -> None:
        self._groups: dict[int, Group] = {} if base is None else dict(base._groups)
        self._owners: dict[Any, int] = {} if base is None else dict(base._owners)  # by variable and opaque fact
        self._keys: set[Any] = set() if base is None else set(base._keys)
        self._next: int = 0 if base is None else base._next

    def __iter__(self) -> Iterator[Group]:
        return iter(self._groups.values())

    def met(self, ask: Callable[[list[Cond]], bool | None]) -> bool | None:
        """Whether some values meet all conditions; `ask` says it of those of one group."""
        answer: bool | None = True
        for group in self._groups.values():
            if not group.is_asked:
                group.answer, group.is_asked = ask(group.conditions), True
            if group.answer is False:
                return False
            answer = answer and group.answer
        return answer

    def add(self, conditions: Iterable[Cond]) -> list[Var]:
        """Take in what is not in there yet; the variables that are new."""
        added = [c for c in {c.key: c for c in conditions}.values() if c.key not in self._keys]
        self._keys.update(c.key for c in added)
        names = [[*variables(c), *(o.identity for o in opaques(c))] for c in added]
        charge(sum(map(len, names)) // NAMES)
        fresh = {v: None for condition in added for v in variables(condition) if v not in self._owners}
        for members in _linked(names, self._owners):
            about = [name for number in members for name in names[number]]
            self._join([added[number] for number in members], about)
        return list(fresh)

    def _join(self, conditions: list[Cond], names: list[Any]) -> None:
        """Make one group of conditions and of those that these hang together with."""
        numbers = sorted({self._owners[name] for name in names if name in self._owners})
        joined = {number: self._groups.pop(number) for number in numbers}
        largest = max(joined, key=lambda number: len(joined[number].names), default=self._next)
        self._next += not joined
        for number, group in joined.items():
            names = names if number == largest else [*group.names, *names]
        self._owners.update(dict.fromkeys(names, largest))
        before = [condition for group in joined.values() for condition in group.conditions]
        known = joined[largest].names if joined else []
        self._groups[largest] = Group([*before, *conditions], [*known, *names])


def _linked(names: list[list[Any]], owners: dict[Any, int]) -> Iterable[list[int]]:
    """The positions of what shares names, or owners of names, directly or through others."""
    leaders = list(range(len(names)))

    def leader(number: int) -> int:
        while leaders[number] != number:
            leaders[number] = number = leaders[leaders[number]]
        return number

    first: dict[Any, int] = {}
    for number, own in enumerate(names):
        this = number
        for mark in (*own, *{owners[name] for name in own if name in owners}):
            other = first.setdefault(mark, number)
            if leaders[other] != this and (other := leader(other)) != this:
                this, other = min(other, this), max(other, this)
                leaders[other] = this
    found: dict[int, list[int]] = {}
    for number in range(len(names)):
        found.setdefault(leader(number), []).append(number)
    return found.values()
