"""Where in a function or a module names are bound, and what stands around a node; looked for where it is asked."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

from nkilint.base.trees import FUNCTIONS, children

from .bindings import bound_by, inside_of
from .code import Code, Scope, blocks_of, nodes_in

_SCOPES = (*FUNCTIONS, ast.ClassDef)
_HOLDING = (ast.stmt, ast.ExceptHandler, ast.match_case)  # what blocks are made of, and what has blocks


class Surroundings:
    """Those in one scope, whose own statements are told by their texts."""

    def __init__(self, scope: Scope, code: Code) -> None:
        self.scope, self.code, self.own = scope, code, code.own[scope]
        self._open: set[ast.stmt] = set()  # statements with all their nodes in `parents`
        self._bindings: dict[str, tuple[ast.AST, ...]] = {}

    def bindings(self, name: str) -> tuple[ast.AST, ...]:
        """The nodes that bind or delete a name, in the order of `own_nodes`."""
        if name not in self._bindings:
            self._bindings[name] = tuple(node for node in self._candidates(name) if name in bound_by(node))
        return self._bindings[name]

    def _candidates(self, name: str) -> Iterator[ast.AST]:
        """The own nodes of the scope but for those of statements that do not bind the name."""
        stack: list[ast.AST] = list(reversed(self.scope.body))
        while stack:
            node = stack.pop()
            if isinstance(node, ast.stmt):
                digest = self.code.digest(node)
                if name in digest.bound or name in digest.deleted:
                    self._look_into(node)
                elif isinstance(node, _SCOPES):
                    continue
                else:
                    stack += (each for block in blocks_of(node) for each in block)
                    continue
            yield node
            stack += inside_of(node)

    def bound_in(self, first: ast.stmt, last: ast.stmt) -> tuple[frozenset[str], frozenset[str]]:
        """What the statements of a block bind or delete, and what of that they delete."""
        low = bisect_left(self._places, (first.lineno, first.col_offset))
        high = bisect_left(self._places, (last.end_lineno or 0, last.end_col_offset or 0))
        found = [self.code.digest(statement) for statement in self.own[low:high]]
        gone = frozenset[str]().union(*(digest.deleted for digest in found if digest.deleted))
        return gone.union(*(digest.bound for digest in found)), gone

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        return [(statement.lineno, statement.col_offset) for statement in self.own]

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The nodes right above the statements, and above the nodes in those that have been looked into."""
        found: dict[ast.AST, ast.AST] = {}
        for here in (self.scope, *self.own):
            inner = here is not self.scope and isinstance(here, _SCOPES)
            for child in () if inner else children(here):
                if isinstance(child, _HOLDING):
                    found[child] = here
                    if not isinstance(child, ast.stmt):
                        found.update((each, child) for each in children(child) if isinstance(each, ast.stmt))
        return found

    def _look_into(self, statement: ast.stmt) -> None:
        if statement not in self._open:
            self._open.add(statement)
            for node in nodes_in(statement):
                self.parents.update((child, node) for child in children(node) if not isinstance(child, ast.stmt))

    def steps(self, node: ast.AST, of: ast.stmt | None = None) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Each node from this one on, which may be in a statement that is named, with the one right above it."""
        if of is not None:
            self._look_into(of)
        while node is not self.scope and node in self.parents:
            yield node, self.parents[node]
            node = self.parents[node]
