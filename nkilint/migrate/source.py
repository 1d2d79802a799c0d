"""A file that is rewritten: its text, its syntax tree, and where the nodes of that stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from nkilint.base.source import indentation
from nkilint.base.trees import FUNCTIONS, Function, parsed, place_of
from nkilint.fixes.edits import Edit, piece


@dataclass(frozen=True)
class Source:
    """The text of one file; one that does not parse has no tree."""

    path: str
    text: str

    @cached_property
    def lines(self) -> Sequence[str]:
        return tuple(self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))

    @cached_property
    def tree(self) -> ast.Module:
        return parsed("\n".join(self.lines))

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """By node, the one around it."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def names(self) -> frozenset[str]:
        """All names in it that stand for something."""
        found = {n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name)}
        found |= {n.arg for n in ast.walk(self.tree) if isinstance(n, ast.arg)}
        found |= {n.name for n in ast.walk(self.tree) if isinstance(n, (*FUNCTIONS, ast.ClassDef))}
        return frozenset(found)

    @cached_property
    def deeper(self) -> str:
        """What a block is indented by, as in the first function."""
        for node in self.tree.body:
            if isinstance(node, FUNCTIONS):
                line = self.lines[node.body[0].lineno - 1]
                return indentation(line) or "    "
        return "    "

    def place(self, node: ast.expr | ast.stmt | ast.arg) -> tuple[int, int, int, int]:
        return place_of(node, self.lines)

    def text_of(self, node: ast.expr | ast.stmt) -> str:
        return piece(self.lines, *self.place(node))

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around one, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def function(self, node: ast.AST) -> Function | None:
        """The innermost function around a node."""
        return next((n for n in self.around(node) if isinstance(n, FUNCTIONS)), None)

    def owner(self, row: int) -> str:
        """The name of the function or class at the top level that a row is in; empty for none."""
        for node in self.tree.body:
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node.lineno <= row <= (node.end_lineno or 0):
                return node.name
        return ""

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement that a node is in."""
        if isinstance(node, ast.stmt):
            return node
        return next((n for n in self.around(node) if isinstance(n, ast.stmt)), None)

    def removal(self, statement: ast.stmt) -> Edit:
        """The statement goes with its lines, unless it is all that a block has, or shares them."""
        row, column, end_row, end_column = self.place(statement)
        around = self.parents[statement]
        blocks = [getattr(around, name, []) for name in ("body", "orelse", "finalbody")]
        before, after = self.lines[row - 1][: column - 1], self.lines[end_row - 1][end_column - 1 :]
        rest = after.lstrip().removeprefix(";").lstrip()
        if after.lstrip().startswith(";") and rest and not rest.startswith("#"):  # another statement on the same line
            return Edit(row, column, end_row, end_column + len(after) - len(rest), "")
        if any(block == [statement] for block in blocks) or before.strip():
            return Edit(row, column, end_row, end_column, "pass")
        if after.strip().startswith("#"):
            return Edit(row, column, end_row, end_column + len(after) - len(after.lstrip()), "")
        if after.strip() or end_row >= len(self.lines):
            return Edit(row, column, end_row, end_column, "pass")
        return Edit(row, 1, end_row + 1, 1, "")

    def indent(self, statement: ast.stmt) -> str | None:
        """What stands before a statement on its line, if that is blank."""
        row, column = self.place(statement)[:2]
        before = self.lines[row - 1][: column - 1]
        return before if not before.strip() else None
