"""What verifying one kernel gives, apart from everything that only lives during a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nkilint.base import interruption
from nkilint.base.findings import Diagnostic, KernelReport
from nkilint.base.ir import Module, Span
from nkilint.base.options import Options
from nkilint.project.discovery import Kernel
from nkilint.project.files import Project


@dataclass(frozen=True, slots=True)
class Outcome:
    """One kernel: its report and findings, the kernels it went through, and whether host code launches it.

    Kernels are named by where their names stand. `faults` are what this tool failed on: single answers, or without a
    report all of it. Without either, it did not come to it before it was told to stop.
    """

    at: Span
    report: KernelReport | None
    findings: tuple[Diagnostic, ...] = ()
    called: frozenset[Span] = frozenset()
    launched: bool = False
    faults: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Setting:
    """What the verdict on a kernel may depend on. `inner` are the kernels that others call.

    A runner calls `progress` with the number of kernels done, the number of all, and which one it waits for.
    """

    project: Project
    modules: Sequence[Module]
    kernels: Sequence[Kernel]
    inner: frozenset[Span]
    options: Options
    progress: Callable[[int, int, str], None] = lambda done, total, what: None


Verify = Callable[[Kernel], Outcome]
Runner = Callable[[Setting, Sequence[Kernel], Verify], Sequence[Outcome]]


def waited_for(kernel: Kernel, findings: int) -> str:
    """What progress says: how many findings there are so far, and which kernel is at hand."""
    said = f"{findings} finding{'s' * (findings != 1)}, " if findings else ""
    return f"{said}{kernel.module.path}::{kernel.name}"


def one_by_one(setting: Setting, kernels: Sequence[Kernel], verify: Verify) -> list[Outcome]:
    """Verifies kernels in their order."""
    found: list[Outcome] = []
    try:
        with interruption.heard():
            findings = 0
            for number, kernel in enumerate(kernels):
                setting.progress(number, len(kernels), waited_for(kernel, findings))
                found.append(verify(kernel))
                findings += len(found[-1].findings)
    except KeyboardInterrupt:
        if not interruption.noted():
            raise
    return found + [Outcome(left.function.at, None) for left in kernels[len(found) :]]
