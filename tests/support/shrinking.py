"""Makes a program that fails smaller, as long as it fails."""

from __future__ import annotations

import ast
import copy
import warnings
from collections.abc import Callable, Iterator
from typing import Any

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
MOST = 3000  # programs that are tried
SIMPLE = (ast.Constant(1), ast.Constant(0), ast.Name("n"))


def shrunk(source: str, fails: Callable[[str], bool]) -> str:
    """The smallest program found that still fails."""
    best = ast.unparse(ast.parse(source))
    if not fails(best):
        return source
    seen = {best}
    changed = True
    while changed and len(seen) < MOST:
        changed = False
        for smaller in _smaller(best):
            if smaller in seen or len(smaller) >= len(best):
                continue
            seen.add(smaller)
            if fails(smaller):
                best, changed = smaller, True
                break
            if len(seen) >= MOST:
                break
    return best


def _smaller(source: str) -> Iterator[str]:
    """Programs with one thing less, the largest things first."""
    tree = ast.parse(source)
    for number, (node, name) in enumerate(_blocks(tree)):
        length = len(getattr(node, name))
        for width in sorted({length, *(2**i for i in range(5) if 2**i < length)}, reverse=True):
            for first in range(0, length - width + 1, max(1, width // 2)):
                yield from _without(tree, number, first, width)
        for position in range(length):
            yield from _unwrapped(tree, number, position)
    yield from _expressions(tree)


def _blocks(tree: ast.AST) -> list[tuple[Any, str]]:
    return [(node, name) for node in ast.walk(tree) for name in BLOCKS if isinstance(getattr(node, name, None), list)]


def _without(tree: ast.Module, number: int, first: int, width: int) -> Iterator[str]:
    """Without some statements of a block that are no imports."""
    made = copy.deepcopy(tree)
    node, name = _blocks(made)[number]
    block = getattr(node, name)
    if any(isinstance(gone, (ast.Import, ast.ImportFrom)) for gone in block[first : first + width]):
        return
    del block[first : first + width]
    if not block and name == "body":
        block.append(ast.Pass())
    yield from _text(made)


def _unwrapped(tree: ast.Module, number: int, position: int) -> Iterator[str]:
    """With what stands in a statement in its place."""
    for inner in ("body", "orelse"):
        made = copy.deepcopy(tree)
        node, name = _blocks(made)[number]
        block = getattr(node, name)
        inside = getattr(block[position], inner, None)
        if isinstance(block[position], ast.stmt) and isinstance(inside, list):
            block[position : position + 1] = inside
            yield from _text(made)


def _expressions(tree: ast.Module) -> Iterator[str]:
    """With a part of an expression, or something simple, in the place of one."""
    for number, (_, _, _, node) in enumerate(_places(tree)):
        parts = [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)]
        simple = () if isinstance(node, (ast.Constant, ast.Name)) else SIMPLE
        for new in [*parts, *simple, *_fewer(node)]:
            made = copy.deepcopy(tree)
            parent, field, index, _ = _places(made)[number]
            if index is None:
                setattr(parent, field, new)
            else:
                getattr(parent, field)[index] = new
            yield from _text(made)


def _fewer(node: ast.expr) -> Iterator[ast.expr]:
    """A display or a call with an item less."""
    for name in ("elts", "args", "keywords", "values", "generators"):
        items = getattr(node, name, None)
        for position in range(len(items) if isinstance(items, list) else 0):
            made: Any = copy.deepcopy(node)
            del getattr(made, name)[position]
            if isinstance(made, ast.Dict):
                del made.keys[position]
            yield made


def _places(tree: ast.AST) -> list[tuple[Any, str, int | None, ast.expr]]:
    """Where expressions stand that are read."""
    found: list[tuple[Any, str, int | None, ast.expr]] = []
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if isinstance(value, list):
                found += [(parent, field, i, item) for i, item in enumerate(value) if _is_read(item)]
            elif _is_read(value):
                found.append((parent, field, None, value))
    return found


def _is_read(node: Any) -> bool:
    return isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))


def _text(tree: ast.Module) -> Iterator[str]:
    try:
        text = ast.unparse(ast.fix_missing_locations(tree))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "program.py", "exec")
    except (SyntaxError, ValueError, TypeError, AttributeError):
        return
    yield text
