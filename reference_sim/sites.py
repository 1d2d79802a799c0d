"""Places in the user's source, kept cheaply while a kernel runs and resolved only when something is reported."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType

_PACKAGE = str(Path(__file__).parent)
_OURS: dict[CodeType, bool] = {}

Site = tuple[CodeType, int] | None
"""A code object and the offset of the instruction that runs in it."""


def _is_ours(code: CodeType) -> bool:
    known = _OURS.get(code)
    if known is None:
        name = code.co_filename
        known = _OURS[code] = name.startswith(_PACKAGE) or name == "<stand-in>"
    return known


def user_frame() -> FrameType | None:
    """The innermost frame outside the simulator."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame.f_code):
        frame = frame.f_back
    return frame


def here() -> Site:
    """Where the kernel is."""
    frame = user_frame()
    return None if frame is None else (frame.f_code, frame.f_lasti)


def call_path() -> tuple[tuple[CodeType, int], ...]:
    """Where the kernel is, with the calls that led there."""
    path = []
    frame = user_frame()
    while frame is not None and not _is_ours(frame.f_code):
        path.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(path)


@dataclass(frozen=True, slots=True)
class Place:
    """A resolved place: file, row and function."""

    file: str
    row: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.row}"


UNKNOWN_PLACE = Place("<unknown>", 0, "")


def place(site: Site) -> Place:
    """File, row and function of a site."""
    if site is None:
        return UNKNOWN_PLACE
    code, offset = site
    row = code.co_firstlineno
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            row = line
            break
    return Place(code.co_filename, row, code.co_name)
