"""The piece of source that an instruction comes from, on Pythons that do not keep it (3.10) too."""

from __future__ import annotations

import ast
import copy
import dis
import linecache
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from types import CodeType

Position = tuple[int, int, int, int]
"""First row, last row, and the columns, in bytes, where it begins and ends."""

_TREES: dict[str, ast.Module] = {}


def compiled_from(path: str, tree: ast.Module, text: str) -> None:
    """Note that the functions of a file are compiled from this tree, not the file's own, and what text it shows."""
    _TREES[path] = tree
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)


def tree_of(path: str) -> ast.Module | None:
    """What the functions of a file are compiled from; None where that cannot be told."""
    return _TREES.get(path) or _parsed("".join(linecache.getlines(path)))


@lru_cache(maxsize=64)
def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def position(code: CodeType, offset: int) -> Position | None:
    """Where the expression of the instruction at an offset stands; None where that cannot be told."""
    if not hasattr(code, "co_positions"):
        return _recovered(code).get(offset)
    for index, (row, end_row, column, end_column) in enumerate(code.co_positions()):
        if index == offset // 2:
            if row is None or end_row is None or column is None or end_column is None:
                return None
            return row, end_row, column, end_column
    return None


@cache
def _recovered(code: CodeType) -> Mapping[int, Position]:
    """The positions of a function's instructions: its source is compiled once more, each node on a line of its own."""
    tree = copy.deepcopy(tree_of(code.co_filename))
    if tree is None:
        return {}
    places: list[Position] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.stmt)):
            places.append((node.lineno, node.end_lineno or node.lineno, node.col_offset, node.end_col_offset or 0))
            node.lineno = node.end_lineno = len(places)
    methods: dict[int, int] = {}  # by the number of a call, that of what is called
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            methods[node.lineno] = node.func.lineno
            node.func.end_lineno = node.lineno  # where 3.10 puts the call of a method, and the look for it
    for other in _within(compile(tree, code.co_filename, "exec", dont_inherit=True)):
        first = places[other.co_firstlineno - 1][0] if other.co_name != "<module>" and places else code.co_firstlineno
        pairs = list(zip(_instructions(code), _instructions(other), strict=False))
        same = (other.co_name, first, other.co_names) == (code.co_name, code.co_firstlineno, code.co_names)
        if same and all(a.opname == b.opname for a, b in pairs):
            rows = dict(_rows(other))
            rows.update((b.offset, methods[rows[b.offset]]) for _, b in pairs if b.opname == "LOAD_METHOD")
            return {a.offset: places[rows[b.offset] - 1] for a, b in pairs if rows.get(b.offset)}
    return {}


def _within(code: CodeType) -> Iterator[CodeType]:
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _within(value)


def _instructions(code: CodeType) -> list[dis.Instruction]:
    """The instructions that do something: others are there for the sake of lines."""
    return [i for i in dis.get_instructions(code) if i.opname not in ("NOP", "EXTENDED_ARG")]


def _rows(code: CodeType) -> Iterator[tuple[int, int]]:
    for start, end, row in code.co_lines():
        for offset in range(start, end, 2):
            yield offset, row or 0
