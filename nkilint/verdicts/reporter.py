"""What was decided about a kernel as findings: one for each defect and for each condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nkilint.analyses.findings import Decided, entering
from nkilint.base.findings import Diagnostic, Related, conditioned, unconditioned
from nkilint.base.ir import Span
from nkilint.evaluator.state.trace import Obligation
from nkilint.prover import Prover, Verdict
from nkilint.prover.witness import LazyModel
from nkilint.symbolic.atoms import Var
from nkilint.symbolic.conditions import Cond, leaves
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.work import charge
from nkilint_rules.rule import Severity
from nkilint_rules.words.conditions import all_of, negation

from .decide import Decisions
from .flags import flags_of
from .merging import Conditional, merged
from .trials import trial
from .witnesses import Quote, as_written, message_under, witness


class Reporter:
    """Turns what was decided about one kernel into diagnostics, with `trials` of them where they will be run."""

    def __init__(
        self, kernel: str, file: str, quote: Quote, prover: Prover, conditional: Severity, trials: bool = True
    ) -> None:
        self.kernel, self.file, self.quote, self.prover, self.conditional = kernel, file, quote, prover, conditional
        self.trials = trials

    def violations(self, decisions: Decisions) -> list[Diagnostic]:
        """One diagnostic per defect: the first at each place, consequences left out."""
        found: dict[tuple[str, Span], Decided] = {}
        for decided in (*decisions.violated, *decisions.advice):
            found.setdefault((decided.obligation.rule.code, decided.obligation.site.at), decided)
        kept = self._without_consequences(list(found.values()), list(found.values()))
        told = (self._told(j, decisions, Severity.ERROR, None, ()) for j in kept)
        return [d for d in told if d is not None]

    def conditions(self, decisions: Decisions) -> list[Diagnostic]:
        """One diagnostic per precondition, at the first obligation that needs it."""
        groups: dict[Any, tuple[Cond | None, list[Decided]]] = {}
        besides: dict[Any, list[Cond]] = {}
        contract = {c.key: c for c in decisions.contract}
        rest: list[Decided] = []
        for decided in self._without_consequences(decisions.conditional, decisions.violated):
            precondition = decided.decision.precondition
            if precondition is None:
                place = (decided.obligation.rule.code, decided.obligation.site.at)
                groups.setdefault(place, (None, []))[1].append(decided)
            elif precondition.key in contract:
                groups.setdefault(precondition.key, (precondition, []))[1].append(decided)
            else:
                rest.append(decided)
        known = decisions.input_conditions.assumptions(self.prover)
        needed: dict[Any, list[Decided]] = {}
        for key in [key for key in contract if key not in groups]:
            charge(len(contract) + len(rest))
            others = [c for k, c in contract.items() if k != key]
            needed[key] = [j for j in rest if self._needs(j, others)]
        uses = Counter(id(j) for wanting in needed.values() for j in wanting)
        for key, wanting in needed.items():
            if key in groups:
                continue
            others = [c for k, c in contract.items() if k != key]
            several = [uses[id(j)] > 1 for j in wanting]
            for own, group in self._in_own_words(wanting, several, contract[key], others, known):
                groups[own.key], besides[own.key] = (own, group), others
        result: list[Conditional] = []
        for key, (condition, group) in groups.items():
            others = besides.get(key, [c for k, c in contract.items() if k != key])
            first = _breaking(self._strongest(group), condition, others, key in besides)
            places: dict[Span, None] = dict.fromkeys(j.obligation.site.at for j in group if j is not first)
            places.pop(first.obligation.site.at, None)
            related = tuple(Related("the same condition is needed here", at) for at in list(places)[:8])
            finding = self._told(first, decisions, self.conditional, condition, related)
            if finding is not None:
                result.append(Conditional(finding, condition, first.decision.exact))
        return merged(result, lambda stated: self.prover.contract(stated, known))

    def only_where(self, finding: Diagnostic, kept: str) -> Diagnostic:
        """A finding about inputs that defaults exclude: the kernel asks that parameters keep them, or what it says."""
        known = finding.precondition
        asked = kept if known is None else f"{kept} or {known}"
        plain = unconditioned(finding)
        return replace(
            finding,
            severity=self.conditional if finding.severity is Severity.ERROR else finding.severity,
            message=conditioned(plain, asked, known is None or finding.message == conditioned(plain, known)),
            verdict=None if finding.verdict is None else "conditional",
            precondition=asked,
        )

    def _needs(self, decided: Decided, known: list[Cond]) -> bool:
        """Whether an obligation asks for more than `known`: the contract says it in other words then."""
        precondition = decided.decision.precondition
        return precondition is not None and not self.prover.shows(precondition, known, deep=True)

    def _in_own_words(
        self,
        needed: Sequence[Decided],
        several: Sequence[bool],
        stated: Cond,
        others: list[Cond],
        assumed: list[Cond],
    ) -> list[tuple[Cond, list[Decided]]]:
        """Obligations that a condition of the contract stands for, by what each asks for itself: the contract may state
        two bounds of two rules as one equation. What `several` conditions stand for is told once, without these. What
        follows from what the same rule asks elsewhere, or another one at the same place, is left out."""
        found: dict[Any, tuple[Cond, list[Decided]]] = {}
        for decided, alone in zip(needed, several, strict=True):
            own = self._own(decided.decision.precondition, stated, [] if alone else others, assumed)
            if isinstance(own, Cond):
                found.setdefault(own.key, (own, []))[1].append(decided)
        codes = {key: _codes(group) for key, (_, group) in found.items()}
        places = {key: {d.obligation.site.at for d in group} for key, (_, group) in found.items()}
        for key, (own, _) in reversed(list(found.items())):
            charge(len(found))
            near = [k for k in found if k != key and (codes[key] <= codes[k] or places[key] <= places[k])]
            rest = [found[k][0] for k in near]
            if rest and self.prover.shows(own, [*others, *assumed, *rest], deep=True):
                del found[key]
        return list(found.values())

    def _own(self, asked: Cond | None, stated: Cond, others: list[Cond], assumed: list[Cond]) -> Any:
        """What `asked` wants of inputs that meet `others` and what is assumed: the condition stated if that is it."""
        beside = [*others, *assumed]
        if asked is None or self._are_the_same(asked, stated, beside):
            return stated
        return all_of(c for c in leaves([asked]) if isinstance(c, Cond) and not self.prover.shows(c, beside, deep=True))

    def _are_the_same(self, one: Cond, other: Cond, beside: list[Cond]) -> bool:
        pairs = (other, one), (one, other)
        return all(self.prover.shows(first, [second, *beside], deep=True) for first, second in pairs)

    @staticmethod
    def _strongest(group: Sequence[Decided]) -> Decided:
        """The first that is an error where the condition fails and that none of the others explains, or the first."""
        explained = {code for decided in group for code in decided.obligation.rule.before}

        def order(decided: Decided) -> tuple[bool, bool, int, int, str]:
            obligation = decided.obligation
            advice, code = obligation.rule.severity is not Severity.ERROR, obligation.rule.code
            return advice, code in explained, obligation.site.at.row, obligation.site.at.column, code

        return min(group, key=order)

    @staticmethod
    def _without_consequences(found: Sequence[Decided], certain: Sequence[Decided]) -> list[Decided]:
        """Findings about a call that another finding about it explains, which is certain, are left out."""
        silenced: set[tuple[str, Any]] = set()
        for decided in certain:
            for code in decided.obligation.rule.before:
                silenced.add((code, _call(decided)))
        return [j for j in found if (j.obligation.rule.code, _call(j)) not in silenced]

    def _told(
        self,
        decided: Decided,
        decisions: Decisions,
        severity: Severity,
        precondition: Cond | None,
        related: tuple[Related, ...],
    ) -> Diagnostic | None:
        """The finding, unless this tool fails on it."""
        try:
            return self._diagnostic(decided, decisions, severity, precondition, related)
        except Exception as fault:
            decisions.run.trace.failed(fault)
            return None

    def _failing(self, condition: Cond, facts: Sequence[Any]) -> Mapping[Var, int]:
        """Numbers that fail a condition, where no work was left for those that fail what is asked; the facts about
        other numbers count where there is work for them."""
        own = set(variables(condition))
        near = [fact for fact in facts if isinstance(fact, Cond) and own.issuperset(variables(fact))]
        return self.prover.witness(condition, facts) or self.prover.witness(condition, near)

    def _diagnostic(
        self,
        decided: Decided,
        decisions: Decisions,
        severity: Severity,
        precondition: Cond | None,
        related: tuple[Related, ...],
    ) -> Diagnostic:
        obligation, decision = decided.obligation, entering(decided.obligation.site.loops, decided.decision)
        rule, model = obligation.rule, {} if _is_of_the_text(obligation) else decision.model
        conditional = decision.verdict is Verdict.CONDITIONAL
        if conditional and decision.exact and precondition is not None and not model:
            model = self._failing(precondition, obligation.site.conditions())
        flags = flags_of(obligation, model)
        said = message_under(obligation, model, flags, self.quote)
        if severity is Severity.ERROR:
            severity = said.severity
        if conditional:
            said = said.conditional()
        text = as_written(said.text())
        if precondition is not None:
            text = conditioned(text, str(precondition), decision.exact)
        seen = self.trials and rule.dynamic and said.wording not in rule.unseen and (bool(model) or not conditional)
        notes = tuple(dict.fromkeys([*(Related(text, at) for text, at in obligation.related), *related]))
        return Diagnostic(
            code=rule.code,
            name=rule.name(),
            severity=severity,
            message=text,
            at=obligation.site.at,
            help=said.help(),
            kernel=self.kernel,
            verdict="conditional" if conditional else None if said.advises else "violated",
            precondition=str(precondition) if precondition is not None else None,
            witness=None
            if _is_of_the_text(obligation)
            else witness(
                decisions.run, model, obligation.site, flags, obligation.element or obligation.values.get("element")
            ),
            related=notes,
            trial=trial(decisions.run, model, obligation, self.prover, flags, decisions.contract) if seen else None,
        )


def _is_of_the_text(obligation: Obligation) -> bool:
    """Whether advice is about how something is written, whatever the inputs are."""
    plain = all(isinstance(value, (str, Span)) for value in obligation.values.values())
    return obligation.advises and obligation.goal is False and not obligation.rule.dynamic and plain


def _breaking(decided: Decided, stated: Cond | None, others: Sequence[Cond], shared: bool) -> Decided:
    """Where an obligation asks for several things, or shares a condition of the contract with others: with a
    counterexample that fails what is stated, and if possible none of `others`, which may speak of more inputs than it
    did: what holds of these where it arose still does."""
    decision = decided.decision
    asked = decision.precondition
    if stated is None or asked is None or not isinstance(decision.model, LazyModel):
        return decided
    if asked.key == stated.key and not shared:
        return decided
    besides = (*others, *decided.obligation.site.conditions()) if others else ()
    return replace(decided, decision=replace(decision, model=decision.model.where(negation(stated), *besides)))


def _codes(group: Iterable[Decided]) -> set[str]:
    return {decided.obligation.rule.code for decided in group}


def _call(decided: Decided) -> Any:
    return decided.obligation.call or decided.obligation.site.at
