"""Takes away index grids that helpers hand back, and that objects hold, where nothing reads them any more."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from nkilint.base.trees import BLOCKS, FUNCTIONS, Function
from nkilint.fixes.edits import Edit, applied

from .cleaning import Grids
from .facts import Facts
from .parameters import calls_of
from .reading import may_read
from .source import Source

Elsewhere = Callable[[str], bool]
"""Whether another file has a name."""


def handed_back(source: Source, facts: Facts, is_index: Callable[[object], bool]) -> Grids:
    """The parts of results, and the assignments to fields, that were index grids wherever they were evaluated; each
    with the name of the function it is in."""
    found: dict[tuple[str, str], bool] = {}
    for function in (n for n in ast.walk(source.tree) if isinstance(n, FUNCTIONS)):
        assigned = (s for s in ast.walk(function) if isinstance(s, ast.Assign) and _field(s))
        held = [(s.value, source.text_of(s)) for s in assigned]
        parts = [(e, source.text_of(e)) for result in _results(source, function) or () for e in result.elts]
        for node, text in (*held, *parts):
            seen = facts.of(source.path, source.place(node))
            grid = bool(seen) and all(is_index(s.value) for s in seen)
            found[function.name, text] = found.get((function.name, text), True) and grid
    return frozenset(key for key, grid in found.items() if grid)


def without_handed_grids(source: Source, grids: Grids, elsewhere: Elsewhere, field_elsewhere: Elsewhere) -> str:
    """The text with None for parts of results that were grids, and without fields that were, if none reads these."""
    edits = [*_without_parts(source, grids, elsewhere), *_without_fields(source, grids, field_elsewhere)]
    return applied(edits, source.text) if edits else source.text


def _without_parts(source: Source, grids: Grids, elsewhere: Elsewhere) -> Iterator[Edit]:
    for function in (n for n in ast.walk(source.tree) if isinstance(n, FUNCTIONS)):
        results = _results(source, function)
        if not results or not any((function.name, source.text_of(e)) in grids for r in results for e in r.elts):
            continue
        calls = calls_of(source, function)
        if calls is None or elsewhere(function.name):
            continue
        for number, parts in enumerate(zip(*(r.elts for r in results), strict=True)):
            made = all((function.name, source.text_of(part)) in grids for part in parts)
            if made and not any(_reads(source, call, number, len(results[0].elts)) for call in calls):
                yield from (Edit(*source.place(part), "None") for part in parts)


def _results(source: Source, function: Function) -> list[ast.Tuple] | None:
    """What a function returns or yields, where that is so many values each time; None for anything else."""
    kinds = (ast.Return, ast.Yield, ast.YieldFrom)
    given = [n for n in ast.walk(function) if isinstance(n, kinds) and source.function(n) is function]
    values = [n.value for n in given]
    found = [value for value in values if isinstance(value, ast.Tuple)]
    return found if len(found) == len(values) and len({len(value.elts) for value in found}) == 1 else None


def _reads(source: Source, call: ast.Call, number: int, count: int) -> bool:
    """Whether something may read one of the values that a call gives."""
    around, function = source.parents[call], source.function(call)
    target = around.targets[0] if isinstance(around, ast.Assign) and len(around.targets) == 1 else None
    target = around.target if isinstance(around, ast.For) and around.iter is call else target
    if function is None or not isinstance(target, ast.Tuple) or len(target.elts) != count:
        return True
    name = target.elts[number]
    if not isinstance(name, ast.Name):
        return True
    loads = (n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name.id)
    read = [n for n in loads if isinstance(n.ctx, ast.Load)]
    return any(not isinstance(around, ast.Assign) or may_read(source, function, around, n) for n in read)


def _field(statement: ast.Assign) -> bool:
    """Whether a statement assigns to a field of an object."""
    return len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Attribute)


def _without_fields(source: Source, grids: Grids, elsewhere: Elsewhere) -> Iterator[Edit]:
    read = {n.attr for n in ast.walk(source.tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)}
    read |= {n.value for n in ast.walk(source.tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    if "__dict__" in read or source.names & {"vars", "asdict"}:
        return  # all fields are read
    gone: list[ast.stmt] = []
    for statement in ast.walk(source.tree):
        function = source.function(statement)
        if function is None or not isinstance(statement, ast.Assign) or not _field(statement):
            continue
        name: str = statement.targets[0].attr  # type: ignore[attr-defined]
        if (function.name, source.text_of(statement)) in grids and name not in read and not elsewhere(name):
            gone.append(statement)
    for statement in gone:
        blocks = (getattr(source.parents[statement], part, None) for part in BLOCKS)
        block = next(b for b in blocks if isinstance(b, list) and statement in b)
        empty = statement is block[0] and all(s in gone for s in block)
        yield Edit(*source.place(statement), "pass") if empty else source.removal(statement)
