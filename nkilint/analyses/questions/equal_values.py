"""Whether two operations give the same values: what they are made of is followed back through the trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nkilint.evaluator.state.trace import Event, Loop
from nkilint.evaluator.values.tensors import View
from nkilint.symbolic.atoms import Atom
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, sym
from nkilint.symbolic.substitution import substitute

from .accesses import READS, WRITES, Touch, Touches
from .operands import told_apart

MAX_EVENTS = 8  # that are followed back from one write


def values_differ(touches: Touches, write: Touch, later: Touch, pinned: Mapping[Loop, int]) -> bool:
    """Whether two operations give other values as far as the text tells, in these iterations of some loops."""
    first = {loop.index.variable: iteration for loop, iteration in pinned.items()}
    return _events_differ(touches, write.event, later.event, (write.position, later.position), first, MAX_EVENTS)


def _events_differ(
    touches: Touches, a: Event, b: Event, between: tuple[int, int], first: Mapping[Atom, int], most: int
) -> bool:
    if a.operation is not b.operation or most == 0:
        return True

    rows = [[told_apart(e.arguments.get(name), first) for name in {**a.arguments, **b.arguments}] for e in (a, b)]
    if rows[0] != rows[1]:
        return True
    sources = [[x.view for x in e.accesses if x.role in READS] for e in (a, b)]
    targets = [next(x.view for x in e.accesses if x.role in WRITES) for e in (a, b)]
    if len(sources[0]) != len(sources[1]):
        return True
    for x, y in zip(*sources, strict=True):
        same = told_apart(tuple(x.index), first) == told_apart(tuple(y.index), first)
        moved = [[*_distances(source, to)] for source, to in ((x, targets[0]), (y, targets[1]))]
        if not (same or told_apart(moved[0], first) == told_apart(moved[1], first)):
            return True
        made = [_last_write(touches, view, before) for view, before in zip((x, y), between, strict=True)]
        if made[0] is None or made[1] is None:
            if x.base is not y.base or made[0] is not made[1]:
                return True
        elif made[0] is not made[1]:
            places = made[0].position, made[1].position
            if _events_differ(touches, made[0].event, made[1].event, places, first, most - 1):
                return True
    return False


def _last_write(touches: Touches, view: View, before: int) -> Touch | None:
    """What wrote last to a tensor before a place in the trace."""
    writes = [w for w in touches.writes_of(view.base) if w.position < before]
    return max(writes, key=lambda write: write.position, default=None)


def _distances(source: View, target: View) -> Iterator[Any]:
    """How far what an operation reads is from what it writes, along each axis from the right; axes that have other
    sizes in other words are the same."""
    for number in range(1, len(source.index) + 1):
        distance = source.index[-number] - (target.index[-number] if number <= len(target.index) else 0)
        axes = [v for v in variables(distance) if v.kind == "axis"] if isinstance(distance, Sym) else []
        yield substitute(distance, {v: sym(v.name, "axis") for v in axes})
