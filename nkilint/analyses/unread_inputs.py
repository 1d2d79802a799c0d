"""Inputs of which a loop over whole tiles leaves the rest unread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from nkilint.evaluator.state.trace import AtWitness, Loop, Site
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover import Decision, Verdict
from nkilint.symbolic.atoms import Var, bounds
from nkilint.symbolic.conditions import Compare
from nkilint.symbolic.division import split_remainders
from nkilint.symbolic.evaluation import coefficient, variables
from nkilint.symbolic.integers import Sym, key_of
from nkilint_rules.dataflow.unread_input import UnreadInput
from nkilint_rules.rule import Message
from nkilint_rules.words.conditions import all_of, any_of, negation, product
from nkilint_rules.words.memory import HBM

from .findings import Analysis
from .outputs import element_of
from .questions.accesses import Touch, is_inside
from .questions.axes import by_axis
from .questions.iterations import is_bound
from .registry import decides


@decides(UnreadInput, finished=True)
def check_unread(analysis: Analysis) -> None:
    """NKI709 for each axis of an input that is read as a whole where its size is a multiple of something, for one of
    which a loop reads as many parts as there are, but moves by less than a part, and for one of which it leaves out the
    first or the last part.

    Only these forms tell a forgotten rest from a kernel that reads what it needs; nothing is stated about the others.
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
        steps = [] if part.axis is None else list(_steps(reads, part.axis))
        tail = part.axis is not None and not any(map(_overlaps, steps)) and _is_tail(decision, reads)
        if decision.verdict is Verdict.PROVED or tail:
            about = UnreadInput.message(tensor=base.name, element=AtWitness(element), axis=part.axis)
            analysis.require(about, part.covered, part.site, part.related(), through=loops)
        elif part.axis is not None and (told := _forgotten(analysis, base, reads, steps, part.axis)):
            about, read = told
            calls = [("it is called here", at) for at in read.event.site.callers]
            site = replace(part.site, at=read.event.site.at)
            analysis.require(about, part.covered, site, [*calls, *part.related()], through=loops)


def _forgotten(
    analysis: Analysis, base: Declaration, reads: Sequence[Touch], steps: Sequence[_Step], axis: int
) -> tuple[Message, Touch] | None:
    """What a loop along an axis shows its author to have forgotten, if it does, and the read that shows it."""
    size = base.shape[axis]
    short = _short_step(analysis, steps, size)
    if short is not None:
        said = UnreadInput.steps(tensor=base.name, axis=axis, loop=short.loop.name, step=short.step, width=short.width)
        return said, short.read
    left = _left_part(analysis, steps, reads, axis, size)
    if left is not None:
        one, which = left
        return UnreadInput.parts(tensor=base.name, axis=axis, loop=one.loop.name, which=which), one.read
    stays = _same_part(analysis, reads, axis, size)
    if stays is not None:
        loop, read = stays
        return UnreadInput.stays(tensor=base.name, axis=axis, loop=loop.name), read
    return None


def _is_tail(decision: Decision, reads: Sequence[Touch]) -> bool:
    """Whether everything is read just where a size is a multiple of something, which the kernel does not ask itself."""
    condition = decision.precondition
    if decision.verdict is not Verdict.CONDITIONAL or not isinstance(condition, Compare):
        return False
    if any(key_of(c) in (key_of(condition), key_of(negation(condition))) for r in reads for c in r.event.site.path()):
        return False
    moduli, rest = split_remainders(condition.left)
    return condition.relation == "==" and len(moduli) == 1 and isinstance(rest, int) and rest == 0


@dataclass(frozen=True, slots=True)
class _Step:
    """How far a loop moves along an axis from one iteration to the next, how much it reads in each, by which read, and
    how often."""

    loop: Loop
    step: int
    width: int
    read: Touch
    times: Any


def _index(read: Touch, axis: int) -> Any:
    """Where it reads along an axis; views of fewer dimensions have none."""
    return read.view.index[axis] if axis < len(read.view.index) else 0


def _steps(reads: Sequence[Touch], axis: int) -> Iterator[_Step]:
    """The loops that move along an axis by no more than what an iteration reads."""
    for read, along, width in _parts(reads, axis):
        if not along or min(step for step, _ in along) < 1:
            continue
        while len(along) > 1 and isinstance(trips := along[-1][1].trips, int) and along[-1][0] <= width:
            width += along.pop()[0] * (trips - 1)  # what an inner loop reads of one part
        if width <= 1:
            continue
        step, loop = min(along, key=lambda each: each[0])
        if step <= width:
            yield _Step(loop, step, width, read, product(loop.trips for _, loop in along))


