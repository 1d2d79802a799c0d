"""Lowering: the text of a file to an `ir.Module`."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import libcst as cst

from ..base import ir
from ..base.source import SourceError
from . import blocks, displays, strings  # noqa: F401  they register what they lower
from .cursor import LINE_END, Cursor, LostPlace
from .long_displays import without_displays
from .nesting import excess
from .pieces import skeleton
from .refused import refusal
from .thinning import thinned

_COMMENT = re.compile(r"#[^\r\n]*(?:nkilint|noqa)[^\r\n]*", re.IGNORECASE)
_TOO_DEEP = "give parts of it names of their own"
_REFUSED = (cst.ParserSyntaxError, cst.CSTValidationError)
_PARSER_PLACE = re.compile(r"error at (\d+):(\d+)")


def lower(text: str, path: str, name: str, package: str, *, edited: bool = False) -> ir.Module:
    """The module that `text` holds; `SourceError` if it doesn't parse. If it is `edited`, what it has in common with
    its earlier versions is not parsed again."""
    too_deep = excess(text)
    if too_deep is not None:
        row, column = Cursor(text, path).place(too_deep[0])
        raise SourceError(path, row, column, too_deep[1], _TOO_DEEP)
    refused = refusal(text, path, edited=edited)
    if refused is not None:
        raise _said_by_python(refused, path)
    short = thinned(text)
    if short is not text:
        with suppress(LostPlace):  # what was left out had a meaning: the whole text is parsed
            return _lowered(text, _tree(short, text, path), path, name, package)
    short, parts = (text, {}) if edited else without_displays(text)
    if parts:
        with suppress(LostPlace, *_REFUSED):  # parentheses around one of them
            return _lowered(text, cst.parse_module(short), path, name, package, parts)
    tree, known = (skeleton(text) if edited else None) or (_tree(text, text, path), {})
    try:
        return _lowered(text, tree, path, name, package, known)
    except LostPlace as lost:
        row, column = Cursor(text, path).place(lost.offset)
        message = f"nkilint lost its place in the source here ({lost}); please report this"
        raise SourceError(path, row, column, message, "") from None


def _tree(short: str, text: str, path: str) -> cst.Module:
    """The tree of a text, which may have been thinned out."""
    try:
        return cst.parse_module(short)
    except _REFUSED as error:
        raise _syntax_error(text, path, error) from None


def _lowered(
    text: str,
    tree: cst.Module,
    path: str,
    name: str,
    package: str,
    known: Mapping[str, Iterable[Any]] = MappingProxyType({}),
) -> ir.Module:
    c = Cursor(text, path, tree.default_indent, tree.default_newline, known)
    try:
        body = blocks.statements(c, tree.body)
    except RecursionError:
        row, column = c.place(c.pos)
        raise SourceError(path, row, column, "the code is nested too deep", _TOO_DEEP) from None
    return ir.Module(path, name, package, body, _comments(c, text), tuple(_lines(text)))


def _lines(text: str) -> list[str]:
    return LINE_END.split(text) if "\r" in text else text.split("\n")  # the latter takes a fifth of the time


def _comments(c: Cursor, text: str) -> tuple[ir.Comment, ...]:
    """Comments that speak to a linter; a `#` inside a string is none."""
    result: list[ir.Comment] = []
    starts = [start for start, _ in c.strings]
    at = 0
    while match := _COMMENT.search(text, at):
        index = bisect_right(starts, match.start()) - 1
        if index >= 0 and match.start() < c.strings[index][1]:
            at = match.start() + 1  # a comment may follow the string on the same line
            continue
        result.append(ir.Comment(c.place(match.start())[0], match.group()))
        at = match.end()
    return tuple(result)


def _said_by_python(error: SyntaxError, path: str) -> SourceError:
    return SourceError(path, error.lineno or 1, max(error.offset or 1, 1), error.msg)


def _syntax_error(text: str, path: str, error: cst.ParserSyntaxError | cst.CSTValidationError) -> SourceError:
    """The error in Python's own words, which are better than the parser's, where Python objects as well."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as own:
        return _said_by_python(own, path)
    except (RecursionError, MemoryError):
        return SourceError(path, 1, 1, "the code is nested too deep", _TOO_DEEP)
    if isinstance(error, cst.CSTValidationError):
        return SourceError(path, 1, 1, str(error))
    place = _PARSER_PLACE.search(error.message)
    if place:
        return SourceError(path, int(place[1]), int(place[2]) + 1, "invalid syntax")
    return SourceError(path, error.raw_line, error.raw_column + 1, error.message.removeprefix("tokenizer error: "))
