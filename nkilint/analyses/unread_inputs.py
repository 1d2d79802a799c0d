"""Inputs of which a loop over whole tiles leaves the rest unread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nkilint.evaluator.state.trace import AtWitness, Loop, Site
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover import Decision, Verdict
from nkilint.symbolic.atoms import bounds
from nkilint.symbolic.conditions import Compare
from nkilint.symbolic.division import split_remainders
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, itself, key_of
from nkilint_rules.dataflow.unread_input import UnreadInput
from nkilint_rules.rule import Message
from nkilint_rules.words.conditions import all_of, negation, product
from nkilint_rules.words.memory import HBM

from .findings import Analysis
from .outputs import element_of
from .questions.accesses import Touch, is_inside
from .questions.axes import by_axis
from .questions.pairs_of_ranges import as_nested
from .questions.parts import index_of, is_whole, parts_along, places_along
from .registry import decides
from .same_parts import same_part
from .short_steps import ShortStep, goes_to_the_end, short_step


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
        if tail and part.axis is not None and _is_reduced(analysis, base, part.axis, decision.precondition):
            continue
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
    nested, pairs = as_nested(analysis.run, reads)
    short = short_step(analysis, nested, axis, size) or _short_step(analysis, steps, reads, axis, size)
    if short is not None:
        said = UnreadInput.steps(tensor=base.name, axis=axis, loop=short.loop, step=short.step, width=short.width)
        return said, short.read
    left = _left_part(analysis, steps, reads, axis, size)
    if left is not None:
        one, which = left
        return UnreadInput.parts(tensor=base.name, axis=axis, loop=one.loop.name, which=which), one.read
    stays = same_part(analysis, nested, axis, size, pairs)
    if stays is not None:
        loop, read = stays
        return UnreadInput.stays(tensor=base.name, axis=axis, loop=loop), read
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


def _is_reduced(analysis: Analysis, base: Declaration, axis: int, condition: Any) -> bool:
    """Whether a result has room for less than each whole part of an axis, and for no more, as that of pooling has: what
    is left at the end then is left out on purpose."""
    ((_, quotient),), _ = split_remainders(condition.left)
    touches = analysis.coverage.touches
    for result in touches.bases.values():
        written = result.memory == HBM and result.kind != "input" and touches.writes_of(result)
        for place, size in enumerate(result.shape if written else ()):
            room, taken = (_others(shape, at) for shape, at in ((result.shape, place), (base.shape, axis)))
            as_many = isinstance(size, Sym) and isinstance(size - itself(quotient), int)
            if as_many and _is_smaller(room, [quotient.divisor, *taken]):
                return True
    return False


def _others(shape: Sequence[Any], axis: int) -> list[Any]:
    return [size for place, size in enumerate(shape) if place != axis]


def _is_smaller(room: list[Any], taken: list[Any]) -> bool:
    """Whether a product of numbers and sizes is less than another, whatever sizes they share are."""
    for factor in list(room):
        same = next((each for each in taken if key_of(each) == key_of(factor)), None)
        if same is not None:
            room.remove(factor)
            taken.remove(same)
    less, more = product(room), product(taken)
    return isinstance(less, int) and isinstance(more, int) and less < more


@dataclass(frozen=True, slots=True)
class _Step:
    """How far a loop moves along an axis from one iteration to the next, how much it reads in each, by which read, and
    how often."""

    loop: Loop
    step: int
    width: int
    read: Touch
    times: Any


def _steps(reads: Sequence[Touch], axis: int) -> Iterator[_Step]:
    """The loops that move along an axis by no more than what an iteration reads."""
    for read, along, width in parts_along(reads, axis):
        if not isinstance(width, int) or not along or min(step for step, _ in along) < 1:
            continue
        while len(along) > 1 and isinstance(trips := along[-1][1].trips, int) and along[-1][0] <= width:
            width += along.pop()[0] * (trips - 1)  # what an inner loop reads of one part
        if width <= 1:
            continue
        step, loop = min(along, key=lambda each: each[0])
        if step <= width:
            yield _Step(loop, step, width, read, product(loop.trips for _, loop in along))


def _overlaps(one: _Step) -> bool:
    return one.step < one.width


def _short_step(
    analysis: Analysis, steps: Sequence[_Step], reads: Sequence[Touch], axis: int, size: Any
) -> ShortStep | None:
    """A loop that reads as many parts of an axis as it has, each by inner loops, and moves by less than a part."""
    for one in filter(_overlaps, steps):
        whole = is_whole(analysis, one.read, one.times * one.width, one.width, size)
        if whole and not goes_to_the_end(analysis, reads, one.read, axis, one.step, size):
            return ShortStep(one.loop.name, one.step, one.width, one.read)
    return None


def _left_part(
    analysis: Analysis, steps: Sequence[_Step], reads: Sequence[Touch], axis: int, size: Any
) -> tuple[_Step, str] | None:
    """A loop that goes from part to part of an axis and leaves out one, while nothing else reads along it and no result
    has a part for each: the loop, and which part."""
    if len(set(map(frozenset, places_along(reads, axis).values()))) > 1:
        return None
    for one in steps:
        taken, begin = one.times * one.width, bounds(index_of(one.read, axis))[0]
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
