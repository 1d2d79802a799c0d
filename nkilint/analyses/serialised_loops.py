"""Loops of Beta 1 that run in order although no iteration needs another: by their kind, or because they share tiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nkilint.evaluator.device.placement.place import Placement, places, position
from nkilint.evaluator.state.trace import Event, Loop
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover import Verdict
from nkilint.prover.elimination import Existence
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym
from nkilint_rules.parallel.serialised_loop import SerialisedLoop

from .findings import Analysis
from .iterations import check_loop
from .questions.accesses import Touch, is_inside
from .questions.sums import sum_of
from .registry import decides

SHOWN = 2  # names of tensors that share their tiles
SEVERAL_TILES = "a block dimension, made before the loop, with a physical tile for each iteration that is to overlap"


@decides(SerialisedLoop, finished=True)
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
    drifting = {*analysis.run.trace.drifting, *(stale.index for stale in analysis.run.trace.stale.values())}
    for loop in loops.values():
        events = [e for e in analysis.run.trace.events if loop in e.site.loops]
        drifts = loop.index.variable in drifting
        if not drifts and all(map(_is_plain, events)) and _is_independent(analysis, loop):
            outer = events[0].site.loops[: events[0].site.loops.index(loop)]
            site = replace(events[0].site, at=loop.at, loops=outer, facts=None)
            analysis.require(
                SerialisedLoop.message(loop=loop.name, instead="`nl.affine_range`"), Existence(False), site
            )


@decides(SerialisedLoop, finished=True)
def check_shared_tiles(analysis: Analysis) -> None:
    """NKI604 for each `affine_range` whose iterations write and read the same physical tiles of tensors that the kernel
    places."""
    found: dict[int, tuple[Loop, Touch, dict[int, Declaration]]] = {}
    touches = analysis.coverage.touches
    for place in places(analysis.run.trace).values():
        used = {id(loop) for read in touches.reads_of(place.base) for loop in read.loops}
        for touch in touches.writes_of(place.base) if not place.problem else ():
            for loop in (each for each in _sharing(place, touch) if id(each) in used):
                found.setdefault(id(loop), (loop, touch, {}))[2][id(place.base)] = place.base
    for loop, touch, tensors in found.values():
        outer = touch.loops[: touch.loops.index(loop)]
        site = replace(touch.event.site, at=loop.at, loops=outer, facts=None)
        names = list(dict.fromkeys(f"`{t.name}`" for t in tensors.values()))
        more = [f"{len(names) - SHOWN} more"] if len(names) > SHOWN + 1 else names[SHOWN:]
        related = [("it is allocated here", t.at) for t in tensors.values()]
        analysis.require(
            SerialisedLoop.tiles(loop=loop.name, tensors=" and ".join(names[:SHOWN] + more), instead=SEVERAL_TILES),
            Existence(False),
            site,
            related=related,
        )


def _sharing(place: Placement, touch: Touch) -> Iterator[Loop]:
    """The loops around a write in which each iteration writes a tile of its own, and all of them have one place."""
    if touch.problem or touch.role != "write":
        return
    base, view = place.base, touch.view
    block, _, _ = position(view.index, view.layout, base)
    instance = view.instance if view.instance is not None else tuple(loop.index for loop in base.loops)
    where = set(variables(*(n for n in place.at(block, instance) if isinstance(n, Sym))))
    chosen = set(variables(*(n for n in block if isinstance(n, Sym))))
    for loop in touch.loops:
        index = loop.index.variable
        own = index in chosen or loop in base.loops[-1:]
        several = not isinstance(loop.trips, int) or loop.trips > 1
        if loop.kind == "affine_range" and own and several and index not in where:
            yield loop


def _is_plain(event: Event) -> bool:
    """Whether the event has a place in the order only through the tensors that it touches."""
    operation, effects = event.operation, event.effects
    if operation is None or operation.kind == "collective":
        return False
    return effects is not None and not effects.ordered if event.kind == "operation" else not operation.ordered


def _is_independent(analysis: Analysis, loop: Loop) -> bool:
    touches, sums = analysis.coverage.touches, analysis.coverage.sums
    for base in touches.bases.values():
        for touch in touches.writes_of(base):
            outside = not any(around is loop for around in base.loops)
            accumulates = touch.role != "write" or sum_of(sums, touch) is not None
            if outside and is_inside(touch, loop) and (accumulates or touch.problem):
                return False
    trial = replace(analysis, settled=[])
    check_loop(trial, loop)
    return bool(trial.settled) and all(s.decision.verdict is Verdict.PROVED for s in trial.settled)
