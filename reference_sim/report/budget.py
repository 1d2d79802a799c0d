"""How much work a run may do, counted in steps that are the same on every machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import Finding

OPERATION = 100  # steps of one operation; the iteration of a loop in the kernel's own source is one
_ELEMENTS = 256  # that a step computes


class OutOfBudget(BaseException):
    """A run that would go on for too long; nothing in a kernel catches it."""


class Budget:
    """Steps and bytes that are left, and the steps that were taken; with `enough`, the run ends at a finding too."""

    __slots__ = ("enough", "memory", "spent", "steps")

    def __init__(self, steps: int, memory: int, enough: Callable[[Finding], bool] | None = None) -> None:
        self.steps, self.memory, self.spent, self.enough = steps, memory, 0, enough

    def spend(self, steps: int = 1) -> None:
        """Take some steps."""
        self.spent += steps
        if self.spent > self.steps:
            raise OutOfBudget("steps")

    def allocate(self, shape: Any, itemsize: int, lasting: bool) -> None:
        """Make a tensor; one in HBM stays to the end of the run."""
        size = prod(shape) * itemsize
        if size > self.memory:
            raise OutOfBudget("memory")
        if lasting:
            self.memory -= size


ACTIVE: list[Budget] = []
"""The budgets that hold, the innermost last."""


def active() -> Budget | None:
    """The budget of the present run, if it has one."""
    return ACTIVE[-1] if ACTIVE else None


def heard(finding: Finding) -> None:
    """A finding was recorded."""
    if ACTIVE and ACTIVE[-1].enough is not None and ACTIVE[-1].enough(finding):
        raise OutOfBudget("")


def operation(value: Any) -> None:
    """An operation has run under a budget, and gave this."""
    ACTIVE[-1].spend(OPERATION + int(getattr(value, "size", 0)) // _ELEMENTS)


@contextmanager
def limited(budget: Budget | None) -> Iterator[None]:
    """Count what the body does against a budget."""
    if budget is None:
        yield
        return
    ACTIVE.append(budget)
    try:
        yield
    finally:
        ACTIVE.remove(budget)
