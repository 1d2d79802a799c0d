"""Lowered nodes stand where `ast` says that they do."""

from __future__ import annotations

import ast
import colorsys

import pytest

from ..support.lowered import (
    COMPREHENSIONS,
    DISPLAYS,
    KERNEL,
    KINDS,
    ast_spans,
    lowered_spans,
)


@pytest.mark.parametrize(
    "text",
    [
        KERNEL,
        KERNEL.replace("\n", "\r\n"),
        "été = {'🙂': λ.x[0](y)}; f(a)(b)[c].d\n",
        "x = (\n  a  # one\n  + b * (c\n  - d)\n)\ny = ((1, 2))\nz = ()\nw = (f)(x)\n",
        "f((x for x in y)); f(x for x in y); f(a, (b))\n",
        "if a: b; c;\nelif d:\n  e;\nelse:\n  f\n\n\n# end",
        "x = a if b else c if d else e\nz = not -a ** -b\nt = a[b, ], a[(b, c)], a[b:c, d], a[:], a[::]\n",
        "with (a as b, c as d,): pass\nwith (a): pass\nwith (a, b): pass\nwith (a) as b: pass\n",
        "\tx = 1".strip() + "\nif x:\n\ty = 2\n\n\tif y:\n\t\tz\n\x0c\nq = \\\n  1 + \\\n  2\n",
        "for x in a, b: pass\nfor (x, y) in z: pass\nfor x, in z: pass\nx, = y\n*a, b = c\nreturn_ = yield_\n",
    ],
)
def test_spans_are_those_of_ast(text: str) -> None:
    expected, found = ast_spans(text), lowered_spans(text)
    for kind in {*KINDS.values(), *DISPLAYS.values(), *COMPREHENSIONS.values()} & expected.keys():
        assert found.get(kind, set()) == expected[kind], kind.__name__


def test_spans_of_a_real_module() -> None:
    with open(colorsys.__file__, encoding="utf-8") as file:
        text = file.read()
    expected, found = ast_spans(text), lowered_spans(text)
    for kind in (ast.Call, ast.Name, ast.BinOp, ast.Compare, ast.If, ast.Assign):
        assert found[kind] == expected[kind], kind.__name__
