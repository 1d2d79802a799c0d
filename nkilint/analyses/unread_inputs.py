"""Inputs of which a loop over whole tiles leaves the rest unread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nkilint.evaluator.state.trace import AtWitness, Site
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover import Decision, Verdict
from nkilint.symbolic.conditions import Compare
from nkilint.symbolic.division import split_remainders
from nkilint_rules.dataflow.unread_input import UnreadInput
from nkilint_rules.words.memory import HBM

from .findings import Analysis
from .outputs import element_of
from .questions.accesses import Touch
from .questions.axes import by_axis
from .registry import decides


@decides(UnreadInput, finished=True)
def check_unread(analysis: Analysis) -> None:
    """NKI709 for each axis of an input that is read as a whole where its size is a multiple of something.

    Only that form tells a forgotten tail from a kernel that reads what it needs; nothing is stated about the others.
    """
    ends = [e.site for e in analysis.run.trace.events if e.kind == "return"]
    if analysis.incomplete or not ends:
        return
    for base, reads in _inputs(analysis):
        _check_input(analysis, base, reads, replace(ends[-1], loops=()))


def _inputs(analysis: Analysis) -> Iterator[tuple[Declaration, list[Touch]]]:
    touches = analysis.coverage.touches
    for base in list(touches.bases.values()):
        if base.kind == "input" and base.memory == HBM and not touches.writes_of(base):
            reads = [t for t in touches.reads_of(base) if t.event.kind != "return"]
            if reads and all(t.access.role == "read" and not t.problem for t in reads):
                yield base, reads


def _check_input(analysis: Analysis, base: Declaration, reads: Sequence[Touch], end: Site) -> None:
    element = element_of(base)
    found = analysis.coverage.written(base, element, end.conditions(), reads)
    if not found.exact:
        return
    loops = tuple(dict.fromkeys(loop for read in reads for loop in read.loops))
    for part in by_axis(found, element, replace(end, at=reads[0].event.site.at), reads, base.shape):
        decision = analysis.decide(part.covered.condition, part.site.conditions())
        if decision.verdict is Verdict.PROVED or (_is_tail(decision) and part.axis is not None):
            about = UnreadInput.message(tensor=base.name, element=AtWitness(element), axis=part.axis)
            analysis.require(about, part.covered, part.site, part.related(), through=loops)


def _is_tail(decision: Decision) -> bool:
    """Whether everything is read just where a size is a multiple of something."""
    condition = decision.precondition
    if decision.verdict is not Verdict.CONDITIONAL or not isinstance(condition, Compare):
        return False
    moduli, rest = split_remainders(condition.left)
    return condition.relation == "==" and len(moduli) == 1 and isinstance(rest, int) and rest == 0