def _parts(reads: Sequence[Touch], axis: int) -> Iterator[tuple[Touch, list[tuple[int, Loop]], int]]:
    """The loops along an axis for each read, with how far each moves, and how much an iteration of all reads."""
    places = _places(reads, axis)
    for read in reads:
        index = _index(read, axis)
        along: list[tuple[int, Loop]] = []
        rest: Any = index
        for loop in read.loops if isinstance(index, Sym) else ():
            variable = loop.index.variable
            step = coefficient(index, variable) if isinstance(variable, Var) else 0
            if isinstance(step, int) and step != 0:
                along.append((step, loop))
                rest = rest - step * loop.index
        low, high = bounds(rest)
        width = (high - low + 1) * len(places[_statement(read)])
        if width < inf:
            yield read, along, int(width)


def _places(reads: Sequence[Touch], axis: int) -> dict[Any, set[Any]]:
    """Where each statement reads along an axis, in iterations that were evaluated one by one."""
    found: dict[Any, set[Any]] = {}
    for read in reads:
        found.setdefault(_statement(read), set()).add(key_of(_index(read, axis)))
    return found


def _overlaps(one: _Step) -> bool:
    return one.step < one.width


def _short_step(analysis: Analysis, steps: Sequence[_Step], size: Any) -> _Step | None:
    """A loop that reads as many parts of an axis as it has, and moves by less than a part."""
    for one in filter(_overlaps, steps):
        if _is_whole(analysis, one.read, one.times * one.width, one.width, size):
            return one
    return None


def _is_whole(analysis: Analysis, read: Touch, taken: Any, width: Any, size: Any) -> bool:
    """Whether parts of a width that come to so much are as many as an axis of a size has."""
    whole = any_of((all_of((taken <= size, size < taken + width)), all_of((size <= taken, taken < size + width))))
    return analysis.decide(whole, read.event.site.conditions()).verdict is Verdict.PROVED


def _same_part(analysis: Analysis, reads: Sequence[Touch], axis: int, size: Any) -> tuple[Loop, Touch] | None:
    """A loop with as many iterations as an axis has parts, each of which reads the same one, while nothing else reads
    the others, and such a read. Fixed sizes tell nothing: they agree by chance."""
    if isinstance(size, int):
        return None
    for read, along, width in _parts(reads, axis):
        for loop in read.loops:
            if isinstance(loop.trips, int) or not all(_stays(other, loop) for other in reads):
                continue
            times = product(each.trips for _, each in along)
            if _is_whole(analysis, read, loop.trips * times * width, width, size):
                return loop, read
    return None


def _stays(read: Touch, loop: Loop) -> bool:
    """Whether it reads in every iteration of a loop, and the same elements in all of them: what moves along another
    axis may be meant to stay at a part of one that is as long."""
    path = [condition for condition in read.event.site.path() if not is_bound(condition, loop)]
    return is_inside(read, loop) and loop.index.variable not in variables(*read.view.index, *path)


def _left_part(
    analysis: Analysis, steps: Sequence[_Step], reads: Sequence[Touch], axis: int, size: Any
) -> tuple[_Step, str] | None:
    """A loop that goes from part to part of an axis and leaves out one, while nothing else reads along it and no result
    has a part for each: the loop, and which part."""
    if len(set(map(frozenset, _places(reads, axis).values()))) > 1:
        return None
    for one in steps:
        taken, begin = one.times * one.width, bounds(_index(one.read, axis))[0]
        which = "last" if begin == 0 else "first" if begin == one.width else ""
        if which and not _overlaps(one) and not _is_mapped(analysis, one.loop):
            missing = all_of((taken + one.width <= size, size <= taken + one.width))
            if analysis.decide(missing, one.read.event.site.conditions()).verdict is Verdict.PROVED:
                return one, which
    return None


def _is_mapped(analysis: Analysis, loop: Loop) -> bool:
    """Whether its iterations write to parts of a result of their own: what they leave out it may leave out, too."""
    touches = analysis.coverage.touches
    writes = (w for base in touches.bases.values() if base.memory == HBM for w in touches.writes_of(base))
    return any(is_inside(w, loop) and loop.index.variable in variables(*w.view.index) for w in writes)


def _statement(read: Touch) -> Any:
    """The statement that reads, in whatever iterations that were evaluated one by one."""
    return read.event.site.at, read.event.site.callers, tuple(map(id, read.loops))
