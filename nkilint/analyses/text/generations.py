"""Tests for one generation of devices that leave out newer ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nkilint_rules.words.targets import TARGETS

from .code import Code

_ASKING = "get_nc_version"
_BY_NAME = {f"gen{target.generation}": target for target in TARGETS.values()}
_BY_NUMBER = {target.generation: name for name, target in _BY_NAME.items()}
_OPERATORS: dict[type[ast.cmpop], str] = {ast.Eq: "==", ast.Is: "is", ast.NotEq: "!=", ast.IsNot: "is not"}


@dataclass(frozen=True, slots=True)
class ExactTest:
    """A comparison with one generation, by name, and the first newer device, which goes the way of the older ones."""

    node: ast.Compare
    generation: str
    operator: str
    device: str

    @property
    def instead(self) -> str:
        return "<" if self.operator in ("!=", "is not") else ">="


def exact_generations(code: Code) -> Iterator[ExactTest]:
    """Comparisons by `==` or `!=` with a generation that is neither the oldest nor the newest, where the function
    neither refuses other devices nor speaks of a newer generation."""
    if _ASKING not in code.called:
        return
    for function in code.functions:
        inside = list(ast.walk(function))
        held = _held(inside)
        named = {node.attr for node in inside if isinstance(node, ast.Attribute)} & _BY_NAME.keys()
        refusing = {id(node) for test in map(_refusal, inside) if test is not None for node in ast.walk(test)}
        for node in inside:
            generation = _compared(node, held)
            if not isinstance(node, ast.Compare) or not generation or id(node) in refusing:
                continue
            newer = [t for t in _BY_NAME.values() if t.generation > _BY_NAME[generation].generation]
            if newer and not any(f"gen{target.generation}" in named for target in newer):
                device = min(newer, key=lambda t: t.generation).name
                yield ExactTest(node, generation, _OPERATORS[type(node.ops[0])], device)


def _held(inside: Sequence[ast.AST]) -> set[str]:
    """The names of a function that hold the generation, whenever it binds them."""
    asked = {
        id(target) for node in inside if isinstance(node, ast.Assign) and _asks(node.value) for target in node.targets
    }
    bound = [node for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return {name.id for name in bound if id(name) in asked} - {name.id for name in bound if id(name) not in asked}


def _refusal(node: ast.AST) -> ast.expr | None:
    """The condition of an assertion, or of a branch that ends by raising: it refuses devices."""
    if isinstance(node, ast.Assert):
        return node.test
    return node.test if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise) else None


def _compared(node: ast.AST, held: set[str]) -> str:
    """The generation that the device is compared with; empty for all else, and for the oldest."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or type(node.ops[0]) not in _OPERATORS:
        return ""
    sides = (node.left, node.comparators[0])
    asked = any(_asks(side) or (isinstance(side, ast.Name) and side.id in held) for side in sides)
    names = [name for side in sides if (name := _generation(side)) is not None]
    oldest = min(t.generation for t in _BY_NAME.values())
    return names[0] if asked and names and _BY_NAME[names[0]].generation > oldest else ""


def _generation(side: ast.expr) -> str | None:
    """The generation that an expression names, by its member or by its number."""
    if isinstance(side, ast.Attribute):
        return side.attr if side.attr in _BY_NAME else None
    return _BY_NUMBER.get(side.value) if isinstance(side, ast.Constant) and type(side.value) is int else None


def _asks(node: ast.AST) -> bool:
    """Whether it asks for the generation of the device."""
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return bool(name == _ASKING)
