"""What liveness calls dead is never read: random functions do the same when those variables are spoilt."""

from __future__ import annotations

import ast
import random
import textwrap
from typing import Any

import pytest

from nkilint.base import ir
from nkilint.base.walk import walk
from nkilint.evaluator.python.liveness import ALIVE, Dead, dead_names
from nkilint.lowering import lower

NAMES = "abcde"
SPOILT = "spoilt"


def function(text: str) -> ir.FunctionDef:
    (found,) = lower(text, "k.py", "k", "").body
    assert isinstance(found, ir.FunctionDef)
    return found


def dead_by_row(text: str) -> dict[int, Dead]:
    f = function(text)
    dead = dead_names(f)
    return {n.at.row: dead.get(id(n), ALIVE) for n in walk(f.body) if isinstance(n, ir.For)}


class _Spoiler(ast.NodeTransformer):
    """Overwrites the dead variables before and after each loop."""

    def __init__(self, dead: dict[int, Dead]) -> None:
        self.dead = dead

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        found = self.dead[node.lineno]
        return [*_spoil(found.before), node, *_spoil(found.after)]


def _spoil(names: frozenset[str]) -> list[ast.stmt]:
    return [ast.parse(f"{name} = {SPOILT!r}").body[0] for name in sorted(names)]


class _Writer:
    """Random statements about a handful of variables."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.loops = 0

    def value(self) -> str:
        pick = self.random.random()
        if pick < 0.5:
            return f"{self.random.choice(NAMES)} + 1"
        if pick < 0.6:
            return f"sum([{self.random.choice(NAMES)} for _ in range(2)])"
        return str(self.random.randrange(9))

    def block(self, depth: int, inside: bool) -> str:
        return "\n".join(self.statement(depth, inside) for _ in range(self.random.randrange(1, 5)))

    def statement(self, depth: int, inside: bool) -> str:
        pick, name = self.random.random(), self.random.choice(NAMES)
        if depth and pick < 0.3:
            return self.loop(depth - 1)
        if depth and pick < 0.45:
            body, other = self.block(depth - 1, inside), self.block(depth - 1, inside)
            return f"if odd():\n{indented(body)}\nelse:\n{indented(other)}"
        if inside and pick < 0.55:
            return f"if odd(): {self.random.choice(['break', 'continue', 'return'])}"
        if depth and pick < 0.6:
            body = self.block(depth - 1, inside)
            return f"try:\n{indented(body)}\n    fail()\nexcept ValueError:\n    print({name})"
        if pick < 0.7:
            return f"print({name})"
        if pick < 0.75:
            return f"{name} += 1"
        if pick < 0.8:
            return f"{name}, {self.random.choice(NAMES)} = {self.value()}, {self.value()}"
        return f"{name} = {self.value()}"

    def loop(self, depth: int) -> str:
        self.loops += 1
        body = self.block(depth, True)
        if self.random.random() < 0.2:
            return f"while odd():\n{indented(body)}"
        target = self.random.choice(["i", *NAMES])
        end = f"\nelse:\n{indented(self.block(0, False))}" if self.random.random() < 0.2 else ""
        return f"for {target} in range({self.random.randrange(3)}):\n{indented(body)}{end}"


def indented(text: str) -> str:
    return textwrap.indent(text, "    ")


def said(tree: ast.Module, seed: int) -> list[Any]:
    """What the function prints and how it ends; its conditions are drawn."""
    lines: list[Any] = []
    draw = random.Random(seed)

    def fail() -> None:
        if draw.random() < 0.5:
            raise ValueError

    scope = {"print": lines.append, "odd": lambda: draw.random() < 0.5, "fail": fail}
    exec(compile(tree, "k.py", "exec"), scope)
    scope["f"](*range(len(NAMES)))
    return lines


@pytest.mark.parametrize("seed", range(250))
def test_what_is_dead_is_never_read(seed: int) -> None:
    body = "\n".join(_Writer(seed).statement(3, False) for seed in range(seed * 6, seed * 6 + 6))
    text = f"def f({', '.join(NAMES)}):\n{indented(body)}\n    print({NAMES[0]})\n"
    spoilt = ast.fix_missing_locations(_Spoiler(dead_by_row(text)).visit(ast.parse(text)))
    for run in range(6):
        assert said(ast.parse(text), run) == said(spoilt, run)


def test_what_an_iteration_makes_anew_is_dead() -> None:
    text = """\
def f(x):
    for i in x:
        tile = i
        total = tile + 1
        print(total)
    for i in x:
        for j in x:
            tile = j
            if tile:
                continue
            total = tile
        print(total)
"""
    dead = dead_by_row(text)
    assert dead[2] == Dead(frozenset({"i", "tile"}), frozenset({"i", "tile"}))
    assert dead[6] == Dead(frozenset({"i", "j", "tile"}), frozenset({"i", "j", "tile", "total"}))
    assert dead[7] == Dead(frozenset({"j", "tile"}), frozenset({"j", "tile"}))


@pytest.mark.parametrize(
    "more",
    ["def g(): return a", "g = lambda: a", "g = (a for _ in x)", "print(locals())", "nonlocal a", "class C: b = a"],
)
def test_what_others_may_read_is_alive(more: str) -> None:
    text = f"def around(a):\n  def f(x):\n    {more}\n    for i in x:\n        a = i\n    return 1\n"
    assert "a" not in dead_by_row(text)[4].before | dead_by_row(text)[4].after
