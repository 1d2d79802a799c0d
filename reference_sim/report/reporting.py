"""Where findings go: they are recorded, and they stop the run that they are about unless it collects them."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any, Protocol

from nkilint_rules.operands.unsupported_on_target import UnsupportedOnTarget

from . import budget
from .errors import FINDINGS, Finding, NkiError
from .strictness import Strictness


class Run(Protocol):
    """What a report has to know of the program that runs."""

    @property
    def index(self) -> tuple[int, ...]: ...

    @property
    def strictness(self) -> Strictness: ...

    @property
    def device_open(self) -> bool: ...


class DeviceLacks(BaseException):
    """A device that nobody named lacks what a kernel asks for; nothing in a kernel catches it."""


class _Thread(threading.local):
    program: Any = None


THREAD = _Thread()
"""The program that this thread runs, if any."""


def report(finding: Finding, strictness: Strictness | None = None) -> None:
    """Record a finding; it stops the run if it is an error, unless everything is collected."""
    current: Run | None = THREAD.program
    if current is not None and current.index:
        finding = dataclasses.replace(finding, program=current.index)
    if current is not None and current.device_open and finding.code == UnsupportedOnTarget.code:
        raise DeviceLacks
    chosen = strictness or (current.strictness if current else Strictness())
    stops = finding.severity == "error" and not chosen.collect
    FINDINGS.add(finding, stops)
    budget.heard(finding)
    if stops:
        raise NkiError(finding)
