"""Obligations about a whole trace, with the decision on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nkilint_rules.conditions import Unknown

from ..evaluator.kernel import Run
from ..evaluator.trace import Facts, Obligation, Site
from ..ir import Span
from ..prover import Decision, Prover, Verdict
from ..symbolic.conditions import And, Cond, Or, conjunction
from .coverage import Coverage
from .elimination import Existence

MAX_RELATED = 4


@dataclass(frozen=True, slots=True, eq=False)
class AtWitness:
    """A number, or a tuple of them, that a message gives as it is in the counterexample."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """An obligation and what was found about it."""

    obligation: Obligation
    decision: Decision


@dataclass(slots=True)
class Analysis:
    """One trace with its questions and the answers so far; `incomplete` says why writes may be missing from it."""

    run: Run
    prover: Prover
    coverage: Coverage
    incomplete: str
    settled: list[Settled] = field(default_factory=list)

    def settle(
        self,
        code: str,
        goal: Existence,
        site: Site,
        values: dict[str, Any],
        template: str | None = None,
        related: Sequence[tuple[str, Span]] = (),
    ) -> Verdict:
        """Decide whether `goal` always holds at `site`; where it is only sufficient, what is not proved is unknown."""
        obligation = Obligation(code, goal.condition, site, values, template, tuple(related)[:MAX_RELATED])
        decision = self.decide(goal.condition, site.conditions())
        if decision.verdict in (Verdict.VIOLATED, Verdict.CONDITIONAL) and not goal.exact:
            decision = Decision(Verdict.UNKNOWN, decision.rung, reason=goal.reason)
        self.settled.append(Settled(obligation, decision))
        return decision.verdict

    def missing(self, *args: Any, **more: Any) -> Verdict:
        """As `settle`, for what a write that is missing from the trace could mend."""
        verdict = self.settle(*args, **more)
        if self.incomplete and verdict in (Verdict.VIOLATED, Verdict.CONDITIONAL):
            last = self.settled[-1]
            decision = Decision(Verdict.UNKNOWN, last.decision.rung, reason=self.incomplete)
            self.settled[-1] = replace(last, decision=decision)
            return Verdict.UNKNOWN
        return verdict

    def decide(self, condition: Any, facts: list[Any]) -> Decision:
        """The prover's decision, part by part."""
        if isinstance(condition, Unknown):
            return Decision(Verdict.UNKNOWN, "", reason=condition.reason)
        decision = self.prover.decide(condition, facts)
        if decision.verdict in DECIDED or decision.precondition is not None:
            return decision
        return self._in_turn(condition, facts) or decision

    def _in_turn(self, condition: Any, facts: list[Any]) -> Decision | None:
        """For alternatives that follow one another (the tiles of a loop, then the last one): each is taken under the
        facts that those before it fail, so that only its far end is left."""
        parts = condition.parts if isinstance(condition, And) else (condition,)
        alternatives = [p for p in parts if isinstance(p, Or)]
        if len(alternatives) != 1:
            return None
        known = [*facts]
        left = [leaves(p) for p in alternatives[0].parts]
        while left:
            left = [[c for c in one if self.prover.implied(c, known) is not True] for one in left]
            one = next((one for one in left if len(one) <= 1), None)
            if one is None or not one:
                return None
            left.remove(one)
            if not left:
                rest = [p for p in parts if p is not alternatives[0]]
                return self._joined(one[0], known, conjunction(rest), facts)
            known.append(~one[0])
        return None

    def _joined(self, last: Any, known: list[Any], rest: Any, facts: list[Any]) -> Decision | None:
        """The decision on `last` (where `known` holds) and `rest` together."""
        a, b = self.prover.decide(last, known), self.prover.decide(rest, facts)
        if Verdict.UNKNOWN in (a.verdict, b.verdict):
            return None
        for decision, other in ((a, b), (b, a)):
            if decision.verdict is Verdict.VIOLATED or other.verdict is Verdict.PROVED:
                return decision
        if a.precondition is None or b.precondition is None:
            return None
        return replace(a, precondition=conjunction([a.precondition, b.precondition]), exact=a.exact and b.exact)


DECIDED = (Verdict.PROVED, Verdict.VIOLATED)


def with_facts(site: Site, extra: Sequence[Any]) -> Site:
    """`site` with more facts."""
    facts = site.facts
    for fact in extra:
        if isinstance(fact, Cond):
            facts = Facts(fact, facts)
    return replace(site, facts=facts)


def leaves(condition: Any) -> list[Any]:
    """The parts of a conjunction, or the condition itself."""
    return list(condition.parts) if isinstance(condition, And) else [condition]


def split(condition: Any, mentions: Any) -> tuple[Any, Any]:
    """The parts of a conjunction for which `mentions` is false, and the others."""
    parts = condition.parts if isinstance(condition, And) else (condition,)
    if isinstance(condition, bool):
        return True, condition
    return conjunction(p for p in parts if not mentions(p)), conjunction(p for p in parts if mentions(p))
