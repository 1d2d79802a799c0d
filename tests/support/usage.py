"""How often open kernels write each construct of Python, so that random programs can be weighed as real code is.

A construct is a node of Python's own syntax tree with the place where it stands in another one (`Assign.targets:List`),
a method with a name of Python's, or the last name of what is called where that is Python's. The counts
(tests/data/host_programs/usage.txt) are of the public kernels that `python benchmarks/oracle.py --usage PATHS` is
given; constructs that stand in none of them count as once.
"""

from __future__ import annotations

import ast
import bisect
import builtins
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import heapq
import itertools
import math
import operator
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

COUNTS = Path(__file__).parents[1] / "data/host_programs/usage.txt"
USUAL = 200  # what is written more often than this counts as much
_MODULES = (bisect, collections, contextlib, copy, dataclasses, enum, functools, heapq, itertools, math, operator)
_TYPES = (str, list, dict, set, tuple, int, float, collections.deque, collections.Counter)
_OF_PYTHON = frozenset(name for place in (builtins, *_MODULES, *_TYPES) for name in dir(place))
_ANYWHERE = (ast.expr_context, ast.arg, ast.alias, ast.Nonlocal, ast.Global)


def constructs(tree: ast.AST) -> Iterator[str]:
    """The constructs in a piece of Python, each as often as it stands there."""
    for node in ast.walk(tree):
        called = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
        if called in _OF_PYTHON:
            yield f"{called}()"
        if isinstance(node, ast.FunctionDef) and node.name.startswith("__"):
            yield f"def {node.name}"
        outer = type(node).__name__
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            outer = f"{outer}<{type(node.ctx).__name__}>"
        for field, value in ast.iter_fields(node):
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST) and not isinstance(part, _ANYWHERE):
                    # where a statement stands says little
                    yield (
                        type(part).__name__
                        if isinstance(part, (ast.stmt, ast.Yield, ast.YieldFrom))
                        else f"{outer}.{field}:{type(part).__name__}"
                    )


def counted(files: Iterable[Path]) -> Counter[str]:
    """What files that mention NKI are made of; what does not parse is left out."""
    found: Counter[str] = Counter()
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        try:
            found.update(constructs(ast.parse(text)) if "nki" in text else ())
        except SyntaxError:
            continue
    return found


@cache
def _counts() -> dict[str, int]:
    rows = (line.rsplit(maxsplit=1) for line in COUNTS.read_text(encoding="utf-8").splitlines())
    return {name: int(count) for name, count in rows}


def _used(template: str) -> set[str]:
    """The constructs of a template."""
    text = re.sub(r"\$[BR]\b", "''", template)
    text = re.sub(r"\$[cps]\b", "1", re.sub(r"\$e\b", "ValueError", re.sub(r"\$q\b", "'q'", text)))
    return set(constructs(ast.parse(re.sub(r"\$(\w+)", r"its_\1", text))))


@cache
def weight(template: str) -> int:
    """How often the rarest construct of a template is written."""
    return min((min(USUAL, 1 + _counts().get(name, 0)) for name in _used(template)), default=USUAL)


@cache
def weight_of_definitions(module: str) -> int:
    """The same for what a module defines, of whose functions only the kinds of statements count."""
    tree = ast.parse(re.sub(r"\$(\w+)", r"its_\1", module))
    inside = [type(n).__name__ for n in ast.walk(tree) if isinstance(n, (ast.stmt, ast.Yield, ast.YieldFrom))]
    rarest = min((1 + _counts().get(name, 0) for name in inside if name != "Global"), default=USUAL)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = [ast.Expr(ast.Constant(""))]
    return min(rarest, weight(ast.unparse(tree)))


def write(files: Iterable[Path], templates: Iterable[str]) -> None:
    """Count anew those constructs that templates have."""
    found, wanted = counted(files), set[str]().union(*map(_used, templates))
    COUNTS.write_text("".join(f"{name} {found[name]}\n" for name in sorted(wanted) if found[name]), encoding="utf-8")
