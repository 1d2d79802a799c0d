"""The place in the source text that lowering has reached.

libcst keeps every token but no positions, and computing them with its metadata costs more than twice the parse.
Lowering visits nodes in source order instead and takes their tokens from the text one after another: the cursor then
knows where each node starts and ends, and a token that isn't there shows at once that the two have parted.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from itertools import accumulate, count
from operator import add
from typing import Any

from nkilint.base import ir
from nkilint.base.names import private

_GAP = re.compile(r"(?:[ \t\f\r\n]+|\\\r?\n?|#[^\r\n]*)+")
_BLANK = frozenset(" \t\f\r\n\\#")
LINE_END = re.compile(r"\r\n?|\n")


def _line_starts(text: str) -> list[int]:
    if "\r" in text:
        return [0, *(match.end() for match in LINE_END.finditer(text))]
    lengths = map(len, text.split("\n"))
    return list(map(add, accumulate(lengths, initial=0), count()))[:-1]


class LostPlace(Exception):
    """The tree and the text disagree at `offset`: a fault of lowering, not of the source."""

    def __init__(self, offset: int, expected: str) -> None:
        super().__init__(f"expected `{expected}`")
        self.offset, self.expected = offset, expected


class Cursor:
    """Position in one text, and what the scopes around it have bound so far."""

    __slots__ = (
        "bound",
        "default_indent",
        "default_newline",
        "indents",
        "known",
        "line_start",
        "line_stop",
        "owner",
        "path",
        "pos",
        "row",
        "scoped",
        "starts",
        "stop",
        "strings",
        "text",
        "yields",
    )

    def __init__(
        self,
        text: str,
        path: str,
        default_indent: str = "    ",
        default_newline: str = "\n",
        known: Mapping[str, Iterable[Any]] | None = None,
    ) -> None:
        self.text = text + "\0"  # a token never contains it: no bounds checks
        self.path = path
        self.default_indent, self.default_newline = default_indent, default_newline
        self.known = known or {}  # what stands in the text where a name stands in the tree
        self.pos = 0
        self.stop = 0  # end of the last simple statement, which is where the compound ones around it end
        self.starts = _line_starts(text)
        self.row, self.line_start, self.line_stop = 1, 0, -1
        self.strings: list[tuple[int, int]] = []  # where string literals are, in order
        self.indents: list[str] = []
        self.bound: set[str] = set()  # names bound in the innermost loop or function
        self.scoped: set[str] = set()  # its global and nonlocal names
        self.yields = False
        self.owner = ""  # the innermost class

    def private(self, name: str) -> str:
        """What Python makes of a name here."""
        return private(name, self.owner)

    def skip(self) -> int:
        """Pass white space, comments and line ends; the offset of the next token."""
        text, pos = self.text, self.pos
        if text[pos] in _BLANK:
            gap = _GAP.match(text, pos)
            assert gap is not None
            self.pos = pos = gap.end()
        return pos

    def take(self, token: str) -> None:
        """Pass the next token, which is `token`."""
        text, pos = self.text, self.pos
        if text[pos] in _BLANK:
            pos = self.skip()
        if not text.startswith(token, pos):
            raise LostPlace(pos, token)
        self.pos = pos + len(token)

    def take_if(self, token: str) -> bool:
        """Pass the next token if it is `token`; stay where one is otherwise."""
        text, pos = self.text, self.pos
        if text[pos] in _BLANK:
            gap = _GAP.match(text, pos)
            assert gap is not None
            pos = gap.end()
        if not text.startswith(token, pos):
            return False
        self.pos = pos + len(token)
        return True

    def place(self, offset: int) -> tuple[int, int]:
        """Row and column of `offset`, both from 1."""
        if not self.line_start <= offset < self.line_stop:
            starts = self.starts
            self.row = row = bisect_right(starts, offset)
            self.line_start = starts[row - 1]
            self.line_stop = starts[row] if row < len(starts) else len(self.text)
        return self.row, offset - self.line_start + 1

    def span(self, start: int) -> ir.Span:
        """From `start` to where the cursor stands."""
        return self.between(start, self.pos)

    def between(self, start: int, stop: int) -> ir.Span:
        if self.line_start <= start and stop < self.line_stop:  # nearly always: one line, the same as before
            row, line = self.row, self.line_start
            return ir.Span(self.path, row, start - line + 1, row, stop - line + 1)
        row, column = self.place(start)
        end_row, end_column = self.place(stop)
        return ir.Span(self.path, row, column, end_row, end_column)

    def pass_over(self, node: Any) -> None:
        """Pass all of `node`, which nothing looks into, by the length of its code."""
        from libcst._nodes.internal import CodegenState  # internal, and rarely needed

        state = CodegenState(default_indent=self.default_indent, default_newline=self.default_newline)
        state.indent_tokens.extend(self.indents)
        node._codegen(state)
        code = "".join(state.tokens)
        start = self.skip()
        if not self.text.startswith(code, start):
            raise LostPlace(start, code)
        self.pos = start + len(code)
