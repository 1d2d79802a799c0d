"""Parses a text that is edited again and again: only the statements that it has not seen yet.

Runs of simple statements are parsed one by one and remembered; what is left of the text, with a name for each run in
its place, is a skeleton of a few lines. Lowering visits the skeleton, and the statements where the names stand: it
takes positions from the whole text, so that the nodes need not know theirs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import libcst as cst

from nkilint.base.trees import parsed

_NAME = "_nkilint_run_of_statements_"
_REMEMBERED = 4_096  # statements
_Lines = tuple[cst.SimpleStatementLine, ...]


@dataclass(slots=True)
class _Run:
    """Simple statements that follow each other in a block, from row to row."""

    row: int
    end_row: int
    indent: str
    texts: list[str] = field(default_factory=list)


def skeleton(text: str) -> tuple[cst.Module, Mapping[str, _Lines]] | None:
    """The tree of `text` in which some names stand for statements; None if it has to be parsed as a whole."""
    if "\r" in text or _NAME in text:
        return None
    lines = text.split("\n")
    try:
        runs = list(_runs(parsed(text).body, lines))
        known = {f"{_NAME}{number}": tuple(map(_parsed, run.texts)) for number, run in enumerate(runs)}
        return cst.parse_module(_without(runs, lines)), known
    except (SyntaxError, ValueError, RecursionError, MemoryError, cst.ParserSyntaxError):
        return None  # parsing it as a whole says what is wrong


@lru_cache(_REMEMBERED)
def _parsed(text: str) -> cst.SimpleStatementLine:
    node = cst.parse_statement(text)
    if not isinstance(node, cst.SimpleStatementLine):
        raise ValueError(text)
    return node


def _without(runs: Sequence[_Run], lines: Sequence[str]) -> str:
    """The text with a name in the place of each run."""
    kept: list[str] = []
    done = 0
    for number, run in enumerate(runs):
        kept += lines[done : run.row - 1]
        kept.append(f"{run.indent}{_NAME}{number}")
        done = run.end_row
    return "\n".join([*kept, *lines[done:]])


def _runs(body: Sequence[ast.stmt], lines: Sequence[str]) -> Iterator[_Run]:
    """The runs in a block and in the blocks below it, in the order of the text."""
    run: _Run | None = None
    for statement in body:
        found = None if hasattr(statement, "body") or hasattr(statement, "cases") else _alone(statement, lines)
        if found is None:
            if run is not None:
                yield run
            run = None
            for block in _blocks(statement):
                yield from _runs(block, lines)
            continue
        indent, text = found
        if run is None:
            run = _Run(statement.lineno, 0, indent)
        run.end_row = statement.end_lineno or statement.lineno
        run.texts.append(text)
    if run is not None:
        yield run


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement, in the order of the text."""
    yield getattr(statement, "body", [])
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body
    yield getattr(statement, "orelse", [])
    yield getattr(statement, "finalbody", [])


def _alone(statement: ast.stmt, lines: Sequence[str]) -> tuple[str, str] | None:
    """The indent and the text of a simple statement; None if its lines hold more than it."""
    first, last = statement.lineno - 1, (statement.end_lineno or statement.lineno) - 1
    start = _offset(lines[first], statement.col_offset)
    stop = _offset(lines[last], statement.end_col_offset or 0)
    indent, rest = lines[first][:start], lines[last][stop:].lstrip(" \t")
    if indent.strip(" \t") or (rest and not rest.startswith("#")) or (first and lines[first - 1].endswith("\\")):
        return None
    if first == last:
        return indent, lines[first][start:stop]
    return indent, "\n".join((lines[first][start:], *lines[first + 1 : last], lines[last][:stop]))


def _offset(line: str, units: int) -> int:
    """An offset in bytes as one in characters."""
    return units if line.isascii() else len(line.encode("utf-8", "surrogatepass")[:units].decode("utf-8", "ignore"))
