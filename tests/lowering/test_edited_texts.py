"""Texts that an editor sends again and again are lowered like any other."""

from __future__ import annotations

import ast
import colorsys
import inspect
import sys
import textwrap
from dataclasses import fields
from typing import Any

import libcst as cst
import pytest

from nkilint.base import ir
from nkilint.base.source import SourceError
from nkilint.lowering import lower
from nkilint.lowering.pieces import skeleton

from ..support.lowered import (
    KERNEL,
)


def plain(node: Any) -> Any:
    """A lowered tree as tuples, which compare."""
    if isinstance(node, (ir.Node, ir.Module, ir.Param, ir.Comment)):
        return type(node).__name__, *(plain(getattr(node, f.name)) for f in fields(node))
    return tuple(plain(item) for item in node) if isinstance(node, tuple) else (type(node).__name__, node)


ODD = """
if x: y = 1
z = 1; z = 2
if x: \\
    pass
é = "🙂"  # noqa
class C:
    "Docs."
    a = (1,
# nkilint: ignore[NKI101]
 2)
    def f(self):
        return '''
  text'''
try:
    (a)
except* E: b
else:
    c  # trailing
finally:
    d
match q:
    case [1, *rest]:
        lambda: (yield)
    case _: pass
for i in j:
\tglobal k
\tk = 2
else:
    async def g(): await h
_nkilint = 3
"""


@pytest.mark.parametrize("text", [KERNEL, ODD if sys.version_info >= (3, 11) else KERNEL, "", "x", "\n\n# nothing"])
def test_an_edited_text_is_lowered_like_any_other(text: str) -> None:
    whole = plain(lower(text, "k.py", "k", ""))
    for _ in range(2):
        assert plain(lower(text, "k.py", "k", "", edited=True)) == whole
    moved = "# a comment\n" + text.replace("2", "3")
    assert plain(lower(moved, "k.py", "k", "", edited=True)) == plain(lower(moved, "k.py", "k", ""))


def test_real_modules_are_lowered_alike_when_they_are_edited() -> None:
    for module in (colorsys, textwrap, ast):
        text = inspect.getsource(module)
        assert skeleton(text) is not None
        assert plain(lower(text, "m.py", "m", "", edited=True)) == plain(lower(text, "m.py", "m", ""))


@pytest.mark.parametrize(
    "text", ["x = (", "x = '\\N{none}'", "def f():\nx", "a\r\nb = 1", "_nkilint_run_of_statements_0 = 1"]
)
def test_an_edited_text_fails_like_any_other(text: str) -> None:
    def outcome(edited: bool) -> Any:
        try:
            return plain(lower(text, "k.py", "k", "", edited=edited))
        except SourceError as error:
            return error.row, error.column, error.message

    assert outcome(True) == outcome(False)


def test_of_an_edited_text_only_new_statements_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    lower(KERNEL, "k.py", "k", "", edited=True)
    parsed: list[str] = []
    parse = cst.parse_statement
    monkeypatch.setattr(cst, "parse_statement", lambda text: parsed.append(text) or parse(text))
    lower(KERNEL.replace("x = 1", "x = 111"), "k.py", "k", "", edited=True)
    assert parsed == ["x = 111"]
