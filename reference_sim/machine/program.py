"""What holds while a kernel runs: the launch, and the program of its grid that runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import CodeType
from typing import Any

import numpy as np

from nkilint_rules.language.api_outside_kernel import ApiOutsideKernel
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.targets import Target
from reference_sim.report.errors import FINDINGS, NkiError
from reference_sim.report.reporting import THREAD
from reference_sim.report.sites import Site, here
from reference_sim.report.strictness import Strictness
from reference_sim.report.wording import name_in_source, place_in_words, told

from .cores import Turns
from .listeners import Listeners
from .loop import Loop
from .memory import Chip, Storage


def _precise(strictness: Strictness, dialect: str) -> bool:
    """Whether narrow floats are held exactly."""
    asked = {"0": False, "1": True}.get(os.environ.get("NKI_PRECISE_FP", ""))
    chosen = asked if strictness.precise is None else strictness.precise
    return dialect != BETA1 if chosen is None else chosen


class Launch:
    """One call of a kernel by the host. All programs of its grid share this."""

    def __init__(
        self,
        dialect: str,
        target: Target,
        strictness: Strictness,
        grid: Sequence[int] = (),
        immutable_inputs: bool = False,
        kernel: str = "",
    ) -> None:
        self.dialect, self.target, self.strictness, self.kernel = dialect, target, strictness, kernel
        self.grid = tuple(grid)
        self.immutable_inputs = immutable_inputs
        self.precise = _precise(strictness, dialect)
        self.checks = strictness.checks
        self.shared: dict[Any, Any] = {}
        self.notes: dict[Any, Any] = {}  # of those who listen, about all its programs
        self.storages: list[Storage] = []
        self.turns: Turns | None = None  # of the logical cores, where there are several
        self.mailbox: dict[Any, Any] = {}
        self.code: CodeType | None = None  # of the kernel itself, where it is a plain function
        self.device_open = False  # whether the launch is given up for another device where this one lacks something
        self.allocation = ""  # the decorator that says who places tensors

    def end(self) -> None:
        """Let go of what hangs together in circles with the launch, which Python would look for late."""
        self.shared.clear()
        self.storages.clear()
        self.notes.clear()


class Program:
    """One program of a launch: its place in the grid, its own memories, engine state and loop nest."""

    def __init__(self, launch: Launch, index: Sequence[int] = ()) -> None:
        self.launch, self.strictness = launch, launch.strictness
        self.index = tuple(index)
        self.checks = launch.checks
        self.precise = launch.precise
        self.dialect = launch.dialect
        self.key = f"{launch.target.name} {launch.checks} {launch.precise}"  # a text keeps its hash
        self.listeners = Listeners()
        self.clock = 0
        self.chips: dict[str, Chip] = {}
        self.registers: dict[str, Any] = {}
        self.occurrences: dict[Any, int] = {}
        self.random = np.random.default_rng(0)
        self.shuffle: int | None = None
        self.number = 0
        self.thread = 0  # that it runs in
        self.loops: list[Loop] = []  # that run, outermost first, where somebody listens
        self.iteration = 0  # counts iterations of Beta 1's loops, all nests together
        self.unrolled: list[int] = []  # indices of the `static_range` loops that are running
        self.device_loops: tuple[tuple[str, object], ...] = ()  # that run on the device: their names, and what each is
        self.placements: dict[Any, Any] = {}
        self.addressing: Any = None  # which elements of the present access a mask leaves, while it is looked up
        self.operation = "an assignment"  # what runs, in messages' words
        self.updated: Any = None  # the tensor that an in-place operator gave last

    @property
    def device_open(self) -> bool:
        """Whether the launch goes to another device where this one lacks something."""
        return self.launch.device_open

    def end(self) -> None:
        """Let go of what hangs together in circles with the program, which Python would look for late: its memories are
        large, and so is what listeners note."""
        self.chips.clear()
        self.listeners.clear()
        self.updated = None

    def occurrence(self, site: Site) -> tuple[Site, int]:
        """A name for an event that is the same in every program of the grid."""
        count = self.occurrences[site] = self.occurrences.get(site, -1) + 1
        return site, count


def running() -> Program | None:
    """The program that this thread runs, if any."""
    found: Program | None = THREAD.program
    return found


def program(operation: str = "this operation") -> Program:
    """The program that this thread runs; an operation outside any kernel is an error."""
    found: Program | None = THREAD.program
    if found is None:
        raise _outside(operation)
    return found


def _outside(operation: str) -> NkiError:
    """The error of an operation that runs outside any kernel."""
    site = here()
    message = ApiOutsideKernel.message(operation=name_in_source(site) or operation, place=place_in_words(site))
    finding = told(message, site)
    FINDINGS.add(finding, stops=True)
    return NkiError(finding)


@contextmanager
def entered(inner: Program) -> Iterator[Program]:
    """Run the body as `inner`."""
    outer = running()
    THREAD.program = inner
    try:
        yield inner
    finally:
        THREAD.program = outer
        inner.end()
