"""The statements of a part of a file, and what is in each: looked for once in each text, which most edits leave so."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

from nkilint.base.store import Memory
from nkilint.base.trees import FUNCTIONS, Function, children, walk
from nkilint_rules.words.records import dataclass

from .bindings import COMPREHENSIONS, arguments_of, bound_by, own_below
from .endings import ends

Answer = TypeVar("Answer")
Scope = ast.Module | Function
OPAQUE = frozenset({"exec", "eval", "locals", "vars", "globals"})  # with these, names can come from anywhere
SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Import, ast.ImportFrom, ast.Pass)
HEADED = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)
"""Statements whose text before their first block tells what is in them."""

_BRANCHING = (ast.IfExp, ast.NamedExpr)


@dataclass(frozen=True, slots=True, eq=False)
class Digest:
    """What is in a statement, without the blocks in it. What a scope inside an expression has of its own is in `names`.

    `plain` says that its expressions have no ways through them and bind nothing but targets, and `answers` are those to
    questions about it.
    """

    names: frozenset[str]
    free: frozenset[str]  # without those that comprehensions and lambdas bind for themselves
    read: frozenset[str]
    bound: tuple[str, ...]  # each once
    deleted: frozenset[str]
    called: frozenset[str]  # names and methods
    plain: bool
    opaque: bool
    answers: dict[Callable[..., Any], Any]


_KNOWN = Memory(8_192)


class Code:
    """A tree and its text. The statements are in the order of the text, those of classes and functions included."""

    def __init__(self, tree: ast.Module, lines: Sequence[str]) -> None:
        self.tree, self.lines = tree, lines
        self.statements: list[ast.stmt] = []
        self.blocks: list[Sequence[ast.stmt]] = [tree.body]
        self.own: dict[Scope, list[ast.stmt]] = {tree: []}
        """The statements of each scope, those of functions and classes inside left out."""
        self._digests: dict[ast.stmt, Digest] = {}
        self._bound: dict[Scope, frozenset[str]] = {}
        self._below: dict[ast.stmt, frozenset[str]] = {}
        self._gather(tree.body, self.own[tree])

    def _gather(self, body: Sequence[ast.stmt], own: list[ast.stmt]) -> None:
        for statement in body:
            self.statements.append(statement)
            own.append(statement)
            self._digests[statement] = self._digest(statement)
            if isinstance(statement, FUNCTIONS):
                inside = self.own[statement] = []
            else:
                inside = [] if isinstance(statement, ast.ClassDef) else own
            for block in blocks_of(statement):
                self.blocks.append(block)
                self._gather(block, inside)

    @property
    def functions(self) -> list[Function]:
        return [scope for scope in self.own if isinstance(scope, FUNCTIONS)]

    @cached_property
    def called(self) -> frozenset[str]:
        """What is called anywhere."""
        return frozenset[str]().union(*(self._digests[s].called for s in self.statements))

    def digest(self, statement: ast.stmt) -> Digest:
        return self._digests[statement]

    def bound(self, scope: Scope) -> frozenset[str]:
        """The names that a scope binds."""
        known = self._bound.get(scope)
        if known is None:
            found = (self._digests[statement].bound for statement in self.own[scope])
            known = self._bound[scope] = frozenset[str]().union(*found)
        return known

    def bindings(self, scope: Scope) -> frozenset[str]:
        """The names that a scope binds or deletes."""
        found = (self._digests[statement].deleted for statement in self.own[scope])
        return self.bound(scope).union(*found)

    def names_below(self, statement: ast.stmt) -> frozenset[str]:
        """The names in a statement and the blocks in it."""
        known = self._below.get(statement)
        if known is None:
            inside = (self.names_below(inner) for block in blocks_of(statement) for inner in block)
            known = self._below[statement] = self._digests[statement].names.union(*inside)
        return known

    def answer(self, statement: ast.stmt, question: Callable[[Sequence[ast.AST]], Answer]) -> Answer:
        """What a statement says to a question about the nodes in it, of which the answer holds none."""
        answers = self._digests[statement].answers
        if question not in answers:
            answers[question] = question(nodes_in(statement))
        answer: Answer = answers[question]
        return answer

    def _digest(self, statement: ast.stmt) -> Digest:
        """What is in a statement; remembered for those that lines of their own tell."""
        key = self._key(statement)
        known: Digest | None = _KNOWN.get("", key) if key else None
        if known is None:
            known = _digested(statement)
            if key:
                _KNOWN.put("", key, known)
        return known

    def _key(self, statement: ast.stmt) -> str:
        """The text of a simple statement, or of what stands before the first block of another, and where in it."""
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        end = statement.end_col_offset or 0
        if isinstance(statement, HEADED):
            block = statement.body[0]
            last, end = block.lineno, block.col_offset
        elif hasattr(statement, "body") or isinstance(statement, ast.Match):
            return ""
        if last > len(self.lines):
            return ""
        text = self.lines[first - 1] if first == last else "\n".join(self.lines[first - 1 : last])
        return f"{type(statement).__name__} {statement.col_offset} {end} {text}"  # `pass` may stand for other text


def blocks_of(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks right in a statement, in the order of the text."""
    if not hasattr(statement, "body"):
        return [case.body for case in statement.cases] if isinstance(statement, ast.Match) else []
    found = [statement.body, *(handler.body for handler in getattr(statement, "handlers", ()))]
    return [*found, *(block for part in ("orelse", "finalbody") if (block := getattr(statement, part, None)))]


