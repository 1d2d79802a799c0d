"""Which defaults to replace by inputs where an assertion of the kernel's own rejects what it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.base.walk import statements, walk
from nkilint.project.docstrings import docstring_classes

from ..state.modules import Modules
from .hints import is_none
from .requests import Request, Run

MAX_TRIALS = 16  # evaluations besides the first; most end at an assertion
MAX_STAGES = 4  # assertions that reject the defaults, one after the other

Evaluate = Callable[[frozenset[str]], Run]


def accepted(request: Request, modules: Modules, evaluate: Evaluate, likely: frozenset[str] = frozenset()) -> Run:
    """The evaluation with the defaults, or with the fewest of them made inputs that nothing rejects; those that are
    `likely` to be enough are tried first. Fields of objects that are None there, and used as numbers, are inputs, too:
    who made such an object gave it one. So are parameters that are None and asked for what None does not have, and
    attributes that tensors lack: what has them is an object."""
    run = _not_rejected(request, modules, evaluate, likely)
    for _ in range(MAX_STAGES if request.launch is None else 0):
        mentioned = _mentioned(modules, run.trace.nothing)
        needed = _needed(request, mentioned)
        names = {*needed, *_fields_at(request, mentioned), *run.trace.fields_asked} - run.free
        attempt = evaluate(run.free | names) if names else run
        if end(attempt) or _lacks(attempt) >= _lacks(run):
            break
        given = {f"{name} is not None": None for name in needed if name in names}
        attempt.trace.assumptions.update(
            {**given, **{a: None for a in run.trace.assumptions if a.endswith("not None")}}
        )
        run = attempt
    return run


def _needed(request: Request, mentioned: Iterable[ir.Node]) -> list[str]:
    """The parameters that are None by default, and of which something is asked that None has not: they are mentioned
    there, or fields are that they are put into under their own names."""
    names = {node.id if isinstance(node, ir.Name) else node.name for node in mentioned if isinstance(node, _NAMED)}
    return [p.name for p in request.function.params if p.name in names and is_none(p.default)]


_NAMED = (ir.Name, ir.Attr)


def _lacks(run: Run) -> int:
    """How often something is asked of None, or of a tensor, that they do not have."""
    return len(run.trace.nothing) + len(run.trace.fields_asked)


def _not_rejected(request: Request, modules: Modules, evaluate: Evaluate, likely: frozenset[str]) -> Run:
    if likely and not end(attempt := evaluate(likely)):
        return attempt
    first = run = evaluate(frozenset())
    if request.launch is not None:
        return first
    free: frozenset[str] = frozenset()
    tried = 0
    for _ in range(MAX_STAGES):
        if not end(run):
            return run
        further: tuple[Run, frozenset[str]] | None = None
        for names in _groups(_candidates(request, modules, run, free)):
            if tried == MAX_TRIALS:
                return first
            tried += 1
            attempt = evaluate(free | names)
            if not end(attempt):
                return attempt
            if further is None and end(attempt) not in (end(run), end(first)):
                further = attempt, free | names
        if further is None:
            return first
        run, free = further
    return first


def end(run: Run) -> tuple[Span, ...]:
    """Where all paths end before the kernel does, callers first; nothing for a kernel that comes to its end."""
    if run.rejected is not None:
        return *run.rejected.site.callers, run.rejected.test.at
    raised = run.trace.raised
    return () if raised is None else (*raised.callers, raised.at)


def _candidates(request: Request, modules: Modules, run: Run, free: frozenset[str]) -> list[str]:
    """The parameters with defaults, and the fields of parameters, that are mentioned where a run ended, by a call on
    the way there, or by an assignment of the kernel's to what those mention."""
    mentioned = _mentioned(modules, end(run))
    names = {node.id for node in mentioned if isinstance(node, ir.Name)}
    for statement in reversed(list(statements(request.function.body))):
        if isinstance(statement, ir.Assign) and any(
            isinstance(t, ir.Name) and t.id in names for t in statement.targets
        ):
            names |= {node.id for node in walk(statement.value) if isinstance(node, ir.Name)}
    found = [p.name for p in request.function.params if p.default is not None and p.name in names]
    found += _fields_at(request, mentioned)
    return [name for name in dict.fromkeys(found) if name not in free]


def _mentioned(modules: Modules, places: Iterable[Span]) -> list[ir.Node]:
    return [n for place in places for node in _at(modules, place) for n in walk(node)]


def _fields_at(request: Request, mentioned: Iterable[ir.Node]) -> list[str]:
    """The fields of parameters with a class that are mentioned."""
    owners = {p.name for p in request.function.params if p.annotation is not None}
    owners |= docstring_classes(request.function).keys()
    return [
        f"{node.value.id}.{node.name}"
        for node in mentioned
        if isinstance(node, ir.Attr) and isinstance(node.value, ir.Name) and node.value.id in owners
    ]


def _at(modules: Modules, place: Span) -> Iterator[ir.Expr]:
    """The expressions at a place."""
    module = modules.of_file(place.file)
    nodes = walk(module.body) if module is not None else ()
    yield from (node for node in nodes if isinstance(node, ir.Expr) and node.at == place)


def _groups(names: list[str]) -> Iterator[frozenset[str]]:
    """Each of them for itself, then all, then two, three and so on of them."""
    yield from (frozenset((name,)) for name in names)
    if len(names) > 1:
        yield frozenset(names)
    for size in range(2, len(names)):
        yield from map(frozenset, combinations(names, size))
