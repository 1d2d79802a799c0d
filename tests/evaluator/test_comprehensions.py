"""Comprehensions: what each iteration gives, and in which order."""

from __future__ import annotations

import libcst as cst
import pytest

from ..support.checking import revealed

KERNEL = """\
import nki


@nki.jit
def kernel(x):
    parts, tables = ((1, 2), (), (3,)), ({{"a": 1}}, {{"b": 2, "a": 3}})
    reveal({expression})
"""


def value_of(expression: str) -> list[str]:
    (shown,) = revealed(KERNEL.format(expression=expression)).values()
    return shown


def is_parsed(expression: str) -> bool:
    try:
        cst.parse_expression(expression)
    except cst.ParserSyntaxError:
        return False
    return True


UNPACKED = {
    "tuple([*p for p in parts])": "(1, 2, 3)",
    "tuple(sorted({*p for p in parts}))": "(1, 2, 3)",
    "tuple((*p for p in parts))": "(1, 2, 3)",
    "tuple([*p for p in parts if len(p) > 1])": "(1, 2)",
    "tuple([*range(q) for p in parts for q in p])": "(0, 0, 1, 0, 1, 2)",
    "tuple({**t for t in tables}.items())": "(('a', 3), ('b', 2))",
}


@pytest.mark.skipif(not all(map(is_parsed, UNPACKED)), reason="a parser that does not know Python 3.15")
@pytest.mark.parametrize("expression", UNPACKED)
def test_what_iterations_unpack(expression: str) -> None:
    assert value_of(expression) == [UNPACKED[expression]]


def test_keys_come_before_values() -> None:
    assert value_of("tuple({(k := i): k + 1 for i in range(2)}.items())") == ["((0, 1), (1, 2))"]
