"""What is known to be an index grid: by the values that evaluations gave, and by its text."""

from __future__ import annotations

import ast
from typing import Any

from nkilint.base.trees import FUNCTIONS
from nkilint.evaluator.values.containers import DictValue, ListValue
from nkilint.evaluator.values.grids import Grid
from nkilint_rules.words.conditions import IsUnknown

from .cleaning import Grids
from .facts import Facts
from .grids import GRIDS
from .rewriting import Rewriter
from .source import Source

_EFFECTS = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)


def is_index(value: Any) -> bool:
    """Whether a value is an index grid, or several."""
    try:
        items = value.items if isinstance(value, (DictValue, ListValue)) else value
    except IsUnknown:  # nobody says of it what it holds
        return False
    items = tuple(items.values()) if isinstance(items, dict) else items
    return isinstance(value, Grid) or (isinstance(items, tuple) and len(items) > 0 and all(map(is_index, items)))


def grid_statements(source: Source, facts: Facts) -> Grids:
    """The assignments that gave index grids or masks wherever they were evaluated, with their functions: the names may
    stand for something else at other places."""
    found: dict[tuple[str, str], bool] = {}
    for statement in ast.walk(source.tree):
        function = source.function(statement) if isinstance(statement, ast.Assign) else None
        if isinstance(statement, ast.Assign) and function is not None:
            names = [n for t in statement.targets for n in ast.walk(t) if isinstance(n, ast.expr)]
            seen = [facts.of(source.path, source.place(n)) for n in names if isinstance(n, ast.Name)]
            plain = all(isinstance(n, (ast.Name, ast.Tuple)) for n in names) and all(seen)
            key = function.name, source.text_of(statement)
            found[key] = found.get(key, True) and plain and all(is_index(s.value) for each in seen for s in each)
    return frozenset(key for key, grids in found.items() if grids)


def plain_grids(rewriter: Rewriter) -> Grids:
    """The assignments that make index grids whenever they run, also where no evaluation comes: in functions around
    kernels, and in the module."""
    source, found = rewriter.source, set()
    for statement in ast.walk(source.tree):
        nodes = list(ast.walk(statement.value)) if isinstance(statement, ast.Assign) else []
        calls = [n for n in nodes if isinstance(n, ast.Call)]
        made = any(isinstance(n, (ast.Attribute, ast.Name)) and rewriter.api(n) in GRIDS for n in nodes)
        pure = all(rewriter.api(n.func) in GRIDS for n in calls) and not any(isinstance(n, _EFFECTS) for n in nodes)
        if isinstance(statement, ast.Assign) and made and pure and _binds_names(statement):
            function = source.function(statement)
            found.add((function.name if function is not None else "", source.text_of(statement)))
    return frozenset(found)


def _binds_names(statement: ast.Assign) -> bool:
    """Whether a statement assigns to nothing but names."""
    parts = [e for t in statement.targets for e in (t.elts if isinstance(t, ast.Tuple) else [t])]
    return all(isinstance(e, ast.Name) for e in parts)


def grid_names(source: Source, facts: Facts) -> set[tuple[str, str]]:
    """The names that stand for index grids or masks wherever they were evaluated, with their functions."""
    found: dict[tuple[str, str], bool] = {}
    for node in ast.walk(source.tree):
        function = source.function(node) if isinstance(node, ast.Name) else None
        if isinstance(node, ast.Name) and function is not None:
            seen = facts.of(source.path, source.place(node))
            key = function.name, node.id
            if seen:
                grid = all(is_index(s.value) for s in seen)
                found[key] = found.get(key, True) and grid
        elif isinstance(node, FUNCTIONS):
            for parameter in (*node.args.posonlyargs, *node.args.args):
                row, column = source.place(parameter)[:2]
                seen = facts.of(source.path, (row, column, row, column + len(parameter.arg)))
                given = [s.value for s in seen if s.value is not None]
                if given and (node.name, parameter.arg) not in found:
                    found[node.name, parameter.arg] = all(map(is_index, given))
    return {key for key, grid in found.items() if grid}


def grid_methods(rewriter: Rewriter) -> set[str]:
    """The names of methods that give index grids or masks, and nothing else, wherever they were evaluated."""
    found = set()
    for made in (n for n in rewriter.source.tree.body if isinstance(n, ast.ClassDef)):
        for method in (n for n in made.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("__")):
            given = [n.value for n in ast.walk(method) if isinstance(n, ast.Return)]
            parts = [p for v in given for p in (v.elts if isinstance(v, ast.Tuple) and v.elts else [v])]
            values = [rewriter.values(part) if part is not None else [] for part in parts]
            if values and all(each and all(map(is_index, each)) for each in values):
                found.add(method.name)
    return found
