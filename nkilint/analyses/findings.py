"""Obligations about a whole trace, with the decision on each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from typing import Any

from nkilint.base.ir import Span
from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import AtWitness, Facts, Loop, Obligation, Site, entered
from nkilint.evaluator.values.axes import linear_offset, replace_in
from nkilint.prover import Decision, Prover, Verdict
from nkilint.prover.decision import NO_CONDITION as UNCONDITIONED
from nkilint.prover.elimination import Existence, avoiding, exists, in_values
from nkilint.prover.sizes import as_sizes
from nkilint.prover.witness import LazyModel
from nkilint.symbolic.atoms import UNKNOWABLE, FloorDiv
from nkilint.symbolic.conditions import And, Cond, conjunction, leaves
from nkilint.symbolic.evaluation import atoms_in, over_inputs, variables
from nkilint.symbolic.substitution import substitute
from nkilint_rules.rule import Message, Rule
from nkilint_rules.words.conditions import Unknown, negation
from nkilint_rules.words.records import dataclass

from .questions.accesses import Occurrence, Touch, meet_wherever, same_element, same_layout
from .questions.coverage import Coverage

MAX_RELATED = 4
POSITIVE = 1  # what numbers that are given for sizes are at least


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """An obligation with the decision on it."""

    obligation: Obligation
    decision: Decision


@dataclass(slots=True)
class Analysis:
    """One trace with its questions and the answers so far; `incomplete` says why reads or writes may be missing from
    it, `hides_writes` why writes may be, `given` are preconditions that obligations met on the way ask for, `selects`
    says which codes are asked for."""

    run: Run
    prover: Prover
    coverage: Coverage
    incomplete: str
    hides_writes: str
    selects: Callable[[str], bool]
    given: Sequence[Cond] = ()
    settled: list[Decided] = field(default_factory=list)

    @property
    def is_general(self) -> bool:
        """Whether it is about the kernel as it is written, wholly followed: a single launch may use less of it."""
        return not self.incomplete and self.run.request is not None and self.run.request.launch is None

    def asked(self) -> list[Cond]:
        """The preconditions found so far without which a run goes no further."""
        stopping = (s for s in self.settled if not s.obligation.rule.__module__.startswith("nkilint_rules.dataflow"))
        return [s.decision.precondition for s in stopping if s.decision.precondition is not None]

    def require(
        self,
        about: Message | type[Rule],
        goal: Existence,
        site: Site,
        related: Sequence[tuple[str, Span]] = (),
        missing: str = "",
        element: AtWitness | None = None,
        call: Span | None = None,
        through: Sequence[Loop] = (),
    ) -> Verdict:
        """Decide whether `goal` always holds at `site`; `missing` says why something that could mend it may not be
        known. The loops `through` have iterations in a counterexample where that is possible."""
        obligation = Obligation(about, goal.condition, site, tuple(related)[:MAX_RELATED], call, element)
        facts = site.conditions()
        named = [goal.condition, *facts]
        decision = as_sizes(
            lambda given: self.verdict_on(goal, [*facts, *given], missing), named, POSITIVE, site.stated()
        )
        decision = entering(through, decision)
        self.settled.append(Decided(obligation, decision))
        return decision.verdict

    def verdict_on(self, goal: Existence, facts: Sequence[Any], missing: str = "") -> Decision:
        """The decision on `goal`; where it is only sufficient, or something is missing, what is not proved is
        unknown."""
        decision = self.decide(goal.condition, facts)
        if decision.verdict in (Verdict.VIOLATED, Verdict.CONDITIONAL):
            if not goal.exact:
                return Decision(Verdict.UNKNOWN, decision.rung, reason=goal.reason)
            if missing:
                return Decision(Verdict.UNKNOWN, decision.rung, reason=missing)
        return decision

    def never_meet(
        self,
        message: Message,
        first: Occurrence,
        second: Occurrence,
        apart: Sequence[Any],
        site: Site,
        related: Sequence[tuple[str, Span]] = (),
    ) -> Verdict:
        """Decide whether two occurrences, `apart` from each other, never touch the same element."""
        same = same_element(first, second)
        goal = same if isinstance(same, Unknown) else negation(same)
        conditions = [*first.conditions, *second.conditions, *apart]
        if any(c is False for c in apart):
            goal = True
        site = with_facts(replace(site, facts=None), conditions)
        obligation = Obligation(message, goal, site, tuple(related)[:MAX_RELATED])
        facts = site.conditions()
        if isinstance(goal, Unknown):
            decision = self._unless_apart(goal.reason, negation(meet_wherever(first, second)), facts)
        else:
            decision = as_sizes(
                lambda given: self._meeting(goal, (first, second), [*facts, *given], [*conditions, *given]),
                [goal, *facts],
                POSITIVE,
            )
            decision = _unless_undefined(decision, first)
        self.settled.append(Decided(obligation, decision))
        return decision.verdict

    def _unless_apart(self, reason: str, apart: Any, facts: Sequence[Any]) -> Decision:
        """The decision on two occurrences that may be apart although it is not known where they are."""
        if not isinstance(apart, Unknown):
            decision = self.prover.decide(apart, facts)
            if decision.verdict is Verdict.PROVED:
                return decision
        return Decision(Verdict.UNKNOWN, "", reason=reason)

    def _meeting(
        self, goal: Any, both: tuple[Occurrence, Occurrence], facts: Sequence[Any], conditions: Sequence[Any]
    ) -> Decision:
        """The decision on two occurrences that never touch the same element if `goal` holds."""
        first, second = both
        decision = self.prover.decide(goal, facts)
        if decision.verdict is Verdict.PROVED:
            return decision
        if first.loose or second.loose:
            return Decision(Verdict.UNKNOWN, decision.rung, reason="a branch that only the device decides")
        return self._for_which_inputs(decision, first, second, conditions)

    def _for_which_inputs(
        self, decision: Decision, first: Occurrence, second: Occurrence, conditions: Sequence[Any]
    ) -> Decision:
        """The decision with the condition under which two executions that can happen never meet."""
        settled, reached = _settled(first, second), list(conditions)
        conditions = [c for c in (replace_in(c, settled) for c in conditions) if c is not True]
        equations = [a - b for a, b in zip(first.instance, second.instance, strict=True)]
        if same_layout(first.layout, second.layout):
            equations += [a - b for a, b in zip(first.element, second.element, strict=True)]
        else:
            equations.append(linear_offset(first.element, first.layout) - linear_offset(second.element, second.layout))
        equations = [replace_in(e, settled) for e in equations]
        found = variables(*equations, *conditions, through_bounds=True)
        unknowns = [v for v in found if v.kind != "input"]
        if all(v.kind != "input" or v in settled for v in found) or any(v.kind in UNKNOWABLE for v in found):
            return decision if decision.verdict is not Verdict.CONDITIONAL else NO_CONDITION
        known = [c for c in leaves([conjunction(conditions)]) if over_inputs(c)]

        def holds(condition: Any) -> bool:
            return self.prover.shows(condition, known)

        happen = exists(unknowns, [], conditions, holds)
        meet = exists(unknowns, equations, conditions, holds)
        if meet.condition is False and meet.exact and decision.verdict is not Verdict.VIOLATED:
            return self.prover.decide(True, [])
        apart = negation(same_element(first, second))
        model = LazyModel(lambda *more: self.prover.witness(apart, [*reached, *more]))
        if happen.exact and meet.condition is not False:
            other = self.decide(negation(meet.condition), [*known, happen.condition])
            if other.verdict is Verdict.VIOLATED or (other.verdict is Verdict.CONDITIONAL and meet.exact):
                return replace(other, model=model)
        if self.prover.witness(apart, conditions):
            open_ = Decision(Verdict.CONDITIONAL, "z3", exact=False, model=model)
            return self._from_counterexamples(open_, apart, reached) or open_
        return NO_CONDITION

    def decide(self, condition: Any, facts: Sequence[Any]) -> Decision:
        """The prover's decision; where it finds no condition on the inputs, the one that elimination gives."""
        if isinstance(condition, Unknown):
            return Decision(Verdict.UNKNOWN, "", reason=condition.reason)
        decision = self.prover.decide(condition, list(facts))
        if decision.verdict in DECIDED or decision.precondition is not None or isinstance(condition, bool):
            return decision
        return self._by_elimination(decision, condition, facts) or decision

    def _from_counterexamples(self, decision: Decision, condition: Cond, facts: Sequence[Any]) -> Decision | None:
        """A conditional decision with the condition on the inputs that counterexamples lead to."""
        if decision.verdict is not Verdict.CONDITIONAL:
            return None
        wanted = avoiding(self.prover, condition, facts, decision.model)
        return None if wanted is None else replace(decision, precondition=in_values(wanted), exact=True)

    def _by_elimination(self, decision: Decision, condition: Cond, facts: Sequence[Any]) -> Decision | None:
        """The decision on the condition that no iteration or element fails `condition`."""
        conditions = [negation(condition), *facts]
        unknowns = [v for v in variables(*conditions, through_bounds=True) if v.kind != "input"]
        if any(v.kind in UNKNOWABLE for v in unknowns):
            return None
        known = [c for c in leaves([conjunction(facts)]) if over_inputs(c)]
        failing = exists(unknowns, [], conditions, lambda c: self.prover.shows(c, known))
        if not failing.exact:
            return None
        other = self.prover.decide(negation(failing.condition), known)
        if other.verdict is Verdict.UNKNOWN:
            return None
        if other.verdict is Verdict.PROVED:
            return other
        model = LazyModel(lambda *more: self.prover.witness(condition, [*facts, *more]))
        return replace(other, model=model)


