"""Contexts by the facts they hold: one is made out of that with a fact less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nkilint.symbolic import Cond
from nkilint.symbolic.work import charge

from .context import Context, plain_facts
from .ladder import Ladder

ASKED, KEPT = 16, 4  # facts that one unit of work looks at, and that it takes over


class Node:
    """A context, and those with one fact more that were asked for."""

    __slots__ = ("_ladder", "_next", "context", "facts")

    def __init__(self, context: Context, facts: frozenset[Any] = frozenset()) -> None:
        self.context, self.facts = context, facts
        self._next: dict[Any, Node] = {}
        self._ladder: Ladder | None = None

    @property
    def ladder(self) -> Ladder:
        if self._ladder is None:
            self._ladder = Ladder(self.context)
        return self._ladder

    def after(self, fact: Cond | bool) -> Node:
        key = fact if isinstance(fact, bool) else fact.key
        node = self._next.get(key)
        if node is None:
            charge(len(self.facts) // KEPT)
            node = self._next[key] = Node(Context([fact], self.context), self.facts | {key})
        return node


class Nodes:
    """All contexts that were asked for."""

    def __init__(self) -> None:
        self._root = Node(Context(()))
        self._by_identity: dict[tuple[int, ...], tuple[Sequence[Any], Node]] = {}
        self._way: list[tuple[Any, Node]] = []  # the facts asked for last, and where each of them led

    def under(self, facts: Sequence[Cond | bool]) -> Node:
        ids = tuple(map(id, facts))
        known = self._by_identity.get(ids)
        if known is None:
            charge(len(facts) // ASKED)
            known = self._by_identity[ids] = (tuple(facts), self._led_by(facts))  # kept, so that ids stay theirs
        return known[1]

    def _led_by(self, facts: Sequence[Cond | bool]) -> Node:
        """The context that facts lead to, from where those of last time led that these begin with, too."""
        way, alike = self._way, 0
        for fact, (before, _) in zip(facts, way, strict=False):
            if fact is not before:
                break
            alike += 1
        del way[alike:]
        node = way[-1][1] if way else self._root
        for fact in facts[alike:]:
            for each in plain_facts([fact]):
                if each is not True:
                    node = node.after(each)
            way.append((fact, node))
        return node
