"""How many dimensions tensors, or items tuples, have of which nothing tells: as many as the kernel can do with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nkilint.symbolic.conditions import Cond

from .rejected_defaults import end
from .requests import Run

Implied = Callable[[Cond, list[Any]], "bool | None"]

RANKS = (2, 3, 4, 1)  # the usual first
RARE_RANKS = (5, 6)  # tried where no other leads through a kernel
MOST_APART = 3  # guessed ranks that are changed each for itself, too
MAX_STAGES = 3  # times that a kernel asks for more of them, once it has those before
MAX_EVENTS = 2000  # of a kernel that is evaluated again


def open_ranks(run: Run) -> frozenset[str]:
    """Of which tensors and tuples the evaluation asks how many dimensions or items they have; and of which it guessed
    that, where it does not come to the end of the kernel."""
    return frozenset(run.trace.ranks_asked) | frozenset(_guessed(run) if end(run) else ())


def _guessed(run: Run) -> list[str]:
    """Which tensors may have another number of dimensions."""
    return sorted({*run.trace.ranks_guessed, *run.trace.ranks_used})


def _past_the_end(first: Run, evaluate: Callable[[Mapping[str, int]], Run]) -> Run:
    """The evaluation with other ranks than were guessed that leads to the end of the kernel; if there is none, the
    `first`, which then does not hang on the guess."""
    names = _guessed(first)
    together = [dict.fromkeys(names, rank) for rank in (*RANKS, *RARE_RANKS)]
    apart = [{name: rank} for name in names for rank in RANKS] if 1 < len(names) <= MOST_APART else []
    fitting = (run for given in (*together, *apart) if _fits(run := evaluate(given), given))
    found = next(fitting, None)
    if found is not None:
        found.unsupposed = next(fitting, None)
        return found
    first.any_rank = len(names) <= MOST_APART
    return first


def with_ranks(first: Run, evaluate: Callable[[Mapping[str, int]], Run], implied: Implied) -> Run:
    """The evaluation with the supposition, if the `first` asks for one, that leads through the kernel to its end and
    leaves the fewest obligations that are not shown at once."""
    supposed = dict(first.supposed)
    run = first
    if end(first) and not first.trace.ranks_asked and _guessed(first):
        return _past_the_end(first, evaluate)
    for _ in range(MAX_STAGES):
        names = run.trace.ranks_asked.keys() - supposed.keys()
        told = {name: rank for name, rank in run.trace.ranks_told.items() if name in names}
        if not names or run.trace.stopped or sum(e.kind != "reveal" for e in run.trace.events) > MAX_EVENTS:
            break
        tried: list[tuple[int, dict[str, int], Run]] = []
        others: list[Run] = []
        for rank in RANKS:
            given = {**supposed, **dict.fromkeys(sorted(names), rank), **told}
            attempt = evaluate(given)
            others.append(attempt)
            if not _fits(attempt, given):
                continue
            count = _not_shown(attempt, implied)
            tried.append((count, given, attempt))
            if count == 0 or told.keys() == names:
                break
        if not tried:
            break
        alone = not supposed and len(names) == 1 and len(others) == len(RANKS)
        _, supposed, run = min(tried, key=lambda each: each[0])
        run.unsupposed = first
        others = [other for other in others if other is not run]
        run.only_rank = (
            alone
            and all(map(_fails, others))
            and all(_fails(evaluate(dict.fromkeys(names, rank))) for rank in RARE_RANKS)
        )
    return run


def _fails(run: Run) -> bool:
    """Whether a kernel does not come to its end, or breaks a rule whatever its inputs are."""
    return bool(end(run)) or any(o.goal is False and not o.advises for o in run.trace.obligations)


def _fits(run: Run, supposed: Mapping[str, int]) -> bool:
    """Whether the kernel comes to its end, and asks no more for what is supposed."""
    return not end(run) and not run.trace.stopped and run.trace.ranks_asked.keys().isdisjoint(supposed)


def _not_shown(run: Run, implied: Implied) -> int:
    """How many obligations there are but those that cheap proofs settle."""
    return sum(
        not (o.goal is True or (isinstance(o.goal, Cond) and implied(o.goal, o.site.conditions())))
        for o in run.trace.obligations
        if not o.advises
    )
