"""What the iterations of an `affine_range` loop touch, and whether they depend on each other."""

from __future__ import annotations

from typing import Any


class Loop:
    """One run of a loop."""

    __slots__ = ("depth", "events", "iteration", "started")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.iteration = 0
        self.started = 0
        self.events: dict[int, list[Any]] = {}

    def begin(self, iteration: int, clock: int) -> None:
        """A new iteration starts."""
        self.iteration, self.started = iteration, clock

    def judge(self) -> None:
        """Report dependencies between iterations."""
