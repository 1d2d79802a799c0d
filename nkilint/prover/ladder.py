"""The cheap rungs: whether a condition always holds in a context, by constants, intervals and linear reasoning."""

from __future__ import annotations

from collections.abc import Iterable

from nkilint.symbolic import And, Compare, Cond, Opaque, Or
from nkilint.symbolic.work import charge

from .context import Context
from .linear import Linear


class Ladder:
    """Shows rewritten conditions in one context; each answer names its rung, `None` means not shown."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.linear = Linear(context)
        self._facts = {fact.key for fact in context.conditions}
        self._choices = [fact for fact in context.conditions if isinstance(fact, Or)]

    def rung_of(self, goal: Cond | bool) -> str | None:
        """The rung that shows that `goal` holds wherever the facts do."""
        return self._rung_of(goal, {})

    def _rung_of(self, part: Cond | bool, known: dict[int, str | None]) -> str | None:
        """The rung of a part, which may stand in many others: those `known` are told by their identity."""
        if isinstance(part, bool):
            return "constant" if part else None
        place = id(part)
        if place not in known:
            known[place] = self._found(part, known)
        return known[place]

    def _found(self, part: Cond, known: dict[int, str | None]) -> str | None:
        if part.key in self._facts:
            return "facts"
        if isinstance(part, Compare):
            return self._compare(part)
        if isinstance(part, And):
            charge(len(part.parts))
            return _weakest(self._rung_of(each, known) for each in part.parts)
        if isinstance(part, Or):
            charge(len(part.parts))
            rungs = (self._rung_of(each, known) for each in part.parts)
            return next((rung for rung in rungs if rung is not None), None) or self._choice(part)
        assert isinstance(part, Opaque)
        return None

    def _choice(self, goal: Or) -> str | None:
        """A fact each of whose alternatives says one of those that the goal leaves, or more."""
        wanted = {part.key for part in goal.parts}

        def says(part: Cond) -> bool:
            return any(each.key in wanted for each in (part, *(part.parts if isinstance(part, And) else ())))

        return "facts" if any(all(map(says, fact.parts)) for fact in self._choices) else None

    def _compare(self, goal: Compare) -> str | None:
        low, high = self.context.ranges.of(goal.left)
        if goal.relation == ">=":
            if low >= 0:
                return "interval"
            return "linear" if high >= 0 and self.linear.at_least_zero(goal.left) else None
        if goal.relation == "!=":
            if low > 0 or high < 0:
                return "interval"
            either = (high >= 1 and self.linear.at_least_zero(goal.left - 1)) or (
                low <= -1 and self.linear.at_least_zero(-goal.left - 1)
            )
            return "linear" if either else None
        if low == high == 0:
            return "interval"
        if low > 0 or high < 0:
            return None
        linear = self.linear
        return "linear" if linear.at_least_zero(goal.left) and linear.at_least_zero(-goal.left) else None

    def refuted(self, goal: Cond | bool) -> str | None:
        """The rung that shows that `goal` fails wherever the facts hold."""
        return self.rung_of(not goal if isinstance(goal, bool) else ~goal)


RUNGS = ("constant", "interval", "facts", "linear", "z3")


def _weakest(rungs: Iterable[str | None]) -> str | None:
    """The highest rung that was needed; None if one is missing."""
    highest = 0
    for rung in rungs:
        if rung is None:
            return None
        highest = max(highest, RUNGS.index(rung))
    return RUNGS[highest]
