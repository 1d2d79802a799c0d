"""Conditions in groups that have nothing to do with each other: each can be met by itself, or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from nkilint.symbolic import Cond, Var
from nkilint.symbolic.evaluation import opaques, variables


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
        for group in self._groups.values():
            if not group.is_asked:
                group.answer, group.is_asked = ask(group.conditions), True
        answers = [group.answer for group in self._groups.values()]
        return False if False in answers else None if None in answers else True

    def add(self, conditions: Iterable[Cond]) -> list[Var]:
        """Take in what is not in there yet; the variables that are new."""
        fresh: dict[Var, None] = {}
        for condition in conditions:
            if condition.key not in self._keys:
                self._keys.add(condition.key)
                names = variables(condition)
                fresh.update((v, None) for v in names if v not in self._owners)
                self._join(condition, [*names, *(o.identity for o in opaques(condition))])
        return list(fresh)

    def _join(self, condition: Cond, names: list[Any]) -> None:
        members, about = [condition], dict.fromkeys(names)
        for other in sorted({self._owners[name] for name in names if name in self._owners}):
            joined = self._groups.pop(other)
            members = [*joined.conditions, *members]
            about.update(dict.fromkeys(joined.names))
        self._groups[self._next] = Group(members, list(about))
        self._owners.update(dict.fromkeys(about, self._next))
        self._next += 1