def _unless_undefined(decision: Decision, found: Occurrence) -> Decision:
    """The decision, if its counterexample does not divide by zero to say which element is meant."""
    divided = [a for a in atoms_in(found.element) if isinstance(a, FloorDiv) and not isinstance(a.divisor, int)]
    if not divided or decision.verdict in (Verdict.PROVED, Verdict.UNKNOWN):
        return decision
    where = [substitute(e, dict(decision.model.items())) for e in found.element]
    reason = next((e.reason for e in where if isinstance(e, Unknown)), "")
    return Decision(Verdict.UNKNOWN, decision.rung, reason=reason) if reason else decision


def entering(loops: Sequence[Loop], decision: Decision) -> Decision:
    """The decision with a counterexample in which the loops have iterations, where there is one."""
    runs = entered(loops)
    if not runs or not isinstance(decision.model, LazyModel):
        return decision
    return replace(decision, model=decision.model.where(True, *runs))


NO_CONDITION = Decision(Verdict.UNKNOWN, "z3", reason=UNCONDITIONED)
DECIDED = (Verdict.PROVED, Verdict.VIOLATED)


def _settled(*occurrences: Occurrence) -> dict[Any, Any]:
    """The inputs that have one value wherever the occurrences happen."""
    found: dict[Any, Any] = {}
    for facts in (o.touch.event.site.facts for o in occurrences):
        found.update(facts.settled if facts is not None else {})
    return found


def with_facts(site: Site, extra: Sequence[Any]) -> Site:
    """`site` with more facts."""
    facts = site.facts
    for fact in extra:
        if isinstance(fact, Cond):
            facts = Facts(fact, facts)
    return replace(site, facts=facts)


def without_iterations(site: Site) -> Site:
    """`site` without the facts about single iterations."""
    facts: Facts | None = None
    for condition in site.conditions():
        if not (isinstance(condition, Cond) and any(v.kind == "loop" for v in variables(condition))):
            facts = Facts(condition, facts)
    return replace(site, facts=facts)


def written_at(writes: Iterable[Touch]) -> list[tuple[str, Span]]:
    """Where writes stand, each place once, as notes on a finding."""
    return [("it is written here", at) for at in dict.fromkeys(w.event.site.at for w in writes)]


def split(condition: Any, mentions: Any) -> tuple[Any, Any]:
    """The parts of a conjunction for which `mentions` is false, and the others."""
    parts = condition.parts if isinstance(condition, And) else (condition,)
    if isinstance(condition, bool):
        return True, condition
    return conjunction(p for p in parts if not mentions(p)), conjunction(p for p in parts if mentions(p))
