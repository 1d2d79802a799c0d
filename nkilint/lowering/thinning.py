"""A long text without most of its blank lines and comments, of which the parser makes a node each."""

from __future__ import annotations

import re

LONG = 50_000  # lines; shorter texts are parsed as they are
_PIECE = re.compile(
    r"""
    '''(?:[^\\]|\\.)*?''' | \"\"\"(?:[^\\]|\\.)*?\"\"\" | '(?:[^\\\n']|\\.)*' | "(?:[^\\\n"]|\\.)*"
    | (?P<kept>(?<=[^\\]\n)[ \t]*(?:\#[^\n]*)?\n) (?:[ \t]*(?:\#[^\n]*)?\n){3,2000}
    | \#[^\n]*
    """,
    re.VERBOSE | re.DOTALL,
)


def thinned(text: str) -> str:
    """The text with the first line of each run of blank lines and comments for the run. Positions are those of the
    whole text all the same: lowering takes them from there."""
    if text.count("\n") < LONG or "\r" in text:
        return text
    return _PIECE.sub(_kept, text)


def _kept(match: re.Match[str]) -> str:
    kept: str | None = match["kept"]
    return match[0] if kept is None else kept
