"""The directly allocated tensors of a trace, with all that touches them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from nkilint.evaluator.device.placement.place import Placement, places
from nkilint.evaluator.state.trace import Trace
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover import Prover
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables

from ..questions.accesses import Touch, Touches
from . import accumulating
from .overlap import apart, extent, tiles_apart
from .restoring import Restoring


@dataclass(slots=True)
class Tensors:
    """Places and touches, and which tensors can meet."""

    trace: Trace
    prover: Prover
    touches: Touches = field(init=False)
    places: dict[int, Placement] = field(init=False)
    facts: list[Cond] = field(init=False)
    _restoring: dict[int, Restoring] = field(default_factory=dict)
    _chosen: list[Declaration] | None = None
    _extents: dict[int, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.places = places(self.trace)
        self.touches = Touches(accumulating.spelled_out(self.trace))
        self.facts = _facts(self.trace)

    def writes(self, place: Placement) -> list[Touch]:
        return self.touches.writes_of(place.base)

    def reads(self, place: Placement) -> list[Touch]:
        return self.touches.reads_of(place.base)

    def meeting(self, place: Placement) -> Iterator[Placement]:
        """The tensors, itself among them, of which some other tile may share bytes with a tile of `place`."""
        for other in self.places.values():
            if other.problem:
                continue
            if other.base is place.base:
                if self._remade(place) or not tiles_apart(place, self.prover, self.facts):
                    yield other
            elif not self._far(place, other) and not apart(place, other, self.prover, self.facts):
                yield other

    def _far(self, place: Placement, other: Placement) -> bool:
        """Whether the bytes of two tensors are apart by numbers alone."""
        (low, high), (least, most) = self._extent(place), self._extent(other)
        return place.base.memory == other.base.memory and (high <= least or most <= low)

    def _extent(self, place: Placement) -> tuple[float, float]:
        if id(place) not in self._extents:
            self._extents[id(place)] = extent(place)
        return self._extents[id(place)]

    def _remade(self, place: Placement) -> bool:
        """Whether a tile made in one iteration may be used in another one."""
        touches = [*self.writes(place), *self.reads(place)]
        return bool(place.base.loops) and any(t.view.instance is not None for t in touches)

    def restoring(self, last: Touch) -> Restoring:
        known = self._restoring.get(id(last))
        if known is None:
            known = self._restoring[id(last)] = Restoring(self.prover, last, self.touches.writes_of(last.base))
        return known

    def carried(self, place: Placement) -> str:
        """Why accesses of the tensor may be missing, if so: a loop carries a name from one tensor to another."""
        for base in self.chosen:
            if base.memory == place.base.memory and len(base.shape) == len(place.base.shape):
                return f"`{base.name}` stands for one tensor after another in a loop"
        return ""

    @property
    def chosen(self) -> list[Declaration]:
        """What stands for one tensor after another."""
        if self._chosen is None:
            bases = {id(a.view.base): a.view.base for event in self.trace.events for a in event.accesses}
            self._chosen = [b for b in bases.values() if b.kind == "merged" and len(b.sources) == 1]
        return self._chosen


def _facts(trace: Trace) -> list[Cond]:
    """What holds of the inputs wherever the kernel ends."""
    last = trace.events[-1].site if trace.events else None
    conditions = last.conditions() if last is not None else []
    return [c for c in conditions if isinstance(c, Cond) and all(v.kind == "input" for v in variables(c))]
