"""The loops around what runs whose iterations come in order: those over `sequential_range` and its like, and over the
plain `range` of a kernel's own modules."""

from __future__ import annotations

import builtins
import dis
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from reference_sim.machine.program import running
from reference_sim.report.sites import SKIPPED, assigned_name, here, is_ours

from . import lost_writes as rewriting

if TYPE_CHECKING:
    from reference_sim.machine.program import Program


class Nest:
    """One run of a loop: the clock when it began, when its present iteration started and when the one before did."""

    __slots__ = ("began", "bit", "lost", "name", "number", "previous", "site", "started")

    def __init__(self, current: Program) -> None:
        self.began = self.started = self.previous = current.clock
        self.number = -1
        self.site = here()
        self.name = assigned_name(self.site) or "_"
        taken: int = 0
        for loop in current.nest:
            taken |= loop.bit
        self.bit: int = ~taken & (taken + 1)
        self.lost: dict[Any, rewriting.Losing] = {}

    def begin(self, current: Program) -> None:
        """A new iteration starts."""
        current.clock += 1
        self.previous, self.started = self.started, current.clock
        self.number += 1


def followed(trips: Sequence[int], current: Program) -> Iterable[int]:
    """The iterations of a loop, followed where something could go wrong between them."""
    return _followed(trips, current) if current.checks and len(trips) > 1 else trips


def _followed(trips: Sequence[int], current: Program) -> Iterator[int]:
    current.clock += 1
    loop = Nest(current)
    current.nest.append(loop)
    try:
        for i in trips:
            loop.begin(current)
            yield i
    finally:
        current.nest.remove(loop)
    rewriting.ended(loop)


def if_looped(trips: range, current: Program) -> Iterable[int]:
    """A range that the kernel asks for: its iterations are followed where a `for` takes it as it is."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code):
        frame = frame.f_back
    heads = frame is not None and any(a <= frame.f_lasti < b for a, b in _heads(frame.f_code))
    return followed(trips, current) if heads else trips


@cache
def _heads(code: CodeType) -> tuple[tuple[int, int], ...]:
    """The instructions whose result a `for` iterates over."""
    instructions = [i for i in dis.get_instructions(code) if i.opname not in SKIPPED]
    found = []
    for call, taken, loop in zip(instructions, instructions[1:], instructions[2:], strict=False):
        if taken.opname == "GET_ITER" and loop.opname == "FOR_ITER":
            found.append((call.offset, taken.offset))
    return tuple(found)


class _RangeType(type):
    """The type of what stands for `range` in a kernel's module."""

    def __call__(cls, *arguments: Any) -> Any:
        trips = builtins.range(*arguments)
        current = running()
        return trips if current is None else if_looped(trips, current)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, builtins.range)


class _Range(metaclass=_RangeType):
    """`range`, whose iterations are known while a kernel runs."""


@contextmanager
def ranges_known(function: Callable[..., Any], checks: bool) -> Iterator[None]:
    """While the body runs, the loops over `range` of a kernel and of the functions that it calls are known."""
    spaces = _spaces(function) if checks else []
    for space in spaces:
        space["range"] = _Range
    try:
        yield
    finally:
        for space in spaces:
            space.pop("range", None)


def _spaces(function: Callable[..., Any]) -> list[dict[str, Any]]:
    """The globals of the kernel, and of functions that it reaches by name in modules that use the API."""
    found: dict[int, dict[str, Any]] = {}
    seen: set[CodeType] = set()
    pending = [getattr(function, "func", function)]
    while pending:
        one = pending.pop()
        if not isinstance(one, FunctionType) or one.__code__ in seen or is_ours(one.__code__):
            continue
        space = one.__globals__
        if found and not any(_is_api(value) for value in space.values()):
            continue
        seen.add(one.__code__)
        found[id(space)] = space
        pending += _called(one)
    return [space for space in found.values() if "range" not in space]


def _called(function: FunctionType) -> Iterator[Any]:
    """What a function may call: by a name of its module, of a module that it imports, or of its closure."""
    names = _names(function.__code__)
    space = function.__globals__
    for name in names:
        value = space.get(name)
        yield getattr(value, "func", value)
        if isinstance(value, ModuleType) and not _is_api(value):
            yield from (vars(value).get(attribute) for attribute in names)
    for cell in function.__closure__ or ():
        try:
            yield getattr(cell.cell_contents, "func", cell.cell_contents)
        except ValueError:  # not bound yet
            continue


@cache
def _names(code: CodeType) -> frozenset[str]:
    inner = [_names(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return frozenset(code.co_names).union(*inner)


def _is_api(value: Any) -> bool:
    return isinstance(value, ModuleType) and value.__name__.partition(".")[0] in ("neuronxcc", "nki")
