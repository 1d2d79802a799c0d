"""Statements that are longer than a line: an argument to a line, and nothing else changed."""

from __future__ import annotations

import ast

import pytest

from nkilint.migrate.layout import WIDTH, without_more_blanks, wrapped

LONG = "a" * 60


def test_a_long_call_has_an_argument_to_a_line() -> None:
    text = f"nisa.tensor_copy(dst=x[{LONG}:{LONG}], src=f(y, [1, 2]), name='é, (')"
    new = wrapped(text, "    ", "  ")
    assert new.split("\n") == [
        "nisa.tensor_copy(",
        f"      dst=x[{LONG}:{LONG}],",
        "      src=f(y, [1, 2]),",
        "      name='é, (',",
        "    )",
    ]
    assert ast.dump(ast.parse(new)) == ast.dump(ast.parse(text))


def test_an_assignment_keeps_its_target_on_the_first_line() -> None:
    new = wrapped(f"x[{LONG}] = nl.copy({LONG}, *rest, **more)", "", "    ")
    assert new.split("\n") == [f"x[{LONG}] = nl.copy(", f"    {LONG},", "    *rest,", "    **more,", ")"]


@pytest.mark.parametrize(
    "text",
    [
        "f(x)",
        f"f('{'a' * (WIDTH - 6)}')",
        "f(\n    a,\n    b,\n)",
        "f(a,\n  b)",
        "x = [a,  # first\n  b]",
        'f("""\n  a""")',
        f"x[{LONG}:{LONG} + {LONG}] = a",
        f"x = {LONG} + {LONG} + {LONG}",
        f"if x: f({LONG}, {LONG}, {LONG})",
        f"# {LONG} {LONG} {LONG}",
    ],
    ids=[
        "short",
        "just short",
        "an argument to a line",
        "below its first",
        "comments",
        "a long text",
        "a slice",
        "no call",
        "a block",
        "a comment",
    ],
)
def test_anything_else_stays_as_it_is(text: str) -> None:
    assert wrapped(text, "", "    ") == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("f(a=1,\n       b=2)", ["f(a=1, b=2)"]),
        ("x = f(\n    a,\n    b)", ["x = f(", "    a,", "    b,", ")"]),
        ("f(\n    g(\n        a,\n    ), [\n    b])", ["f(", "    g(a),", "    [b],", ")"]),
        (f"f({LONG},\n      g({LONG}, b))", ["f(", f"    {LONG},", f"    g({LONG}, b),", ")"]),
        (f"f(\n    x[{LONG}, {LONG}])", ["f(", "    x[", f"        {LONG},", f"        {LONG},", "    ],", ")"]),
        (
            f"f(p=[[{LONG}, 1], [{LONG}, 2]])",
            ["f(", "    p=[", f"        [{LONG}, 1],", f"        [{LONG}, 2],", "    ],", ")"],
        ),
        (
            f"t = [f({LONG}, '{LONG[20:]}') for i in n]",
            ["t = [", f"    f({LONG}, '{LONG[20:]}')", "    for i in n", "]"],
        ),
    ],
    ids=["moved", "closed at once", "of parts", "long", "subscript", "list", "comprehension"],
)
def test_what_goes_on_elsewhere_is_laid_out_anew(text: str, written: list[str]) -> None:
    new = wrapped(text, "", "    ")
    assert new.split("\n") == written
    assert ast.dump(ast.parse(new)) == ast.dump(ast.parse(text))


def test_arguments_keep_their_parentheses() -> None:
    text = "value = function(((first + second)), offset=(first * (second + third)), other=(((third))))"
    lines = wrapped(text + "  # " + "x" * 120, "    ", "    ").split("\n")
    assert [line.strip() for line in lines[1:4]] == [
        "((first + second)),",
        "offset=(first * (second + third)),",
        "other=(((third))),",
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blank_lines_in_blocks_that_come_together_are_one(end: str) -> None:
    before = "def f(x):\n    a = 1\n\n    i = 0\n\n    return a\n\n\n\ndef g(x):\n    return x\n".replace("\n", end)
    after = before.replace(f"    i = 0{end}", "")
    assert without_more_blanks(after, before) == before.replace(f"    i = 0{end}{end}", "")


def test_blank_lines_that_a_file_has_elsewhere_stay() -> None:
    before = 'def f(x):\n    """First.\n\n\n    Last."""\n    i = 0\n\n    return x\n'
    for text in (before, before.replace("    i = 0\n", "\n")):
        assert without_more_blanks(text, before) == text
