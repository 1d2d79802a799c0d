"""Whether what a statement assigns may be read at another place of its function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache, partial

from nkilint.base.trees import BLOCKS, FUNCTIONS, Function

from .source import Source

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_LATER = (*FUNCTIONS, ast.Lambda)


Scope = Function | ast.Module


def loads_of(source: Source, scope: Scope) -> list[ast.Name]:
    """Where a function, or the module, reads names: not where functions in it have names of their own."""
    loads = (n for n in ast.walk(scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    own = cache(partial(_own, source))
    return [n for n in loads if not any(n.id in own(f) for f in _functions_below(source, n, scope))]


def _functions_below(source: Source, node: ast.AST, scope: Scope) -> Iterator[Function]:
    for each in source.around(node):
        if each is scope:
            return
        if isinstance(each, FUNCTIONS):
            yield each


def _own(source: Source, function: Function) -> set[str]:
    """The names that a function binds for itself."""
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    found = {p.arg for p in parameters if p is not None}
    other: set[str] = set()
    for node in ast.walk(function):
        if source.function(node) is not function:
            continue
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            other.update(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            inside = any(isinstance(n, (ast.comprehension, ast.Lambda)) for n in _up_to(source, node, function))
            found |= set() if inside else {node.id}
    return found - other


def may_read(source: Source, function: Scope, statement: ast.Assign, load: ast.Name) -> bool:
    """Whether the name `load` may have what `statement` assigned: unless something else is assigned on each path."""
    if any(isinstance(n, _LATER) and n is not function for n in _up_to(source, load, function)):
        return True  # it is read whenever that is called
    before = [a for a in _binding(function, load.id) if _comes_before(source, a, load)]
    last = max(before, key=_place, default=None)
    if last is None:
        return True
    if last is statement:
        return True
    if _place(statement) < _place(load):
        return _place(last) < _place(statement)
    loops = [n for n in _up_to(source, load, function) if isinstance(n, _LOOPS)]
    common = next((n for n in loops if n in set(_up_to(source, statement, function))), None)
    return common is not None and not any(n is common for n in _up_to(source, last, function)) and last is not common


def _binding(function: Scope, name: str) -> Iterator[ast.stmt]:
    """The statements that assign to a name, whatever it had."""
    for node in ast.walk(function):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.For) else []
        if any(
            isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
            for t in targets
            for n in ast.walk(t)
        ):
            yield node  # type: ignore[misc]


def _comes_before(source: Source, assigned: ast.stmt, load: ast.Name) -> bool:
    """Whether nothing leads to a place but through an assignment: it stands before it in a block around, or is the loop
    around it."""
    around = [n for n in _up_to(source, load, None) if isinstance(n, (ast.stmt, ast.excepthandler, ast.match_case))]
    if isinstance(assigned, ast.For) and assigned in around:
        inside = {id(n) for s in assigned.body for n in ast.walk(s)}
        return id(load) in inside
    if isinstance(assigned, ast.For):
        return False  # it may have no iteration
    parent = source.parents.get(assigned)
    for name in BLOCKS:
        block = getattr(parent, name, None)
        if isinstance(block, list) and assigned in block:
            return any(s in around for s in block[block.index(assigned) + 1 :])
    return False


def _up_to(source: Source, node: ast.AST, function: Scope | None) -> Iterator[ast.AST]:
    """The nodes around one, up to its function."""
    for each in source.around(node):
        yield each
        if each is function:
            return


def _place(node: ast.stmt | ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset
