"""Loops with as many iterations as an axis of an input has parts, of which each reads the same part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from nkilint.evaluator.state.trace import Event, Loop
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover import Verdict
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, is_one, key_of
from nkilint_rules.words.conditions import product

from .findings import Analysis
from .questions.accesses import WRITES, Touch, is_inside
from .questions.iterations import STEADY, is_bound
from .questions.parts import is_whole, parts_along
from .questions.unrolled import UnrolledRun, by_position, in_each_iteration, loop_name, unrolled_runs


class _Repeated(Protocol):
    """A loop, with its name and the number of its iterations."""

    @property
    def name(self) -> str: ...

    @property
    def trips(self) -> Any: ...

    def has(self, touch: Touch) -> bool:
        """Whether something is touched in it."""
        ...

    def moves(self, touches: Iterable[Touch]) -> bool:
        """Whether some of them touch other elements in each iteration."""
        ...

    def stays(self, reads: Sequence[Touch]) -> bool:
        """Whether all of them read in every iteration, and the same elements in each."""
        ...


@dataclass(frozen=True, slots=True)
class _Summarised:
    """A loop whose iterations were evaluated as one; `whole` is the one over pairs that it is a part of, or itself."""

    loop: Loop
    whole: Loop

    @property
    def name(self) -> str:
        return self.loop.name

    @property
    def trips(self) -> Any:
        return self.loop.trips

    def has(self, touch: Touch) -> bool:
        return is_inside(touch, self.loop) or is_inside(touch, self.whole)

    def moves(self, touches: Iterable[Touch]) -> bool:
        own = {self.loop.index.variable, self.whole.index.variable}
        return any(not own.isdisjoint(variables(*touch.view.index)) for touch in touches)

    def stays(self, reads: Sequence[Touch]) -> bool:
        """What moves along another axis may be meant to stay at a part of one that is as long."""
        return not self.moves(reads) and all(self.has(read) and self._is_in_each(read) for read in reads)

    def _is_in_each(self, read: Touch) -> bool:
        path = [condition for condition in read.event.site.path() if not is_bound(condition, self.loop)]
        return self.loop.index.variable not in variables(*path)


@dataclass(frozen=True, slots=True)
class _OneByOne:
    """The runs of a loop whose iterations were evaluated one by one."""

    analysis: Analysis
    runs: Sequence[UnrolledRun]

    @property
    def name(self) -> str:
        return loop_name(self.analysis.run, self.runs[0].at)

    @property
    def trips(self) -> Any:
        return min(len(set(run.iterations.values())) for run in self.runs)

    def has(self, touch: Touch) -> bool:
        return any(run.has(touch) for run in self.runs)

    def moves(self, touches: Iterable[Touch]) -> bool:
        places = [{tuple(map(key_of, touch.view.index)) for touch in each} for each in self._statements(touches)]
        return any(len(each) > 1 for each in places)

    def stays(self, reads: Sequence[Touch]) -> bool:
        in_each = {id(read) for statement in self._statements(reads) for read in statement}
        return not self.moves(reads) and all(id(read) in in_each for read in reads)

    def _statements(self, touches: Iterable[Touch]) -> Iterator[list[Touch]]:
        """What statements touch that do so in each iteration, for each of them."""
        placed = by_position(list(touches), lambda touch: touch.position)
        for run in self.runs:
            trace = self.analysis.run.trace
            yield from in_each_iteration(trace, run, placed, lambda touch: (id(touch.base), touch.access.operand))


def same_part(
    analysis: Analysis, reads: Sequence[Touch], axis: int, size: Any, pairs: Mapping[Loop, Loop]
) -> tuple[str, Touch] | None:
    """The name of a loop with as many iterations as an axis has parts, each of which reads the same one, while nothing
    else reads the others, and such a read. Where all of these numbers are fixed, they may agree by chance: as well as
    the loop goes through something else, this may be a table that it has nothing to do with. Of loops that are parts of
    one over `pairs`, each is asked about."""
    for loop in _loops(analysis, reads, pairs):
        if is_one(loop.trips) or not loop.stays(reads):
            continue
        for read, along, width in parts_along(reads, axis):
            taken = loop.trips * product(each.trips for _, each in along) * width
            if analysis.decide(loop.trips <= 1, read.event.site.conditions()).verdict is Verdict.PROVED:
                continue  # where anything is read, one iteration reads it
            if is_whole(analysis, read, taken, width, size) and (
                isinstance(taken, Sym) or not _by_chance(analysis, loop, read, taken, width, size)
            ):
                return loop.name, read
    return None


def _by_chance(analysis: Analysis, loop: _Repeated, read: Touch, taken: Any, width: int, size: Any) -> bool:
    """Whether a fixed number of iterations may be that of the parts of an axis by chance."""
    exact = analysis.decide(taken == size, read.event.site.conditions()).verdict is Verdict.PROVED
    return not exact or width == 1 or _goes_through_others(analysis, loop, read)


def _loops(analysis: Analysis, reads: Sequence[Touch], pairs: Mapping[Loop, Loop]) -> Iterator[_Repeated]:
    for loop in dict.fromkeys(loop for read in reads for loop in read.loops):
        yield _Summarised(loop, pairs.get(loop, loop))
    runs: dict[Any, list[UnrolledRun]] = {}
    for run in unrolled_runs(analysis.run.trace, STEADY):
        if any(map(run.has, reads)):
            runs.setdefault((run.at, run.depth), []).append(run)
    for found in runs.values():
        yield _OneByOne(analysis, found)


def _goes_through_others(analysis: Analysis, loop: _Repeated, read: Touch) -> bool:
    """Whether a loop reads something else part by part that it does not make itself, but to sum up the products of that
    and of what `read` reads."""
    touches = analysis.coverage.touches
    others = []
    for base in touches.bases.values():
        if base is not read.base and not any(map(loop.has, touches.writes_of(base))):
            others += [other for other in filter(loop.has, touches.reads_of(base)) if other.event.kind == "operation"]
    return loop.moves(others) and not _is_contracted(analysis, loop, read)


def _is_contracted(analysis: Analysis, loop: _Repeated, read: Touch) -> bool:
    """Whether what is read goes, as it is, into a sum of products over the iterations of a loop."""
    touches = analysis.coverage.touches
    for made in _written(read.event):
        for taken in filter(loop.has, touches.reads_of(made)):
            event = taken.event
            if event.operation is not None and event.operation.kind == "matmul":
                after = [r.event for base in _written(event) for r in touches.reads_of(base) if loop.has(r)]
                if any(id(access) in analysis.coverage.sums for each in (event, *after) for access in each.accesses):
                    return True
    return False


def _written(event: Event) -> list[Declaration]:
    return [access.view.base for access in event.accesses if access.role in WRITES]
