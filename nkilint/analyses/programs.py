"""Programs of a launch grid that touch one element while one of them writes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nkilint.evaluator.state.trace import AtWitness
from nkilint.prover import Decision, Verdict
from nkilint.prover.elimination import Existence
from nkilint.symbolic.atoms import Var
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import over_inputs
from nkilint.symbolic.integers import Sym, sym
from nkilint_rules.parallel.program_conflict import ProgramConflict
from nkilint_rules.words.conditions import Unknown, all_of, any_of, negation

from .findings import Analysis, Decided
from .questions.accesses import Occurrence, Touch, common_loops, occurrence
from .questions.copies import stays_the_same
from .questions.meetings import UNCLEAR
from .questions.pairs import FOUND, Pair, check_all, pairs_of, role
from .questions.programs import (
    does_the_same,
    done_by_all,
    grid_axes,
    highest_asked,
    is_redundant,
    made_together,
    shared_tensors,
)
from .registry import decides


@decides(ProgramConflict)
def check_programs(analysis: Analysis) -> None:
    """NKI603 for every tensor in HBM that programs share."""
    axes, asked = grid_axes(analysis), highest_asked(analysis)
    if (not axes and asked is None) or does_the_same(analysis):
        return
    touches, common, together = analysis.coverage.touches, done_by_all(analysis), made_together(analysis)
    for base in shared_tensors(analysis):
        writes = [t for t in touches.writes_of(base) if t.event.kind != "allocation"]
        if not axes:
            _check_position_unused(analysis, writes, asked)
            continue
        reads = [t for t in touches.reads_of(base) if t.role == "read" and t.event.kind != "return"]
        if any((analysis.incomplete and is_redundant(w, common)) or is_redundant(w, together) for w in writes):
            unclear = Existence(False, False, "whether every program writes the same values")
            analysis.require(ProgramConflict, unclear, writes[0].event.site)
        pairs = [
            pair
            for pair in pairs_of(writes, reads, analysis.coverage.sums)
            if not all(stays_the_same(touch.event) for touch in (pair.first, pair.second))
            and not all(is_redundant(touch, common | together) for touch in (pair.first, pair.second))
        ]
        _check_pairs(analysis, pairs, axes)


def _check_pairs(analysis: Analysis, pairs: list[Pair], axes: list[tuple[Any, Any]]) -> None:
    """NKI603 for the pairs that no meeting orders."""
    orders = {pair: _ordered(analysis, pair) for pair in pairs}
    left = [pair for pair, ordered in orders.items() if not all(when is True for when in ordered)]
    check_all(left, lambda pair: _check_program_pair(analysis, pair, *orders[pair], axes), reads_too=False)


def _check_position_unused(analysis: Analysis, writes: list[Touch], highest: Any) -> None:
    """NKI603 for the first write of a kernel that asks for its position in the grid and never uses it."""
    write = next((w for w in writes if not w.problem), None)
    if write is not None:
        element = AtWitness(occurrence(write, "").element)
        analysis.require(
            ProgramConflict.message(tensor=write.base.told, element=element, first=0, second=1),
            Existence(highest <= 0),
            write.event.site,
        )


def _ordered(analysis: Analysis, pair: Pair) -> tuple[Any, Any]:
    """When meetings order what programs do there, in one iteration of the loops around both and in different ones."""
    first, second = sorted((pair.first, pair.second), key=lambda touch: touch.position)
    meetings, around = analysis.coverage.meetings, common_loops(first, second)
    met = meetings.between(first, second)
    if met is not True:
        told = not isinstance(met, Cond) or (not around and over_inputs(met))
        return (met if told else Unknown(UNCLEAR)), False
    return True, not around or meetings.before_next(second, first, around[-1])


def _check_program_pair(
    analysis: Analysis, pair: Pair, met: Any, again: Any, axes: list[tuple[Any, Any]]
) -> set[Verdict]:
    """Whether two programs touch the same element, ordered as `_ordered` says; the first axis in which they differ
    tells which comes first."""
    orders = [(pair.first, pair.second)]
    if pair.first is not pair.second:
        orders.append((pair.second, pair.first))
    around = len(common_loops(pair.first, pair.second)) if met is True else 0
    unmet = [negation(met)] if isinstance(met, Cond) else []
    start = len(analysis.settled)
    for one, two in orders:
        first = occurrence(one, "", extra=unmet)
        second = occurrence(two, "'", programs=True)
        later = [_unmet_yet(analysis, first, second, around)] if around else []
        others = [_other(position) for position, _ in axes]
        for number, (position, _) in enumerate(axes):
            apart = [p == o for (p, _), o in zip(axes[:number], others, strict=False)]
            apart += [position < others[number], *later]
            _state(analysis, pair, (first, second), apart, ([p for p, _ in axes], others))
    for when in (met, again):
        analysis.settled[start:] = [_unless(when, decided, pair) for decided in analysis.settled[start:]]
    return {decided.decision.verdict for decided in analysis.settled[start:]}


def _unmet_yet(analysis: Analysis, first: Occurrence, second: Occurrence, around: int) -> Any:
    """Whether it may be that no meeting lies between the two, where there is one between their places in each iteration
    of the loops around both that comes to them. If all iterations of the innermost loop have it, that is so where the
    one whose place comes first is the next iteration after the other."""
    early, late = sorted((first, second), key=lambda o: o.touch.position)
    each = analysis.coverage.meetings.in_each_iteration(early.touch, late.touch)
    cases: list[Any] = []
    same: list[Any] = []
    for level, (i, other) in enumerate(zip(early.iterations[:around], late.iterations[:around], strict=True), 1):
        cases.append(all_of((*same, i == other + 1 if each and level == around else i > other)))
        same.append(i == other)
    return any_of(cases)


def _unless(met: Any, decided: Decided, pair: Pair) -> Decided:
    """What was decided for inputs with which programs do not meet, as it is for all."""
    decision = decided.decision
    if isinstance(met, bool) or decision.verdict not in FOUND:
        return decided
    if isinstance(met, Unknown):
        return Decided(decided.obligation, Decision(Verdict.UNKNOWN, decision.rung, reason=met.reason))
    left = decision.precondition if decision.verdict is Verdict.CONDITIONAL else False
    wanted = None if left is None else any_of((met, left))
    decision = replace(decision, verdict=Verdict.CONDITIONAL, precondition=wanted, exact=decision.exact)
    return Decided(replace(decided.obligation, site=pair.first.event.site), decision)


def _other(position: Sym) -> Sym:
    """The position of the other program along the same axis."""
    variable = position.variable
    assert isinstance(variable, Var)
    return sym(variable.name + "'", variable.kind, variable.low, variable.high, variable.source)


def _state(
    analysis: Analysis,
    pair: Pair,
    found: tuple[Occurrence, Occurrence],
    apart: list[Any],
    programs: tuple[list[Any], list[Any]],
) -> None:
    first, second = found
    write = pair.first
    says = ProgramConflict.read if pair.reads else ProgramConflict.message
    message = says(
        tensor=write.base.told, element=AtWitness(first.element),
        first=AtWitness(_position(programs[0])), second=AtWitness(_position(programs[1])),
    )  # fmt: skip
    related = [(role(pair.second, pair), pair.second.event.site.at)] if pair.second is not pair.first else []
    site = replace(first.touch.event.site, at=write.event.site.at)
    analysis.never_meet(message, first, second, apart, site, related)


def _position(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else tuple(parts)
