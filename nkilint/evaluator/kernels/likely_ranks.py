"""How many dimensions tensors have of which only their subscripts tell, where a kernel fails with as few as these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from nkilint_rules.words.conditions import Unknown

from ..values.inputs import InputTensor
from ..values.tensors import View
from .rejected_defaults import end
from .requests import Run

MOST = 4  # dimensions that are tried
LOAD = "language.load"
TOGETHER = 3  # tensors that are tried one by one besides all together


def likely_ranks(run: Run, evaluate: Callable[[Mapping[str, int]], Run | None]) -> dict[str, int]:
    """For each tensor that is better taken to have other dimensions than in a `run`, how many: those with which the
    kernel breaks the fewest rules. Empty where it breaks none, or no other number mends that."""
    guessed = {n: len(v.cell["view"].shape) for n, v in run.inputs.items() if _is_guessed(v)}
    best, chosen = _broken(run), dict[str, int]()
    for ranks in _choices(guessed) if best else ():
        attempt = evaluate(ranks)
        if attempt is None or end(attempt) or attempt.trace.stopped:
            continue
        count = _broken(attempt)
        if count < best:
            best, chosen = count, ranks
        if not count:
            break
    return chosen


def _is_guessed(value: object) -> bool:
    return isinstance(value, InputTensor) and value.guessed and "view" in value.cell


def _choices(guessed: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """All tensors with more dimensions, then each one alone."""
    for more in range(1, MOST):
        if any(rank + more <= MOST for rank in guessed.values()):
            yield {name: min(rank + more, MOST) for name, rank in guessed.items()}
    for name, rank in guessed.items() if 1 < len(guessed) <= TOGETHER else ():
        yield from ({name: other} for other in range(rank + 1, MOST + 1))


def _broken(run: Run) -> int:
    """How many obligations a kernel breaks for all inputs, or are not known; how often it loads less than a tile."""
    goals = [o.goal for o in run.trace.obligations if not o.advises]
    loads = [e.arguments.get("src") for e in run.trace.events if e.operation is not None and e.operation.name == LOAD]
    flat = [view for view in loads if isinstance(view, View) and len(view.shape) < 2]
    return sum(goal is False or isinstance(goal, Unknown) for goal in goals) + len(flat)
