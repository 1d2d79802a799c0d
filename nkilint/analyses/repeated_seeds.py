"""Loops whose iterations all start the random numbers over from the same seed (NKI712)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from nkilint.evaluator.state.trace import Event, Loop
from nkilint.evaluator.values.tensors import View
from nkilint.prover import Verdict
from nkilint.prover.elimination import Existence
from nkilint.symbolic.atoms import UNKNOWABLE
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, key_of, sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.dataflow.repeated_seed import RepeatedSeed
from nkilint_rules.operations.isa_results import leaf
from nkilint_rules.words.conditions import Unknown, any_of
from nkilint_rules.words.records import dataclass

from .findings import Analysis, without_iterations
from .questions.accesses import real_views
from .questions.iterations import STEADY, is_bound
from .questions.operands import arguments_of, reached
from .questions.unrolled import UnrolledRun, in_each_iteration, loop_name, unrolled_runs
from .registry import decides


@decides(RepeatedSeed, finished=True)
def check_summarised(analysis: Analysis) -> None:
    """NKI712 for each operation that seeds the generator, of the innermost loop that it does so alike in."""
    for position in _seeding(analysis):
        site = analysis.run.trace.events[position].site
        drawing = list(_drawing(analysis, position))
        for depth in reversed(range(len(site.loops))):
            loop = site.loops[depth]
            draw = next((d for _, d in drawing if d.site.loops[: depth + 1] == site.loops[: depth + 1]), None)
            if draw is None or loop.kind not in STEADY or loop.index.variable in analysis.run.trace.drifting:
                continue
            if _Iterations.summarised(analysis, loop).said(position) is None:
                continue
            within = {id(inner): inner for inner in (*site.loops[depth + 1 :], *draw.site.loops[depth + 1 :])}
            once = any_of((loop.trips <= 1, *(inner.trips <= 0 for inner in within.values())))
            if _require(analysis, position, loop.name, loop.at, draw, Existence(once)) is not Verdict.PROVED:
                break


@decides(RepeatedSeed, finished=True)
def check_unrolled(analysis: Analysis) -> None:
    """The same of loops that were evaluated iteration by iteration."""
    trace, told = analysis.run.trace, set()
    seeding = {position: [position] for position in _seeding(analysis)}
    for run in sorted(unrolled_runs(trace, STEADY), key=lambda run: -run.depth):
        iterations = _Iterations.unrolled(analysis, run)
        for statement in in_each_iteration(trace, run, seeding, lambda _: None):
            place = trace.events[statement[-1]].site.at
            said = {iterations.said(position) for position in statement}
            draw = _drawing_in_all(analysis, run, statement)
            if len(said) == 1 and None not in said and draw is not None and place not in told:
                told.add(place)
                _require(analysis, statement[-1], loop_name(analysis.run, run.at), run.at, draw, Existence(False))


def _seeding(analysis: Analysis) -> list[int]:
    events = enumerate(analysis.run.trace.events)
    return [n for n, e in events if e.operation is not None and e.operation.name in RepeatedSeed.seeds]


def _drawing(analysis: Analysis, position: int) -> Iterator[tuple[int, Event]]:
    """What surely draws from a seed, wherever that is set: no other seed comes between."""
    events = analysis.run.trace.events
    path = {c.key for c in events[position].site.path()}
    engine = _engine(events[position])
    for at, event in enumerate(events[position + 1 :], position + 1):
        name = event.operation.name if event.operation is not None else ""
        if name in RepeatedSeed.seeds:
            return
        conditions = [c for c in event.site.path() if c.key not in path]
        if name not in RepeatedSeed.draws or engine is None or _engine(event) != engine:
            continue
        if all(any(is_bound(c, loop) for loop in event.site.loops) for c in conditions):
            yield at, event


def _engine(event: Event) -> str | None:
    given = event.arguments.get("engine")
    if event.operation is None or isinstance(given, Unknown):
        return None
    return RepeatedSeed.engine(event.operation.name, leaf(given))


def _drawing_in_all(analysis: Analysis, run: UnrolledRun, statement: list[int]) -> Event | None:
    """What draws from the seed in the last iteration, if something does in each."""
    draw: Event | None = None
    for position in statement:
        own = (d for at, d in _drawing(analysis, position) if run.iterations.get(at) == run.iterations[position])
        draw = next(own, None)
        if draw is None:
            return None
    return draw


@dataclass(frozen=True, slots=True)
class _Iterations:
    """Compares what events of a loop's iterations do. `number` gives the iteration of an event by its position, None
    for one outside."""

    analysis: Analysis
    number: Callable[[int], int | None]
    loop: Loop | None = None

    @staticmethod
    def summarised(analysis: Analysis, loop: Loop) -> _Iterations:
        events = analysis.run.trace.events
        return _Iterations(analysis, lambda position: 0 if loop in events[position].site.loops else None, loop)

    @staticmethod
    def unrolled(analysis: Analysis, run: UnrolledRun) -> _Iterations:
        return _Iterations(analysis, run.iterations.get)

    def said(self, position: int, deep: bool = True) -> tuple[Any, ...] | None:
        """What decides the values that an event reads and writes, the same for events that do the same; None where it
        hangs on the iteration, or on more than can be told."""
        event = self.analysis.run.trace.events[position]
        conditions = [c for c in event.site.path() if self.loop is None or not is_bound(c, self.loop)]
        loops = enumerate(event.site.loops)  # those within an iteration are others in each, and count alike
        within = {loop.index.variable: sym(f"loop {depth}", "loop", 0, loop.trips - 1) for depth, loop in loops}
        found: list[Any] = []
        for value in (*arguments_of(event), *reached(event), *conditions):
            if isinstance(value, Unknown) or self._hangs(value):
                return None
            if not isinstance(value, View):
                found.append(key_of(substitute(value, within)) if isinstance(value, (Sym, Cond)) else repr(value))
        for access in event.accesses:
            for view, _ in real_views(access.view) if access.role != "write" else ():
                made = self._made(view, position, deep)
                if made is None:
                    return None
                found.append(made)
        return tuple(found)

    def _hangs(self, value: Any) -> bool:
        index = None if self.loop is None else self.loop.index.variable
        found = variables(value) if isinstance(value, (Sym, Cond)) else ()
        return any(v == index or v.kind in UNKNOWABLE for v in found)

    def _made(self, view: View, position: int, deep: bool) -> tuple[Any, ...] | None:
        """What the loop put into a tensor before an event reads it."""
        events, touches = self.analysis.run.trace.events, self.analysis.coverage.touches
        inside = [w for w in touches.writes_of(view.base) if self.number(w.position) is not None]
        if not inside:
            return (id(view.base),)
        own = [w for w in inside if self.number(w.position) == self.number(position)]
        plain = all(w.role == "write" and w.position < position for w in own)
        ordered = [w for w in own if (effects := events[w.position].effects) is None or effects.ordered]
        if not own or not plain or ordered or not deep:
            return None
        said = [self.said(w.position, deep=False) for w in own]
        return None if None in said else tuple(said)


def _require(analysis: Analysis, position: int, loop: str, at: Any, draw: Event, once: Existence) -> Verdict:
    """That there is one iteration at most that draws from the seed."""
    return analysis.require(
        RepeatedSeed.message(loop=loop),
        once,
        without_iterations(analysis.run.trace.events[position].site),
        related=[("the loop", at), ("random numbers are drawn here", draw.site.at)],
        missing=analysis.incomplete,
    )
