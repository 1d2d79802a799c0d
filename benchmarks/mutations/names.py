"""Names that are wrong, change places, or are not bound on every path."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from keyword import iskeyword

from .form import Change, at, body, calls, operator, shaped

MODULES = frozenset({"nki", "nl", "nisa", "ncc", "np", "math"})
BUILTIN = frozenset(dir(builtins))


@operator("misspelt name")
def _name_misspelt(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function):
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) in ("nl", "nisa"):
            yield at(call.func, ast.unparse(call.func) + "s")
        for argument in call.args:
            if isinstance(argument, ast.Name) and not iskeyword(argument.id + "s"):
                yield at(argument, argument.id + "s")


@operator("swapped names")
def _swapped_names(function: ast.FunctionDef) -> Iterator[Change]:
    """Two sizes of a shape, two indices of a subscript, or two names in one call."""
    for node in body(function):
        pair: list[ast.expr] = []
        if isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Load) and len(node.elts) == 2:
            pair = node.elts
        elif isinstance(node, ast.Call) and len(node.args) == 2 and all(isinstance(a, ast.Name) for a in node.args):
            pair = node.args
        lists = any(isinstance(part, ast.List) for part in pair)
        if len(pair) == 2 and not lists and ast.unparse(pair[0]) != ast.unparse(pair[1]):
            text = f"{ast.unparse(pair[1])}, {ast.unparse(pair[0])}"
            first, last = pair
            yield Change(first.lineno, first.col_offset, last.end_lineno or 0, last.end_col_offset or 0, text)


@operator("binding in a branch")
def _bound_in_a_branch(function: ast.FunctionDef) -> Iterator[Change]:
    """A name that only large inputs bind."""
    sized = next(shaped(function), None)
    for node in body(function) if sized is not None else ():
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.lineno == node.end_lineno:
            yield at(node, f"if {sized}.shape[0] > 65536: {ast.unparse(node)}")


@operator("bound by a loop")
def _bound_by_a_loop(function: ast.FunctionDef) -> Iterator[Change]:
    """A name that a loop binds, which only large inputs have an iteration of."""
    sized = next(shaped(function), None)
    for node in body(function) if sized is not None else ():
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.lineno == node.end_lineno:
            yield at(node, f"for _ in range({sized}.shape[0] // 65536): {ast.unparse(node)}")


@operator("swapped dimensions")
def _dimensions(function: ast.FunctionDef) -> Iterator[Change]:
    """Sizes that are unpacked in another order."""
    for node in body(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            *others, one, two = (ast.unparse(e) for e in node.targets[0].elts)
            yield at(node.targets[0], ", ".join([*others, two, one]))


@operator("misspelt attribute")
def _attribute(function: ast.FunctionDef) -> Iterator[Change]:
    """What a tensor or an object is asked for and does not have."""
    for node in body(function):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in MODULES:
            yield at(node, f"{ast.unparse(node)}s")


@operator("arguments of a helper")
def _helper(function: ast.FunctionDef) -> Iterator[Change]:
    """A function or a class of the file that is called with one argument too few, or with one too many."""
    for call in calls(function):
        if isinstance(call.func, ast.Name) and call.func.id not in BUILTIN and call.args:
            given = [ast.unparse(a) for a in (*call.args, *call.keywords)]
            yield at(call, f"{call.func.id}({', '.join(given[:-1])})")
            yield at(call, f"{call.func.id}({', '.join(['None', *given])})")
