"""For which inputs, from counterexamples: what each of them shows is asked of all inputs, until none is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from nkilint.symbolic.atoms import QUANTIFIED, Var
from nkilint.symbolic.conditions import Cond, Or, conjunction, conjuncts, leaves
from nkilint.symbolic.evaluation import over_inputs, variables
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.substitution import substitute
from nkilint.symbolic.work import charge, within
from nkilint_rules.words.conditions import Unknown, all_of, any_of, negation
from nkilint_rules.words.records import dataclass

from ..decision import Verdict

if TYPE_CHECKING:
    from ..prover import Prover

ROUNDS = 4  # counterexamples that are generalised to find a precondition
AVOIDING = 40_000  # units of work for that
CHOICES = 24  # ways to generalise one counterexample


def avoiding(prover: Prover, goal: Cond, facts: Sequence[Any], model: Mapping[Var, int]) -> Cond | None:
    """The condition on the inputs under which `goal` holds wherever `facts` do, if counterexamples, of which `model` is
    the first, lead to one with little work. If what the question may take is spent, it is to be asked with more."""
    if not model:
        return None
    failing = conjuncts([negation(goal), *facts])
    admitted = [c for c in leaves([conjunction(facts)]) if over_inputs(c)]
    found = within(AVOIDING, lambda: Failing(prover, failing, admitted).avoided(model, exact=False)[1], None)
    charge(0)
    return found


@dataclass(frozen=True, slots=True)
class Failing:
    """That `facts` hold for some iterations and elements is the failure. `admitted` are the conditions on the inputs
    under which it is asked at all."""

    prover: Prover
    facts: Sequence[Cond]
    admitted: Sequence[Cond]

    def avoided(self, model: Mapping[Var, int], exact: bool) -> tuple[Verdict, Cond | None]:
        """Whether all inputs fail (said only where the facts are `exact`), or the condition under which none does,
        where one was found. `model` is a first counterexample."""
        safe: list[Cond] = []
        for _ in range(ROUNDS):
            step = self._generalised(model, safe)
            if step is False and exact and not safe:
                return Verdict.VIOLATED, None
            if not isinstance(step, Cond):
                return Verdict.CONDITIONAL, None
            safe.append(step)
            decision = self.prover.decide(False, [*self.facts, *safe])
            if decision.verdict is Verdict.PROVED:
                wanted = all_of(safe)
                reachable = self.prover.decide(False, [*self.admitted, *safe])
                if reachable.verdict is Verdict.PROVED or not isinstance(wanted, Cond):
                    return (Verdict.VIOLATED if exact else Verdict.CONDITIONAL), None
                return Verdict.CONDITIONAL, wanted
            if decision.verdict is Verdict.UNKNOWN or not decision.model:
                return Verdict.CONDITIONAL, None
            model = dict(decision.model)
        return Verdict.CONDITIONAL, None

    def _generalised(self, model: Mapping[Var, int], safe: Sequence[Cond]) -> Cond | bool | None:
        """What inputs have to meet so as not to fail at iterations and elements like those of the counterexample; False
        where none can."""
        fallback: Cond | None = None
        for point in islice(_points(self.facts, model), CHOICES):
            failing = self._at(point)
            if failing is None:
                continue
            wanted = negation(all_of(failing))
            if not isinstance(wanted, Cond):
                return False
            if self.prover.decide(False, [*self.facts, *safe, wanted]).verdict is Verdict.PROVED:
                return negation(all_of(self._without_implied(failing)))  # type: ignore[no-any-return]
            fallback = wanted if fallback is None else fallback
        return fallback

    def _at(self, point: Mapping[Any, Any]) -> list[Cond] | None:
        """The conditions on the inputs under which all facts hold at a point; None where they never do."""
        needed: list[Any] = []
        for variable, value in point.items():
            for end, sign in ((variable.low, 1), (variable.high, -1)):
                if end is not None:
                    needed.append((value - substitute(end, point)) * sign >= 0)
        needed += [substitute(fact, point) for fact in self.facts]
        if any(isinstance(c, Unknown) for c in needed):  # it divides by zero there
            return None
        parts = [c for c in conjuncts(needed) if c is False or self.prover.implied(c, self.admitted) is not True]
        if any(c is False for c in parts) or not all(over_inputs(c) for c in parts):
            return None
        return parts

    def _without_implied(self, parts: Sequence[Cond]) -> list[Cond]:
        """The parts that do not follow from the others, without alternatives that the others exclude."""
        kept = list(parts)
        for part in [c for c in parts if isinstance(c, Or)]:
            others = [*self.admitted, *(c for c in kept if c is not part)]
            left = any_of(c for c in part.parts if self.prover.implied(c, others) is not False)
            if isinstance(left, Cond):
                kept = [left if c is part else c for c in kept]
        for condition in sorted(kept, key=lambda c: isinstance(c, Or)):
            others = [c for c in kept if c is not condition]
            if others and self.prover.shows(condition, [*self.admitted, *others]):
                kept = others
        return kept


def _points(facts: Sequence[Cond], model: Mapping[Var, int]) -> Iterator[dict[Any, Any]]:
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
