"""Decides one question about three accesses: it never happens, or it does, for all inputs or for some.

Nothing is reported that was not checked on the numbers of the counterexample: where the conditions only approximate
what puts data back, the solver is asked again with all inputs and iterations fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from typing import Any, TypeVar

from nkilint.evaluator.values.dtypes import SIZE_OF, named_for, sizes_by_dtype
from nkilint.prover import Decision, Prover, Verdict
from nkilint.prover.elimination import Existence, Failing
from nkilint.symbolic.atoms import QUANTIFIED, Var
from nkilint.symbolic.conditions import Cond, conjuncts, opaque_parts
from nkilint.symbolic.evaluation import over_inputs, variables
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import Unknown, any_of, negation
from nkilint_rules.words.records import dataclass

from ..questions.accesses import Occurrence, Touch, precedes
from .question import Case, conditions, equations, last_of, middle_of, order, unclear, undecided
from .restoring import Restoring, Way

Model = Mapping[Var, int]
NOTHING = Decision(Verdict.PROVED, "linear")


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What became of a question: the decision and, where it happens, the executions and the first write."""

    decision: Decision
    middle: Occurrence | None = None
    last: Occurrence | None = None
    first: Touch | None = None


Found = TypeVar("Found")


def told(found: Sequence[Found], answer: Callable[[Found], Answer], prover: Prover) -> list[Found]:
    """Those to be told of what was found in one place: the first that always happens; else one for each condition that
    inputs have to meet, and the first that is unknown, which leaves the rest open."""
    by_verdict = {v: [f for f in found if answer(f).decision.verdict is v] for v in Verdict}
    if by_verdict[Verdict.VIOLATED]:
        return by_verdict[Verdict.VIOLATED][:1]
    return [*_distinct(by_verdict[Verdict.CONDITIONAL], answer, prover), *by_verdict[Verdict.UNKNOWN][:1]]


def _distinct(found: Sequence[Found], answer: Callable[[Found], Answer], prover: Prover) -> list[Found]:
    """Those whose conditions do not follow from those of others."""
    kept: dict[Any, tuple[Found, Cond | None]] = {}
    for one in reversed(found):
        condition = answer(one).decision.precondition
        kept[None if condition is None else condition.key] = (one, condition)
    for key, (_, condition) in list(kept.items()):
        others = [c for k, (_, c) in kept.items() if k != key and c is not None]
        if condition is not None and others and prover.shows(condition, others, deep=True):
            del kept[key]
    return [one for one, _ in reversed(kept.values())]


@dataclass(slots=True)
class Premises:
    """What questions about the same kernel have found: conditions that inputs have to meet, and what is assumed of
    dtypes that nothing specifies."""

    preconditions: list[Cond] = field(default_factory=list)
    assumptions: dict[str, Cond] = field(default_factory=dict)


Relation = Callable[[Occurrence, Occurrence, bool], list[Any]]
"""What has to hold between the middle and the last execution for the one to interfere with the other. The third
argument asks for exact conditions; without it they may be weaker, and so easier to refute."""


