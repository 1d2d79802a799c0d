"""Loops, branches and ends of functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .form import OPERATORS, Change, at, before, body, calls, is_simple, name_of, names_in, operator

ELSEWHERE = (
    "wrong tile constant", "swapped operands", "wrong memory", "misspelt name", "renamed keyword", "index off by one",
)  # fmt: skip
"""Operators whose changes are made in branches of defaults, too."""


@operator("affine for sequential")
def _affine(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function, "sequential_range"):
        yield at(call.func, "nl.affine_range")


@operator("branch of a default")
def _branch(function: ast.FunctionDef) -> Iterator[Change]:
    """What only another value than the default reaches: statements left out, and what other operators change there."""
    count = len(function.args.defaults)
    defaulted = {a.arg for a in function.args.args[-count:]} if count else set()
    for node in body(function):
        if isinstance(node, ast.If) and any(isinstance(n, ast.Name) and n.id in defaulted for n in ast.walk(node.test)):
            for statement in node.body:
                if isinstance(statement, ast.Expr):
                    yield at(statement, "pass")
            last = node.body[-1].end_lineno or node.lineno
            for name in ELSEWHERE:
                yield from (c for c in OPERATORS[name](function) if node.body[0].lineno <= c.row <= last)


@operator("begun anew in a loop")
def _anew(function: ast.FunctionDef) -> Iterator[Change]:
    """What stands in front of a loop and is used behind it, allocations and initial values, once more at the beginning
    of its body."""
    for block in _blocks(function):
        for number, loop in enumerate(block):
            if isinstance(loop, ast.For) and is_simple(loop.body[0]):
                behind = {n.id for after in block[number + 1 :] for n in names_in(after)}
                used = behind & {n.id for n in names_in(loop)}
                for statement in block[:number]:
                    if _begins(statement) and _named(statement) & used:
                        yield before(loop.body[0], ast.unparse(statement))


@operator("moved out of its loop")
def _moved(function: ast.FunctionDef) -> Iterator[Change]:
    """The first statement of a loop, an allocation or an initial value, in front of it."""
    for loop in body(function):
        if isinstance(loop, ast.For) and _begins(loop.body[0]) and len(loop.body) > 1:
            first = loop.body[0]
            header = f"for {ast.unparse(loop.target)} in {ast.unparse(loop.iter)}:"
            if not {n.id for n in names_in(loop.target)} & {n.id for n in names_in(first)}:
                text = f"{ast.unparse(first)}\n{' ' * loop.col_offset}{header}"
                yield Change(loop.lineno, loop.col_offset, first.end_lineno or 0, first.end_col_offset or 0, text)


@operator("only in some iterations")
def _some(function: ast.FunctionDef) -> Iterator[Change]:
    """An effect that the first iteration leaves out, of those that neither change a tile in place nor add to one."""
    for loop in body(function):
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name):
            for statement in loop.body:
                call = statement.value if isinstance(statement, ast.Expr) else None
                if isinstance(call, ast.Call) and name_of(call) != "nc_matmul":
                    given = [ast.unparse(part) for part in (*call.args, *(k.value for k in call.keywords))]
                    if given and given[0] not in given[1:]:
                        yield at(statement, f"if {loop.target.id} > 0: {ast.unparse(statement)}")


@operator("early return")
def _early(function: ast.FunctionDef) -> Iterator[Change]:
    """The end of the kernel in front of a statement, in a loop or after it."""
    last = function.body[-1]
    for node in body(function) if isinstance(last, ast.Return) else ():
        if isinstance(node, ast.Expr) and is_simple(node):
            yield before(node, ast.unparse(last))


def _blocks(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    for node in (function, *body(function)):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                yield block


def _begins(statement: ast.stmt) -> bool:
    """Whether it allocates a tile, or gives it its initial value."""
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
        return name_of(statement.value) in ("ndarray", "zeros", "ones") and "hbm" not in ast.unparse(statement)
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and name_of(statement.value) == "memset"
    )


def _named(statement: ast.stmt) -> set[str]:
    """The tile that a statement begins with."""
    nodes = names_in(statement.targets[0] if isinstance(statement, ast.Assign) else statement)
    return {n.id for n in nodes} - {"nl", "nisa"}
