"""What Python says against a text that it parses: `return` outside of a function, a name bound twice in a pattern."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from nkilint.base.trees import parsed

_REMEMBERED = 4_096  # statements
_NOTEBOOK = ".ipynb"  # whose cells may await
_NOT_SAID = (ValueError, RecursionError, MemoryError, OverflowError)


def refusal(text: str, path: str, *, edited: bool = False) -> SyntaxError | None:
    """What the compiler of Python has against a text that its parser takes; nothing is run. Where the text is `edited`
    again and again, only the statements that are new are compiled."""
    try:
        tree = parsed(text)
    except (SyntaxError, *_NOT_SAID):  # or the syntax is newer than this interpreter's
        return None
    if edited and "__future__" not in text and all(map(_is_taken, _statements(tree, text))):
        return None
    try:
        _compile(tree, path)
    except SyntaxError as error:
        return error
    except _NOT_SAID:
        return None
    return None


def _compile(tree: ast.Module, path: str) -> None:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if path.endswith(_NOTEBOOK) else 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(tree, path, "exec", flags, dont_inherit=True)


@lru_cache(_REMEMBERED)
def _is_taken(text: str) -> bool:
    """Whether statements of a module compile by themselves."""
    with suppress(SyntaxError, *_NOT_SAID):
        _compile(parsed.__wrapped__(text), "")
        return True
    return False


def _statements(tree: ast.Module, text: str) -> Iterator[str]:
    """The text of each statement of a module, with those that begin on the line where it ends."""
    lines = text.split("\n")
    starts = [min([s.lineno, *(d.lineno for d in getattr(s, "decorator_list", ()))]) for s in tree.body]
    ends = [s.end_lineno or s.lineno for s in tree.body]
    cuts = [start - 1 for start, before in zip(starts[1:], ends, strict=False) if before < start]
    for first, last in zip([0, *cuts], [*cuts, len(lines)], strict=True):
        yield "\n".join(lines[first:last])
