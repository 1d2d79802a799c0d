"""Loops whose iterations all start the random numbers over from the same seed (NKI712)."""

from __future__ import annotations

from typing import Any

import numpy as np

from nkilint_rules.dataflow.repeated_seed import RepeatedSeed
from reference_sim.machine.loop import Loop
from reference_sim.machine.program import Program
from reference_sim.operations.operands import Operands
from reference_sim.report.sites import Site, here
from reference_sim.report.wording import complain

from .loops import taken
from .protocol import Observer

Seeds = dict[Site, list[bytes]]
"""What the statements of an iteration seeded with, one time after the other, if something drew from it."""


class Seeding:
    """A loop that runs: what seeds in its present iteration, which has this number, and what has seeded alike in all
    before."""

    __slots__ = ("loop", "number", "present", "same")

    def __init__(self, loop: Loop) -> None:
        self.loop, self.number = loop, 0
        self.present: Seeds = {}
        self.same: Seeds | None = None

    def go_on(self, number: int) -> None:
        """All iterations before this one are over."""
        if number == self.number:
            return
        if self.same is None:
            self.same = self.present
        self.same = {site: seeds for site, seeds in self.same.items() if self.present.get(site) == seeds}
        if number > self.number + 1:  # iterations in which nothing seeded
            self.same = {}
        self.number, self.present = number, {}


class RepeatedSeeds(Observer):
    """Compares what iterations seed with, of the loops in which something does."""

    AT_TIMES = ("loop_ended",)

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.latest: tuple[Site, bytes, str] | None = None  # the seed, of an engine, that nothing has drawn from yet
        self.loops: list[Seeding] = []

    def randomness(self, operands: Operands) -> None:
        name = operands.entry.name
        if name in RepeatedSeed.seeds:
            engine = RepeatedSeed.engine(name, operands.leaf("engine"))
            seed: Any = operands.array(RepeatedSeed.seeds[name])
            self.latest = None if engine is None else (here(), np.asarray(seed).tobytes(), engine)
        elif self.latest is not None:
            site, seed, engine = self.latest
            if engine != RepeatedSeed.engine(name, operands.leaf("engine")):
                return
            for loop in self.program.loops:
                if len(loop.trips) > 1:
                    notes = self._notes_of(loop)
                    notes.go_on(loop.number)
                    notes.present.setdefault(site, []).append(seed)
            self.latest = None

    def _notes_of(self, loop: Loop) -> Seeding:
        for notes in self.loops:
            if notes.loop is loop:
                return notes
        if not self.loops:
            self.start()
        self.loops.append(Seeding(loop))
        return self.loops[-1]

    def loop_ended(self, loop: Loop, completed: bool) -> None:
        notes = taken(self.loops, loop)
        if notes is None:
            return
        if not self.loops:
            self.stop()
        if completed:
            self._judge(notes)

    def _judge(self, notes: Seeding) -> None:
        notes.go_on(notes.loop.number + 1)
        for site in notes.same or {}:
            complain(RepeatedSeed.message(loop=notes.loop.name), site, [("the loop", notes.loop.site)])
