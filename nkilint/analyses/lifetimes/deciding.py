"""Decides one question about three accesses: it never happens, or it does, for all inputs or for some.

Nothing is reported that was not checked on the numbers of the counterexample: where the conditions only approximate
what puts data back, the solver is asked again with all inputs and iterations fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

from nkilint.prover import Decision, Prover, Verdict
from nkilint.prover.elimination import Existence
from nkilint.symbolic.atoms import Var
from nkilint.symbolic.conditions import And, Cond, Or, opaque_parts
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import Unknown, all_of, any_of, negation

from ..questions.accesses import Occurrence, Touch, precedes
from .question import Case, conditions, equations, last_of, middle_of, order, undecided
from .restoring import Restoring, Way

Model = Mapping[Var, int]
QUANTIFIED = frozenset({"loop", "axis", "program"})
ROUNDS = 4  # counterexamples that are generalised to find a precondition
CHOICES = 24  # ways to generalise one counterexample
NOTHING = Decision(Verdict.PROVED, "linear")


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What became of a question: the decision and, where it happens, the executions and the first write."""

    decision: Decision
    middle: Occurrence | None = None
    last: Occurrence | None = None
    first: Touch | None = None


@dataclass(slots=True)
class Known:
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
    known: Known
    incomplete: str = ""  # why writes may be missing from the trace
    firsts: Sequence[Touch] | None = None
    proved: Decision = field(default=NOTHING, init=False)
    loose: list[Any] = field(default_factory=list, init=False)  # weaker conditions for it to happen

    def decide(self) -> Found:
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
            return Found(NOTHING)
        restored = self.restoring.restored(middle)
        mended = [negation(e.condition) for e, _ in restored]
        weak = _plain([*weak, *mended])
        if self._never(weak):
            return Found(self.proved)
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
    ) -> Found:
        """The question with the first write taken into account."""
        written: list[tuple[Existence, Touch]] = []
        earlier: Any = True
        if self.firsts is not None:
            written = self.restoring.written(middle, self.firsts)
            earlier = any_of(e.condition for e, _ in written)
        vague = next((e.reason for e, _ in written if not e.exact), "")
        if self._never(_plain([*weak, earlier])):
            return _open(vague) if vague else Found(self.proved)
        exact = _plain([*common, *self.relation(middle, last, True), *mended, earlier])
        decision = self.prover.decide(False, exact)
        if decision.verdict is Verdict.PROVED:
            return _open(vague) if vague else Found(decision)
        if decision.verdict is Verdict.UNKNOWN:
            return _open(decision.reason)
        self.loose = _plain([*weak, earlier])
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
    ) -> Found:
        if self._assumed(facts):
            return Found(self.proved)
        for known in self.known.preconditions:
            if self._never([*facts, known]):
                found = Decision(Verdict.CONDITIONAL, "z3", known, model=decision.model)
                return Found(found, middle, last, written[0][1] if written else None)
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
        return Found(found, middle, last, first)

    def _assumed(self, facts: list[Cond]) -> bool:
        """Whether it cannot happen if dtypes that nothing specifies are narrow enough; that is assumed then."""
        if self._never([*facts, *self.known.assumptions.values()]):
            return True
        sizes = [v for v in variables(*facts) if v.kind == "input" and v.name.startswith("itemsize(")]
        for limit in (2, 1):
            small = [Sym({(v,): 1}, 0) <= limit for v in sizes]
            if small and self._never([*facts, *small]):
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
        from .question import unclear

        return next((unclear(w) for w in self.restoring.writes if unclear(w)), "")

    def _not_restored(self, way: Way, middle: Occurrence, last: Occurrence, model: dict[Var, int]) -> bool:
        """Whether no execution in this way puts the data back, on the numbers of the counterexample."""
        writer = way.writer
        if writer.problem or writer.loose:
            return False
        fixed: dict[Any, Any] = dict(model)
        needed = [*writer.conditions, way.order, precedes(middle, writer)]
        needed += [value == 0 for value in equations(writer, last)]
        return self._never(_plain([substitute(c, fixed) for c in needed])) or self._never_bounded(needed, fixed)

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
        return self._never(_plain([*(substitute(c, fixed) for c in needed), *domain]))

    # --- for which inputs ---

    def _for_which(
        self, last: Occurrence, middle: Occurrence, facts: list[Cond], model: dict[Var, int], exact: bool
    ) -> tuple[Verdict, Cond | None]:
        """Whether all inputs fail, or the condition under which none does, where one was found. What obligations on the
        way ask for is reported there: that they are not met is no way out."""
        granted = middle.touch.event.site.granted()
        admitted = [c for c in last.conditions if _over_inputs(c)]
        admitted += [c for c in middle.conditions if c.key in granted and _over_inputs(c)]
        safe: list[Cond] = []
        for _ in range(ROUNDS):
            step = self._generalised(facts, model, admitted, safe)
            if step is False and exact and not safe:
                return Verdict.VIOLATED, None
            if not isinstance(step, Cond):
                return Verdict.CONDITIONAL, None
            safe.append(step)
            decision = self.prover.decide(False, [*facts, *safe])
            if decision.verdict is Verdict.PROVED:
                wanted = all_of(safe)
                reachable = self.prover.decide(False, [*admitted, *safe])
                if reachable.verdict is Verdict.PROVED or not isinstance(wanted, Cond):
                    return (Verdict.VIOLATED if exact else Verdict.CONDITIONAL), None
                return Verdict.CONDITIONAL, wanted
            if decision.verdict is Verdict.UNKNOWN or not decision.model:
                return Verdict.CONDITIONAL, None
            model = dict(decision.model)
        return Verdict.CONDITIONAL, None

    def _generalised(
        self, facts: list[Cond], model: dict[Var, int], admitted: list[Cond], safe: list[Cond]
    ) -> Cond | bool | None:
        """What inputs have to meet so as not to fail at iterations and elements like those of the counterexample; False
        where none can."""
        fallback: Cond | None = None
        for mapping in islice(_points(facts, model), CHOICES):
            failing = _at_point(facts, mapping, admitted, self.prover)
            if failing is None:
                continue
            wanted = negation(all_of(failing))
            if not isinstance(wanted, Cond):
                return False
            if self.prover.decide(False, [*facts, *safe, wanted]).verdict is Verdict.PROVED:
                return negation(all_of(_without_implied(failing, admitted, self.prover)))  # type: ignore[no-any-return]
            fallback = wanted if fallback is None else fallback
        return fallback


