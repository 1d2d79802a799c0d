"""Sums in PSUM that start over before anything has read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import Any

from nkilint.evaluator.state.trace import Loop
from nkilint.prover.elimination import Existence
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym
from nkilint_rules.lifetime.lost_sum import LostSum
from nkilint_rules.words.conditions import Unknown, all_of, any_of, negation
from nkilint_rules.words.dialects import NKI
from nkilint_rules.words.memory import PSUM

from .findings import Analysis
from .lifetimes.accumulating import spelled_out
from .questions.accesses import Touch, Touches, common_prefix, same_layout
from .questions.iterations import STEADY
from .registry import decides

OPERATIONS = frozenset({"isa.nc_matmul", "isa.nc_matmul_mx"})


@decides(LostSum, finished=True)
def check_lost_sums(analysis: Analysis) -> None:
    """NKI506 for each matmul that overwrites what an earlier one surely left in the same elements, unread."""
    request = analysis.run.request
    trace = analysis.run.trace
    if request is None or request.dialect != NKI:
        return
    flagged = [e for e in trace.events if e.operation is not None and e.operation.name in OPERATIONS]
    flags = [e.arguments.get("accumulate") for e in flagged]
    if all(flag is None or flag is True for flag in flags):
        return
    touches = Touches(spelled_out(trace))
    for base in list(touches.bases.values()):
        writes = touches.writes_of(base) if base.memory == PSUM else []
        matmuls = [w for w in writes if w.event.operation is not None and w.event.operation.name in OPERATIONS]
        reads = [r for r in touches.reads_of(base) if r.role == "read"]
        ends = [*reads, *(w for w in writes if w not in matmuls)]
        if not any(w.role == "write" for w in matmuls) or any(t.problem for t in [*writes, *reads]):
            continue
        for last in matmuls:
            if last.role == "write":
                for first, goal in _losses(analysis, matmuls, last, reads, ends):
                    _state(analysis, last, first, goal)


def _losses(
    analysis: Analysis, matmuls: Sequence[Touch], last: Touch, reads: Sequence[Touch], ends: Sequence[Touch]
) -> Iterator[tuple[Touch, Any]]:
    """What `last` overwrites, and the condition under which it does not; `ends` read sums or write something else."""
    lasting = _lasting(last, reads, ends)
    adds = any(m.role == "accumulate" and lasting[-1] in m.loops for m in matmuls) if lasting else False
    if adds and _comes_always(last, lasting):  # where none adds, it is NKI708
        again = [loop.index == 0 for loop in lasting if not _moves(last, [loop])]
        if again:
            yield last, all_of(again)
    elif adds and any(not _moves(last, [loop]) and not _comes_once(analysis, last, loop) for loop in lasting):
        yield last, Unknown("in how many iterations the sum starts over")
    for first in reversed(matmuls):
        alternatives = first.event.arguments is last.event.arguments
        restarts = first.event.site.at == last.event.site.at and not _is_added_to(first, matmuls, ends)
        if (
            alternatives
            or restarts
            or first.position > last.position
            or any(first.position < e.position < last.position for e in ends)
        ):
            continue
        inner = first.loops[len(common_prefix(first.loops, last.loops)) :]  # have ended by then
        if not _moves(first, inner) and _same_elements(first, last) and _comes_too(first, last, inner):
            yield first, any_of([loop.trips <= 0 for loop in inner]) if inner else False
            return


def _lasting(last: Touch, reads: Sequence[Touch], ends: Sequence[Touch]) -> list[Loop]:
    """The innermost loops around it in which nothing but matmuls touches the tensor, made before them."""
    found: list[Loop] = []
    for loop in reversed(last.loops):
        inside = any(loop in end.loops for end in ends)
        if inside or loop in last.base.loops or loop.kind not in STEADY:
            break
        found.append(loop)
    return found if any(read.position > last.position for read in reads) else []


def _is_added_to(first: Touch, matmuls: Sequence[Touch], ends: Sequence[Touch]) -> bool:
    """Whether something adds to it before it ends, or to what begins over it; where nothing does, it is NKI708."""
    end = min((e.position for e in ends if e.position > first.position), default=inf)
    return any(m.role == "accumulate" and first.position < m.position < end for m in matmuls)


def _moves(touch: Touch, loops: Sequence[Loop]) -> bool:
    """Whether it writes other elements in other iterations of these loops."""
    mask = [touch.mask] if isinstance(touch.mask, Cond) else []
    found = set(variables(*touch.view.index, *touch.view.shape, *(touch.view.instance or ()), *mask))
    return any(loop.index.variable in found for loop in loops) or any(v.kind == "runtime" for v in found)


def _comes_always(last: Touch, loops: Sequence[Loop]) -> bool:
    """Whether each iteration of these loops has the matmul, whether it overwrites there or adds."""
    flag = last.event.arguments.get("accumulate")
    asked = {flag.key} | {part.key for part in _leaves(flag)} if isinstance(flag, Cond) else set()
    own = [c for c in last.event.site.conditions() if isinstance(c, Cond) and not _follows(c, loops, asked)]
    names = {loop.index.variable for loop in loops}
    return not any(names & set(variables(c)) for c in own) and not any(
        names & set(variables(loop.trips)) for loop in loops if isinstance(loop.trips, Sym)
    )


def _comes_once(analysis: Analysis, last: Touch, loop: Loop) -> bool:
    """Whether the matmul is known to come in the first or the last iteration of a loop alone."""
    facts = [c for c in last.event.site.conditions() if isinstance(c, Cond)]
    return any(analysis.prover.shows(loop.index == end, facts) for end in (0, loop.trips - 1))


def _leaves(flag: Cond) -> Iterator[Cond]:
    yield flag
    other = negation(flag)
    if isinstance(other, Cond):
        yield other


def _follows(condition: Cond, loops: Sequence[Loop], asked: set[Any]) -> bool:
    """Whether a fact is that a loop runs, or what the flag says."""
    bounds = [c for loop in loops for c in (loop.index >= 0, loop.index < loop.trips) if isinstance(c, Cond)]
    return condition.key in asked or any(condition.key == bound.key for bound in bounds)


def _same_elements(first: Touch, last: Touch) -> bool:
    views = first.view, last.view
    return (
        all(
            same_layout(a, b)
            for a, b in (
                (views[0].shape, views[1].shape),
                (views[0].index, views[1].index),
                (views[0].instance or (), views[1].instance or ()),
            )
        )
        and first.mask is True
        and last.mask is True
    )


def _comes_too(first: Touch, last: Touch, inner: Sequence[Loop]) -> bool:
    """Whether `first` came wherever `last` comes, if the loops `inner` around it alone ran."""
    known = {c.key for c in last.event.site.conditions() if isinstance(c, Cond)}
    own = [c for c in first.event.site.conditions() if isinstance(c, Cond) and c.key not in known]
    flag = first.event.arguments.get("accumulate")
    asked = {part.key for part in _leaves(flag)} if isinstance(flag, Cond) else set()
    return all(_follows(c, inner, asked) for c in own)


def _state(analysis: Analysis, last: Touch, first: Touch, goal: Any) -> None:
    name = last.base.told
    related = [("these products are lost", first.event.site.at)] if first is not last else []
    analysis.require(
        LostSum.message(tensor=name),
        Existence(False, False, goal.reason) if isinstance(goal, Unknown) else Existence(goal),
        last.event.site,
        related=[*related, (f"`{name}` is made here", last.base.at)],
        missing=analysis.incomplete,
        call=last.event.site.at,
    )
