"""Which defaults to replace by inputs where an assertion of the kernel's own rejects what it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.base.walk import walk

from ..state.modules import Modules
from ..state.trace import Assertion
from .requests import Request, Run

MAX_TRIALS = 16  # evaluations besides the first; most end at an assertion
MAX_STAGES = 4  # assertions that reject the defaults, one after the other

Evaluate = Callable[[frozenset[str]], Run]


def accepted(request: Request, modules: Modules, evaluate: Evaluate) -> Run:
    """The evaluation with the defaults, or with the fewest of them made inputs that no assertion rejects."""
    first = run = evaluate(frozenset())
    if request.launch is not None:
        return first
    free: frozenset[str] = frozenset()
    tried = 0
    for _ in range(MAX_STAGES):
        if run.rejected is None:
            return run
        further: tuple[Run, frozenset[str]] | None = None
        for names in _groups(_candidates(request, modules, run.rejected, free)):
            if tried == MAX_TRIALS:
                return first
            tried += 1
            attempt = evaluate(free | names)
            if attempt.rejected is None:
                return attempt
            if further is None and _place(attempt.rejected) not in (_place(run.rejected), _place(first.rejected)):
                further = attempt, free | names
        if further is None:
            return first
        run, free = further
    return first


def _place(failed: Assertion | None) -> tuple[Span, ...]:
    return () if failed is None else (*failed.site.callers, failed.test.at)


def _candidates(request: Request, modules: Modules, failed: Assertion, free: frozenset[str]) -> list[str]:
    """The parameters with defaults, and the fields of parameters, that an assertion mentions, or a call on the way to
    it."""
    mentioned = list(walk(failed.test))
    for caller in failed.site.callers:
        module = modules.of_file(caller.file)
        calls = walk(module.body) if module is not None else ()
        mentioned += [n for node in calls if isinstance(node, ir.Call) and node.at == caller for n in walk(node)]
    names = {node.id for node in mentioned if isinstance(node, ir.Name)}
    params = request.function.params
    found = [p.name for p in params if p.default is not None and p.name in names]
    owners = {p.name for p in params if p.annotation is not None}
    found += [
        f"{node.value.id}.{node.name}"
        for node in mentioned
        if isinstance(node, ir.Attr) and isinstance(node.value, ir.Name) and node.value.id in owners
    ]
    return [name for name in dict.fromkeys(found) if name not in free]


def _groups(names: list[str]) -> Iterator[frozenset[str]]:
    """All of them, each for itself, then two, three and so on of them."""
    if names:
        yield frozenset(names)
    for size in range(1, len(names)):
        yield from map(frozenset, combinations(names, size))
