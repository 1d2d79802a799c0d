"""A long text without the elements of its long displays, such as tables of cases, of which the parser makes dozens of
nodes each: they are parsed some at a time, where lowering comes to them, and not kept."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from itertools import accumulate, pairwise

import libcst as cst

from nkilint.base.trees import children, parsed, place_of

LONG = 100_000  # characters; shorter texts are parsed as they are
MANY = 200  # elements of a display that is parsed by parts
PART = 40  # elements that are parsed at a time
_NAME = "_nkilint_elements_"
_BLANK = r"(?:\s|#[^\n]*\n)*"
_FIRST = re.compile(_BLANK)
_BETWEEN = re.compile(rf"{_BLANK},{_BLANK}")


class Elements:
    """Elements of a display, as text until they are asked for."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __iter__(self) -> Iterator[cst.BaseElement]:
        node = cst.parse_expression(f"[{self.text}\n]")
        assert isinstance(node, cst.List)
        yield from node.elements


def without_displays(text: str) -> tuple[str, Mapping[str, Elements]]:
    """The text with a name in the place of each part of a long display, and these parts."""
    if len(text) < LONG or "\r" in text or _NAME in text:
        return text, {}
    try:
        parts = list(_parts(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text, {}  # parsing it as a whole says what is wrong
    kept: list[str] = []
    known: dict[str, Elements] = {}
    done = 0
    for start, stop in parts:
        name = f"{_NAME}{len(known)}"
        known[name] = Elements(text[start:stop])
        kept += text[done:start], name
        done = stop
    return "".join([*kept, text[done:]]), known


def _displays(node: ast.AST) -> Iterator[ast.List | ast.Set]:
    """The long ones, in the order of the text."""
    for child in children(node):
        if isinstance(child, (ast.List, ast.Set)) and len(child.elts) >= MANY:
            yield child
        elif not isinstance(child, ast.JoinedStr):  # whose parts do not know where they stand
            yield from _displays(child)


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Where elements stand that follow each other with nothing but commas between: parentheses belong to none."""
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]

    def place(node: ast.expr) -> tuple[int, int]:
        row, column, end_row, end_column = place_of(node, lines)
        return starts[row - 1] + column - 1, starts[end_row - 1] + end_column - 1

    for display in _displays(parsed(text)):
        places = [place(element) for element in display.elts]
        plain = [_FIRST.fullmatch(text, place(display)[0] + 1, places[0][0]) is not None]
        plain += [_BETWEEN.fullmatch(text, before[1], after[0]) is not None for before, after in pairwise(places)]
        cuts = [number for number, is_plain in enumerate(plain) if is_plain]
        first = cuts[0] if cuts else 0
        for cut in cuts:
            if cut - first >= PART:
                yield places[first][0], places[cut - 1][1]
                first = cut
