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

from .loops import LoopObserver

Seeds = dict[Site, list[bytes]]
"""What the statements of an iteration seeded with, one time after the other, if something drew from it."""


class Seeding:
    """A loop that runs: what seeds in its present iteration, and what has seeded alike in all before."""

    __slots__ = ("loop", "present", "same")

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.present: Seeds = {}
        self.same: Seeds | None = None

    def iterate(self, clock: int) -> None:
        if self.loop.number > 0:
            self.close()

    def close(self) -> None:
        """An iteration is over."""
        if self.same is None:
            self.same, self.present = self.present, {}
            return
        if self.same:
            self.same = {site: seeds for site, seeds in self.same.items() if self.present.get(site) == seeds}
        if self.present:
            self.present = {}


class RepeatedSeeds(LoopObserver[Seeding]):
    """Compares what iterations seed with."""

    AT_TIMES = ("iterated", "began")

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.latest: tuple[Site, bytes, str] | None = None  # the seed, of an engine, that nothing has drawn from yet

    def notes_of(self, loop: Loop) -> Seeding:
        return Seeding(loop)

    def began(self, operands: Operands | None) -> None:
        if operands is None:
            return
        name = operands.entry.name
        if name in RepeatedSeed.seeds:
            engine = RepeatedSeed.engine(name, operands.leaf("engine"))
            seed: Any = operands.array(RepeatedSeed.seeds[name])
            self.latest = None if engine is None else (here(), np.asarray(seed).tobytes(), engine)
        elif self.latest is not None and name in RepeatedSeed.draws:
            site, seed, engine = self.latest
            if engine != RepeatedSeed.engine(name, operands.leaf("engine")):
                return
            for notes in self.loops:
                notes.present.setdefault(site, []).append(seed)
            self.latest = None

    def judge_loop(self, notes: Seeding) -> None:
        notes.close()
        for site in notes.same or {}:
            complain(RepeatedSeed.message(loop=notes.loop.name), site, [("the loop", notes.loop.site)])
