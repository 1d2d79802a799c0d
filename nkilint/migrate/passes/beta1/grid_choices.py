"""Index grids that are chosen become a grid and a number that is chosen.

A slice has no choice between grids, but it may begin at a number that hangs on a condition, or that a loop goes
through.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nkilint.evaluator.values.grids import Grid
from nkilint.fixes.edits import Edit, applied
from nkilint.migrate.facts import Facts
from nkilint.migrate.source import Source
from nkilint.migrate.steps import Example, Step, Surroundings
from nkilint.migrate.texts import PRODUCTS, enclosed
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.records import dataclass

_LOOP = "i = nl.arange(128)[:, None]\nj = nl.arange(128)[None, :]\nfor k in [j, j + 128]:\n    a = nl.load(x[i, k])\n"
STEP = Step(
    "grid-choices",
    "0.2",
    "E",
    __doc__,
    (
        Example(
            _LOOP + "    nl.store(out[i, k], a)",
            "for k_begin in [0, 128]:\n    a = nl.load(x[0:128, k_begin:k_begin + 128])\n"
            "    nl.store(out[0:128, k_begin:k_begin + 128], a)",
        ),
    ),
)


Terms = list[tuple[str, ast.expr]]
"""What is added and taken away in a sum, with its signs."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What binds a name to one of several grids: its statement, and what it chooses from."""

    statement: ast.Assign | ast.For
    name: ast.Name
    nodes: tuple[ast.expr, ...]


@STEP.first
def chosen(source: Source, around: Surroundings) -> tuple[str, int]:
    """The text with numbers chosen instead of grids, and how many choices there were."""
    count, edits = 0, list[Edit]()
    taken: dict[ast.AST, set[str]] = {}
    for statement in ast.walk(source.tree):
        choice = _choice(source, statement)
        grid = _grid(source, choice, around.facts()) if choice is not None else ""
        if choice is None or not grid:
            continue
        home = source.function(choice.statement) or source.tree
        names = taken.setdefault(home, {n.id for n in ast.walk(home) if isinstance(n, ast.Name)} | _arguments(home))
        new = f"{choice.name.id}_begin"
        while new in names:
            new += "_"
        names.add(new)
        count += 1
        edits += _edits(source, choice, grid, new)
    return applied(edits, source.text) if edits else source.text, count


def _arguments(node: ast.AST) -> set[str]:
    return {a.arg for a in ast.walk(node) if isinstance(a, ast.arg)}


def _choice(source: Source, s: ast.AST) -> Choice | None:
    """`k = j if flag else j + 128`, or the head of `for k in [j, j + 128]`."""
    name: ast.expr
    if isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.value, ast.IfExp):
        name, nodes = s.targets[0], list(_leaves(s.value))
    elif isinstance(s, ast.For) and not s.orelse and isinstance(s.iter, (ast.List, ast.Tuple)):
        name, nodes = s.target, s.iter.elts
        if s.body[0].lineno == s.lineno or source.indent(s.body[0]) is None:
            return None
    else:
        return None
    if not isinstance(name, ast.Name) or len(nodes) < 2 or source.indent(s) is None:
        return None
    return Choice(s, name, tuple(nodes)) if all(_names(n) for n in nodes) else None


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    """What an expression chooses from."""
    if isinstance(node, ast.IfExp):
        yield from _leaves(node.body)
        yield from _leaves(node.orelse)
    else:
        yield node


def _terms(node: ast.expr, sign: str = "+") -> Terms:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        other = sign if isinstance(node.op, ast.Add) else "-" if sign == "+" else "+"
        return [*_terms(node.left, sign), *_terms(node.right, other)]
    return [(sign, node)]


def _names(node: ast.expr) -> set[str]:
    """The names that are added once in a sum."""
    added = [n.id for sign, n in _terms(node) if isinstance(n, ast.Name) and sign == "+"]
    return {name for name in added if added.count(name) == 1}


def _grid(source: Source, choice: Choice, facts: Facts) -> str:
    """The grid that all of what is chosen from begins with, where the rest are numbers in each evaluation; empty for
    none."""
    common = set.intersection(*map(_names, choice.nodes))
    inside = [n for n in ast.walk(choice.statement) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    for name in sorted(common - {choice.name.id}):
        terms = [t for node in choice.nodes for _, t in _terms(node)]
        is_grid = [isinstance(t, ast.Name) and t.id == name for t in terms]
        values = [[s.value for s in facts.everywhere(source.path, source.place(t))] for t in terms]
        kinds = [
            all(isinstance(v, (Grid if g else (int, Sym))) for v in vs) for vs, g in zip(values, is_grid, strict=True)
        ]
        seen = any(g and vs for vs, g in zip(values, is_grid, strict=True))
        again = sum(n.id in {name, choice.name.id} for n in inside) != 1  # in the condition, or in an iteration
        offsets = {_offset(source, node, name) for node in choice.nodes}
        if seen and all(kinds) and not again and len(offsets) > 1:
            return name
    return ""


def _offset(source: Source, node: ast.expr, grid: str) -> str:
    """What is added to the grid."""
    text = ""
    for sign, term in _terms(node):
        if isinstance(term, ast.Name) and term.id == grid:
            continue
        part = enclosed(source.text_of(term), PRODUCTS)
        text = f"{text} {sign} {part}" if text else part if sign == "+" else f"-{part}"
    return text or "0"


def _edits(source: Source, choice: Choice, grid: str, new: str) -> Iterator[Edit]:
    for node in choice.nodes:
        yield Edit(*source.place(node), _offset(source, node, grid))
    yield Edit(*source.place(choice.name), new)
    row, column = source.place(choice.statement)[2:]
    line = f"{choice.name.id} = {grid} + {new}"
    if isinstance(choice.statement, ast.For):
        first = choice.statement.body[0]
        yield Edit(first.lineno, 1, first.lineno, 1, f"{source.indent(first) or ''}{line}\n")
        return
    rest, indent = source.lines[row - 1][column - 1 :].strip(), source.indent(choice.statement) or ""
    if (not rest or rest.startswith("#")) and row < len(source.lines):
        yield Edit(row + 1, 1, row + 1, 1, f"{indent}{line}\n")
    else:
        yield Edit(row, column, row, column, f"\n{indent}{line}")
