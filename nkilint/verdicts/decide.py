"""Every obligation of one evaluation of a kernel decided, and the contract drawn up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nkilint.analyses.findings import Decided
from nkilint.analyses.registry import analyses
from nkilint.analyses.whole_trace import analyse, selected, state_obligations
from nkilint.base.findings import ObligationCount, Proof, UnknownObligation
from nkilint.base.ir import Span
from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import Obligation
from nkilint.evaluator.values.inputs import InputTensor
from nkilint.prover import Decision, Prover, Verdict
from nkilint.prover.prover import DECISION, OUT_OF_WORK, QUICK
from nkilint.prover.sizes import as_sizes
from nkilint.prover.witness import LazyModel
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import over_inputs, variables
from nkilint.symbolic.work import charge, left, spent
from nkilint_rules.language.division_by_zero import DivisionByZero
from nkilint_rules.operands.partition_mismatch import PartitionMismatch
from nkilint_rules.operands.shape_mismatch import ShapeMismatch
from nkilint_rules.rule import Rule
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import Unknown, all_of, any_of, negation

from .assumed_dtypes import settle_dtypes
from .input_conditions import InputConditions

SUPPOSED = "it may hang on numbers of dimensions that nothing tells"
DOCUMENTED = "it may hang on a size of 1 that the docstring says"
SET_BEFORE = "it may hang on what functions change before a launch"
_OF_SHAPES = (PartitionMismatch, ShapeMismatch)
_ON_DEVICE = frozenset({"operation", "allocation"})

Claim = tuple[type[Rule], Span]


@dataclass(slots=True)
class Decisions:
    """All that was decided about one evaluation of a kernel."""

    run: Run
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("proved", "violated", "conditional", "unknown"), 0)
    )
    violated: list[Decided] = field(default_factory=list)
    advice: list[Decided] = field(default_factory=list)  # of rules whose findings are no faults
    conditional: list[Decided] = field(default_factory=list)
    unknown: list[UnknownObligation] = field(default_factory=list)
    contract: list[Cond] = field(default_factory=list)
    proofs: list[Proof] = field(default_factory=list)
    in_order: bool = False  # all that the whole trace has to obey is proved, with nothing assumed for it
    input_conditions: InputConditions = field(init=False)

    def __post_init__(self) -> None:
        self.input_conditions = InputConditions(self.run.trace)

    @property
    def verdict(self) -> str:
        if self.violated or self.run.never:
            return "violated"
        if self.unknown or self.run.trace.stopped:
            return "incomplete"
        return "conditional" if self.conditional else "verified"

    def doubt_unless(self, sure: Collection[Claim], reason: str) -> None:
        """Leave what is violated open unless it is among what is `sure` to be."""
        doubtful = [j.obligation for j in self.violated if claim(j.obligation) not in sure]
        self.violated = [j for j in self.violated if j.obligation not in doubtful]
        self.counts["violated"] -= len(doubtful)
        for obligation in doubtful:
            _leave_open(self, obligation, reason)

    def state_contract(self, prover: Prover) -> None:
        """State what all the conditions come to."""
        stated = [j.decision.precondition for j in self.conditional if j.decision.precondition is not None]
        try:
            self.contract = prover.contract(stated, self.input_conditions.assumptions(prover)) if stated else []
        except Exception as fault:
            self.run.trace.failed(fault)
            self.contract = list({c.key: c for c in stated}.values())

    def doubt_conditions(self, other: Run, prover: Prover) -> None:
        """Leave open what is asked of other numbers than the sizes of tensors whose ranks are guessed, and is not asked
        with the ranks of another run: shapes that do not fit show that the guess is wrong."""
        names = tuple(f"{name}.shape[" for name in self.run.trace.ranks_guessed)
        whole = {rule for each in analyses() for rule in each.rules}
        asked = {(claim(o), o.goal.key) for o in other.trace.obligations if isinstance(o.goal, Cond)}
        before = len(self.conditional)
        for each in list(self.conditional):
            said, goal = claim(each.obligation), each.obligation.goal
            own = isinstance(goal, Cond) and not any(v.name.startswith(names) for v in variables(goal))
            if own and said[0] not in whole and (said, goal.key) not in asked:
                self.conditional.remove(each)
                self.counts["conditional"] -= 1
                _leave_open(self, each.obligation, SUPPOSED)
        if len(self.conditional) < before:
            self.state_contract(prover)

    def tally(self) -> ObligationCount:
        return ObligationCount(**self.counts)

    def unstated(self) -> list[str]:
        """What the contract leaves out: conditions that exist, but of which no closed form was found."""
        open_ = [j.obligation for j in self.conditional if j.decision.precondition is None]
        return [f"what {o.rule.code} asks on line {o.site.at.row} (no closed form found)" for o in open_]


def decide_run(
    run: Run, prover: Prover, selects: Callable[[str], bool], proofs: bool, whole_traces: bool = True
) -> Decisions:
    """Decide every obligation of a run."""
    result = Decisions(run)
    state_obligations(run)
    settle_dtypes(run.trace)
    for code, count in run.trace.proved.items():
        if selects(code):
            result.counts["proved"] += count
            if proofs:
                result.proofs.append(
                    Proof(code, 0, f"{count} obligation{'' if count == 1 else 's'}", "proved", "constant")
                )
    wanted = [obligation for obligation in run.trace.obligations if selects(obligation.rule.code)]
    for obligation, answer in zip(wanted, _answers(wanted, prover), strict=True):
        try:
            _take(result, obligation, answer, proofs)
        except Exception as fault:
            _leave_open(result, obligation, run.trace.failed(fault))
    result.in_order = whole_traces and bool(selected(run, selects)) and not run.trace.stopped
    given = [j.decision.precondition for j in result.conditional if j.decision.precondition is not None]
    assumed = len(run.trace.assumptions)
    for settled in analyse(run, prover, selects, given) if whole_traces else ():
        try:
            _count(result, settled.obligation, settled.decision, proofs)
        except Exception as fault:
            _leave_open(result, settled.obligation, run.trace.failed(fault))
        result.in_order &= settled.decision.verdict is Verdict.PROVED or settled.obligation.advises
    result.in_order &= len(run.trace.assumptions) == assumed
    if run.trace.stopped:
        result.unknown.append(UnknownObligation(IncompleteAnalysis.code, 0, run.trace.stopped, ""))
        result.counts["unknown"] += 1
    if run.rejected is not None and not run.never:
        at = (*run.rejected.site.callers, run.rejected.test.at)[0]
        reason = f"its own assertion on line {at.row} rejects every input that was tried"
        result.unknown.append(UnknownObligation(IncompleteAnalysis.code, at.row, reason, at.file))
        result.counts["unknown"] += 1
    if not (result.unknown or result.violated):
        _look_behind_findings(result)
    if not (result.unknown or run.never or any(event.kind in _ON_DEVICE for event in run.trace.events)):
        reason = "nothing that it does on the device could be followed"
        result.unknown.append(UnknownObligation(IncompleteAnalysis.code, 0, reason, ""))
        result.counts["unknown"] += 1
    result.state_contract(prover)
    if any(j.decision.precondition is not None for j in result.conditional) and not result.violated:
        _reject_all(result, prover)
    return result


def _look_behind_findings(result: Decisions) -> None:
    """Leave open what was excused by a finding that is none where it stands, as behind a loop that does not run."""
    told = [{c.key for c in j.obligation.site.path()} for j in result.conditional]
    for excused in result.run.trace.excused:
        path = {condition.key for condition in excused.site.path()}
        if not any(finding <= path for finding in told):
            _leave_open(result, excused, str(excused.goal.reason))
            return


def _reject_all(result: Decisions, prover: Prover) -> None:
    """Where no input meets the whole contract, what the first obligation asks that no input meets which meets what is
    asked before it is violated."""
    known: list[Cond] = list(result.input_conditions.assumptions(prover))
    if not prover.shows(negation(all_of(result.contract)), known, deep=True):
        return
    before: list[tuple[Decided, Cond]] = []
    for decided in result.conditional:
        asked, obligation = decided.decision.precondition, decided.obligation
        if asked is None or not decided.decision.exact or obligation.advises:
            continue
        charge(1 + len(before))
        if prover.shows(negation(asked), [*known, *(c for _, c in before)], deep=True):
            opposed = (d for d, c in before if prover.shows(negation(asked), [*known, c], deep=True))
            notes = [("inputs that avoid it fail here", d.obligation.site.at) for d in opposed]
            model = decided.decision.model
            if isinstance(model, LazyModel) and before:
                model = model.where(all_of(c for _, c in before))
            decision = replace(decided.decision, verdict=Verdict.VIOLATED, precondition=None, model=model)
            result.conditional.remove(decided)
            result.counts["conditional"] -= 1
            result.counts["violated"] += 1
            related = (*obligation.related, *notes[:1])
            result.violated.append(Decided(replace(obligation, related=related), decision))
            result.contract = prover.contract([c for _, c in before], known)
            return
        before.append((decided, asked))


def violates(run: Run, rule: type[Rule], prover: Prover) -> bool:
    """Whether an operation breaks `rule` for every input, judged before all the rest."""
    return bool(_violated(run, lambda obligation: obligation.rule is rule, prover))


def violated_too(run: Run, decided: Decisions, prover: Prover, selects: Callable[[str], bool]) -> Collection[Claim]:
    """What is violated in `decided` and in another evaluation of the same kernel, of which nothing else is asked."""
    wanted = {claim(j.obligation) for j in decided.violated}
    whole = {rule for each in analyses() for rule in each.rules}
    if not any(rule in whole for rule, _ in wanted):
        state_obligations(run)
        found = {claim(each) for each in _violated(run, lambda obligation: claim(obligation) in wanted, prover)}
        if wanted <= found:
            return found  # by itself, without what others ask of the inputs
    return {claim(j.obligation) for j in decide_run(run, prover, selects, False).violated}


def claim(obligation: Obligation) -> Claim:
    """What is said of a place."""
    return obligation.rule, obligation.site.at


def _violated(run: Run, asked: Callable[[Obligation], bool], prover: Prover) -> list[Obligation]:
    """Those of the obligations that are asked about which fail for every input."""
    found = Decisions(run)
    for obligation in run.trace.obligations:
        if obligation.goal is not True and asked(obligation):
            try:
                _take(found, obligation, _answer(obligation, prover), False)
            except Exception as fault:
                run.trace.failed(fault)
    return [decided.obligation for decided in found.violated]


Answer = Decision | Exception | None


def _answers(obligations: list[Obligation], prover: Prover) -> list[Answer]:
    """What is decided of each: first what no size can meet, and last what takes much work, so that it leaves some for
    others."""
    found: list[Answer] = [OUT_OF_WORK] * len(obligations)
    for last in (False, True):
        again = [number for number, answer in enumerate(found) if answer is OUT_OF_WORK]
        again.sort(key=lambda number: obligations[number].goal is not False)
        enough = spent() + 2 * left() / 3  # the rest is for what is asked of the whole trace
        for number in again:
            most = QUICK if not last else DECISION if spent() < enough else 2 * QUICK
            try:
                found[number] = _answer(obligations[number], prover, most, last)
            except Exception as fault:
                found[number] = fault
    return found


def _answer(obligation: Obligation, prover: Prover, most: int = DECISION, last: bool = True) -> Decision | None:
    """What is decided of an obligation; nothing where it is not known what it asks."""
    goal, facts = obligation.goal, obligation.site.conditions()
    short = False

    def ask(given: Sequence[Cond]) -> Decision:
        nonlocal short
        decision = prover.decide(goal, [*facts, *given], most, last=last)
        short = short or decision is OUT_OF_WORK
        return decision

    if isinstance(goal, Unknown):
        return None
    decision = as_sizes(ask, [goal], 1 if obligation.rule is DivisionByZero else 0, obligation.site.stated())
    return OUT_OF_WORK if short and not last else decision


def _take(result: Decisions, obligation: Obligation, answer: Answer, proofs: bool) -> None:
    if isinstance(answer, Exception):
        raise answer
    if answer is None:
        _leave_open(result, obligation, obligation.goal.reason)
    else:
        _count(result, obligation, answer, proofs)


def _count(result: Decisions, obligation: Obligation, decision: Decision, proofs: bool) -> None:
    """Take over one decision. Advice is given where it certainly applies, and is no obligation of the kernel."""
    if obligation.advises and obligation.rule is not IncompleteAnalysis:
        if decision.verdict is Verdict.VIOLATED:
            result.advice.append(Decided(obligation, decision))
        if decision.verdict is not Verdict.CONDITIONAL or obligation.enforced:
            return
    goal = obligation.goal
    if proofs:
        rule, at = obligation.rule, obligation.site.at
        result.proofs.append(Proof(rule.code, at.row, str(goal), decision.verdict.value, decision.rung, at.file))
    if decision.verdict is Verdict.UNKNOWN:
        _leave_open(result, obligation, decision.reason)
        return
    fails = decision.verdict is Verdict.VIOLATED
    doubt = "" if decision.verdict is Verdict.PROVED else obligation.site.doubt(goal, fails, decision.anyway)
    if doubt:
        _leave_open(result, obligation, doubt)
        return
    if obligation.rule in _OF_SHAPES and decision.precondition is not None and _is_supposed(result.run, goal):
        _leave_open(result, obligation, SUPPOSED)
        return
    if decision.verdict is Verdict.VIOLATED and any(over_inputs(c) for c in obligation.chosen):
        other = any_of(
            negation(c) for c in obligation.chosen if over_inputs(c)
        )  # inputs with which it is another value
        decision = replace(decision, verdict=Verdict.CONDITIONAL, precondition=other)
    if decision.verdict is Verdict.CONDITIONAL and decision.precondition is not None:
        wanted = result.input_conditions.relative(decision.precondition, obligation.site)
        decision = replace(decision, precondition=wanted if isinstance(wanted, Cond) else None)
    result.counts[decision.verdict.value] += 1
    result.run.trace.assumptions.update({str(c): None for c in decision.given})
    if decision.verdict is Verdict.VIOLATED:
        result.violated.append(Decided(obligation, decision))
    elif decision.verdict is Verdict.CONDITIONAL:
        result.conditional.append(Decided(obligation, decision))


def _is_supposed(run: Run, goal: Any) -> bool:
    """Whether a goal is about sizes of a tensor, or items of a tuple, of which nothing tells how many there are."""
    first = None if run.only_rank else run.unsupposed
    asked = first.trace.ranks_asked.keys() - first.trace.ranks_told.keys() if first is not None else ()
    several = [name for name, value in run.inputs.items() if isinstance(value, InputTensor) and value.several]
    names = tuple(f"{name}{end}" for name in (*asked, *several) for end in (".shape[", "["))
    if not names or not isinstance(goal, Cond):
        return False
    return any(variable.name.startswith(names) for variable in variables(goal))


def _leave_open(result: Decisions, obligation: Obligation, reason: str) -> None:
    at = obligation.site.at
    result.counts["unknown"] += 1
    result.unknown.append(UnknownObligation(obligation.rule.code, at.row, reason, at.file))
