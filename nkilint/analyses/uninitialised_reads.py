"""Elements that nothing wrote are read, and what is made of them reaches an output or a decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nkilint.evaluator.state.trace import Access, AtWitness, Event, Obligation
from nkilint.prover import Decision, Verdict
from nkilint.prover.elimination import Existence
from nkilint.prover.sizes import as_sizes
from nkilint.prover.witness import LazyModel
from nkilint.symbolic.atoms import Var
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym
from nkilint_rules.dataflow.uninitialised_read import UninitialisedRead
from nkilint_rules.words.conditions import Unknown, negation
from nkilint_rules.words.memory import HBM

from .findings import POSITIVE, Analysis, Decided
from .questions.accesses import READS, WRITES, Touch
from .questions.operands import indices, operation_mask
from .questions.soundness import KINDS, Found, Soundness
from .registry import decides

ROUNDS = 3


@decides(UninitialisedRead, finished=True, last=True)
def check_reads(analysis: Analysis) -> None:
    """Find what is made of elements that nothing wrote, then judge what is stored, addresses a tensor
    in HBM, or is moved to a register."""
    state = Soundness(analysis)
    settled = not all(state.pass_over() for _ in range(ROUNDS))
    states = _States(state, settled)
    for position, event in enumerate(analysis.run.trace.events):
        operation = event.operation
        if event.kind != "operation" or operation is None or operation.kind not in KINDS:
            continue
        for read, target, mask in _decisive(state, event, operation.kind):
            _judge(states, position, event, read, target, mask)


def _decisive(state: Soundness, event: Event, kind: str) -> Iterator[tuple[Access, Access | None, Any]]:
    """The operands whose values leave the chip's memory, with the store that takes them there, and those that are
    addresses outside of it; each with the mask under which that happens."""
    stores = [a for a in event.accesses if a.role in WRITES and state.is_output(a.view.base)]
    for access in event.accesses:
        for read in (access, *indices(access)):
            if read.role not in READS or read.role == "accumulate" or read.view.base.kind == "input":
                continue
            if stores:
                yield read, stores[0], stores[0].mask
            elif kind == "register":
                yield read, None, operation_mask(event, read)
            elif read is not access and access.view.memory == HBM:
                yield read, None, access.mask


@dataclass(slots=True)
class _States:
    """What is known of writes after the passes, and, if asked, what goes wrong in the first one for certain."""

    last: Soundness
    settled: bool
    _hopeful: Soundness | None = None

    @property
    def hopeful(self) -> Soundness:
        if self._hopeful is None:
            self._hopeful = Soundness(self.last.analysis, hopeful=True)
            self._hopeful.pass_over()
        return self._hopeful


def _judge(states: _States, position: int, event: Event, read: Access, target: Access | None, mask: Any) -> None:
    """State that what the operand takes is sound where the mask lets it through."""
    state, analysis = states.last, states.last.analysis
    if mask is False:  # it moves nothing
        return
    found, origin = _sound(state, position, event, read, target)
    if found.condition is not True and not states.settled:
        found = Existence(found.condition, False, "garbage may go round in a loop")
    nonempty = [n >= 1 for n in read.view.shape if isinstance(n, Sym)]  # of no elements, none is read
    facts = [*event.site.conditions(), *([mask] if isinstance(mask, Cond) else []), *state.given, *nonempty]
    decision = as_sizes(
        lambda given: analysis.verdict_on(found, [*facts, *given], missing=analysis.hides_writes),
        [found.condition, *facts],
        POSITIVE,
        event.site.stated(),
    )
    if decision.verdict is Verdict.UNKNOWN and not isinstance(found.condition, Unknown) and not found.exact:
        certain, source = _sound(states.hopeful, position, event, read, target)
        again = analysis.verdict_on(certain, facts, missing=analysis.hides_writes)
        if again.verdict in (Verdict.VIOLATED, Verdict.CONDITIONAL):
            if not _is_all(analysis, found, facts, again):
                analysis.settled.append(Decided(Obligation(UninitialisedRead, found.condition, event.site), decision))
            state, found, origin, decision = states.hopeful, certain, source, again
    first = origin if origin is not None else Touch(position, event, read, read.view)
    if decision.verdict in (Verdict.VIOLATED, Verdict.CONDITIONAL):
        excluded = [] if decision.precondition is None else [negation(decision.precondition)]
        decision = replace(decision, model=_witness(state, first, found.condition, facts, excluded))
    related = [] if first.event is event else [("what is made of it reaches an output here", event.site.at)]
    related.append(("it is made here", first.base.at))
    message = UninitialisedRead.message(tensor=first.base.told, element=AtWitness(first.view.index))
    site = replace(first.event.site, facts=event.site.facts)  # the condition is on what reaches the output
    obligation = Obligation(message, found.condition, site, tuple(related))
    analysis.settled.append(Decided(obligation, decision))


def _is_all(analysis: Analysis, found: Existence, facts: Sequence[Any], certain: Decision) -> bool:
    """Whether nothing is left open beside what certainly goes wrong, for all inputs or where that is avoided."""
    met = [] if certain.precondition is None else [certain.precondition]
    return certain.verdict is Verdict.VIOLATED or analysis.verdict_on(found, [*facts, *met]).verdict is Verdict.PROVED


def _sound(state: Soundness, position: int, event: Event, read: Access, target: Access | None) -> Found:
    """Under which condition what the operand takes, or what the store makes of it, is sound."""
    found, origin = state.sound(position, event, read)
    if found.condition is not True and target is not None:
        found = state.carried(event, read, target, found)
    return found, origin


def _witness(
    state: Soundness, first: Touch, goal: Any, reached: Sequence[Any], excluded: Sequence[Any]
) -> Mapping[Var, int]:
    """Where the first read goes wrong, for inputs that do not meet the precondition; if it can, for inputs where what
    is made of it leaves the chip: `goal` fails where `reached` holds."""
    prover = state.analysis.prover
    written = state.analysis.coverage.written_before(first).condition
    more = [c for c in excluded if isinstance(c, Cond)]

    def found(*further: Cond | bool) -> Mapping[Var, int]:
        facts = [*state.facts(first), *more, *further]
        inputs = {v: n for v, n in prover.witness(goal, [*reached, *more, *further]).items() if v.kind == "input"}
        fixed = [Sym({(v,): 1}, 0) == n for v, n in inputs.items()]
        return prover.witness(written, [*facts, *fixed]) or prover.witness(written, facts)

    return LazyModel(found)
