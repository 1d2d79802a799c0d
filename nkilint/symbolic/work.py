"""Work: what each algorithm that can grow charges for the size that it touches, one unit for a few microseconds.

It is counted, never measured by a clock: a kernel takes the same work on every machine. What is charged beyond what is
allowed raises `OutOfWork`, which whoever allowed it turns into an unknown answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import TypeVar

T = TypeVar("T")
REASON = "the budget of work is spent"


class OutOfWork(Exception):
    """More was to be done than is allowed."""

    def __init__(self) -> None:
        super().__init__(REASON)


class _Meter:
    __slots__ = ("limit", "spent", "total")

    def __init__(self) -> None:
        self.spent: float = 0
        self.limit: float = inf  # of what runs just now
        self.total: float = inf  # of the stage that it is part of


_METER = _Meter()


def charge(units: int) -> None:
    """Count work that is about to be done."""
    meter = _METER
    meter.spent += units
    if meter.spent > meter.limit:
        raise OutOfWork


def note(units: int) -> None:
    """Count work that was done, and gave something."""
    _METER.spent += units


def spent() -> float:
    """The work that was done so far."""
    return _METER.spent


def left() -> float:
    """The work that is left of the stage at hand."""
    return max(_METER.total - _METER.spent, 0)


def allowed() -> float:
    """The work that what runs just now may still do."""
    return _METER.limit - _METER.spent


@contextmanager
def stage(units: float, slack: float = 1) -> Iterator[None]:
    """A stage of an analysis: its questions together may take so much work, and all of it `slack` times as much."""
    meter = _METER
    before = meter.limit, meter.total
    meter.total = min(meter.total, meter.spent + units)
    left = max(meter.total - meter.spent, 0)
    meter.limit = min(meter.limit, inf if slack == inf else meter.spent + slack * left)
    try:
        yield
    finally:
        meter.limit, meter.total = before


def within(units: float, ask: Callable[[], T], otherwise: T) -> T:
    """The answer to one question of a stage, which may take so much work and no more than is left of its stage;
    `otherwise` if that does not do, or if something is nested too deeply to be followed."""
    meter = _METER
    before = meter.limit
    meter.limit = min(before, meter.total, meter.spent + units)
    try:
        return ask()
    except (OutOfWork, RecursionError):
        return otherwise
    finally:
        meter.limit = before
