"""Parts of tensors on chip that no access reaches (NKI411)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from nkilint.evaluator.state.trace import Event, Obligation
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover import Decision, Verdict
from nkilint.symbolic.atoms import bounds
from nkilint_rules.placement.dead_allocation import DeadAllocation
from nkilint_rules.words.memory import ON_CHIP, PSUM

from ..findings import Analysis, Decided
from ..questions.accesses import Touch
from ..registry import decides


@decides(DeadAllocation)
def check_dead_parts(analysis: Analysis) -> None:
    """The ends of dimensions that every access stays away from, in tensors whose sizes are numbers.

    Rows of partitions cost no memory, and tiles in PSUM are banks: neither is looked at.
    """
    touches = analysis.coverage.touches
    made: dict[Any, list[tuple[Event, Declaration]]] = {}  # by statements, which may make tensors of many iterations
    for event in analysis.run.trace.events if analysis.is_general else ():
        base = _allocated(event)
        if base is not None and touches.reads_of(base):
            made.setdefault((event.site.at, event.site.callers), []).append((event, base))
    for alike in made.values():
        event, base = alike[0]
        used = [(x, [*touches.writes_of(x), *touches.reads_of(x)]) for _, x in alike]
        for dimension in _dimensions(base):
            size = base.shape[dimension]
            reaches = [_reach(them, dimension, x) for x, them in used]
            reach = max((size if reach is None else reach for reach in reaches), default=size)
            if reach < size - 1 and all(x.shape[dimension : dimension + 1] == (size,) for _, x in alike):
                name = base.told
                message = DeadAllocation.message(used=reach + 1, size=size, dimension=dimension, tensor=name)
                obligation = Obligation(message, False, event.site)
                analysis.settled.append(Decided(obligation, Decision(Verdict.VIOLATED, "interval")))


def _allocated(event: Event) -> Declaration | None:
    if event.kind != "allocation":
        return None
    base: Declaration = event.arguments["tensor"].base
    return base if base.memory in ON_CHIP else None


def _dimensions(base: Declaration) -> Iterator[int]:
    for dimension, size in enumerate(base.shape):
        free = dimension > base.blocks
        if isinstance(size, int) and dimension != base.blocks and not (free and base.memory == PSUM):
            yield dimension


def _reach(used: Sequence[Touch], dimension: int, base: Declaration) -> int | None:
    """The last index that some access may reach; None where that is not known."""
    highest: int | None = None
    for touch in used:
        view = touch.view
        known = not touch.problem and touch.mask is True and len(view.layout) == len(base.shape)
        end = bounds(view.index[dimension])[1] if known else math.inf
        if end == math.inf or view.dtype is not base.dtype:
            return None
        highest = int(end) if highest is None else max(highest, int(end))
    return highest
