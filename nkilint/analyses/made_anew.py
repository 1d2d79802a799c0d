"""Tiles that each iteration of a loop makes anew, of which only the last is read, after the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nkilint.base.ir import Span
from nkilint.evaluator.state.trace import Event, Loop, Site
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover.elimination import Existence
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import key_of
from nkilint_rules.dataflow.lost_write import LostWrite
from nkilint_rules.words.conditions import any_of, negation
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import HBM

from .findings import Analysis, without_iterations
from .lost_writes import Value
from .lost_writes_unrolled import KINDS, Values
from .questions.accesses import Touch, is_inside, is_its_own
from .questions.copies import is_read_elsewhere
from .questions.iterations import STEADY, is_bound
from .questions.unrolled import UnrolledRun, by_position, in_each_iteration, loop_name, unrolled_runs
from .registry import decides


@dataclass(frozen=True, slots=True)
class _Made:
    """A tile on chip, and where it is made."""

    base: Declaration
    event: Event
    position: int


@decides(LostWrite, finished=True)
def check_made_anew(analysis: Analysis) -> None:
    """NKI708 for each tile that a loop makes, of a value that is another in each iteration and does not build on the
    one before, while nothing reads the tile before the loop ends, and then the last alone. In Beta 1 that is NKI704."""
    request = analysis.run.request
    if request is not None and request.dialect == BETA1:
        return
    tiles = [
        _Made(event.arguments["tensor"].base, event, position)
        for position, event in enumerate(analysis.run.trace.events)
        if event.kind == "allocation" and event.arguments["tensor"].base.memory != HBM
    ]
    for tile in tiles:
        loop = tile.base.loops[-1] if tile.base.loops else None
        if loop is None or loop.kind not in STEADY:
            continue
        varies = _only_last(analysis, tile.base, tile.event.site, loop)
        if varies is not False:
            _state(analysis, tile, loop.name, loop.at, Existence(any_of([loop.trips <= 1, negation(varies)])))
    placed = by_position(tiles, lambda tile: tile.position)
    for run in unrolled_runs(analysis.run.trace, KINDS | {"affine_range"}):
        for made in in_each_iteration(analysis.run.trace, run, placed, lambda tile: None):
            if _only_last_unrolled(analysis, made, run) is True:
                _state(analysis, made[-1], loop_name(analysis.run, run.at), run.at, Existence(False))


def _state(analysis: Analysis, tile: _Made, loop: str, at: Span, goal: Existence) -> None:
    said = LostWrite.anew(loop=loop, tensor=tile.base.told)
    read = next(r for r in reversed(analysis.coverage.touches.reads_of(tile.base)))
    related = [("the loop", at), ("it is read here, after the loop", read.event.site.at)]
    analysis.require(said, goal, without_iterations(tile.event.site), related, missing=analysis.incomplete)


def _only_last(analysis: Analysis, base: Declaration, made: Site, loop: Loop) -> Any:
    """Under which condition only the tile of the last iteration is read but by what writes to it, of another value than
    the others hold."""
    touches = analysis.coverage.touches
    after = [read for read in touches.reads_of(base) if not is_inside(read, loop)]
    writes = touches.writes_of(base)
    if loop.index.variable in analysis.run.trace.drifting or not all(is_inside(write, loop) for write in writes):
        return False
    if not all(_in_each(site, loop) for site in (made, *(write.event.site for write in writes))):
        return False
    if not after or not all(is_its_own(read) for read in touches.reads_of(base) if is_inside(read, loop)):
        return False
    last = loop.trips - 1
    where = len(base.loops) - 1
    if not all(not r.problem and r.view.instance and key_of(r.view.instance[where]) == key_of(last) for r in after):
        return False
    reads: dict[int, list[Touch]] = {}
    for touch in (t for found in touches.reads.values() for t in found):
        reads.setdefault(id(touch.event), []).append(touch)
    return _vary(analysis, writes, lambda w: Value(analysis, reads, loop, len(base.loops) - 1).of(w.event))


def _only_last_unrolled(analysis: Analysis, made: list[_Made], run: UnrolledRun) -> Any:
    """The same where the iterations were evaluated one by one."""
    touches = analysis.coverage.touches
    for tile in made:
        reads = touches.reads_of(tile.base)
        if not all(map(is_its_own, filter(run.has, reads))):
            return False
        if not all(map(run.has, touches.writes_of(tile.base))):
            return False
        if any(r.position not in run.iterations for r in reads) != (tile is made[-1]):
            return False
    before, last = (touches.writes_of(tile.base) for tile in made[-2:])
    if len(before) != len(last):
        return False
    pairs = dict(zip(map(id, last), before, strict=True))
    return _vary(analysis, last, lambda w: Values(analysis, run).differ(pairs[id(w)].event, w.event))


def _in_each(site: Site, loop: Loop) -> bool:
    """Whether no iteration passes it by that another one does not."""
    conditions: list[Any] = [c for c in site.path() if not is_bound(c, loop)]
    return not any(v == loop.index.variable or v.kind == "runtime" for v in variables(*conditions))


def _vary(analysis: Analysis, writes: Sequence[Touch], differs: Callable[[Touch], Any]) -> Any:
    """Under which condition some of what is written is another value in each iteration, and nothing hangs on earlier
    ones or is kept on purpose."""
    found: Any = False
    for write in writes:
        if (
            write.event.kind != "operation"
            or write.problem
            or is_read_elsewhere(analysis.coverage.touches, write.event)
        ):
            return False
        other = differs(write)
        if other is None:
            return False
        found = any_of([found, other])
    return found
