"""Python as kernels use it: programs run in Python and in the evaluator, which agree on every revealed value."""

from __future__ import annotations

import builtins
from keyword import iskeyword
from pathlib import Path

import pytest

from nkilint.evaluator.kernels import kernel  # noqa: F401  (which imports all of the evaluator)
from nkilint.evaluator.python.builtins import builtin
from nkilint.evaluator.values.cells import MISSING

from ..support.differential import check_same, compare, kernel_source

PROGRAMS = (Path(__file__).parents[1] / "data/python_programs.txt").read_text(encoding="utf-8").split("\n=== ")[1:]


def name(program: str) -> str:
    kind, first, *_ = program.split("\n")
    return f"{kind.split(', ')[1]}: {first[:40]}"


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
def test_program_gives_the_same_in_python_and_in_the_evaluator(program: str) -> None:
    kind, _, code = program.partition("\n")
    body, _, module = code.partition("\n---\n")
    check_same(body.strip("\n"), module.strip("\n"), known=kind.startswith("known"))


def test_every_name_that_python_binds_is_known() -> None:
    printed = {"copyright", "credits", "license"}
    names = {name for name in dir(builtins) if not name.startswith("_") and not iskeyword(name)}
    assert {name for name in names if builtin(name) is MISSING} <= printed


def test_a_difference_is_seen() -> None:
    source = kernel_source("for i in range(n):\n    if i > m:\n        reveal(__name__)")
    assert not compare(source, [(2, 3)]).wrong
    assert compare(source, [(5, 1)]).wrong == [
        "(5, 1) line 16: Python has [\"'builtins'\", \"'builtins'\", \"'builtins'\"], "
        "the evaluator [\"'example'\", \"'example'\", \"'example'\"]"
    ]
