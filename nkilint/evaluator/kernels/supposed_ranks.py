"""How many dimensions tensors, or items tuples, have of which nothing tells: as many as the kernel can do with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nkilint.symbolic.conditions import Cond

from .rejected_defaults import end
from .requests import Run

Implied = Callable[[Cond, list[Any]], "bool | None"]

RANKS = (2, 3, 4, 1)  # the usual first
MAX_STAGES = 3  # times that a kernel asks for more of them, once it has those before
MAX_EVENTS = 2000  # of a kernel that is evaluated again


def open_ranks(run: Run) -> frozenset[str]:
    """Of which tensors and tuples the evaluation asks how many dimensions or items they have; and of which it guessed
    that, where it does not come to the end of the kernel."""
    return frozenset(run.trace.ranks_asked) | frozenset(run.trace.ranks_guessed if end(run) else ())


def with_ranks(first: Run, evaluate: Callable[[Mapping[str, int]], Run], implied: Implied) -> Run:
    """The evaluation with the supposition, if the `first` asks for one, that leads through the kernel to its end and
    leaves the fewest obligations that are not shown at once."""
    supposed: dict[str, int] = {}
    run = first
    for _ in range(MAX_STAGES):
        names = open_ranks(run) - supposed.keys()
        if not names or run.trace.stopped or sum(e.kind != "reveal" for e in run.trace.events) > MAX_EVENTS:
            break
        tried: list[tuple[int, dict[str, int], Run]] = []
        for rank in RANKS:
            given = {**supposed, **dict.fromkeys(sorted(names), rank)}
            attempt = evaluate(given)
            if not _fits(attempt, given):
                continue
            count = _not_shown(attempt, implied)
            tried.append((count, given, attempt))
            if count == 0:
                break
        if not tried:
            break
        _, supposed, run = min(tried, key=lambda each: each[0])
        run.unsupposed = first
    return run


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