@dataclass(slots=True)
class Question:
    """Does an execution of the middle access interfere with what the last one uses, after a first write of it by one of
    `firsts`? Without `firsts` there need not have been any."""

    prover: Prover
    case: Case
    restoring: Restoring
    relation: Relation
    known: Premises
    incomplete: str = ""  # why writes may be missing from the trace
    firsts: Sequence[Touch] | None = None
    proved: Decision = field(default=NOTHING, init=False)
    loose: list[Any] = field(default_factory=list, init=False)  # weaker conditions for it to happen

    def decide(self) -> Answer:
        last, middle = last_of(self.case), middle_of(self.case)
        problem = last.problem or middle.problem
        if problem:
            return _open(problem)
        common = [*conditions(last, middle), order(self.case, middle, last)]
        weak = [*common, *self.relation(middle, last, False)]
        reason = next((c.reason for c in weak if isinstance(c, Unknown)), "")
        if reason:
            return _open(reason)
        if any(c is False for c in weak):
            return Answer(NOTHING)
        restored = self.restoring.restored(middle)
        mended = [negation(e.condition) for e, _ in restored]
        sizes = list(sizes_by_dtype(weak))
        common += sizes
        weak = conjuncts([*weak, *mended, *sizes])
        if self._never(weak):
            return Answer(self.proved)
        return self._with_first(last, middle, common, weak, mended, restored)

    def _never(self, facts: list[Any]) -> bool:
        if any(f is False for f in facts):
            return True
        decision = self.prover.decide(False, facts)
        if decision.verdict is not Verdict.PROVED:
            return False
        self.proved = Decision(Verdict.PROVED, "z3" if decision.rung == "z3" else "linear")
        return True

    def _with_first(
        self,
        last: Occurrence,
        middle: Occurrence,
        common: list[Any],
        weak: list[Any],
        mended: list[Any],
        restored: list[tuple[Existence, Way]],
    ) -> Answer:
        """The question with the first write taken into account."""
        written: list[tuple[Existence, Touch]] = []
        earlier: Any = True
        if self.firsts is not None:
            written = self.restoring.written(middle, self.firsts)
            earlier = any_of(e.condition for e, _ in written)
        vague = next((e.reason for e, _ in written if not e.exact), "")
        if self._never(conjuncts([*weak, earlier])):
            return _open(vague) if vague else Answer(self.proved)
        exact = conjuncts([*common, *self.relation(middle, last, True), *mended, earlier])
        decision = self.prover.decide(False, exact)
        if decision.verdict is Verdict.PROVED:
            return _open(vague) if vague else Answer(decision)
        if decision.verdict is Verdict.UNKNOWN:
            return _open(decision.reason)
        self.loose = conjuncts([*weak, earlier])
        return self._happens(last, middle, exact, decision, restored, written)

    # --- it happens for some numbers ---

    def _happens(
        self,
        last: Occurrence,
        middle: Occurrence,
        facts: list[Cond],
        decision: Decision,
        restored: list[tuple[Existence, Way]],
        written: list[tuple[Existence, Touch]],
    ) -> Answer:
        if self._assumed(facts, last.touch.event.site.granted() | middle.touch.event.site.granted()):
            return Answer(self.proved)
        for known in self.known.preconditions:
            if self._never([*facts, known]):
                found = Decision(Verdict.CONDITIONAL, "z3", known, model=decision.model)
                return Answer(found, middle, last, written[0][1] if written else None)
        model = dict(decision.model)
        doubt = self._doubt(facts, middle, last, model, restored)
        if doubt:
            return _open(doubt)
        first = next((t for e, t in written if _holds(e.condition, model, self.prover)), None)
        inputs = [v for v in variables(*facts, through_bounds=True) if v.kind not in QUANTIFIED]
        flags = [o for f in facts for o in opaque_parts(f)]
        verdict: Verdict = Verdict.VIOLATED
        precondition: Cond | None = None
        if inputs or flags:
            exact = all(e.exact for e, _ in restored)
            if len(self.loose) != len(facts) or any(a.key != b.key for a, b in zip(self.loose, facts, strict=True)):
                verdict, precondition = self._for_which(last, middle, self.loose, model, False)
            if precondition is None:
                verdict, precondition = self._for_which(last, middle, facts, model, exact)
        if precondition is not None:
            self.known.preconditions.append(precondition)
        found = Decision(verdict, decision.rung if decision.rung == "z3" else "z3", precondition, model=model)
        return Answer(found, middle, last, first)

    def _assumed(self, facts: list[Cond], granted: AbstractSet[Any]) -> bool:
        """Whether it cannot happen if dtypes that nothing specifies are narrow enough; that is assumed then, but of no
        dtype that the kernel itself speaks of."""
        sizes = [v for v in variables(*facts) if v.kind == "input" and v.name.startswith(SIZE_OF)]
        own = [f for f in facts if f.key not in granted]
        named = {v: {d.itemsize for d in named_for(v.source, own)} for v in sizes}

        def excluded(assumed: Sequence[Cond]) -> bool:
            spoken = any(substitute(a, {v: n}) is False for a in assumed for v in sizes for n in named[v])
            return not spoken and self._never([*facts, *assumed])

        if excluded([*self.known.assumptions.values()]):
            return True
        for limit in (2, 1):
            small = [Sym({(v,): 1}, 0) <= limit for v in sizes]
            if small and excluded(small):
                self.known.assumptions.update({str(c): c for c in small})
                return True
        return False

    def _doubt(
        self,
        facts: list[Cond],
        middle: Occurrence,
        last: Occurrence,
        model: dict[Var, int],
        restored: list[tuple[Existence, Way]],
    ) -> str:
        """Why it may not happen for those numbers after all, if so."""
        if not model:
            return "no counterexample was found within the solver's budget"
        for touch in (middle.touch, last.touch):
            if undecided(touch):
                return undecided(touch)
        for variable in variables(*facts):
            if variable.kind in ("carried", "runtime"):
                return f"it depends on {variable.told}"
        for condition in facts:
            for part in opaque_parts(condition):
                if part.kind == "runtime":
                    return f"it depends on `{part.name}`"
        if self.incomplete:
            return self.incomplete
        for existence, way in restored:
            if not existence.exact and not self._not_restored(way, middle, last, model):
                return existence.reason or "a write that may put the data back"
        return self._unclear_writes()

    def _unclear_writes(self) -> str:
        return next((unclear(w) for w in self.restoring.writes if unclear(w)), "")

    def _not_restored(self, way: Way, middle: Occurrence, last: Occurrence, model: dict[Var, int]) -> bool:
        """Whether no execution in this way puts the data back, on the numbers of the counterexample."""
        writer = way.writer
        if writer.problem or writer.loose:
            return False
        fixed: dict[Any, Any] = dict(model)
        needed = [*writer.conditions, way.order, precedes(middle, writer)]
        needed += [value == 0 for value in equations(writer, last)]
        return self._never(conjuncts([substitute(c, fixed) for c in needed])) or self._never_bounded(needed, fixed)

    def _never_bounded(self, needed: Sequence[Any], fixed: dict[Any, Any]) -> bool:
        """The same with the ends of loops as facts, which substitution leaves in the variables."""
        domain = []
        for variable in variables(*(c for c in needed if isinstance(c, Cond)), through_bounds=True):
            if variable in fixed:
                continue
            itself = Sym({(variable,): 1}, 0)
            for end, sign in ((variable.low, 1), (variable.high, -1)):
                if isinstance(end, Sym):
                    domain.append((itself - substitute(end, fixed)) * sign >= 0)
        return self._never(conjuncts([*(substitute(c, fixed) for c in needed), *domain]))

    def _for_which(
        self, last: Occurrence, middle: Occurrence, facts: list[Cond], model: dict[Var, int], exact: bool
    ) -> tuple[Verdict, Cond | None]:
        """Whether all inputs fail, or the condition under which none does, where one was found. What obligations on the
        way ask for is reported there: that they are not met is no way out."""
        granted = middle.touch.event.site.granted()
        admitted = [c for c in last.conditions if over_inputs(c)]
        admitted += [c for c in middle.conditions if c.key in granted and over_inputs(c)]
        return Failing(self.prover, facts, admitted).avoided(model, exact)


def _open(reason: str) -> Answer:
    return Answer(Decision(Verdict.UNKNOWN, "", reason=reason))


def _holds(condition: Any, model: Model, prover: Prover) -> bool:
    if isinstance(condition, bool):
        return condition
    left = substitute(condition, dict(model.items()))
    return left if isinstance(left, bool) else prover.shows(left, [])
