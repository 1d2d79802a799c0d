"""The plain `range` of a kernel's own modules: while the kernel runs, its loops over it are known."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

from reference_sim.machine.program import running
from reference_sim.machine.registers import VirtualRegister, tell_asked
from reference_sim.report.sites import is_ours

from .loops import if_looped


class _RangeType(type):
    """The type of what stands for `range` in a kernel's module."""

    def __call__(cls, *arguments: Any) -> Any:
        if any(isinstance(argument, VirtualRegister) for argument in arguments):
            tell_asked()
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
        if found and not any(is_api(value) for value in space.values()):
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
        if isinstance(value, ModuleType) and not is_api(value):
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


def is_api(value: Any) -> bool:
    """Whether a value is a module of NKI."""
    return isinstance(value, ModuleType) and value.__name__.partition(".")[0] in ("neuronxcc", "nki")
