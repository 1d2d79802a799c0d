"""Names that nothing binds: what pyflakes finds, where it would be read while the program runs.

Most functions have no scopes inside but those of comprehensions and lambdas; of these it is told here, and faster.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pyflakes.checker import Annotation, Checker, ModuleScope, builtin_vars
from pyflakes.messages import UndefinedName

from nkilint.base.trees import FUNCTIONS, TRIES, Function, walk
from nkilint_rules.words.records import dataclass

from .bindings import arguments_of
from .code import Code, free_names, nodes_in
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


def names_of(code: Code, file: str, row: int = 1) -> Names:
    """What a part that begins in `row` says of names."""
    function = _plain_function(code)
    if function is None:
        return names_by_pyflakes(code, file, row)
    body = code.tree.body
    futures = [a.name for s in body if isinstance(s, ast.ImportFrom) for a in s.names]
    bound = builtin_vars | {*futures, body[-1].name}  # type: ignore[attr-defined]
    return _names(code, row, _read_unbound(code, function, bound), bound, False)


def names_by_pyflakes(code: Code, file: str, row: int = 1) -> Names:
    """The same of any part."""
    checker = Checker(code.tree, file)
    outermost = next(scope for scope in checker.deadScopes if isinstance(scope, ModuleScope))
    bound = frozenset(name for name, binding in outermost.items() if not isinstance(binding, Annotation))
    found = [(str(m.message_args[0]), m.lineno, m.col) for m in checker.messages if isinstance(m, UndefinedName)]
    return _names(code, row, _nodes_at(found, code), bound, outermost.importStarred)


def _names(code: Code, row: int, found: Sequence[ast.Name], bound: frozenset[str], opaque: bool) -> Names:
    unbound = tuple(
        (node.id, node.lineno - row, node.col_offset, node.end_col_offset or 0) for node in _first(code, found)
    )
    return Names(unbound, bound, opaque or _binds_otherwise(code))


_OTHERWISE = (
    *FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom, *TRIES, ast.Delete, ast.AnnAssign, ast.Global, ast.Nonlocal,
)  # fmt: skip


def _plain_function(code: Code) -> Function | None:
    """The function that a part is, alone or in its class, if there is nothing in it that pyflakes is needed for."""
    body = code.tree.body
    if not body:
        return None
    last = body[-1]
    function = last.body[0] if isinstance(last, ast.ClassDef) and len(last.body) == 1 else last
    if not isinstance(function, FUNCTIONS):
        return None
    futures = [s for s in body if isinstance(s, ast.ImportFrom) and s.module == "__future__"]
    if len(futures) + 1 != len(body):
        return None
    known = {last, function, *futures}
    if any(_asks_for_more(statement, code) for statement in code.statements if statement not in known):
        return None
    return None if any(map(_is_special, code.digest(function).names)) else function


def _asks_for_more(statement: ast.stmt, code: Code) -> bool:
    """Whether more comes of a statement than that names are bound or read."""
    return isinstance(statement, _OTHERWISE) or any(map(_is_special, code.digest(statement).names))


def _is_special(name: str) -> bool:
    """`__class__` is there in methods alone."""
    return name.startswith("__")


def _read_unbound(code: Code, function: Function, bound: frozenset[str]) -> list[ast.Name]:
    """Where such a function reads names that nobody in the part binds; of each the places up to one that is reached."""
    known = bound.union(code.bindings(function), (a.arg for a in arguments_of(function.args)))
    dead = dead_rows(code)
    found: list[ast.Name] = []
    for statement in code.statements:
        lost = code.digest(statement).free - known
        if lost:
            found += (node for node in free_names(nodes_in(statement)) if node.id in lost)
            if not isinstance(statement, _OTHERWISE) and not any(statement.lineno in rows for rows in dead):
                known |= lost
    return found


def _nodes_at(found: Sequence[Read], code: Code) -> list[ast.Name]:
    """The nodes of names that pyflakes names by their places, if they have any: texts may stand for expressions."""
    lost = {name for name, _, _ in found}
    there = [node for s in code.statements if not lost.isdisjoint(code.digest(s).names) for node in nodes_in(s)]
    nodes = {(n.id, n.lineno, n.col_offset): n for n in there if isinstance(n, ast.Name)}
    return [nodes[read] for read in found if read in nodes]


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


def _first(code: Code, found: Sequence[ast.Name]) -> Iterator[ast.Name]:
    """The first place of each name in each function."""
    if not found:
        return
    unread = {id(n) for annotation in _unread_annotations(code) for n in walk(annotation)}  # as Python runs
    unread |= {id(n) for n in _handled_deletions(code)}
    dead = dead_rows(code)  # of which it is told that nothing leads to them
    told: set[tuple[Function | None, str]] = set()
    for node in sorted(found, key=lambda node: (node.lineno, node.col_offset)):
        if id(node) in unread or any(node.lineno in rows for rows in dead):
            continue
        around = [f for f in code.functions if f.lineno <= node.lineno <= (f.end_lineno or f.lineno)]
        key = (around[-1] if around else None, node.id)
        if key not in told and not (around and _stores(around[-1], node.id, code)):
            told.add(key)
            yield node


def _stores(function: Function, name: str, code: Code) -> bool:
    """Whether a function binds a name itself, of which definite assignment says where it is bound."""
    return name in code.bound(function)


def _binds_otherwise(code: Code) -> bool:
    """Whether the module may bind names that its text does not show: in `globals()`, unless an item is read there, or
    by a text that it runs."""
    return not code.called.isdisjoint(_BINDING) and any(
        code.answer(statement, _may_bind) for statement in code.statements
    )


_BINDING = ("exec", "globals")


def _may_bind(nodes: Sequence[ast.AST]) -> bool:
    read = {id(n.value) for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load)}
    calls = (n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    return any(call.func.id in _BINDING and id(call) not in read for call in calls)  # type: ignore[attr-defined]


def _handled_deletions(code: Code) -> Iterator[ast.expr]:
    """Names that are deleted in a block of which a handler takes it that they are not bound."""
    for node in code.statements:
        if isinstance(node, TRIES) and any(map(_takes_unbound_names, node.handlers)):
            deleted = (part for statement in node.body for part in walk(statement) if isinstance(part, ast.Delete))
            yield from (target for each in deleted for target in each.targets)


def _takes_unbound_names(handler: ast.ExceptHandler) -> bool:
    kinds = [n.id for n in walk(handler.type) if isinstance(n, ast.Name)] if handler.type is not None else ["NameError"]
    return not {"NameError", "UnboundLocalError", "Exception", "BaseException"}.isdisjoint(kinds)


def _unread_annotations(code: Code) -> Iterator[ast.expr]:
    """Annotations that Python does not evaluate: of a function's own variables, and all where the file says so."""
    put_off = any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in code.tree.body)
    for here in code.statements:
        if isinstance(here, ast.AnnAssign) and any(
            f.lineno <= here.lineno <= (f.end_lineno or 0) for f in code.functions
        ):
            yield here.annotation
    for statement in code.statements if put_off else ():
        for node in nodes_in(statement):
            if isinstance(node, (ast.arg, ast.AnnAssign)) and node.annotation is not None:
                yield node.annotation
            elif isinstance(node, FUNCTIONS) and node.returns is not None:
                yield node.returns
