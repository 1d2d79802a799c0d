"""Rewrites one file for one version: each node by the step that has something to say of it, the rest as it stands."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from nkilint.base.trees import BLOCKS
from nkilint.evaluator.values.grids import Grid
from nkilint.evaluator.values.tensors import View
from nkilint.fixes.edits import Edit, applied, piece
from nkilint.project.imports import split_api
from nkilint_rules.operations import lookup
from nkilint_rules.words.conditions import Unknown

from .destinations import Pending
from .facts import Facts, Seen, settled
from .guards import check_order, contained, guarded
from .layout import saved_comments, wrapped
from .modules import check_builtins, check_version, imports_of, module_name
from .naming import Scope
from .nodes import Undecided as Undecided
from .nodes import children, parts_of
from .source import Source
from .steps import LETTERS, Step, dialect_before, order, steps

if TYPE_CHECKING:
    from .spelling import Speller


@dataclass(frozen=True, slots=True, order=True)
class Note:
    """Something that a person has to decide, or should know: `letter` is P where nothing was changed for it."""

    row: int
    letter: str
    step: str
    text: str


class Rewriter:
    """One file on its way to one version; `to` is the version that the whole migration leads to, `later` says that it
    has been on its way to others before."""

    def __init__(
        self,
        source: Source,
        facts: Callable[[], Facts],
        imports: Mapping[str, str],
        version: str,
        to: str,
        later: bool = False,
        letters: Collection[str] = LETTERS,
    ) -> None:
        self.source, self.imports, self._facts = source, dict(imports), facts
        self.modules: dict[str, str] = {}  # of NKI that the file comes to import, by their names there
        self.builtins: set[str] = set()  # of Python, which a star hides, and that the file comes to import
        self.hiding: Mapping[int, frozenset[str]] = {}  # by the row of a star, the names of Python that it hides
        self.version, self.to, self.later = version, to, later
        self.dialect = dialect_before(version)
        self.notes: list[Note] = []
        self.used: dict[str, int] = {}
        self.edits: list[Edit] = []
        self.pending: list[str] = []  # statements that are to stand before the current one
        self.guards: list[str] = []  # conditions under which the current one is to happen at all
        self.bounded: set[int] = set()  # axes, from the right, that masks of it bound
        self.cut: set[int] = set()  # those along which something was cut
        self.statement: ast.stmt | None = None
        self.made: dict[str, frozenset[str]] = {}  # new names, by the function or class at the top level around them
        self.removed: set[ast.AST] = set()  # nodes that went with their lines
        self.scopes: dict[ast.AST, Scope] = {}
        self.unrolled: set[ast.AST] = set()  # comprehensions that become loops, so that statements stand in them
        self.spellers: dict[tuple[ast.stmt | None, int | None], Speller] = {}
        self._given: dict[ast.AST, str] = {}
        self.alike: dict[tuple[str, frozenset[str]], Note] = {}  # inputs that are told to have one dtype in a function
        self.comments = set(letters) == set(LETTERS)  # what is left is told only where all of it was tried
        own = [s for s in steps() if s.to == version and s.letter in letters]
        self._nodes: dict[type[ast.AST], list[tuple[Step, Any]]] = {}
        self._operations: dict[str, tuple[Step, Any]] = {}
        for step in own:
            for kind, rewrite in step.nodes.items():
                self._nodes.setdefault(kind, []).append((step, rewrite))
            self._operations.update({name: (step, rewrite) for name, rewrite in step.operations.items()})

    @property
    def facts(self) -> Facts:
        """What the evaluator knows, which takes time to find out."""
        return self._facts()

    # --- the file ---

    def run(self) -> str:
        """The new text."""
        for statement in self.source.tree.body:
            self._statement(statement)
        return applied([*self.edits, *imports_of(self)], self.source.text)

    def _statement(self, statement: ast.stmt) -> None:
        self.pending, self.guards, self.bounded, self.cut, self.statement = [], [], set(), set(), statement
        if self._is_left(statement):
            return  # as it was, until its comment is taken away
        bodies = [(name, getattr(statement, name)) for name in BLOCKS if getattr(statement, name, None)]
        edits, notes = len(self.edits), len(self.notes)
        try:
            if bodies:
                self._header(statement)
            else:
                self._whole(statement)
            check_builtins(self, statement, parts_of(statement) if bodies else [statement], self.edits[edits:])
            check_version(self, self.edits[edits:])
        except Undecided as undecided:
            del self.edits[edits:]
            del self.notes[notes:]
            self._leave(statement, str(undecided))
        for _, body in bodies if statement not in self.removed else ():
            for inner in body:
                if isinstance(inner, ast.stmt):
                    self._statement(inner)
                else:
                    for each in inner.body:
                        self._statement(each)

    def _is_left(self, statement: ast.stmt) -> bool:
        """Whether a comment says that a simple statement was left to a person; an earlier run is told of once more."""
        why = self._above(statement)
        if not why or hasattr(statement, "body"):
            return False
        if not self.later:
            self.notes.append(Note(statement.lineno, "P", "", why))
        return True

    def _above(self, statement: ast.stmt) -> str:
        """What a comment above a statement says is left to do there; empty for nothing."""
        row = self.source.place(statement)[0]
        text = self.source.lines[row - 2].strip() if row > 1 else ""
        return text.removeprefix(MARK).strip() if text.startswith(MARK) else ""

    def _whole(self, statement: ast.stmt) -> None:
        new = self.render(statement)
        if isinstance(statement, ast.Expr) and self.pending and new.isidentifier():
            new = ""  # a tile whose name nothing reads
        if self.bounded - self.cut:
            raise Undecided("a mask bounds an axis that nothing in the statement is known to have")
        old = self.source.text_of(statement)
        if not new and not self.pending:
            self.edits += [*saved_comments(self.source, statement, ()), self.source.removal(statement)]
            return
        if new != old or self.pending:
            text = self._with_pending(statement, new)
            self.edits += saved_comments(self.source, statement, (text,))
            self._replace(self.source.place(statement), text)

    def _with_pending(self, statement: ast.stmt, new: str) -> str:
        parts = [*self.pending, *([new] if new else [])]
        indent = self.source.indent(statement)
        if self.guards:
            parts = guarded(self, statement, parts, indent)
        if indent is None:
            return "; ".join(parts) or "pass"
        return f"\n{indent}".join(wrapped(p, indent, self.source.deeper) for p in parts) or "pass"

    def _header(self, statement: ast.stmt) -> None:
        """A compound statement: its expressions one by one, and what they need before it."""
        for step, rewrite in self._nodes.get(type(statement), ()):
            if rewrite(self, statement) is not None:
                self.count(step)
        for child in parts_of(statement):
            if child not in self.removed:
                new = self.render(child)
                if new != self.source.text_of(child):
                    self.edits += saved_comments(self.source, child, (*self.pending, new))
                    self._replace(self.source.place(child), new)
        if self.pending:
            indent = self.source.indent(statement)
            if indent is None or isinstance(statement, ast.While):
                raise Undecided("what is computed here has no place of its own before the statement")
            row, column = self.source.place(statement)[:2]
            text = "".join(f"{p}\n{indent}" for p in self.pending)
            self.edits.append(Edit(row, column, row, column, text))

    def _replace(self, place: tuple[int, int, int, int], new: str) -> None:
        self.edits.append(Edit(*place, new))

    def _leave(self, statement: ast.stmt, why: str) -> None:
        """A comment that says what is left to do, above a statement that stays as it was."""
        why = " ".join(why.split())
        row = self.source.place(statement)[0]
        self.notes.append(Note(row, "P", "", why))
        indent = self.source.indent(statement)
        if self.comments and indent is not None and not self._above(statement):
            self.edits.append(Edit(row, 1, row, 1, f"{indent}{MARK} {why}\n"))

    # --- nodes ---

    def render(self, node: ast.AST) -> str:
        """The new text of a node; what writes to a destination gets a temporary tile."""
        found = self.translate(node)
        if not isinstance(found, Pending):
            return found
        check_order(self, node)
        return self.temporary(found)

    def translate(self, node: ast.AST) -> str | Pending:
        """The new text of a node, or an operation that still needs its destination."""
        if node in self._given:
            return self._given[node]
        operation = self.operation(node) if isinstance(node, ast.Call) else None
        if operation is not None and operation in self._operations:
            step, rewrite = self._operations[operation]
            guards = len(self.guards)
            found = rewrite(self, node)
            if found is not None:
                self.count(step)
                return contained(self, node, found, guards)  # type: ignore[arg-type]
        for step, rewrite in self._nodes.get(type(node), ()):
            found = rewrite(self, node)
            if found is not None:
                self.count(step)
                return found  # type: ignore[no-any-return]
        return self.plain(node)

    def plain(self, node: ast.AST) -> str:
        """The text of a node with the new texts of those in it."""
        place = self.source.place(node)  # type: ignore[arg-type]
        text, at = "", (place[0], place[1])
        for child in children(node):
            row, column, end_row, end_column = self.source.place(child)
            text += piece(self.source.lines, *at, row, column) + self.render(child)
            at = (end_row, end_column)
        return text + piece(self.source.lines, *at, place[2], place[3])

    def plain_with(self, node: ast.AST, given: Mapping[ast.AST, str]) -> str:
        """The text of a node with these texts for nodes in it."""
        self._given.update(given)
        return self.plain(node)

    def count(self, step: Step) -> None:
        self.used[step.name] = self.used.get(step.name, 0) + 1

    def temporary(self, pending: Pending) -> str:
        """A tile for a result that stands inside an expression."""
        target = getattr(self.statement, "targets", [None])[0]
        stem = target.id if isinstance(target, ast.Name) else ""
        name = self.fresh(f"{stem}_{pending.leaf}" if stem else f"{pending.leaf}_tile")
        self.declare(name, pending)
        self.pending.append(pending.into_new(name))
        return name

    def declare(self, name: str, pending: Pending) -> None:
        if not pending.views:
            raise Undecided(f"what `{pending.leaf}` gives is not known{pending.because}")
        if pending.unnamed:
            raise Undecided(pending.unnamed)
        buffer = self.module("language") + "." + str(pending.views[0].memory)
        created = f"{self.module('language')}.ndarray({pending.shape}, dtype={pending.dtype}, buffer={buffer})"
        self.pending.append(f"{name} = {created}")

    def note(self, node: ast.expr, letter: str, step: str, text: str) -> None:
        """Something that is told of what was rewritten."""
        self.notes.append(Note(node.lineno, letter, step, text))

    def fresh(self, name: str, everywhere: bool = False) -> str:
        """A name that nothing around a statement has, or nothing in the file, for one that is `everywhere`."""
        owner = "" if everywhere or self.statement is None else self.source.owner(self.statement.lineno)
        taken = set(self.source.names).union(*(n for o, n in self.made.items() if not owner or o in ("", owner)))
        chosen = next(n for k in count(1) if (n := name if k == 1 else f"{name}_{k}") not in taken)
        self.made[owner] = self.made.get(owner, frozenset()) | {chosen}
        return chosen

    # --- what is known ---

    def values(self, node: ast.AST, rank: int | None = None) -> list[Any]:
        """What an expression was in each evaluation; a parameter that is a tensor counts as that."""
        if not isinstance(node, ast.expr):
            return []
        found = [s.value for s in self.facts.of(self.source.path, self.source.place(node), rank)]
        if not found and isinstance(node, ast.Name):
            found = self._parameter(node, rank)
        return [settled(v) for v in found]

    def because(self, node: ast.AST) -> str:
        """Why the value of an expression is not known, to stand behind words that say so; empty if nothing says why."""
        if not isinstance(node, ast.expr):
            return ""
        found = self.facts.seen.get(self.source.path, {}).get(self.source.place(node), ())
        reasons = dict.fromkeys(s.value.reason for s in found if isinstance(s.value, Unknown))
        return f": {next(iter(reasons))}" if reasons else ""

    def ranks(self, node: ast.expr) -> list[int]:
        """All evaluations that say what an expression is."""
        return sorted({s.rank for s in self.facts.everywhere(self.source.path, self.source.place(node))})

    def rank(self, node: ast.AST) -> int:
        """Which evaluations say what is known of what stands in a statement."""
        return next((seen.rank for seen in self._reached(node)), 0)

    def _reached(self, node: ast.AST) -> list[Seen]:
        """What was seen of the first expression in a statement of which something is known."""
        parts = (n for n in ast.walk(node) if isinstance(n, ast.expr) and not isinstance(n, ast.Constant))
        seen = (self.facts.of(self.source.path, self.source.place(part)) for part in parts)
        return next(filter(None, seen), [])

    def _parameter(self, node: ast.Name, rank: int | None) -> list[Any]:
        """What a parameter was given in the evaluations that came to where it is read."""
        function = self.source.function(node)
        statement = self.source.statement(node) if rank is None else None
        reached = self._reached(statement) if statement is not None else []
        runs, rank = {s.run for s in reached}, reached[0].rank if reached else rank
        for each in [function, *(self.source.around(function) if function else ())]:
            if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
                a = each.args
                for parameter in (*a.posonlyargs, *a.args, *a.kwonlyargs):
                    if parameter.arg == node.id:
                        row, column, *_ = self.source.place(parameter)
                        place = (row, column, row, column + len(parameter.arg))
                        seen = self.facts.of(self.source.path, place, rank)
                        return [s.value for s in [s for s in seen if s.run in runs] or seen]
        return []

    def views(self, node: ast.AST) -> list[View]:
        """The tensors that an expression stands for, in each evaluation; empty if it is none in some."""
        found = self.values(node)
        return found if all(isinstance(v, View) for v in found) else []

    def is_tensor(self, node: ast.AST) -> bool:
        return bool(self.views(node))

    def is_grid(self, node: ast.AST) -> bool:
        found = self.values(node)
        return bool(found) and all(isinstance(v, Grid) for v in found)

    def memory(self, node: ast.AST) -> str:
        found = {str(v.memory) for v in self.views(node)}
        return found.pop() if len(found) == 1 else ""

    def runs_on_device(self, node: ast.expr | ast.stmt) -> bool:
        """Whether a kernel runs through a line, or comes into the function that it is of."""
        function, lines = self.source.function(node), {node.lineno}
        if function is not None:
            lines |= {p.lineno for p in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
        here = {(os.path.abspath(self.source.path), line) for line in lines}
        return any(here & rows for rows in self.facts.reached.values())

    # --- names of the API ---

    def dotted(self, node: ast.AST) -> str | None:
        """The dotted name of what is imported from outside that an expression names."""
        if isinstance(node, ast.Attribute):
            base = self.dotted(node.value)
            return None if base is None else f"{base}.{node.attr}"
        return self.imports.get(node.id) if isinstance(node, ast.Name) else None

    def api(self, node: ast.AST) -> tuple[str, str] | None:
        """Dialect and name in the rulebook of what an expression names."""
        dotted = self.dotted(node)
        return None if dotted is None else split_api(dotted)

    def operation(self, node: ast.Call) -> str | None:
        """The operation that is called."""
        named = self.api(node.func)
        if named is None or named[0] != self.dialect or lookup(*named) is None:
            return None
        return named[1]

    def rewrites(self, operation: str) -> bool:
        """Whether a step has something to say of an operation."""
        return operation in self._operations

    def module(self, name: str) -> str:
        """What the file calls a module of NKI."""
        return module_name(self, name)

    def top(self) -> str:
        """What the file calls NKI itself."""
        for local, dotted in self.imports.items():
            if dotted in ("neuronxcc.nki", "nki"):
                return local
        return "nki"

    def reaches(self, version: str) -> bool:
        """Whether the migration leads at least to a version."""
        return order(self.to) >= order(version)


MARK = "# nkilint: migrate:"


def bound(node: ast.Call, names: Sequence[str]) -> dict[str, ast.expr]:
    """The arguments of a call by parameter, in the order of the text."""
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        raise Undecided("its arguments are unpacked")
    if len(node.args) > len(names):
        raise Undecided("it has more arguments than parameters")
    found = dict(zip(names, node.args, strict=False))
    found.update({k.arg: k.value for k in node.keywords if k.arg is not None})
    return found
