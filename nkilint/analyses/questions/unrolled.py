"""The runs of loops whose iterations were evaluated one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.base.walk import walk
from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import Trace

from .accesses import Touch

T = TypeVar("T")


@dataclass(slots=True)
class UnrolledRun:
    """One run of an unrolled loop: the iteration of each event, by position; `depth` counts the unrolled loops around
    it."""

    at: Span
    depth: int
    iterations: dict[int, int]

    def has(self, touch: Touch) -> bool:
        """Whether something is touched in it."""
        return touch.position in self.iterations


def unrolled_runs(trace: Trace, kinds: Collection[str]) -> list[UnrolledRun]:
    """The runs of several iterations; one begins where the iteration number falls back."""
    runs: dict[Any, UnrolledRun] = {}
    done: list[UnrolledRun] = []
    last: dict[Any, int] = {}
    for position, event in enumerate(trace.events):
        for depth, (at, kind, number) in enumerate(event.site.unrolled):
            key = (event.site.unrolled[:depth], at)
            if kind not in kinds:
                continue
            if key not in runs or number < last[key]:
                runs[key] = UnrolledRun(at, depth, {})
                done.append(runs[key])
            runs[key].iterations[position] = number
            last[key] = number
    return [run for run in done if len(set(run.iterations.values())) > 1]


def in_each_iteration(
    trace: Trace, run: UnrolledRun, items: Iterable[T], position: Callable[[T], int], apart: Callable[[T], Any]
) -> Iterator[list[T]]:
    """What a statement does once in each iteration, for each statement, and for all that is told apart besides."""
    found: dict[Any, list[T]] = {}
    for item in items:
        site = trace.events[position(item)].site
        if position(item) in run.iterations:
            key = site.at, site.callers, site.unrolled[run.depth + 1 :], apart(item)
            found.setdefault(key, []).append(item)
    numbers = sorted(set(run.iterations.values()))
    for done in found.values():
        if [run.iterations[position(item)] for item in done] == numbers:
            yield done


def loop_name(kernel: Run, run: UnrolledRun) -> str:
    """The variable of the loop."""
    request = kernel.request
    for node in walk(request.module.body) if request is not None else ():
        if isinstance(node, ir.For) and node.at == run.at and isinstance(node.target, ir.Name):
            return node.target.id
    return f"line {run.at.row}"
