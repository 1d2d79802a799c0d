"""Where all programs of a launch grid wait for each other: what one did before, the others do not do meanwhile."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import chain
from typing import Any

from nkilint.evaluator.state.trace import Loop, Trace
from nkilint.prover import Prover
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import over_inputs, variables
from nkilint_rules.words.conditions import Unknown, all_of

from .accesses import Touch, Touches, common_prefix

UNCLEAR = "whether all programs meet in between"


class Meetings:
    """The events at which programs meet, by their positions in the trace."""

    def __init__(self, trace: Trace, prover: Prover, touches: Touches) -> None:
        self._trace, self._prover, self._touches = trace, prover, touches
        self._positions = [n for n, e in enumerate(trace.events) if e.effects is not None and e.effects.synchronises]

    def between(self, first: Touch, second: Touch) -> Any:
        """When programs meet after the one and before the other, in one iteration of the loops around both: True,
        False, a condition or Unknown."""
        places = [met for met in self._positions if first.position < met < second.position]
        return _any(self._when(met, first, second) for met in places)

    def in_each_iteration(self, first: Touch, second: Touch) -> bool:
        """Whether programs meet after the one and before the other in all iterations of the innermost loop around both,
        and not only in those that come to both."""
        around = common_prefix(first.loops, second.loops)
        sites = (self._trace.events[met].site for met in self._positions if first.position < met < second.position)
        return any(
            len(site.loops) == len(common_prefix(site.loops, around)) == len(around)
            and all(over_inputs(c) or self._holds(c, []) for c in site.path())  # the range of a loop says some of it
            for site in sites
        )

    def before_next(self, first: Touch, second: Touch, loop: Loop) -> Any:
        """The same, where the second is in a later iteration of `loop`."""
        low, high = self._touches.extents[id(loop)]
        after = (self._when(met, first) for met in self._positions if first.position < met <= high)
        before = (self._when(met, second) for met in self._positions if low <= met < second.position)
        found = _any(chain(after, before))
        return Unknown(UNCLEAR) if isinstance(found, Cond) else found

    def _when(self, met: int, *near: Touch) -> Any:
        """When a program that comes to all of `near` comes to the meeting, too, in the same iterations; if it does not
        in one iteration of a loop that is not around all of them, it may in another."""
        site = self._trace.events[met].site
        around = reduce(common_prefix, (touch.loops for touch in near))
        turning = {loop.index.variable for loop in site.loops[len(common_prefix(site.loops, around)) :]}
        found: Any = Unknown(UNCLEAR)
        for touch in near:
            inner = site.loops[len(common_prefix(site.loops, touch.loops)) :]
            facts = touch.event.site.conditions()
            asked = [*site.conditions(), *(loop.trips >= 1 for loop in inner)]
            open_ones = [c for c in asked if not self._holds(c, facts)]
            if not open_ones:
                return True
            told = all(isinstance(c, (bool, Cond)) for c in open_ones)
            if told and turning.isdisjoint(variables(*(c for c in open_ones if isinstance(c, Cond)))):
                found = all_of(open_ones)
        return found

    def _holds(self, condition: Any, facts: list[Any]) -> bool:
        return condition is True or (isinstance(condition, Cond) and self._prover.shows(condition, facts, deep=True))


def _any(cases: Iterable[Any]) -> Any:
    """True where one of the cases is; else what is open of them."""
    left: list[Any] = []
    for case in cases:
        if case is True:
            return True
        left += [case] if case is not False else []
    if len(left) > 1:
        return Unknown(UNCLEAR)
    return left[0] if left else False