def _open(reason: str) -> Found:
    return Found(Decision(Verdict.UNKNOWN, "", reason=reason))


def _plain(facts: Sequence[Any]) -> list[Any]:
    """The conjuncts of `facts`, each once; only False where one is."""
    found: dict[Any, Any] = {}
    for fact in facts:
        for part in fact.parts if isinstance(fact, And) else (fact,):
            if part is False:
                return [False]
            if part is not True:
                found.setdefault(part.key, part)
    return list(found.values())


def _holds(condition: Any, model: Model, prover: Prover) -> bool:
    if isinstance(condition, bool):
        return condition
    left = substitute(condition, dict(model.items()))
    return left if isinstance(left, bool) else prover.shows(left, [])


def _over_inputs(condition: Cond) -> bool:
    return all(v.kind == "input" for v in variables(condition)) and all(
        o.kind != "runtime" for o in opaque_parts(condition)
    )


def _points(facts: Sequence[Cond], model: Model) -> Iterator[dict[Any, Any]]:
    """Iterations and elements like those of the counterexample: each as far from the start of its range as there, or as
    far from its end."""
    chosen = [v for v in variables(*facts, through_bounds=True) if v.kind in QUANTIFIED]
    options: list[list[Any]] = []
    for variable in chosen:
        value = model.get(variable, 0)
        here: list[Any] = [value]
        high = variable.high if variable.kind == "loop" else None
        if isinstance(high, Sym) and all(v.kind == "input" for v in variables(high)):
            end = substitute(high, dict(model.items()))
            if isinstance(end, int):
                here.append(high - (end - value))
        options.append(here)
    for picked in product(*options):
        yield dict(zip(chosen, picked, strict=True))


def _at_point(
    facts: Sequence[Cond], mapping: dict[Any, Any], admitted: Sequence[Cond], prover: Prover
) -> list[Cond] | None:
    """The conditions on the inputs under which all facts hold at a point; None where they never do."""
    needed: list[Any] = []
    for variable, value in mapping.items():
        for end, sign in ((variable.low, 1), (variable.high, -1)):
            if end is not None:
                needed.append((value - substitute(end, mapping)) * sign >= 0)
    needed += [substitute(f, mapping) for f in facts]
    parts = [c for c in _plain(needed) if c is False or prover.implied(c, list(admitted)) is not True]
    if any(c is False for c in parts) or not all(_over_inputs(c) for c in parts):
        return None
    return parts


def _without_implied(parts: list[Cond], admitted: Sequence[Cond], prover: Prover) -> list[Cond]:
    """The parts that do not follow from the others, without alternatives that the others exclude."""
    kept = list(parts)
    for part in [c for c in parts if isinstance(c, Or)]:
        others = [*admitted, *(c for c in kept if c is not part)]
        left = any_of(c for c in part.parts if prover.implied(c, others) is not False)
        if isinstance(left, Cond):
            kept = [left if c is part else c for c in kept]
    for condition in sorted(kept, key=lambda c: isinstance(c, Or)):
        others = [c for c in kept if c is not condition]
        if others and prover.shows(condition, [*admitted, *others]):
            kept = others
    return kept
