"""Names that nothing binds: what pyflakes finds, where it would be read while the program runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pyflakes.checker import Checker
from pyflakes.messages import UndefinedName

from nkilint.base.trees import Function, nodes_of, walk

from .bindings import FUNCTIONS


def undefined(tree: ast.Module, file: str, known: frozenset[str] = frozenset()) -> Iterator[tuple[ast.Name, str]]:
    """The first place in each function that reads a name that is bound nowhere; `known` are there in any case."""
    found = [m for m in Checker(tree, file, builtins=known).messages if isinstance(m, UndefinedName)]
    if not found or _binds_otherwise(tree):
        return
    nodes = {(n.lineno, n.col_offset): n for n in nodes_of(tree) if isinstance(n, (ast.Name, ast.Constant))}
    unread = {id(n) for annotation in _unread_annotations(tree) for n in walk(annotation)}
    unread |= {id(n) for n in _handled_deletions(tree)}
    functions = [n for n in nodes_of(tree) if isinstance(n, FUNCTIONS)]
    told: set[tuple[Function | None, str]] = set()
    for message in sorted(found, key=lambda m: (m.lineno, m.col)):
        name, node = message.message_args[0], nodes.get((message.lineno, message.col))
        if not isinstance(node, ast.Name) or id(node) in unread:
            continue  # a text that stands for an expression is not read, such an annotation neither
        around = [f for f in functions if f.lineno <= node.lineno <= (f.end_lineno or f.lineno)]
        key = (around[-1] if around else None, name)
        if key not in told:
            told.add(key)
            yield node, name


def _binds_otherwise(tree: ast.Module) -> bool:
    """Whether the module may bind names that its text does not show: in `globals()`, unless an item is read there, or
    by a text that it runs."""
    read = {id(n.value) for n in nodes_of(tree) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load)}
    calls = (n for n in nodes_of(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    return any(call.func.id in ("exec", "globals") and id(call) not in read for call in calls)  # type: ignore[attr-defined]


def _handled_deletions(tree: ast.Module) -> Iterator[ast.expr]:
    """Names that are deleted in a block of which a handler takes it that they are not bound."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Try) and any(map(_takes_unbound_names, node.handlers)):
            deleted = (part for statement in node.body for part in walk(statement) if isinstance(part, ast.Delete))
            yield from (target for each in deleted for target in each.targets)


def _takes_unbound_names(handler: ast.ExceptHandler) -> bool:
    kinds = [n.id for n in walk(handler.type) if isinstance(n, ast.Name)] if handler.type is not None else ["NameError"]
    return not {"NameError", "UnboundLocalError", "Exception", "BaseException"}.isdisjoint(kinds)


def _unread_annotations(tree: ast.Module) -> Iterator[ast.expr]:
    """Annotations that Python does not evaluate: of a function's own variables, and all where the file says so."""
    put_off = any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in tree.body)
    for node in nodes_of(tree):
        if isinstance(node, FUNCTIONS):
            yield from (n.annotation for n in walk(node) if isinstance(n, ast.AnnAssign))
        if put_off and isinstance(node, (ast.arg, ast.AnnAssign)) and node.annotation is not None:
            yield node.annotation
        elif put_off and isinstance(node, FUNCTIONS) and node.returns is not None:
            yield node.returns