def nodes_in(statement: ast.stmt) -> list[ast.AST]:
    """The statement and the nodes in it, level by level, without the blocks."""
    found: list[ast.AST] = [statement]
    for here in found:
        found += [node for node in children(here) if not isinstance(node, ast.stmt)]
    return found


def _digested(statement: ast.stmt) -> Digest:
    nodes = nodes_in(statement)
    own = own_below(statement)
    named = [node for node in nodes if isinstance(node, ast.Name)]
    deleted = frozenset(node.id for node in own if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del))
    bound = dict.fromkeys(name for node in own for name in bound_by(node) if not is_deleting(node))
    read = {node.id for node in named if isinstance(node.ctx, ast.Load)}
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        read.add(statement.target.id)
    return Digest(
        frozenset(node.id for node in named),
        frozenset(node.id for node in free_names(nodes)),
        frozenset(read),
        tuple(bound),
        deleted,
        frozenset(_called(node) for node in nodes if isinstance(node, ast.Call)),
        _is_plain(statement, nodes),
        any(_is_opaque(node) for node in own),
        {},
    )


def is_deleting(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _is_plain(statement: ast.stmt, nodes: Sequence[ast.AST]) -> bool:
    if isinstance(statement, ast.AnnAssign) and statement.value is None:
        return False
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and ends(statement.value):
        return False
    return not any(isinstance(node, _BRANCHING) for node in nodes)


def _is_opaque(node: ast.AST) -> bool:
    """Whether names come of a node that its text does not show."""
    if isinstance(node, ast.ImportFrom):
        return node.names[0].name == "*"
    return isinstance(node, ast.Name) and node.id in OPAQUE


def free_names(nodes: Sequence[ast.AST]) -> Iterator[ast.Name]:
    """The names among nodes that no comprehension and no lambda among them binds for itself."""
    inside: set[int] = set()
    for node in nodes:
        if isinstance(node, (*COMPREHENSIONS, ast.Lambda)):
            own, parts = _own_scope(node)
            inside.update(id(n) for part in parts for n in walk(part) if isinstance(n, ast.Name) and n.id in own)
    return (node for node in nodes if isinstance(node, ast.Name) and id(node) not in inside)


def _own_scope(node: ast.AST) -> tuple[set[str], list[ast.AST]]:
    """The names that a comprehension or a lambda binds, and where these are seen."""
    if isinstance(node, ast.Lambda):
        return {a.arg for a in arguments_of(node.args)}, [node.body]
    assert isinstance(node, COMPREHENSIONS)
    own = {n.id for g in node.generators for n in walk(g.target) if isinstance(n, ast.Name)}
    first, *others = node.generators
    given = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    return own, [*given, first.target, *first.ifs, *others]
