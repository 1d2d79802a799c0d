"""What has a name at a place: the expressions before it whose values still hold there, and their values."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from nkilint.base.trees import BLOCKS, FUNCTIONS, Function
from nkilint.symbolic.integers import key_of
from nkilint_rules.words.records import dataclass

if TYPE_CHECKING:
    from .rewriting import Rewriter

Path = tuple[tuple[int, str], ...]
"""The blocks around a statement, outermost first: statements with the name of their part."""

_NAMES = (ast.Name, ast.Attribute, ast.Subscript)
_SCOPES = (*FUNCTIONS, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.While, ast.AsyncFor)


@dataclass(frozen=True, slots=True)
class Named:
    """An expression of names, attributes and subscripts, and where it stands."""

    text: str
    node: ast.expr
    row: int
    path: Path
    roots: frozenset[str]


@dataclass(slots=True)
class Scope:
    """The expressions of a function and, by name, where its variables are bound."""

    named: list[Named] = field(default_factory=list)
    stores: dict[str, list[tuple[int, Path]]] = field(default_factory=lambda: defaultdict(list))
    loops: set[int] = field(default_factory=set)
    given: frozenset[str] = frozenset()  # what is bound before the function runs, and nothing binds anew meanwhile


def signature(values: Sequence[Any]) -> tuple[Any, ...]:
    """Values by which expressions are compared: one where all are the same."""
    keys = tuple(map(key_of, values))
    return keys[:1] if keys and all(k == keys[0] for k in keys) else keys


def parameters(function: Function) -> frozenset[str]:
    a = function.args
    return frozenset(p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs))


def names_at(r: Rewriter, at: ast.expr | ast.stmt) -> Iterator[Named]:
    """The expressions of the same function that have the value at a place that they had where they stand, the plainest
    first; the last occurrence of each."""
    function = r.source.function(at)
    if function is None:
        return
    scope = _scope_of(r, function)
    statement = r.source.statement(at) or at
    path = _path(r, statement, function)
    found = {n.text: n for n in scope.named if _holds(scope, n, statement, path)}
    yield from sorted(found.values(), key=lambda n: (not n.text.isidentifier(), len(n.text), n.text))


def keeps_its_value(r: Rewriter, name: ast.Name, at: ast.expr) -> bool:
    """Whether a name has the value at a later place that it has where it stands."""
    function = r.source.function(at)
    if function is None or r.source.function(name) is not function:
        return False
    scope = _scope_of(r, function)
    if name.id not in scope.stores:
        return True
    statement = r.source.statement(at) or at
    here = Named(name.id, name, name.lineno, _path(r, name, function), frozenset({name.id}))
    return _holds(scope, here, statement, _path(r, statement, function))


def _scope_of(r: Rewriter, function: Function) -> Scope:
    scope = r.scopes.get(function)
    if scope is None:
        scope = r.scopes[function] = _scope(r, function)
    return scope


def _scope(r: Rewriter, function: Function) -> Scope:
    around = [f for f in r.source.around(function) if isinstance(f, FUNCTIONS)]
    scope = Scope(given=parameters(function).union(*(_kept(r, f) for f in around)))
    for child in [*function.args.args, *function.args.kwonlyargs, *function.args.posonlyargs]:
        name = ast.Name(child.arg, ast.Load())
        for key in ("lineno", "col_offset", "end_lineno"):
            setattr(name, key, getattr(child, key))
        name.end_col_offset = child.col_offset + len(child.arg.encode())
        scope.named.append(Named(child.arg, name, child.lineno, (), frozenset({child.arg})))
    for statement in function.body:
        _gather(r, statement, function, scope)
    return scope


def _kept(r: Rewriter, function: Function) -> frozenset[str]:
    """The variables that do not change while a function inside of theirs runs."""
    inside = list(ast.walk(function))
    found = {*parameters(function), *(n.id for n in inside if isinstance(n, ast.Name) and _binds(r, n, function))}
    return frozenset(found.difference(*(n.names for n in inside if isinstance(n, (ast.Nonlocal, ast.Global)))))


def _binds(r: Rewriter, name: ast.Name, function: Function) -> bool:
    return isinstance(name.ctx, ast.Store) and r.source.function(name) is function


def _gather(r: Rewriter, node: ast.AST, function: Function, scope: Scope) -> None:
    if isinstance(node, _SCOPES):
        return
    if isinstance(node, _LOOPS):
        scope.loops.add(id(node))
    if isinstance(node, _NAMES):
        text = r.source.text_of(node)
        names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
        calls = any(isinstance(n, (ast.Call, ast.Slice, ast.Tuple, *_SCOPES)) for n in ast.walk(node))
        stored = isinstance(node.ctx, ast.Store)
        path = _path(r, node, function)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            scope.stores[node.id].append((node.lineno, path))
        if not calls and "\n" not in text and (isinstance(node, ast.Name) or not stored):
            scope.named.append(Named(text, node, node.lineno, path, frozenset(n.id for n in names)))
    for child in ast.iter_child_nodes(node):
        _gather(r, child, function, scope)


def _path(r: Rewriter, node: ast.AST, function: Function) -> Path:
    """The blocks of `function` around a node; the target of a loop belongs to its body."""
    found: list[tuple[int, str]] = []
    while node is not function and node in r.source.parents:
        above = r.source.parents[node]
        for name in BLOCKS:
            part = getattr(above, name, None)
            if isinstance(part, list) and any(n is node for n in part) and above is not function:
                found.append((id(above), name))
        if isinstance(above, ast.For) and node is above.target:
            found.append((id(above), "body"))
        node = above
    return tuple(reversed(found))


def _holds(scope: Scope, named: Named, statement: ast.AST, path: Path) -> bool:
    """Whether nothing can have bound its names anew between where it stands and a statement, and it has been there."""
    row, end = statement.lineno, _header_end(statement)  # type: ignore[attr-defined]
    loaded = isinstance(getattr(named.node, "ctx", None), ast.Load)
    if named.row > end or (named.row >= row and not loaded) or path[: len(named.path)] != named.path:
        return False
    around = {number for number, part in path[len(named.path) :] if part == "body" and number in scope.loops}
    for name in named.roots:
        stores = scope.stores.get(name, ())
        if not stores and name not in scope.given:
            return False
        for stored, inside in stores:
            between = named.row + (not loaded) <= stored < row  # a statement reads before it binds
            again = stored >= row and any(number in around for number, part in inside if part == "body")
            if between or again:
                return False
    return True


def _header_end(statement: ast.AST) -> int:
    """The last row of a statement without the blocks in it."""
    body = getattr(statement, "body", None)
    end: int = statement.end_lineno  # type: ignore[attr-defined]
    return body[0].lineno - 1 if isinstance(body, list) and body else end
