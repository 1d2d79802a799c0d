"""Sums in PSUM that go on after they were read out, or on top of what no matmul wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from nkilint.base.ir import Span
from nkilint.evaluator.state.trace import Obligation
from nkilint.evaluator.values.tensors import Declaration
from nkilint.prover import Decision, Verdict
from nkilint_rules.lifetime.accumulate_on_initialised import AccumulateOnInitialised
from nkilint_rules.lifetime.stale_accumulator import StaleAccumulator
from nkilint_rules.rule import Message, Rule
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dialects import NKI
from nkilint_rules.words.memory import PSUM

from ..findings import Decided
from ..questions.accesses import Occurrence, Touch, same_element
from .accumulating import is_matmul
from .deciding import NOTHING, Answer, Premises, Question, told
from .question import cases, made_after, unclear
from .restoring import Restoring
from .tensors import Tensors
from .wording import iterations

DEFINED_FROM = 4  # the generation on which matmuls may accumulate on what something else wrote


@dataclass(slots=True)
class Accumulation:
    """The analysis of one trace; `incomplete` says why writes may be missing from it."""

    tensors: Tensors
    dialect: str
    incomplete: str
    settled: list[Decided] = field(default_factory=list)
    known: Premises = field(default_factory=Premises)

    def check(self) -> None:
        target = self.tensors.trace.target
        undefined = self.dialect == NKI and target is not None and target.generation < DEFINED_FROM
        for base in self.tensors.touches.bases.values():
            if base.memory != PSUM:
                continue
            writes = self.tensors.touches.writes_of(base)
            sums = [w for w in writes if w.role == "accumulate"]
            if not sums:
                continue
            matmuls = [w for w in writes if w.role == "accumulate" or is_matmul(w.event)]
            others = [w for w in writes if w not in matmuls]
            self._stale(base, sums, matmuls, others)
            if undefined:
                stated = [w for w in sums if w.event.flag(w.access) is not None]
                self._initialised(stated, matmuls, others)

    # --- NKI504 ---

    def _stale(
        self, base: Declaration, sums: Sequence[Touch], matmuls: Sequence[Touch], others: Sequence[Touch]
    ) -> None:
        reads = [r for r in self.tensors.touches.reads_of(base) if r.role == "read"]
        overwrites = [w for w in matmuls if w.role == "write"]
        for last in sums:
            restoring = Restoring(self.tensors.prover, last, [*others, *overwrites])
            found = self._found(last, reads, restoring, matmuls, lambda read: self._may_hold(read, matmuls, others))
            self._report(StaleAccumulator, last, found)

    def _may_hold(self, read: Touch, matmuls: Sequence[Touch], others: Sequence[Touch]) -> str:
        """Why what is read out may be no sum of matmuls, if so."""
        restoring = Restoring(self.tensors.prover, read, matmuls)
        for write in others:
            for case in cases(write, read):
                if made_after(case, [write]) or restoring.settles(case):
                    continue
                found = Question(self.tensors.prover, case, restoring, _same, Premises(), self.incomplete).decide()
                if found.decision.verdict is not Verdict.PROVED:
                    return "what is read out may be no sum"
        return ""

    # --- NKI505 ---

    def _initialised(self, sums: Sequence[Touch], matmuls: Sequence[Touch], others: Sequence[Touch]) -> None:
        for last in sums:
            restoring = Restoring(self.tensors.prover, last, matmuls)
            found = self._found(last, others, restoring, None, lambda write: "")
            self._report(AccumulateOnInitialised, last, found)

    # --- both ---

    def _found(
        self,
        last: Touch,
        middles: Sequence[Touch],
        restoring: Restoring,
        firsts: Sequence[Touch] | None,
        doubt: Callable[[Touch], str],
    ) -> Iterator[Answer]:
        for middle in middles:
            for found in self._ways(last, middle, restoring, firsts):
                reason = doubt(middle) if found.decision.verdict in (Verdict.VIOLATED, Verdict.CONDITIONAL) else ""
                yield Answer(Decision(Verdict.UNKNOWN, "", reason=reason)) if reason else found

    def _ways(
        self, last: Touch, middle: Touch, restoring: Restoring, firsts: Sequence[Touch] | None
    ) -> Iterator[Answer]:
        for case in cases(middle, last):
            if made_after(case, firsts or [middle]) or restoring.settles(case):
                continue
            problem = unclear(last) or unclear(middle)
            if problem:
                yield Answer(Decision(Verdict.UNKNOWN, "", reason=problem))
                continue
            yield Question(self.tensors.prover, case, restoring, _same, self.known, self.incomplete, firsts).decide()

    def _report(
        self, rule: type[StaleAccumulator | AccumulateOnInitialised], last: Touch, found: Iterable[Answer]
    ) -> None:
        for one in told(list(found), lambda answer: answer, self.tensors.prover) or [Answer(NOTHING)]:
            self._settle(rule, last, one)

    def _settle(self, rule: type[StaleAccumulator | AccumulateOnInitialised], last: Touch, found: Answer) -> None:
        decision = found.decision
        goal: Any = decision.verdict is Verdict.PROVED
        if decision.verdict is Verdict.UNKNOWN:
            goal = Unknown(decision.reason)
        elif decision.precondition is not None:
            goal = decision.precondition
        name = last.base.told
        message: Message | type[Rule] = rule
        related: list[tuple[str, Span]] = []
        if found.middle is not None:
            middle = found.middle.touch.event
            when = iterations(found.middle, decision.model)
            if rule is StaleAccumulator:
                message = StaleAccumulator.message(tensor=name)
                related.append((f"read out here{when}", middle.site.at))
            else:
                wrote = middle.operation.leaf if middle.operation is not None else "a write"
                target = self.tensors.trace.target
                message = AccumulateOnInitialised.message(tensor=name, operation=wrote, target=target)
                related.append((f"written here{when}", middle.site.at))
        if found.first is not None:
            related.append(("summed here before", found.first.event.site.at))
        related.append((f"`{name}` is made here", last.base.at))
        site = last.event.site
        self.settled.append(Decided(Obligation(message, goal, site, tuple(related), call=site.at), decision))


def _same(middle: Occurrence, last: Occurrence, exact: bool) -> list[Any]:
    """That both touch the same element of the same tile."""
    return [same_element(middle, last)]
