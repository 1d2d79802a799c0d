"""What verifying one kernel gives, apart from everything that only lives during a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Literal

from nkilint.base import interruption
from nkilint.base.findings import Diagnostic, KernelReport, UnknownObligation
from nkilint.base.ir import Module, Span
from nkilint.base.options import Options
from nkilint.project.discovery import Kernel
from nkilint.project.files import Project
from nkilint_rules.rule import Severity
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.records import dataclass

from .footprints import Footprints

Part = Literal["kernel", "part", "of objects", "helper"]
"""What something is that kernels call: one that others may call as well; one for them alone; one, further, that takes
objects of which only they know what these hold; no kernel at all."""
OBJECTS = "what the objects hold that it takes only the kernels say that call it: it is judged through these"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One kernel: its report and findings, the kernels it went through, and what it is to those that call it.

    Kernels are named by where their names stand. `faults` are what this tool failed on: single answers, or without a
    report all of it. Without either, it did not come to it before it was told to stop.
    """

    at: Span
    report: KernelReport | None
    findings: tuple[Diagnostic, ...] = ()
    called: frozenset[Span] = frozenset()
    part: Part = "kernel"
    faults: tuple[Diagnostic, ...] = ()

    @property
    def as_called(self) -> Outcome | None:
        """What is said of it where other kernels go through it, which meet its conditions or are told of what is not
        met; nothing of a helper."""
        if self.part in ("kernel", "helper"):
            return self if self.part == "kernel" else None
        report = self.report
        if self.part == "of objects" and report is not None and report.verdict == "incomplete":
            unknown = UnknownObligation(IncompleteAnalysis.code, self.at.row, OBJECTS, self.at.file)
            report = replace(report, obligations=replace(report.obligations, unknown=1), unknown=(unknown,))
        told = tuple(d for d in self.findings if d.severity is Severity.ERROR or self._says_what_is_open(d))
        return replace(self, report=report, findings=told)

    def _says_what_is_open(self, finding: Diagnostic) -> bool:
        return self.part == "part" and finding.code == IncompleteAnalysis.code


Listener = Callable[[Kernel, Outcome], None]


@dataclass(frozen=True)
class Setting:
    """What the verdict on a kernel may depend on. `inner` are the kernels that others call.

    A runner calls `progress` with the number of kernels done, the number of all, and what it says of them, and `done`
    with each outcome as soon as it is there, whatever their order.
    """

    project: Project
    modules: Sequence[Module]
    kernels: Sequence[Kernel]
    inner: frozenset[Span]
    options: Options
    progress: Callable[[int, int, str], None] = lambda done, total, what: None
    listeners: list[Listener] = field(default_factory=list)

    @cached_property
    def footprints(self) -> Footprints:
        """What the kernels depend on."""
        return Footprints(self.project, self.modules, self.kernels, self.inner, self.options)

    def done(self, kernel: Kernel, outcome: Outcome) -> None:
        """Tell who listens of an outcome; being told to stop waits for that."""
        with interruption.held():
            for listener in self.listeners:
                listener(kernel, outcome)


Verify = Callable[[Kernel], Outcome]
Runner = Callable[[Setting, Sequence[Kernel], Verify], Sequence[Outcome]]


class Advance:
    """How far kernels are: those done, the files in which no other is left, and the findings in them."""

    def __init__(self, kernels: Iterable[Kernel]) -> None:
        self._left = Counter(kernel.module.path for kernel in kernels)
        self._files, self._findings = len(self._left), 0

    def done(self, kernel: Kernel, outcome: Outcome) -> None:
        """Count an outcome."""
        self._findings += len(outcome.findings)
        self._left[kernel.module.path] -= 1

    def said(self, slowest: Kernel) -> str:
        """What progress says, with the kernel that is at hand for the longest time."""
        files = sum(not left for left in self._left.values())
        findings = f"{self._findings} finding{'s' * (self._findings != 1)}"
        return f"kernels, {files}/{self._files} files, {findings}; {slowest.module.path}::{slowest.name}"


def one_by_one(setting: Setting, kernels: Sequence[Kernel], verify: Verify) -> list[Outcome]:
    """Verifies kernels in their order."""
    found: list[Outcome] = []
    advance = Advance(kernels)
    try:
        with interruption.heard():
            for number, kernel in enumerate(kernels):
                setting.progress(number, len(kernels), advance.said(kernel))
                found.append(verify(kernel))
                advance.done(kernel, found[-1])
                setting.done(kernel, found[-1])
                interruption.minded()
    except KeyboardInterrupt:
        if not interruption.noted():
            raise
    return found + [Outcome(left.function.at, None) for left in kernels[len(found) :]]
