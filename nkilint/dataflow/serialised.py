"""Loops of Beta 1 that run in order although no iteration needs another."""

from __future__ import annotations

from dataclasses import replace

from ..evaluator.trace import Event, Loop
from ..prover import Verdict
from .elimination import Existence
from .findings import Analysis
from .iterations import check_loop

ORDERED = ("rand", "rng", "dropout", "seed", "print", "atomic", "barrier")  # in names of operations whose order counts


def check_serialised(analysis: Analysis) -> None:
    """NKI604 for each `sequential_range` whose iterations are proved independent, accumulations left out."""
    made = (e.arguments["tensor"].base for e in analysis.run.trace.events if e.kind == "allocation")
    if analysis.incomplete or analysis.run.trace.stopped or any(base.placement is not None for base in made):
        return  # tensors that the kernel places itself may share bytes between iterations
    loops: dict[int, Loop] = {}
    for event in analysis.run.trace.events:
        for loop in event.site.loops:
            if loop.kind == "sequential_range":
                loops.setdefault(id(loop), loop)
    for loop in loops.values():
        events = [e for e in analysis.run.trace.events if loop in e.site.loops]
        drifts = loop.index.variable in analysis.run.trace.drifting
        if not drifts and all(map(_is_plain, events)) and _is_independent(analysis, loop):
            outer = events[0].site.loops[: events[0].site.loops.index(loop)]
            site = replace(events[0].site, at=loop.at, loops=outer, facts=None)
            analysis.settle("NKI604", Existence(False), site, {"loop": loop.name})


def _is_plain(event: Event) -> bool:
    """Whether the event has a place in the order only through the tensors that it touches."""
    operation = event.operation
    return operation is not None and operation.kind != "collective" and not any(w in operation.leaf for w in ORDERED)


def _is_independent(analysis: Analysis, loop: Loop) -> bool:
    touches = analysis.coverage.touches
    for base in touches.bases.values():
        for touch in touches.writes_of(base):
            outside = not any(around is loop for around in base.loops)
            if outside and any(around is loop for around in touch.loops) and (touch.role != "write" or touch.problem):
                return False
    trial = replace(analysis, settled=[])
    check_loop(trial, loop)
    return bool(trial.settled) and all(s.decision.verdict is Verdict.PROVED for s in trial.settled)
