"""Repairs that need to see the function around a finding: other loops, assertions."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import lru_cache

from nkilint.base.findings import Diagnostic, KernelReport
from nkilint.base.trees import column_of, function_at, tree_of

from .edits import Edit, Fix

_REBOUND = re.compile(r"`(\w+)` becomes a new tensor")
_AXIS = re.compile(r"(\w+)\.shape\[(?P<axis>\d+)\] == (\w+)\.shape\[(?P=axis)\]")
_RANK = re.compile(r"(\w+) has (\d+) dimensions?(?:,.*)?")
_LOOP = re.compile(r"loop over `(\w+)`")


def run_in_sequence(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    """`sequential_range` for the `affine_range` whose iterations depend on one another."""
    tree, named = tree_of(lines), _LOOP.search(finding.message)
    if tree is None or named is None:
        return None
    loops = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.For)
        and isinstance(n.target, ast.Name)
        and n.target.id == named[1]
        and n.lineno <= finding.at.row <= (n.end_lineno or n.lineno)
        and isinstance(n.iter, ast.Call)
    ]
    if not loops:
        return None
    loop = max(loops, key=lambda n: n.lineno)
    assert isinstance(loop.iter, ast.Call)
    called = loop.iter.func
    if not isinstance(called, ast.Attribute) or called.attr != "affine_range" or called.end_lineno is None:
        return None  # a name of its own would have to be imported
    end = column_of(lines, called.end_lineno, called.end_col_offset or 0)
    edit = Edit(called.end_lineno, end - len("affine_range"), called.end_lineno, end, "sequential_range")
    return Fix("run the iterations in sequence", (edit,))


def update_in_place(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    """`x[...] = x + y` for `x = x + y`, which makes a new tensor."""
    named, at = _REBOUND.match(finding.message), finding.at
    if named is None:
        return None
    line, start = lines[at.row - 1], at.column - 1
    before = re.match(rf"\s*{named[1]}(?=\s*=\s*$)", line[:start])  # where the finding stands at the value
    if before is None and not re.match(rf"{named[1]}\s*=[^=]", line[start:]):
        return None  # an annotated or chained assignment, or one to several names
    column = (start + len(named[1]) if before is None else before.end()) + 1
    return Fix("assign to the elements", (Edit(at.row, column, at.row, column, "[...]"),))


def state_precondition(finding: Diagnostic, kernel: KernelReport, lines: Sequence[str]) -> Fix | None:
    """`assert M % 128 == 0` in the kernel, right where the names in it have their values."""
    tree = tree_of(lines)
    if tree is None or finding.precondition is None or kernel.file != finding.at.file:
        return None
    function = function_at(tree, kernel.at.row)
    asserted = _as_shapes(_as_equation(finding.precondition, kernel.contract), kernel)
    try:
        condition = ast.parse(asserted, mode="eval")
    except SyntaxError:
        return None
    if function is None or not isinstance(condition, ast.Expression):
        return None
    names = {n.id for n in ast.walk(condition) if isinstance(n, ast.Name)} - {"min", "max", "len", "abs"}
    row = _row_after(function, names)
    if row is None or not (row <= finding.at.row or finding.at.row < function.lineno):
        return None
    first = _first_statement(function)
    indent = lines[first.lineno - 1][: column_of(lines, first.lineno, first.col_offset) - 1]
    if indent.strip() or row > len(lines):
        return None  # the body stands on the line of the definition
    return Fix(f"assert `{asserted}`", (Edit(row, 1, row, 1, f"{indent}assert {asserted}\n"),))


def _as_equation(precondition: str, contract: Sequence[str]) -> str:
    """The equation that the contract states instead of the bound `precondition`, if it does, or the bound."""
    sides = re.fullmatch(r"([^<>=!]+) [<>]= ([^<>=!]+)", precondition)
    wanted = {f"{a} == {b}" for a, b in (sides.groups(), sides.groups()[::-1])} if sides else set()
    return next((condition for condition in contract if condition in wanted), precondition)


def _as_shapes(condition: str, kernel: KernelReport) -> str:
    """`a.shape == b.shape` for one of the equations that say the same axis by axis."""
    found = _AXIS.fullmatch(condition)
    if found is None:
        return condition
    one, other = found[1], found[3]
    ranks = {match[1]: int(match[2]) for match in map(_RANK.fullmatch, kernel.assumptions) if match}
    if one not in ranks or ranks[one] != ranks.get(other):
        return condition
    axes = range(ranks[one])
    equal = all(_equal_axes(one, other, axis) & set(kernel.contract) for axis in axes)
    return f"{one}.shape == {other}.shape" if equal else condition


def _equal_axes(one: str, other: str, axis: int) -> set[str]:
    """Both ways to write it."""
    a, b = f"{one}.shape[{axis}]", f"{other}.shape[{axis}]"
    return {f"{a} == {b}", f"{b} == {a}"}


def _row_after(function: ast.FunctionDef | ast.AsyncFunctionDef, names: set[str]) -> int | None:
    """The first row of the body where all `names` have the values that they keep; None if that is not certain."""
    a = function.args
    parameters = {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
    first = _first_statement(function)
    last = (
        first.lineno - 1 if first is not function.body[0] or not _is_text(first) else first.end_lineno or first.lineno
    )
    bound: set[str] = set()
    for statement in function.body:
        assigned = _assigned(statement)
        if not assigned & names:
            continue
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or assigned & bound or assigned & parameters & names:
            return None
        bound |= assigned
        last = max(last, statement.end_lineno or statement.lineno)
    if names - parameters - bound:
        return None
    row = last + 1
    return row if all(not s.lineno < row <= (s.end_lineno or s.lineno) for s in function.body) else None


def _first_statement(function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
    """The first statement that does something; the docstring if there is no other."""
    body = function.body
    return body[1] if len(body) > 1 and _is_text(body[0]) else body[0]


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


@lru_cache(maxsize=1024)
def _assigned(statement: ast.stmt) -> frozenset[str]:
    """The names that a statement binds; asked again for each finding in a kernel."""
    return frozenset(n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
