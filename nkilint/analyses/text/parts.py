"""A file in parts, each of which is judged by itself: its functions, and what stands around them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from copy import copy
from functools import partial

from nkilint.base.trees import FUNCTIONS, Function
from nkilint_rules.words.records import dataclass

from .by_text import has_word, key_of
from .code import blocks_of


@dataclass(frozen=True, slots=True)
class Part:
    """The tree of a part. Of a function that is its body: its head belongs to what stands around it.

    `key` tells all that is judged of it but for the row it begins in, and `torn` that not all its rows move with that.
    """

    make: Callable[[], ast.Module]
    row: int
    key: str
    torn: bool = False

    @property
    def tree(self) -> ast.Module:
        """Made where it is asked for, which of most parts nobody does after an edit."""
        return self.make()


def parts_of(tree: ast.Module, lines: Sequence[str]) -> list[Part]:
    """What stands around the functions of a file, and these."""
    futures = [s for s in tree.body if isinstance(s, ast.ImportFrom) and s.module == "__future__"]
    functions: list[Part] = []
    rest: list[str | None] = list(lines)
    around = _around(tree, None, lines, futures, functions, rest)
    key = "\n".join(line for line in rest if line is not None)
    return [Part(partial(ast.Module, around, []), 1, key_of(key), torn=True), *functions]


def _around(
    tree: ast.Module | ast.ClassDef,
    of_class: ast.ClassDef | None,
    lines: Sequence[str],
    futures: list[ast.ImportFrom],
    functions: list[Part],
    rest: list[str | None],
) -> list[ast.stmt]:
    """A block in which functions have no bodies; these are put to the others, and their rows taken out of the rest."""
    found: list[ast.stmt] = []
    for node in tree.body:
        here = node
        if isinstance(node, ast.ClassDef) and not _has_types(node):
            here = copy(node)
            here.body = _around(node, node, lines, futures, functions, rest)
        elif isinstance(node, FUNCTIONS) and not _has_types(node):
            text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            if not (has_word(text, "global") and _declares(node)):  # else it binds names of the whole file: no part
                here = copy(node)
                here.body = [ast.copy_location(ast.Pass(), node.body[0])]
                key = key_of(f"{of_class is None} {[a.name for s in futures for a in s.names]} {text}")
                functions.append(Part(partial(_alone, node, of_class, futures), node.lineno, key))
                first = node.body[0]
                if not lines[first.lineno - 1][: first.col_offset].strip():  # else the head goes on there
                    rows = slice(first.lineno - 1, node.end_lineno)
                    rest[rows] = [None] * len(rest[rows])
        found.append(here)
    return found


def _declares(node: ast.stmt) -> bool:
    """Whether a `global` stands in a statement; the word may stand in a comment, too."""
    return isinstance(node, ast.Global) or any(_declares(inner) for block in blocks_of(node) for inner in block)


def _alone(node: Function, of_class: ast.ClassDef | None, futures: Sequence[ast.ImportFrom]) -> ast.Module:
    function = _headless(node)
    return ast.Module([*futures, function if of_class is None else _headless_class(of_class, function)], [])


def _has_types(node: Function | ast.ClassDef) -> bool:
    """Whether there are parameters that stand for types, which all inside can see."""
    return bool(getattr(node, "type_params", ()))


def _headless_class(node: ast.ClassDef, function: Function) -> ast.ClassDef:
    inside = copy(node)
    inside.bases, inside.keywords, inside.decorator_list, inside.body = [], [], [], [function]
    return inside


def _headless(node: Function) -> Function:
    """A function without what is evaluated where it is defined."""
    inside = copy(node)
    inside.decorator_list, inside.returns = [], None
    arguments = inside.args = copy(node.args)
    arguments.defaults, arguments.kw_defaults = [], [None] * len(arguments.kwonlyargs)
    arguments.posonlyargs, arguments.args, arguments.kwonlyargs = (
        [_bare(a) for a in group] for group in (arguments.posonlyargs, arguments.args, arguments.kwonlyargs)
    )
    arguments.vararg, arguments.kwarg = (a and _bare(a) for a in (arguments.vararg, arguments.kwarg))
    return inside


def _bare(argument: ast.arg) -> ast.arg:
    return ast.copy_location(ast.arg(argument.arg), argument) if argument.annotation else argument
