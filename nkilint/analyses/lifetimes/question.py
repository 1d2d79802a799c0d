"""One question about three accesses: can something happen to a tile between the write and the read of its data?

The *last* access uses what an earlier write left, the *middle* one interferes. They are executions of two touches of
the trace, each with variables of its own; the loops that both share in an iteration keep one variable. A *case* says
how the middle one comes before the last one: in an earlier iteration of one loop around both, or within the same one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nkilint.evaluator.values.axes import linear_offset
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import key_of
from nkilint_rules.words.records import dataclass

from ..questions.accesses import Occurrence, Touch, common_loops, occurrence, stands_before

LAST, MIDDLE, BETWEEN, FIRST = "", '"', "'", "*"  # marks of the variables of each execution


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """The middle execution comes before the last one: in an earlier iteration of the loop at `depth` of those around
    both, or (`depth` None) within the same iteration of all of them."""

    middle: Touch
    last: Touch
    depth: int | None

    @property
    def shared(self) -> int:
        """How many of the outermost loops stand at the same iteration."""
        return len(common_loops(self.middle, self.last)) if self.depth is None else self.depth


def cases(middle: Touch, last: Touch) -> Iterator[Case]:
    """The ways in which an execution of `middle` can come before one of `last`, nearest first."""
    if stands_before(middle, last):
        yield Case(middle, last, None)
    for depth in reversed(range(len(common_loops(middle, last)))):
        yield Case(middle, last, depth)


def made_after(case: Case, firsts: Sequence[Touch]) -> bool:
    """Whether the tensor that the last access uses, and `firsts` write, was made only after the middle one: in a later
    iteration of a loop that makes it."""
    base = case.last.base
    if case.depth is None or case.depth >= len(base.loops) or case.last.view.instance is not None:
        return False
    if base.loops[case.depth] is not case.last.loops[case.depth]:
        return False
    return all(w.view.instance is None for w in firsts)


def last_of(case: Case) -> Occurrence:
    return occurrence(case.last, LAST, shared=case.last.loops)


def middle_of(case: Case) -> Occurrence:
    return occurrence(case.middle, MIDDLE, shared=case.last.loops[: case.shared])


def order(case: Case, middle: Occurrence, last: Occurrence) -> Any:
    """That the middle execution comes before the last one in the way of the case."""
    if case.depth is None:
        return True
    return middle.iterations[case.depth] < last.iterations[case.depth]


def equations(a: Occurrence, b: Occurrence) -> list[Any]:
    """What has to be zero for two executions on one tensor to touch the same element of the same one."""
    found = [x - y for x, y in zip(a.instance, b.instance, strict=True)]
    alike = len(a.layout) == len(b.layout) and all(
        key_of(x) == key_of(y) for x, y in zip(a.layout, b.layout, strict=True)
    )
    if alike:
        return [*found, *(x - y for x, y in zip(a.element, b.element, strict=True))]
    return [*found, linear_offset(a.element, a.layout) - linear_offset(b.element, b.layout)]


def conditions(*executions: Occurrence) -> list[Cond]:
    """Under what the executions happen, each condition once."""
    found: dict[Any, Cond] = {}
    for execution in executions:
        for condition in execution.conditions:
            found.setdefault(condition.key, condition)
    return list(found.values())


def unclear(touch: Touch) -> str:
    """Why the elements of an access are not known, if so."""
    if touch.problem:
        return touch.problem
    if key_of(touch.view.dtype.itemsize) != key_of(touch.base.dtype.itemsize):
        return "a tensor seen as another dtype"
    return ""


def undecided(touch: Touch) -> str:
    """Why an execution may not happen although its conditions hold, if so."""
    return "a branch that only the device decides" if occurrence(touch, MIDDLE).loose else ""
