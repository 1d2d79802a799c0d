"""Loops that read as many parts of an axis of an input as it has, and move by less than a part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from nkilint.prover import Verdict
from nkilint_rules.words.conditions import any_of, product

from .findings import Analysis
from .questions.accesses import Touch
from .questions.iterations import STEADY
from .questions.parts import end_along, index_of, is_whole, parts_along, statement_of
from .questions.unrolled import by_position, in_each_iteration, loop_name, unrolled_runs


@dataclass(frozen=True, slots=True)
class ShortStep:
    """The name of a loop, how far it moves along an axis from one iteration to the next, how much it reads in each, and
    by which read."""

    loop: str
    step: int
    width: Any
    read: Touch


def short_step(analysis: Analysis, reads: Sequence[Touch], axis: int, size: Any) -> ShortStep | None:
    """Of several loops one inside another, the one that moves least moves by less than what one read takes, and could
    go on: windows that overlap go as far as there is room for one."""
    one_by_one = dict(_one_by_one(analysis, reads, axis))
    for read, along, width in parts_along(reads, axis):
        step, loop = min(((step, loop.name) for step, loop in along), default=(0, ""))
        part = width
        if statement_of(read) in one_by_one:
            step, loop, count = one_by_one[statement_of(read)]
            part = width // count
        taken = product(each.trips for _, each in along) * width
        short = step >= 1 and _is_less(analysis, step, part, read) and is_whole(analysis, read, taken, part, size)
        if short and not goes_to_the_end(analysis, reads, read, axis, step, size):
            return ShortStep(loop, step, part, read)
    return None


def goes_to_the_end(analysis: Analysis, reads: Sequence[Touch], read: Touch, axis: int, step: int, size: Any) -> bool:
    """Whether a step further would lead out of the axis."""
    ends = [end_along(each, axis) for each in reads if statement_of(each) == statement_of(read)]
    if any(end is None for end in ends):
        return False
    beyond = any_of(end + step > size for end in ends)
    return analysis.decide(beyond, read.event.site.conditions()).verdict is Verdict.PROVED


def _is_less(analysis: Analysis, step: int, part: Any, read: Touch) -> bool:
    """Whether a loop moves by less than a part; where inputs decide how much that is, it may come to the same."""
    if isinstance(part, int):
        return step < part
    return analysis.decide(step <= part, read.event.site.conditions()).verdict is Verdict.PROVED


def _one_by_one(analysis: Analysis, reads: Sequence[Touch], axis: int) -> Iterator[tuple[Any, tuple[int, str, int]]]:
    """How far statements move along an axis in a loop whose iterations were evaluated one by one, if always as far, the
    name of the loop and the number of its iterations; those of which all reads stand in one run of it."""
    trace, placed = analysis.run.trace, by_position(list(reads), lambda read: read.position)
    every = Counter(map(statement_of, reads))
    for run in unrolled_runs(trace, STEADY):
        for each in in_each_iteration(trace, run, placed, lambda read: read.access.operand):
            steps = [index_of(after, axis) - index_of(read, axis) for read, after in pairwise(each)]
            in_one_run = len(each) == every[statement_of(each[0])]
            if in_one_run and all(isinstance(step, int) and step == steps[0] for step in steps):
                yield statement_of(each[0]), (steps[0], loop_name(analysis.run, run.at), len(each))
