"""What the accesses of a whole trace do together: races, elements that nothing writes, writes that are lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nkilint.evaluator.kernels.requests import Run
from nkilint.prover import Prover
from nkilint.symbolic.conditions import Cond
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dialects import BETA1

from .begun_sums import check_sums
from .findings import Analysis, Settled
from .iterations import check_loops
from .lost_writes import check_lost
from .lost_writes_unrolled import check_lost_unrolled
from .outputs import check_outputs
from .programs import check_programs
from .questions.coverage import Coverage
from .returned import check_returned
from .scopes import check_scopes
from .serialised_loops import check_serialised, check_shared_tiles
from .uninitialised_reads import check_reads
from .unread_inputs import check_unread
from .unrolled_iterations import check_unrolled_loops

__all__ = ["Settled", "analyse", "incomplete"]


def analyse(run: Run, prover: Prover, selects: Callable[[str], bool], given: Sequence[Cond] = ()) -> list[Settled]:
    """The obligations that the trace as a whole has to meet, decided; `given` is asked of the inputs already."""
    trace = run.trace
    analysis = Analysis(run, prover, Coverage(trace, prover), incomplete(run), given)
    if run.rejected is None:
        if run.request is not None and run.request.dialect == BETA1:
            check_loops(analysis)
            check_unrolled_loops(analysis)
            check_scopes(analysis)
        check_returned(analysis)
        check_programs(analysis)
        if not trace.stopped and not _breaks_off(run):
            check_outputs(analysis)
            if selects("NKI604") and run.request is not None and run.request.dialect == BETA1:
                check_serialised(analysis)
                check_shared_tiles(analysis)
            if selects("NKI708"):
                check_lost(analysis)
                check_lost_unrolled(analysis)
            if selects("NKI709"):
                check_unread(analysis)
            if selects("NKI701"):
                check_sums(analysis)
                check_reads(analysis)
    return [s for s in analysis.settled if selects(s.obligation.rule.code)]


def _breaks_off(run: Run) -> bool:
    """Whether a name or a count is wrong for every input: what hangs on it was not followed, and does not run."""
    return any(o.rule.breaks_trace and o.goal is False for o in run.trace.obligations)


def incomplete(run: Run) -> str:
    """Why the trace may lack writes: a statement that was not followed, or a write to a tensor that is not known."""
    trace = run.trace
    for obligation in trace.obligations:
        if obligation.rule is IncompleteAnalysis and isinstance(obligation.goal, Unknown):
            return obligation.goal.reason
    for event in trace.events:
        operation = event.operation
        if operation is not None and event.kind == "operation":
            for name, operand in operation.operands.items():
                value = event.arguments.get(name)
                if operand.role != "read" and isinstance(value, Unknown):
                    return value.reason
    return trace.stopped
