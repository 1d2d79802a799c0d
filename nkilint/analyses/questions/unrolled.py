"""The runs of loops whose iterations were evaluated one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from nkilint.base.ir import Span
from nkilint.base.names import counting_names
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


def by_position(items: Iterable[T], position: Callable[[T], int]) -> dict[int, list[T]]:
    """Items by the positions of their events."""
    found: dict[int, list[T]] = {}
    for item in items:
        found.setdefault(position(item), []).append(item)
    return found


def in_each_iteration(
    trace: Trace, run: UnrolledRun, items: Mapping[int, Sequence[T]], apart: Callable[[T], Any]
) -> Iterator[list[T]]:
    """What a statement does once in each iteration, for each statement, and for all that is told apart besides: of
    items by their positions."""
    found: dict[Any, tuple[list[T], list[int]]] = {}
    for position, number in run.iterations.items():
        for item in items.get(position, ()):
            site = trace.events[position].site
            key = site.at, site.callers, site.unrolled[run.depth + 1 :], apart(item)
            done, at = found.setdefault(key, ([], []))
            done.append(item)
            at.append(number)
    numbers = sorted(set(run.iterations.values()))
    for done, at in found.values():
        if at == numbers:
            yield done


def loop_name(kernel: Run, at: Span) -> str:
    """The variable of the loop there, or the variables."""
    request = kernel.request
    nodes = walk(request.module.body) if request is not None else ()
    names = (counting_names(node) for node in nodes if node.at == at)
    return ", ".join(next(filter(None, names), ())) or f"line {at.row}"
