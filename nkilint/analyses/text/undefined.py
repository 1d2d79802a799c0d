"""Names that nothing binds: what pyflakes finds, where it would be read while the program runs.

Most functions have no scopes inside but those of comprehensions and lambdas; of these it is told here, and faster.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pyflakes.checker import Annotation, Checker, ModuleScope, builtin_vars
from pyflakes.messages import UndefinedName

from nkilint.base.trees import FUNCTIONS, TRIES, Function, nodes_of, walk
from nkilint_rules.words.records import dataclass

from .bindings import COMPREHENSIONS, arguments_of, bindings_of
from .vacuous import dead_rows


@dataclass(frozen=True, slots=True)
class Names:
    """What a part of a file says of names: those that it reads and does not bind, with rows counted from where it
    begins, those that it binds for all, and whether there may be others."""

    unbound: tuple[tuple[str, int, int, int], ...]  # name, row, begin and end in it: the first place in each function
    bound: frozenset[str]
    opaque: bool


Read = tuple[str, int, int]
"""A name, and the row and offset at which it is read."""


def names_of(tree: ast.Module, file: str, row: int = 1) -> Names:
    """What a part that begins in `row` says of names."""
    function = _plain_function(tree)
    if function is None:
        return names_by_pyflakes(tree, file, row)
    futures = [a.name for s in tree.body if isinstance(s, ast.ImportFrom) for a in s.names]
    bound = builtin_vars | {*futures, tree.body[-1].name}  # type: ignore[attr-defined]
    return _names(tree, row, list(_read_unbound(tree, function, bound)), bound, False)


def names_by_pyflakes(tree: ast.Module, file: str, row: int = 1) -> Names:
    """The same of any part."""
    checker = Checker(tree, file)
    outermost = next(scope for scope in checker.deadScopes if isinstance(scope, ModuleScope))
    bound = frozenset(name for name, binding in outermost.items() if not isinstance(binding, Annotation))
    found = [(str(m.message_args[0]), m.lineno, m.col) for m in checker.messages if isinstance(m, UndefinedName)]
    return _names(tree, row, found, bound, outermost.importStarred)


def _names(tree: ast.Module, row: int, found: Sequence[Read], bound: frozenset[str], opaque: bool) -> Names:
    unbound = tuple(
        (name, node.lineno - row, node.col_offset, node.end_col_offset or 0) for node, name in _first(tree, found)
    )
    return Names(unbound, bound, opaque or _binds_otherwise(tree))


_OTHERWISE = (
    *FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom, *TRIES, ast.Delete, ast.AnnAssign, ast.Global, ast.Nonlocal,
)  # fmt: skip


def _plain_function(tree: ast.Module) -> Function | None:
    """The function that a part is, alone or in its class, if there is nothing in it that pyflakes is needed for."""
    if not tree.body:
        return None
    last = tree.body[-1]
    function = last.body[0] if isinstance(last, ast.ClassDef) and len(last.body) == 1 else last
    if not isinstance(function, FUNCTIONS):
        return None
    futures = [s for s in tree.body if isinstance(s, ast.ImportFrom) and s.module == "__future__"]
    if len(futures) + 1 != len(tree.body):
        return None
    known = {id(node) for node in (last, function, *futures)}
    if any(id(node) not in known and _asks_for_more(node) for node in nodes_of(tree)):
        return None
    return function


def _asks_for_more(node: ast.AST) -> bool:
    """Whether more comes of a node than that names are bound or read: `__class__` is there in methods alone."""
    return isinstance(node, _OTHERWISE) or (isinstance(node, ast.Name) and node.id.startswith("__"))


def _read_unbound(tree: ast.Module, function: Function, bound: frozenset[str]) -> Iterator[Read]:
    """The names that such a function reads and nobody in the part binds."""
    known = {*bound, *bindings_of(function), *(a.arg for a in arguments_of(function.args))}
    inside: set[int] = set()  # reads of what a comprehension or a lambda binds for itself
    for node in nodes_of(tree):
        if isinstance(node, (*COMPREHENSIONS, ast.Lambda)):
            own, parts = _own_scope(node)
            inside.update(id(n) for part in parts for n in walk(part) if isinstance(n, ast.Name) and n.id in own)
    for node in nodes_of(tree):
        if isinstance(node, ast.Name) and node.id not in known and id(node) not in inside:
            yield node.id, node.lineno, node.col_offset


def _own_scope(node: ast.AST) -> tuple[set[str], list[ast.AST]]:
    """The names that a comprehension or a lambda binds, and where these are seen."""
    if isinstance(node, ast.Lambda):
        return {a.arg for a in arguments_of(node.args)}, [node.body]
    assert isinstance(node, COMPREHENSIONS)
    own = {n.id for g in node.generators for n in walk(g.target) if isinstance(n, ast.Name)}
    first, *others = node.generators
    given = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    return own, [*given, first.target, *first.ifs, *others]


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


def _first(tree: ast.Module, found: Sequence[Read]) -> Iterator[tuple[ast.Name, str]]:
    """The first place of each name in each function."""
    if not found:
        return
    nodes = {(n.lineno, n.col_offset): n for n in nodes_of(tree) if isinstance(n, ast.Name)}
    unread = {id(n) for annotation in _unread_annotations(tree) for n in walk(annotation)}
    unread |= {id(n) for n in _handled_deletions(tree)}
    functions = [n for n in nodes_of(tree) if isinstance(n, FUNCTIONS)]
    dead = dead_rows(tree)  # of which it is told that nothing leads to them
    told: set[tuple[Function | None, str]] = set()
    for name, row, column in sorted(found, key=lambda read: read[1:]):
        node = nodes.get((row, column))
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
        if isinstance(node, TRIES) and any(map(_takes_unbound_names, node.handlers)):
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
