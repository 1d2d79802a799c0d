"""What a whole trace has to obey, beyond its single operations: every analysis is run on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from nkilint.base.ir import Span
from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import Obligation, Site
from nkilint.prover import Decision, Prover, Verdict
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.work import REASON, OutOfWork, stage
from nkilint_rules.rule import Rule
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import Unknown

from .findings import Analysis, Decided
from .questions.coverage import Coverage
from .registry import TraceAnalysis, analyses, statements


def state_obligations(run: Run) -> None:
    """Add to the trace, once, what it as a whole owes to rules that are decided like those about single operations."""
    if run.stated:
        return
    run.stated = True
    for each in statements():
        if run.request is not None and each.concerns(run.request.dialect):
            try:
                run.trace.obligations += each.state(run)
            except Exception as fault:
                reason = run.trace.failed(fault)
                run.trace.obligations += [_given_up(rule, run, reason).obligation for rule in each.rules]


def selected(run: Run, selects: Callable[[str], bool]) -> list[TraceAnalysis]:
    """The analyses that decide rules which are selected, for a kernel of this dialect."""
    dialect = "" if run.request is None else run.request.dialect
    return [a for a in analyses() if a.concerns(dialect) and any(selects(rule.code) for rule in a.rules)]


def analyse(run: Run, prover: Prover, selects: Callable[[str], bool], given: Sequence[Cond] = ()) -> list[Decided]:
    """The obligations that the trace as a whole has to meet, decided; `given` is asked of the inputs already."""
    if run.rejected is not None:
        return []
    finished = not run.trace.stopped and not _breaks_off(run)
    analysis = Analysis(
        run, prover, Coverage(run.trace, prover), incomplete(run), incomplete(run, writes_only=True), selects, given
    )
    for each in selected(run, selects):
        if finished or not each.finished:
            try:
                with stage(inf, slack=1.5):  # what lies between the questions may take half as much again
                    each.check(analysis)
            except (OutOfWork, RecursionError):
                analysis.settled += [_given_up(rule, run, REASON) for rule in each.rules]
            except Exception as fault:
                analysis.settled += [_given_up(rule, run, run.trace.failed(fault)) for rule in each.rules]
    return [s for s in analysis.settled if selects(s.obligation.rule.code)]


def _given_up(rule: type[Rule], run: Run, reason: str) -> Decided:
    """That what a rule asks of the rest of the trace was not answered."""
    at = Span("", 1, 1, 1, 1) if run.request is None else run.request.function.at
    return Decided(
        Obligation(rule, Unknown(reason), Site(at, (), None, ())), Decision(Verdict.UNKNOWN, "", reason=reason)
    )


def _breaks_off(run: Run) -> bool:
    """Whether a name or a count is wrong for every input: what hangs on it was not followed, and does not run."""
    return any(o.rule.breaks_trace and o.enforced and o.goal is False for o in run.trace.obligations)


def incomplete(run: Run, writes_only: bool = False) -> str:
    """Why the trace may lack reads or writes: a statement that was not followed, or an operand that is not known."""
    trace = run.trace
    for obligation in trace.obligations:
        concerned = obligation.hides_writes if writes_only else obligation.hides_reads
        if obligation.rule is IncompleteAnalysis and isinstance(obligation.goal, Unknown) and concerned:
            return obligation.goal.reason
    for event in trace.events:
        operation = event.operation
        if operation is not None and event.kind == "operation":
            for name, operand in operation.operands.items():
                value = event.arguments.get(name)
                if operand.role != "read" and isinstance(value, Unknown):
                    return value.reason
    return trace.stopped
