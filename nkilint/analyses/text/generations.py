"""Tests for one generation of devices that leave out newer ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nkilint.base.trees import FUNCTIONS, nodes_of
from nkilint_rules.words.targets import TARGETS

_BY_NAME = {f"gen{target.generation}": target for target in TARGETS.values()}


def exact_generations(tree: ast.Module) -> Iterator[tuple[ast.expr, str, str]]:
    """Comparisons by `==` with a generation that is neither the oldest nor the newest, outside of assertions and where
    the function does not speak of a newer one; with the generation and the first device that is left out."""
    nodes = nodes_of(tree)
    if not any(_compared(node) for node in nodes):
        return
    for function in nodes:
        if not isinstance(function, FUNCTIONS):
            continue
        named = {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)} & _BY_NAME.keys()
        asserted = {id(n) for a in ast.walk(function) if isinstance(a, ast.Assert) for n in ast.walk(a.test)}
        for node in ast.walk(function):
            generation = _compared(node)
            newer = [t for t in _BY_NAME.values() if generation and t.generation > _BY_NAME[generation].generation]
            spoken = any(f"gen{target.generation}" in named for target in newer)
            if isinstance(node, ast.expr) and newer and not spoken and id(node) not in asserted:
                yield node, generation, min(newer, key=lambda t: t.generation).name


def _compared(node: ast.AST) -> str:
    """The generation that the device is compared with; empty for all else, and for the oldest."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.Is)):
        return ""
    sides = (node.left, node.comparators[0])
    asked = any(isinstance(s, ast.Call) and _leaf(s.func) == "get_nc_version" for s in sides)
    names = [s.attr for s in sides if isinstance(s, ast.Attribute) and s.attr in _BY_NAME]
    oldest = min(t.generation for t in _BY_NAME.values())
    return names[0] if asked and names and _BY_NAME[names[0]].generation > oldest else ""


def _leaf(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
