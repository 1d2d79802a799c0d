"""Writes that put back what is read: to the same element of the same tile, between the interference and the read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

from nkilint.prover import Prover
from nkilint.prover.elimination import Existence, either, exists
from nkilint.symbolic.atoms import UNKNOWABLE
from nkilint.symbolic.conditions import Cond, leaves, opaque_parts
from nkilint.symbolic.evaluation import variables
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.records import dataclass

from ..questions.accesses import Occurrence, Touch, common_loops, occurrence, precedes, stands_before
from ..questions.coverage import covers_plainly
from .question import BETWEEN, FIRST, LAST, Case, equations, unclear

NOWHERE = Existence(False)


@dataclass(frozen=True, slots=True)
class Way:
    """A way in which a write can come before a read: `writer` with its conditions, and how they stand in order."""

    writer: Occurrence
    order: Any


def ways(write: Touch, last: Occurrence) -> Iterator[Way]:
    """How `write` can come before `last`: within the same iteration, or in an earlier one of each loop around both."""
    common = common_loops(write, last.touch)
    if stands_before(write, last.touch):
        yield Way(occurrence(write, BETWEEN, shared=common), True)
    made_in = _made_in(write, last.touch, len(common))
    for depth in reversed(range(made_in, len(common))):
        writer = occurrence(write, BETWEEN, shared=common[:depth])
        yield Way(writer, writer.iterations[depth] < last.iterations[depth])


def _made_in(write: Touch, last: Touch, common: int) -> int:
    """In how many of the common loops the tensor is made anew in each iteration."""
    if write.view.instance is not None or last.view.instance is not None:
        return 0
    return min(common, len(write.base.loops))


@dataclass(slots=True)
class Restoring:
    """What is known about the writes before one read; `writes` are all those of its tensor."""

    prover: Prover
    last: Touch
    writes: Sequence[Touch]
    execution: Occurrence = field(init=False)
    _within: dict[int, Existence] = field(default_factory=dict)
    _joint: dict[tuple[int, ...], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.execution = occurrence(self.last, LAST, shared=self.last.loops)

    def settles(self, case: Case) -> bool:
        """Whether each element that is read was written after every such interference, whenever that was."""
        if unclear(self.last):
            return self._covered([w for w in self.writes if w.view.whole and w.mask is True and self._follows(w, case)])
        return self._covered([w for w in self.writes if not unclear(w) and self._follows(w, case)])

    def _follows(self, write: Touch, case: Case) -> bool:
        """Whether the write in the iteration of the read comes after the interference."""
        common = len(common_loops(write, self.last))
        if case.depth is not None:
            return common > case.depth
        if common < case.shared or len(common_loops(write, case.middle)) > case.shared:
            return False
        return stands_before(case.middle, write)

    def _covered(self, writes: Sequence[Touch]) -> bool:
        """Whether these writes together write each element that is read, in its iteration and before."""
        key = tuple(map(id, writes))
        if key not in self._joint:
            self._joint[key] = self._cover(writes)
        return self._joint[key]

    def _cover(self, writes: Sequence[Touch]) -> bool:
        writes = [w for w in writes if stands_before(w, self.last)]
        if any(covers_plainly(w, self.last) for w in writes):
            return True
        if not writes or unclear(self.last):
            return False
        found = either([self._in_iteration(w) for w in writes]).condition
        if found is True:
            return True
        return isinstance(found, Cond) and self.prover.shows(found, list(self.execution.conditions), deep=True)

    def _in_iteration(self, write: Touch) -> Existence:
        """Whether the write touches the element in the iteration of the read."""
        known = self._within.get(id(write))
        if known is None:
            writer = occurrence(write, BETWEEN, shared=common_loops(write, self.last))
            known = self._within[id(write)] = self.exists(writer, self.execution, [])
        return known

    def restored(self, middle: Occurrence) -> list[tuple[Existence, Way]]:
        """For each write and way, whether one puts the element back after `middle`."""
        found = []
        for write in reversed(self.writes):
            if unclear(write):
                continue
            for way in ways(write, self.execution):
                extra = [way.order, precedes(middle, way.writer)]
                if any(e is False for e in extra):
                    continue
                existence = self.exists(way.writer, self.execution, [e for e in extra if e is not True])
                if existence.condition is not False or not existence.exact:
                    found.append((existence, way))
        return found

    def written(self, middle: Occurrence, firsts: Sequence[Touch]) -> list[tuple[Existence, Touch]]:
        """For each write of `firsts`, whether one comes before `middle` and leaves what is read."""
        found = []
        for write in firsts:
            if unclear(write):
                found.append((Existence(False, False, unclear(write)), write))
                continue
            writer = occurrence(write, FIRST)
            ahead = precedes(writer, middle)
            if ahead is not False:
                existence = self.exists(writer, self.execution, [] if ahead is True else [ahead])
                if existence.condition is not False or not existence.exact:
                    found.append((existence, write))
        return found

    def exists(self, writer: Occurrence, last: Occurrence, extra: Sequence[Any]) -> Existence:
        """Whether an execution of `writer` touches the element of `last`."""
        if writer.problem:
            return Existence(False, False, writer.problem)
        wanted = equations(writer, last)
        for value in wanted:
            if isinstance(value, Unknown):
                return Existence(False, False, value.reason)
        known = {f.key for f in last.conditions}
        conditions = [c for c in leaves(writer.conditions) if c.key not in known]
        unknowable = [v for v in variables(*conditions, *wanted) if v.kind in UNKNOWABLE]
        if unknowable:
            return Existence(False, False, f"it depends on {unknowable[0].told}")
        runtime = [o for c in conditions for o in opaque_parts(c) if o.kind == "runtime"]
        if runtime:
            return Existence(False, False, f"it depends on `{runtime[0].name}`")
        facts = list(last.conditions)
        found = exists(
            [v for v in writer.variables if v.kind not in UNKNOWABLE],
            wanted,
            [*conditions, *extra],
            lambda c: self.prover.shows(c, facts),
        )
        if writer.loose and found.condition is not False:
            return Existence(False, False, "a branch that only the device decides")
        return found
