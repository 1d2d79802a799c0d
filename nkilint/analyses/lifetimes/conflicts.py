"""Tiles overwritten while they are still needed: through another tensor, by another tile of their own, by another
accumulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from nkilint.evaluator.device.placement.place import Placement
from nkilint.evaluator.state.machine import Explained
from nkilint.evaluator.state.trace import Obligation, Site
from nkilint.prover import Decision, Verdict
from nkilint_rules.lifetime.interleaved_accumulation import InterleavedAccumulation
from nkilint_rules.lifetime.overlapping_tensors import OverlappingTensors
from nkilint_rules.lifetime.too_few_tiles import TooFewTiles
from nkilint_rules.words.conditions import Unknown, any_of
from nkilint_rules.words.memory import PSUM

from ..findings import Decided
from ..questions.accesses import Occurrence, Touch
from .deciding import NOTHING, Answer, Premises, Question, told
from .overlap import other_tile, overlap, spot
from .question import cases, made_after, unclear
from .repair import repair
from .tensors import Tensors
from .wording import describe

Clobbering = type[OverlappingTensors | TooFewTiles | InterleavedAccumulation]


@dataclass(slots=True)
class Conflicts:
    """The analysis of one trace; `incomplete` says why writes may be missing from it."""

    tensors: Tensors
    incomplete: str
    dialect: str
    selects: Callable[[str], bool]
    settled: list[Decided] = field(default_factory=list)
    known: Premises = field(default_factory=Premises)
    interleaved: set[frozenset[int]] = field(default_factory=set)  # pairs of tensors reported already

    def check(self) -> None:
        for place in self.tensors.places.values():
            if isinstance(place.problem, Explained):  # a finding about the allocation says it
                continue
            if place.problem:
                self._open(place, place.problem)
                continue
            carried = self.tensors.carried(place)
            if carried:
                self._open(place, carried)
                continue
            meeting = list(self.tensors.meeting(place))
            for rule in (OverlappingTensors, TooFewTiles):
                if self.selects(rule.code) and not any(
                    (o.base is place.base) == (rule is TooFewTiles) for o in meeting
                ):
                    self._add(rule, place, Answer(NOTHING), True)
            for other in meeting:
                self._pair(place, other)

    def _open(self, place: Placement, reason: str) -> None:
        self._add(OverlappingTensors, place, Answer(Decision(Verdict.UNKNOWN, "", reason=reason)), Unknown(reason))

    def _add(self, rule: Clobbering, place: Placement, found: Answer, goal: Any, site: Site | None = None) -> None:
        self.settled.append(Decided(Obligation(rule, goal, site or place.event.site), found.decision))

    # --- one tensor and another that may overwrite it ---

    def _pair(self, place: Placement, other: Placement) -> None:
        """The obligation that nothing of `place` is overwritten through `other` while it is needed."""
        rule: Clobbering = TooFewTiles if place.base is other.base else OverlappingTensors
        found = [
            (result, read, write)
            for read, write in self._candidates(place, other)
            for result in self._decide(read, write, place, other, self.known)
        ]
        sums = [f for f in found if f[1].role == "accumulate" and place.base.memory == PSUM]
        if any(f.decision.verdict in (Verdict.CONDITIONAL, Verdict.VIOLATED) for f, _, _ in sums):
            pair = frozenset((id(place.base), id(other.base)))
            if pair not in self.interleaved:
                self.interleaved.add(pair)
                self._report(InterleavedAccumulation, place, other, sums, [read for _, read, _ in found])
        elif found:
            self._report(rule, place, other, found, [read for _, read, _ in found])
        else:
            self._add(rule, place, Answer(NOTHING), True)

    def _candidates(self, place: Placement, other: Placement) -> Iterator[tuple[Touch, Touch]]:
        writes = self.tensors.writes(other)
        for read in self.tensors.reads(place):
            for write in writes:
                yield read, write

    def _decide(self, read: Touch, write: Touch, place: Placement, other: Placement, known: Premises) -> list[Answer]:
        """How executions of `write` may clobber what `read` needs: each way in which that is not excluded."""
        found: list[Answer] = []
        restoring, writes = self.tensors.restoring(read), self.tensors.writes(place)
        for case in cases(write, read):
            if made_after(case, writes) or restoring.settles(case):
                continue
            problem = unclear(read) or unclear(write)
            if problem:
                found.append(Answer(Decision(Verdict.UNKNOWN, "", reason=problem)))
                continue
            relation = _relation(place, other)
            question = Question(self.tensors.prover, case, restoring, relation, known, self.incomplete, writes)
            one = question.decide()
            if one.decision.verdict is not Verdict.PROVED:
                found.append(one)
            if one.decision.verdict is Verdict.VIOLATED:
                break
        return found

    def _clashes(self, place: Placement) -> bool:
        """Whether tiles of the tensor would overwrite each other while they are needed, if it was placed like this."""
        return any(self._decide(*pair, place, place, Premises()) for pair in self._candidates(place, place))

    def _report(
        self,
        rule: Clobbering,
        place: Placement,
        other: Placement,
        found: list[tuple[Answer, Touch, Touch]],
        reads: list[Touch],
    ) -> None:
        """One finding for all reads of one tensor that another one spoils: the first of the worst. Where inputs decide,
        one for each condition that they have to meet."""
        for result, read, _ in told(found, lambda one: one[0], self.tensors.prover):
            if result.decision.verdict is Verdict.UNKNOWN:
                self._add(rule, place, result, Unknown(result.decision.reason), read.event.site)
                continue
            words = describe(result, place, other, [r for r in reads if r is not read], self.tensors)
            advice = repair(place, other, self.tensors, self.dialect, self._clashes)
            goal = result.decision.precondition if result.decision.precondition is not None else False
            message = rule.message(victim=words.victim, other=words.culprit, bytes=words.bytes, repair=advice)
            obligation = Obligation(message, goal, words.site, words.related, words.site.at, words.element, place.base)
            self.settled.append(Decided(obligation, replace(result.decision, model=words.model)))


def _relation(place: Placement, other: Placement) -> Callable[[Occurrence, Occurrence, bool], list[Any]]:
    """That the middle execution writes a byte that the last one reads, of another logical tile."""

    def relation(middle: Occurrence, last: Occurrence, exact: bool) -> list[Any]:
        a, b = spot(middle, other), spot(last, place)
        return [any_of([other_tile(a, b)]), *overlap(a, b, exact)]

    return relation
