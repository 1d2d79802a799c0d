"""What a kernel hands back: whether every element of it is written, where it lives, and what was forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from nkilint.evaluator.state.trace import AtWitness, Site
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover.elimination import Existence
from nkilint.symbolic.conditions import Cond, Or
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import is_one, sym
from nkilint_rules.dataflow.partial_output import PartialOutput
from nkilint_rules.dataflow.unwritten_output import UnwrittenOutput
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import HBM

from .findings import Analysis, split, with_facts, written_at
from .questions.axes import by_axis
from .questions.left_behind import tensors_left
from .questions.returns import hidden, returned
from .registry import decides

SHARED = frozenset({"shared_hbm", "hbm", "private_hbm"})


@decides(UnwrittenOutput, PartialOutput, finished=True)
def check_outputs(analysis: Analysis) -> None:
    """State what holds for every tensor that is handed back, on each path that returns."""
    events = analysis.run.trace.events
    returns = [(n, e) for n, e in enumerate(events) if e.kind == "return"]
    for number, event in returns:
        facts, before = event.site.conditions(), events[:number]
        left = [view for access in event.accesses for view in tensors_left(access.view, before)]
        for base, when, doubt in returned(event, left):
            if base.kind == "allocation" and base.memory == HBM and not base.loops:
                always = isinstance(when, Or) and analysis.prover.shows(when, facts, deep=True)
                site = event.site if always else with_facts(event.site, [when])
                _written(analysis, base, site, len(events) if _for_some_programs(event.site) else number, doubt)
        if reason := hidden(event.arguments.get("value")):
            analysis.require(UnwrittenOutput, Existence(False, False, reason), event.site)
    if returns:
        last = returns[-1][1]
        for base in _output_parameters(analysis):
            _written(analysis, base, replace(last.site, loops=()), len(events))


def _for_some_programs(site: Site) -> bool:
    """Whether a return is that of some programs of the launch grid, while others may go on and write the rest."""
    return not site.loops and any(v.kind == "program" for v in variables(*site.path()))


def _output_parameters(analysis: Analysis) -> Iterator[Declaration]:
    """Parameters that an early-style kernel of Beta 1 writes and never reads: what it is called for.

    One that is returned too is updated, as a cache is, and keeps what the kernel does not write.
    """
    request = analysis.run.request
    if request is None or request.dialect != BETA1 or not request.may_write:
        return
    touches = analysis.coverage.touches
    for base in touches.bases.values():
        if base.kind == "input" and touches.writes_of(base) and not touches.reads_of(base):
            yield base


def _written(analysis: Analysis, base: Declaration, site: Site, before: int, doubt: str = "") -> None:
    """NKI702 where nothing is written, NKI703 where something is left out. There may be `doubt` that it is returned."""
    element = element_of(base)
    site = with_facts(site, analysis.coverage.nonempty(site))
    facts = site.conditions()
    writers = [t for t in analysis.coverage.touches.writes_of(base) if t.position < before]
    related, missing = written_at(writers), analysis.hides_writes
    first, name = AtWitness(element), base.told
    if not writers:
        unwritten = Existence(False, not doubt, doubt)
        analysis.require(UnwrittenOutput.message(tensor=name), unwritten, site, related, missing, first)
        return
    found = analysis.coverage.written(base, element, facts, writers)
    if doubt and found.condition is not True:
        found = replace(found, exact=False, reason=doubt)
    if found.condition is False:
        analysis.require(UnwrittenOutput.unreached(tensor=name), found, site, related, missing, first)
        return
    always, somewhere = split(found.condition, lambda part: _about_elements(part))
    if always is not True:
        reached = replace(found, condition=always)
        some = with_facts(site, [size >= 1 for size in base.shape])  # nothing of an output without elements is missed
        analysis.require(UnwrittenOutput.unreached(tensor=name), reached, some, related, missing, first)
    rest = replace(found, condition=somewhere)
    loops = tuple(dict.fromkeys(loop for w in writers for loop in w.loops))
    for part in by_axis(rest, element, site, writers, base.shape):
        about = (
            PartialOutput.message(tensor=name, element=first)
            if part.axis is None
            else PartialOutput.axis(tensor=name, element=first, axis=part.axis)
        )
        notes = [*part.related(), *related]
        analysis.require(about, part.covered, part.site, notes, missing, through=loops)


def _about_elements(part: Cond) -> bool:
    return any(v.kind == "axis" for v in variables(part))


def element_of(base: Declaration) -> tuple[Any, ...]:
    """Any element of the tensor, in variables."""
    rank = len(base.shape)
    return tuple(0 if is_one(n) else sym(f"e{rank - 1 - d}", "axis", 0, n - 1) for d, n in enumerate(base.shape))
