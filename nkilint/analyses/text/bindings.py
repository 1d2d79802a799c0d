"""What the nodes of Python's syntax tree bind, and which of them belong to one scope."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from nkilint.base.trees import FUNCTIONS, Function, children, walk

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
BINDING = (
    ast.Name, *FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom,
    ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping,
)  # fmt: skip
"""Kinds of nodes that can bind names."""


@lru_cache(maxsize=32)
def own_nodes(scope: ast.Module | Function) -> tuple[ast.AST, ...]:
    """The nodes of a scope, those of functions, classes and lambdas inside it left out; their headers are its own."""
    found: list[ast.AST] = []
    stack: list[ast.AST] = list(reversed(scope.body))
    while stack:
        found.append(node := stack.pop())
        stack += inside_of(node)
    return tuple(found)


def own_below(node: ast.AST) -> list[ast.AST]:
    """The same of a statement or an expression, without the blocks in it."""
    found = [node]
    for here in found:
        found += [inside for inside in inside_of(here) if not isinstance(inside, ast.stmt)]
    return found


def inside_of(node: ast.AST) -> list[ast.AST]:
    """What is right in a node and belongs to the same scope."""
    if isinstance(node, FUNCTIONS):
        return [*node.decorator_list, *(d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None)]
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases]
    if isinstance(node, ast.Lambda):
        return [d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None]
    if not isinstance(node, COMPREHENSIONS):
        return children(node)
    return [n for n in walk(node) if isinstance(n, ast.NamedExpr)]


@lru_cache(maxsize=32)
def bindings_of(scope: ast.Module | Function) -> Mapping[str, Sequence[ast.AST]]:
    """The names that a scope binds or deletes, each with the nodes that do so."""
    found: dict[str, list[ast.AST]] = {}
    for node in own_nodes(scope):
        if isinstance(node, BINDING):
            for name in bound_by(node):
                found.setdefault(name, []).append(node)
    return found


def bound_by(node: ast.AST) -> Iterator[str]:
    """Names that a node itself binds."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, (ast.Store, ast.Del)):
            yield node.id
    elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from ((a.asname or a.name).partition(".")[0] for a in node.names if a.name != "*")
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name
    elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def arguments_of(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from arguments.posonlyargs + arguments.args + arguments.kwonlyargs
    yield from (a for a in (arguments.vararg, arguments.kwarg) if a is not None)


def names_in(node: ast.AST) -> set[str]:
    return {n.id for n in walk(node) if isinstance(n, ast.Name)}


def declared_in(scope: ast.AST) -> frozenset[str]:
    """The names that a scope, or one inside it, says are another's."""
    return frozenset(n for node in walk(scope) if isinstance(node, (ast.Global, ast.Nonlocal)) for n in node.names)
