"""From which statement to which one a tensor holds data.

Statements are counted as they stand in the trace, loops once. A tensor lives from its first write to its last read; a
loop around a read that no write in the same iteration precedes keeps it alive from its first statement to its last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nkilint.evaluator.state.trace import Loop, Trace
from nkilint.evaluator.values.tensors import Declaration
from nkilint_rules.words.memory import ON_CHIP
from nkilint_rules.words.records import dataclass

from ..questions.accesses import Touch, Touches, is_inside


@dataclass(frozen=True, slots=True)
class Life:
    """A tensor on chip: the positions in the trace at which it is written and read, and between which it holds data.

    `end` is the last position that needs the data; it is before `start` where nothing is read.
    """

    base: Declaration
    writes: frozenset[int]
    reads: frozenset[int]
    start: int
    end: int


def lives(trace: Trace) -> list[Life]:
    """The tensors on chip that something is written to, in the order of their first write."""
    touches, extents = Touches(trace), _extents(trace)
    found = [
        _life(base, touches.writes_of(base), touches.reads_of(base), extents)
        for base in touches.bases.values()
        if base.memory in ON_CHIP and base.kind != "merged" and touches.writes_of(base)
    ]
    return sorted(found, key=lambda life: life.start)


def _extents(trace: Trace) -> dict[int, tuple[int, int]]:
    """The first and the last position of each loop."""
    found: dict[int, tuple[int, int]] = {}
    for position, event in enumerate(trace.events):
        for loop in event.site.loops:
            first, _ = found.get(id(loop), (position, position))
            found[id(loop)] = (first, position)
    return found


def _life(
    base: Declaration, writes: Sequence[Touch], reads: Sequence[Touch], extents: dict[int, tuple[int, int]]
) -> Life:
    start, end = min(w.position for w in writes), max((r.position for r in reads), default=-1)
    for loop in _carrying(base, writes, reads):
        first, last = extents[id(loop)]
        end = max(end, last)
        if first < start <= last:
            start = first
    return Life(base, frozenset(w.position for w in writes), frozenset(r.position for r in reads), start, end)


def _carrying(base: Declaration, writes: Sequence[Touch], reads: Sequence[Touch]) -> Iterator[Loop]:
    """The loops that keep the tensor alive from one iteration to the next."""
    made_in = {id(loop) for loop in base.loops}
    for read in reads:
        for loop in read.loops:
            inside = [w for w in writes if is_inside(w, loop)]
            if id(loop) not in made_in and not any(w.position < read.position for w in inside):
                yield loop
