"""More data alive at once than SBUF or PSUM holds (NKI410).

Counted is what surely is alive at a statement: tensors between a write and a read in the same iteration of the loops
around both, one tile of each unless a whole nest of loops fills all its tiles before another nest reads them. Tiles of
few partitions may lie side by side, so sizes are areas: bytes times partitions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nkilint.evaluator.device.placement.place import places
from nkilint.evaluator.state.trace import Obligation
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover import Decision, Verdict
from nkilint.symbolic.atoms import bounds
from nkilint.symbolic.integers import is_one, key_of
from nkilint_rules.placement.capacity import Capacity
from nkilint_rules.placing.shares import fullest
from nkilint_rules.words.conditions import Unknown, product
from nkilint_rules.words.memory import PSUM, SBUF

from ..findings import Analysis, Decided
from ..questions.accesses import Touch, Touches, common_loops
from ..registry import decides

RULE = Capacity()


@dataclass(slots=True)
class _Alive:
    """A tensor that surely holds data from one position of the trace to another."""

    base: Declaration
    start: int
    end: int
    area: int

    @property
    def name(self) -> str:
        return self.base.name


@decides(Capacity)
def check_capacity(analysis: Analysis) -> None:
    """The statement at which most is alive, for each memory that it exceeds, unless one statement alone does. Tensors
    that are placed have rules of their own."""
    trace = analysis.run.trace
    target = trace.target
    told = any(obligation.rule is Capacity for obligation in trace.obligations)
    if target is None or told or places(trace) or not analysis.is_general:
        return
    touches = analysis.coverage.touches
    for memory, capacity in ((SBUF, target.sbuf_bytes), (PSUM, target.psum_bytes)):
        bases = [b for b in touches.bases.values() if b.memory == memory and _tile(b) <= capacity]
        alive = [a for base in bases for a in _alive(base, touches)]
        there = fullest(alive)
        need = RULE.check_together(there, memory, target)
        if not need.condition:
            related = tuple((text, one.base.at) for text, one in RULE.largest(there, target))
            place = trace.events[max(one.start for one in there)].site
            obligation = Obligation(need.message, False, place, related)
            analysis.settled.append(Decided(obligation, Decision(Verdict.VIOLATED, "interval")))


def _alive(base: Declaration, touches: Touches) -> list[_Alive]:
    writes, reads = touches.writes_of(base), touches.reads_of(base)
    if base.kind not in ("allocation", "result") or not all(t.sure and t.view.when is True for t in (*writes, *reads)):
        return []
    area = _tile(base) * (least(base.shape[base.blocks]) if len(base.shape) > base.blocks else 1)
    whole = least(product(base.shape[: base.blocks]))
    found = []
    pairs = [(w, r) for w in writes for r in reads if w.position < r.position]
    for write, read in pairs:
        if len(common_loops(write, read)) == len(write.loops) == len(read.loops):
            found.append(_Alive(base, write.position, read.position, area))
        elif len(common_loops(write, read)) == len(base.loops) and _fills(write) and _fills(read):
            found.append(_Alive(base, _span(write, touches)[1], _span(read, touches)[0], area * whole))
    return _longest(found)


def _tile(base: Declaration) -> int:
    """The least number of bytes of a partition that one tile takes."""
    itemsize = 1 if isinstance(base.dtype, Unknown) else base.dtype.itemsize
    return least(base.row) * least(itemsize)


def _fills(touch: Touch) -> bool:
    """Whether the loops around it go through all tiles of the tensor."""
    base, view = touch.base, touch.view
    if touch.problem or touch.mask is not True or len(view.layout) != len(base.shape):
        return False
    inside = {loop.index.variable: loop.trips for loop in touch.loops[len(base.loops) :]}
    seen = set()
    for size, index in zip(base.shape[: base.blocks], view.index, strict=False):
        variable = getattr(index, "as_atom", None)
        if variable is None or variable in seen or key_of(inside.get(variable, 0)) != key_of(size):
            return is_one(size) and isinstance(index, int)
        seen.add(variable)
    return True


def _span(touch: Touch, touches: Touches) -> tuple[int, int]:
    """The first and the last position of the outermost loop around an access that the tensor outlives."""
    loop = touch.loops[len(touch.base.loops)] if len(touch.loops) > len(touch.base.loops) else None
    if loop is None:
        return touch.position, touch.position
    return touches.extents[id(loop)]


def _longest(found: list[_Alive]) -> list[_Alive]:
    """One span for each area: of a tensor that is read several times, the tiles are counted once."""
    best: list[_Alive] = []
    for one in sorted(found, key=lambda a: (-a.area, a.start, -a.end)):
        if not any(b.start < one.end and one.start < b.end for b in best):
            best.append(one)
    return best


def least(size: Any) -> int:
    """The least that a size can be."""
    if isinstance(size, Unknown):
        return 1
    low = size if isinstance(size, int) else bounds(size)[0]
    return max(int(low), 1) if low not in (float("inf"), float("-inf")) else 1
