"""Sums in PSUM are begun: a matmul that is told to add finds what an earlier write left."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nkilint.evaluator.state.trace import Access, AtWitness, Event
from nkilint.prover.elimination import Existence
from nkilint.symbolic.conditions import Cond
from nkilint_rules.dataflow.uninitialised_read import UninitialisedRead
from nkilint_rules.words.conditions import Unknown

from .findings import Analysis, with_facts
from .questions.accesses import Touch, real_views
from .registry import decides


@decides(UninitialisedRead, finished=True, last=True)
def check_sums(analysis: Analysis) -> None:
    """NKI701 for each matmul with `accumulate=True`, or under the condition that it names."""
    for position, event in enumerate(analysis.run.trace.events):
        for access in event.accesses:
            flag = event.flag(access) if access.role == "accumulate" else None
            if flag is not None and flag is not False:
                _judge(analysis, position, event, access, flag)


def _chosen(analysis: Analysis, read: Touch) -> Existence | None:
    """A choice among tensors that was written as such."""
    writers = analysis.coverage.touches.chosen.get(id(read.base), [])
    found = analysis.coverage.written_before(read, only=writers) if writers else None
    if found is None or not isinstance(found.condition, (bool, Cond)) or found.condition is False:
        return None
    mask = [read.access.mask] if isinstance(read.access.mask, Cond) else []
    shown = found.condition is True or analysis.prover.shows(found.condition, [*read.event.site.conditions(), *mask])
    return Existence(True) if shown else None


def _judge(analysis: Analysis, position: int, event: Event, access: Access, flag: Any) -> None:
    site = with_facts(event.site, [flag, access.mask])
    for view, sure in real_views(access.view):
        read = Touch(position, replace(event, site=site), replace(access, role="read"), view, sure)
        found = _chosen(analysis, replace(read, view=access.view, sure=True)) if not sure else None
        found = found or analysis.coverage.written_before(read)
        found = found.where(view.when)
        if found.condition is not True:
            if isinstance(flag, Unknown) or not isinstance(flag, (bool, Cond)):
                reason = flag.reason if isinstance(flag, Unknown) else "a flag that is neither true nor false"
                found = Existence(found.condition, False, reason)
            elif not sure:
                found = Existence(found.condition, False, f"`{access.view.base.name}` may stand for several tensors")
        name = view.base.told
        analysis.require(
            UninitialisedRead.message(tensor=name, element=AtWitness(view.index)),
            found,
            site,
            related=[(f"`{name}` is made here", view.base.at)],
            missing=analysis.incomplete,
        )
