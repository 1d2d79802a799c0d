"""Listening while certain loops run: what a checker notes of each of them, from where it begins to where it ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, Protocol, TypeVar

from reference_sim.machine.loop import Loop
from reference_sim.machine.program import Program

from .protocol import Observer


class OfLoop(Protocol):
    """What belongs to a loop."""

    loop: Loop


L = TypeVar("L", bound=OfLoop)


def taken(known: list[L], loop: Loop) -> L | None:
    """What belongs to a loop that ends, which is known no longer."""
    for each in known:
        if each.loop is loop:
            known.remove(each)
            return each
    return None


class Notes(OfLoop, Protocol):
    """What is noted of a loop that runs."""

    def iterate(self, clock: int) -> None:
        """Its next iteration begins."""


N = TypeVar("N", bound=Notes)


class LoopObserver(Observer, ABC, Generic[N]):
    """Told of the events of `AT_TIMES` while loops run of which it takes notes; in `loops`, outermost first."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.loops: list[N] = []

    @abstractmethod
    def notes_of(self, loop: Loop) -> N | None:
        """What to note of a loop that begins; None where it is of no concern."""

    @abstractmethod
    def judge_loop(self, notes: N) -> None:
        """Judge a loop that ran out of iterations."""

    def loop_began(self, loop: Loop) -> None:
        notes = self.notes_of(loop) if len(loop.trips) > 1 else None
        if notes is not None:
            self.loops.append(notes)
            if len(self.loops) == 1:
                self.start()

    def iterated(self, loop: Loop) -> None:
        for notes in self.loops:
            if notes.loop is loop:
                notes.iterate(self.program.clock)

    def loop_ended(self, loop: Loop, completed: bool) -> None:
        notes = taken(self.loops, loop)
        if notes is None:
            return
        if not self.loops:
            self.stop()
        if completed:
            self.judge_loop(notes)
