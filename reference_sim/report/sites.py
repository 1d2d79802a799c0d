"""Places in the user's source, kept cheaply while a kernel runs and resolved only when something is reported."""

from __future__ import annotations

import dis
import os
import sys
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType, FrameType

import numpy as np

import nkilint_rules

_PACKAGES = (str(Path(__file__).parents[1]), str(Path(nkilint_rules.__file__).parent))
_PYTHON = str(Path(dis.__file__).parent)
_NUMPY = str(Path(np.__file__).parent)

SKIPPED = frozenset({"CACHE", "EXTENDED_ARG", "RESUME", "NOP"})
_STORES = frozenset({"STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF"})

Site = tuple[CodeType, int] | None
"""A code object and the offset of the instruction that runs in it."""

HEAD = -1  # before the first instruction: where a function begins


@lru_cache(maxsize=32)
def instructions(code: CodeType) -> tuple[dis.Instruction, ...]:
    """The instructions of a function, which several ask for, and which take long to find."""
    return tuple(dis.get_instructions(code))


class _Files(dict[str, bool]):
    """Whether a file is the simulator's own, or the rulebook's, by its name: code objects are not quick to look up."""

    def __missing__(self, name: str) -> bool:
        found = self[name] = name.startswith(_PACKAGES) or name == "<stand-in>"
        return found


_OURS = _Files()


def is_ours(code: CodeType) -> bool:
    return _OURS[code.co_filename]


def is_users(code: CodeType) -> bool:
    """Whether code belongs to neither the simulator nor numpy nor Python's own library."""
    name = code.co_filename
    if is_ours(code) or name.startswith((_NUMPY, "<frozen")):
        return False
    return not name.startswith(_PYTHON) or "site-packages" in name


def user_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame outside the simulator; `depth` frames are known to be in it."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and _OURS[frame.f_code.co_filename]:
        frame = frame.f_back
    return frame


def here(depth: int = 1) -> Site:
    """Where the kernel is; `depth` frames from the caller on are known to be the simulator's."""
    frame = user_frame(depth + 1)
    return None if frame is None else (frame.f_code, frame.f_lasti)


def call_path() -> tuple[tuple[CodeType, int], ...]:
    """Where the kernel is, with the calls that led there."""
    path = []
    frame = user_frame()
    while frame is not None and not is_ours(frame.f_code):
        path.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(path)


def call_number() -> tuple[int, ...]:
    """The same, by the numbers of the code objects, which is quicker: they name what is kept by what knows the path."""
    found: list[int] = []
    frame = user_frame(2)
    while frame is not None:
        code = frame.f_code
        if _OURS[code.co_filename]:
            break
        found += (id(code), frame.f_lasti)
        frame = frame.f_back
    return tuple(found)


def assigned_name(site: Site) -> str:
    """The variable that the result of the call at `site` is stored to, if it is stored to a variable."""
    if site is None:
        return ""
    code, offset = site
    return next((name for start, end, name in _assignments(code) if start <= offset < end), "")


@cache
def _assignments(code: CodeType) -> tuple[tuple[int, int, str], ...]:
    """The instructions that are followed by a store to a variable, from their start to that store, and the variable.

    While a function runs, its caller is at the call instruction or, depending on Python's version, in its caches.
    """
    found: list[tuple[int, int, str]] = []
    before: int | None = None
    for instruction in instructions(code):
        if instruction.opname in SKIPPED:
            continue
        if before is not None and instruction.opname in _STORES:
            found.append((before, instruction.offset, str(instruction.argval)))
        before = instruction.offset
    return tuple(found)


_CALLS: dict[tuple[int, int], tuple[Site, bool, CodeType]] = {}
"""By code object, which takes long to hash itself, and offset. The code is kept, so that no other takes its number."""


def call_in(frame: FrameType) -> tuple[Site, bool, CodeType]:
    """Where the call is that a frame is in, None for one of the simulator; whether it is a statement of its own, whose
    result goes nowhere."""
    code, offset = frame.f_code, frame.f_lasti
    key = id(code), offset
    known = _CALLS.get(key)
    if known is None:
        following = (i for i in instructions(code) if i.offset > offset)
        after = next((i.opname for i in following if i.opname not in SKIPPED), "")
        ours = is_ours(code)
        known = _CALLS[key] = None if ours else (code, offset), after == "POP_TOP" and not ours, code
    return known


def iterations_here() -> tuple[tuple[str, int], ...]:
    """The integer variables of the loops that the kernel is in, its callers' included, outermost first."""
    found: list[tuple[str, int]] = []
    frame = user_frame()
    while frame is not None and not is_ours(frame.f_code):
        values = frame.f_locals
        running = [name for name, start, end in _loops(frame.f_code) if start < frame.f_lasti < end]
        found[:0] = [(name, values[name]) for name in running if type(values.get(name)) is int]
        frame = frame.f_back
    return tuple(found)


@cache
def _loops(code: CodeType) -> tuple[tuple[str, int, int], ...]:
    """The variable of each `for` loop of a function, and the bytecode from its head to its end."""
    found: list[tuple[str, int, int]] = []
    head: tuple[int, int] | None = None
    for instruction in instructions(code):
        if instruction.opname == "FOR_ITER":
            head = instruction.offset, instruction.argval
        elif head is not None and instruction.opname not in SKIPPED:
            if instruction.opname.startswith("STORE_"):
                found.append((str(instruction.argval), *head))
            head = None
    return tuple(found)


def shown(file: str) -> str:
    """The name of a file, from the working folder if it is there."""
    try:
        folder = os.getcwd() + os.sep
    except FileNotFoundError:  # the script has removed the folder it is in
        return file
    return file[len(folder) :] if file.startswith(folder) else file


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A resolved place: file, row and function."""

    file: str
    row: int
    function: str

    def __str__(self) -> str:
        return f"{shown(self.file)}:{self.row}"


UNKNOWN_PLACE = SourcePlace("<unknown>", 0, "")


def place(site: Site) -> SourcePlace:
    """File, row and function of a site."""
    if site is None:
        return UNKNOWN_PLACE
    code, offset = site
    row = code.co_firstlineno
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            row = line
            break
    return SourcePlace(code.co_filename, row, code.co_name)
