"""Names that nothing binds: what pyflakes finds, where it would be read while the program runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pyflakes.checker import Annotation, Checker, ModuleScope
from pyflakes.messages import UndefinedName

from nkilint.base.trees import FUNCTIONS, Function, nodes_of, walk
from nkilint_rules.words.records import dataclass

from .bindings import bindings_of
from .vacuous import dead_rows


@dataclass(frozen=True, slots=True)
class Names:
    """What a part of a file says of names: those that it reads and does not bind, with rows counted from where it
    begins, those that it binds for all, and whether there may be others."""

    unbound: tuple[tuple[str, int, int, int], ...]  # name, row, begin and end in it: the first place in each function
    bound: frozenset[str]
    opaque: bool


def names_of(tree: ast.Module, file: str, row: int = 1) -> Names:
    """What a part that begins in `row` says of names."""
    checker = Checker(tree, file)
    outermost = next(scope for scope in checker.deadScopes if isinstance(scope, ModuleScope))
    bound = frozenset(name for name, binding in outermost.items() if not isinstance(binding, Annotation))
    found = [m for m in checker.messages if isinstance(m, UndefinedName)]
    unbound = tuple(
        (name, node.lineno - row, node.col_offset, node.end_col_offset or 0) for node, name in _first(tree, found)
    )
    return Names(unbound, bound, outermost.importStarred or _binds_otherwise(tree))


def undefined(parts: Sequence[tuple[Names, int]], known: frozenset[str]) -> Iterator[ast.Name]:
    """Where a file reads a name that is bound nowhere, of its parts and the rows they begin in. What stands around the
    functions is the first; `known` are there in any case."""
    if any(names.opaque for names, _ in parts):
        return
    for number, (names, first) in enumerate(parts):
        there = known | parts[0][0].bound if number else known
        for name, row, begin, end in names.unbound:
            if name not in there:
                yield ast.Name(
                    name, ast.Load(), lineno=first + row, col_offset=begin, end_lineno=first + row, end_col_offset=end
                )


def _first(tree: ast.Module, found: Sequence[UndefinedName]) -> Iterator[tuple[ast.Name, str]]:
    """The first place of each name in each function."""
    if not found:
        return
    nodes = {(n.lineno, n.col_offset): n for n in nodes_of(tree) if isinstance(n, ast.Name)}
    unread = {id(n) for annotation in _unread_annotations(tree) for n in walk(annotation)}
    unread |= {id(n) for n in _handled_deletions(tree)}
    functions = [n for n in nodes_of(tree) if isinstance(n, FUNCTIONS)]
    dead = dead_rows(tree)  # of which it is told that nothing leads to them
    told: set[tuple[Function | None, str]] = set()
    for message in sorted(found, key=lambda m: (m.lineno, m.col)):
        name, node = message.message_args[0], nodes.get((message.lineno, message.col))
        if node is None or id(node) in unread:
            continue  # a text that stands for an expression is not read, such an annotation neither
        if any(node.lineno in rows for rows in dead):
            continue
        around = [f for f in functions if f.lineno <= node.lineno <= (f.end_lineno or f.lineno)]
        key = (around[-1] if around else None, name)
        if key not in told and not (around and _stores(around[-1], name)):
            told.add(key)
            yield node, name


def _stores(function: Function, name: str) -> bool:
    """Whether a function binds a name itself, of which definite assignment says where it is bound."""
    return any(not isinstance(getattr(n, "ctx", None), ast.Del) for n in bindings_of(function).get(name, ()))


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
