"""From the trace of one kernel to verdicts: each obligation decided, the findings merged, the contract drawn up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nkilint.analyses.whole_trace import analyse, selected, state_obligations
from nkilint.base.findings import Diagnostic, ObligationCount, Proof, Related, UnknownObligation, Witness, conditioned
from nkilint.base.ir import Span
from nkilint.evaluator.kernels.launch import describe
from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import AtWitness, Obligation, Reach, Site
from nkilint.evaluator.values.dtypes import SymbolicDType
from nkilint.evaluator.values.host import HostArray
from nkilint.evaluator.values.inputs import InputTensor
from nkilint.evaluator.values.substitution import in_value
from nkilint.prover import Decision, Prover, Verdict
from nkilint.prover.witness import LazyModel
from nkilint.symbolic.atoms import Atom, Ite, Var
from nkilint.symbolic.conditions import Cond, leaves
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.rule import Message, Severity
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import Unknown, all_of, negation

from .merging import Conditional, merged
from .reaching import Reaching
from .trials import trial

Quote = Callable[[Span], str]
Model = Mapping[Var, int]


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """An obligation with its decision."""

    obligation: Obligation
    decision: Decision


@dataclass(slots=True)
class Judgement:
    """All that was decided about one evaluation of a kernel."""

    run: Run
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("proved", "violated", "conditional", "unknown"), 0)
    )
    violated: list[Judged] = field(default_factory=list)
    advice: list[Judged] = field(default_factory=list)  # of rules whose findings are no faults
    conditional: list[Judged] = field(default_factory=list)
    unknown: list[UnknownObligation] = field(default_factory=list)
    contract: list[Cond] = field(default_factory=list)
    proofs: list[Proof] = field(default_factory=list)
    in_order: bool = False  # all that the whole trace has to obey is proved
    reaching: Reaching = field(init=False)

    def __post_init__(self) -> None:
        self.reaching = Reaching(self.run.trace)

    @property
    def verdict(self) -> str:
        if self.violated:
            return "violated"
        if self.unknown or self.run.trace.stopped:
            return "incomplete"
        return "conditional" if self.conditional else "verified"

    def tally(self) -> ObligationCount:
        return ObligationCount(**self.counts)

    def unstated(self) -> list[str]:
        """What the contract leaves out: conditions that exist, but of which no closed form was found."""
        open_ = [j.obligation for j in self.conditional if j.decision.precondition is None]
        return [f"what {o.rule.code} asks on line {o.site.at.row} (no closed form found)" for o in open_]


def judge(
    run: Run, prover: Prover, selects: Callable[[str], bool], proofs: bool, whole_traces: bool = True
) -> Judgement:
    """Decide every obligation of a run."""
    result = Judgement(run)
    state_obligations(run)
    for code, count in run.trace.proved.items():
        if selects(code):
            result.counts["proved"] += count
            if proofs:
                result.proofs.append(Proof(code, 0, f"{count} obligations", "proved", "constant"))
    decided: dict[Any, Decision] = {}
    for obligation in run.trace.obligations:
        if selects(obligation.rule.code):
            _decide(result, obligation, prover, decided, proofs)
    result.in_order = whole_traces and bool(selected(run, selects)) and not run.trace.stopped
    given = [j.decision.precondition for j in result.conditional if j.decision.precondition is not None]
    for settled in analyse(run, prover, selects, given) if whole_traces else ():
        _count(result, settled.obligation, settled.decision, proofs)
        result.in_order &= settled.decision.verdict is Verdict.PROVED or settled.obligation.rule.advises()
    if run.trace.stopped:
        result.unknown.append(UnknownObligation(IncompleteAnalysis.code, 0, run.trace.stopped))
        result.counts["unknown"] += 1
    if run.rejected is not None and not run.never:
        reason = "its own assertion rejects every input that was tried"
        result.unknown.append(UnknownObligation(IncompleteAnalysis.code, run.rejected.test.at.row, reason))
        result.counts["unknown"] += 1
    preconditions = [j.decision.precondition for j in result.conditional if j.decision.precondition is not None]
    result.contract = prover.contract(preconditions, result.reaching.assumptions()) if preconditions else []
    return result


def _decide(
    result: Judgement, obligation: Obligation, prover: Prover, decided: dict[Any, Decision], proofs: bool
) -> None:
    goal = obligation.goal
    if isinstance(goal, Unknown):
        _leave_open(result, obligation, goal.reason)
        return
    _count(result, obligation, prover.decide(goal, obligation.site.conditions()), proofs)


def _count(result: Judgement, obligation: Obligation, decision: Decision, proofs: bool) -> None:
    """Take over one decision. Advice is given where it certainly applies, and is no obligation of the kernel."""
    if obligation.rule.advises() and obligation.rule is not IncompleteAnalysis:
        if decision.verdict is Verdict.VIOLATED:
            result.advice.append(Judged(obligation, decision))
        return
    goal = obligation.goal
    if proofs:
        result.proofs.append(
            Proof(obligation.rule.code, obligation.site.at.row, str(goal), decision.verdict.value, decision.rung)
        )
    if decision.verdict is Verdict.UNKNOWN:
        _leave_open(result, obligation, decision.reason)
        return
    doubt = "" if decision.verdict is Verdict.PROVED else obligation.site.doubt(goal)
    if doubt:
        _leave_open(result, obligation, doubt)
        return
    result.counts[decision.verdict.value] += 1
    if decision.verdict is Verdict.VIOLATED:
        result.violated.append(Judged(obligation, decision))
    elif decision.verdict is Verdict.CONDITIONAL:
        if decision.precondition is not None:
            wanted = result.reaching.relative(decision.precondition, obligation.site)
            decision = replace(decision, precondition=wanted if isinstance(wanted, Cond) else None)
        result.conditional.append(Judged(obligation, decision))


def _leave_open(result: Judgement, obligation: Obligation, reason: str) -> None:
    result.counts["unknown"] += 1
    result.unknown.append(UnknownObligation(obligation.rule.code, obligation.site.at.row, reason))


# --- findings ---


class Reporter:
    """Turns judgements of one kernel into diagnostics."""

    def __init__(self, kernel: str, file: str, quote: Quote, prover: Prover, conditional: Severity) -> None:
        self.kernel, self.file, self.quote, self.prover, self.conditional = kernel, file, quote, prover, conditional

    def violations(self, judgement: Judgement) -> list[Diagnostic]:
        """One diagnostic per defect: the first at each place, consequences left out."""
        found: dict[tuple[str, Span], Judged] = {}
        for judged in (*judgement.violated, *judgement.advice):
            found.setdefault((judged.obligation.rule.code, judged.obligation.site.at), judged)
        kept = self._without_consequences(list(found.values()))
        return [self._diagnostic(j, judgement.run, Severity.ERROR, None, ()) for j in kept]

    def conditions(self, judgement: Judgement) -> list[Diagnostic]:
        """One diagnostic per precondition, at the first obligation that needs it."""
        groups: dict[Any, tuple[Cond | None, list[Judged]]] = {}
        besides: dict[Any, list[Cond]] = {}
        contract = {c.key: c for c in judgement.contract}
        rest: list[Judged] = []
        for judged in judgement.conditional:
            precondition = judged.decision.precondition
            if precondition is None:
                place = (judged.obligation.rule.code, judged.obligation.site.at)
                groups.setdefault(place, (None, []))[1].append(judged)
            elif precondition.key in contract:
                groups.setdefault(precondition.key, (precondition, []))[1].append(judged)
            else:
                rest.append(judged)
        for key, stated in contract.items():
            others = [c for k, c in contract.items() if k != key]
            needed = [j for j in rest if self._needs(j, others)] if key not in groups else []
            known = [*others, *judgement.reaching.assumptions()]
            for own, group in self._in_own_words(needed, stated, known):
                groups[own.key], besides[own.key] = (own, group), others
        result: list[Conditional] = []
        for key, (condition, group) in groups.items():
            others = besides.get(key, [c for k, c in contract.items() if k != key])
            first = _breaking(self._strongest(group), condition, others, key in besides)
            places: dict[Span, None] = dict.fromkeys(j.obligation.site.at for j in group if j is not first)
            places.pop(first.obligation.site.at, None)
            related = tuple(Related("the same condition is needed here", at) for at in list(places)[:8])
            finding = self._diagnostic(first, judgement.run, self.conditional, condition, related)
            result.append(Conditional(finding, condition, first.decision.exact))
        return merged(result, lambda stated: self.prover.contract(stated, judgement.reaching.assumptions()))

    def _needs(self, judged: Judged, known: list[Cond]) -> bool:
        """Whether an obligation asks for more than `known`: the contract says it in other words then."""
        precondition = judged.decision.precondition
        return precondition is not None and not self.prover.shows(precondition, known, deep=True)

    def _in_own_words(
        self, needed: Sequence[Judged], stated: Cond, others: list[Cond]
    ) -> list[tuple[Cond, list[Judged]]]:
        """Obligations that a condition of the contract stands for, by what each asks for itself: the contract may state
        two bounds of two rules as one equation. What follows from what the same rule asks elsewhere is left out."""
        found: dict[Any, tuple[Cond, list[Judged]]] = {}
        for judged in needed:
            own = self._own(judged.decision.precondition, stated, others)
            found.setdefault(own.key, (own, []))[1].append(judged)
        for key, (own, group) in reversed(list(found.items())):
            rest = [other for k, (other, them) in found.items() if k != key and _codes(group) <= _codes(them)]
            if rest and self.prover.shows(own, [*others, *rest], deep=True):
                del found[key]
        return list(found.values())

    def _own(self, asked: Cond | None, stated: Cond, others: list[Cond]) -> Cond:
        """What `asked` wants besides `others`: the condition stated where that is the same, or a part of its own."""
        if asked is None or self.prover.shows(stated, [asked, *others], deep=True):
            return stated
        parts = [c for c in leaves([asked]) if isinstance(c, Cond) and not self.prover.shows(c, others, deep=True)]
        own = all_of(parts)
        return own if isinstance(own, Cond) else stated

    @staticmethod
    def _strongest(group: Sequence[Judged]) -> Judged:
        """The first that is an error where the condition fails, or the first."""

        def order(judged: Judged) -> tuple[bool, int, int, str]:
            obligation = judged.obligation
            advice = obligation.rule.severity is not Severity.ERROR
            return advice, obligation.site.at.row, obligation.site.at.column, obligation.rule.code

        return min(group, key=order)

    @staticmethod
    def _without_consequences(found: list[Judged]) -> list[Judged]:
        """Findings about a call that another finding about it explains are left out."""
        silenced: set[tuple[str, Any]] = set()
        for judged in found:
            for code in judged.obligation.rule.before:
                silenced.add((code, _call(judged)))
        return [j for j in found if (j.obligation.rule.code, _call(j)) not in silenced]

    def _diagnostic(
        self, judged: Judged, run: Run, severity: Severity, precondition: Cond | None, related: tuple[Related, ...]
    ) -> Diagnostic:
        obligation, decision = judged.obligation, judged.decision
        rule, model = obligation.rule, decision.model
        if severity is Severity.ERROR and rule.severity is not Severity.ERROR:
            severity = rule.severity
        said = self._said(obligation, model)
        if precondition is not None:
            said = said.conditional()
        text = said.text()
        if precondition is not None:
            text = conditioned(text, str(precondition), decision.exact)
        conditional = decision.verdict is Verdict.CONDITIONAL
        seen = rule.dynamic and said.wording not in rule.unseen
        notes = tuple(Related(text, at) for text, at in obligation.related) + related
        return Diagnostic(
            code=rule.code,
            name=rule.name(),
            severity=severity,
            message=text,
            at=obligation.site.at,
            help=said.help(),
            kernel=self.kernel,
            verdict="conditional" if conditional else None if rule.advises() else "violated",
            precondition=str(precondition) if precondition is not None else None,
            witness=witness(run, model, obligation.site, obligation.element or obligation.values.get("element")),
            related=notes,
            trial=trial(run, model, obligation, self.prover) if seen else None,
        )

    def _said(self, obligation: Obligation, model: Model) -> Message:
        """What the rule says, under a counterexample."""
        assert isinstance(obligation.about, Message)

        def known(value: Any) -> Any:
            if isinstance(value, Span):
                return " ".join(self.quote(value).split())
            if isinstance(value, Reach):
                return farthest(value.value, model, value.masked)
            return _at_witness(value, model) if isinstance(value, AtWitness) else value

        return obligation.about.map(known)


def _at_witness(value: AtWitness, model: Model) -> Any:
    """What a message gives as it is in the counterexample; an element like a subscript."""
    if isinstance(value.value, tuple):
        return [_first_at(item, model) for item in value.value]
    return _first_at(value.value, model)


def _first_at(value: Any, model: Model) -> Any:
    """A number under a witness, at the first element and iteration where the witness leaves them open."""
    found = substitute(value, dict(model.items())) if isinstance(value, Sym) else value
    return _at_most(substitute(found, {v: v.low for v in _axes_in(found) if v.low is not None}))


def _at_most(value: Any) -> Any:
    """A number that hangs on the dtypes of inputs, for those with which it is largest."""
    choices = [a for a in value.atoms() if isinstance(a, Ite)] if isinstance(value, Sym) else []
    sides: list[Any] = [{c: getattr(c, side) for c in choices if c.condition.key == choices[0].condition.key}
                        for side in ("then", "otherwise")] if choices else []  # fmt: skip
    either = [_at_most(substitute(value, side)) for side in sides]
    return max(either) if either and all(isinstance(n, int) for n in either) else value


def _breaking(judged: Judged, stated: Cond | None, others: Sequence[Cond], shared: bool) -> Judged:
    """Where an obligation asks for several things, or shares a condition of the contract with others: with a
    counterexample that fails what is stated, and if possible none of `others`."""
    decision = judged.decision
    asked = decision.precondition
    if stated is None or asked is None or not isinstance(decision.model, LazyModel):
        return judged
    if asked.key == stated.key and not shared:
        return judged
    return replace(judged, decision=replace(decision, model=decision.model.where(negation(stated), *others)))


def _codes(group: Iterable[Judged]) -> set[str]:
    return {judged.obligation.rule.code for judged in group}


def _call(judged: Judged) -> Any:
    return judged.obligation.call or judged.obligation.site.at


def at_model(value: Any, model: Model) -> Any:
    """A symbolic number under a witness; what the witness does not fix stays."""
    if not isinstance(value, Sym):
        return value
    found = substitute(value, dict(model.items()))
    open_axes: dict[Atom, Any] = {v: v.high for v in _axes_in(found) if v.high is not None}
    return substitute(found, open_axes)


def farthest(reach: Any, model: Model, masked: bool) -> Any:
    """What an index reaches: at the witness under a mask, else at the end of its loops and axes that it leaves by."""
    seen = at_model(reach, model)
    if masked or not isinstance(seen, int):
        return seen
    upwards = seen >= 0
    value: Any = reach
    for _ in range(8):
        ends: dict[Atom, Any] = {}
        for variable in _axes_in(value):
            step = substitute(value, {variable: Sym({(variable,): 1}, 0) + 1}) - value
            if not isinstance(step, int):
                return seen
            end = variable.high if (step > 0) is upwards else variable.low
            if end is None:
                return seen
            ends[variable] = end
        if not ends:
            break
        value = substitute(value, ends)
    inputs: dict[Atom, Any] = {v: n for v, n in model.items() if v.kind not in ("axis", "loop")}
    value = substitute(value, inputs)
    return value if isinstance(value, int) else seen


def _axes_in(value: Any) -> set[Var]:
    """Element and iteration variables in a symbolic number."""
    return (
        {a for a in value.atoms() if isinstance(a, Var) and a.kind in ("axis", "loop")}
        if isinstance(value, Sym)
        else set()
    )


def witness(run: Run, model: Model, site: Site, element: Any = None) -> Witness | None:
    """The inputs, iterations and element of a model, as a report shows them."""
    if not model and not run.inputs:
        return None
    inputs = {name: shown(value, model) for name, value in run.inputs.items()}
    loops = {}
    for loop in site.loops:
        atom = loop.index.variable
        if isinstance(atom, Var) and atom in model:
            loops[loop.name] = model[atom]
    if isinstance(element, AtWitness):
        found = _at_witness(element, model)
        return Witness(inputs, loops, tuple(found) if all(isinstance(i, int) for i in found) else None)
    elements = sorted((v for v in model if v.kind == "axis"), key=lambda v: v.name, reverse=True)
    return Witness(inputs, loops, tuple(model[v] for v in elements) or None)


def shown(value: Any, model: Model) -> Any:
    """An input under a witness."""
    if isinstance(value, InputTensor):
        if "view" in value.cell:
            view = value.cell["view"]
            sizes = ", ".join(str(at_model(s, model)) for s in view.shape)
            return f"{'' if isinstance(view.dtype, SymbolicDType) else view.dtype}[{sizes}]"
        return at_model(value.cell["number"], model) if "number" in value.cell else "?"
    if isinstance(value, (Sym, HostArray)):
        value = at_model(in_value(value, {}), model) if isinstance(value, Sym) else value
        return value if isinstance(value, int) else describe(value)
    return describe(value)
