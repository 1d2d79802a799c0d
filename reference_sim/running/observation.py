"""One run of a kernel for a tool that wants to know everything: results, all findings, and what stopped it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nkilint_rules.words.dialects import BETA1
from reference_sim.report.budget import Budget, OutOfBudget, limited
from reference_sim.report.errors import FINDINGS, Finding, NkiError
from reference_sim.report.sites import UNKNOWN_PLACE, SourcePlace, is_users
from reference_sim.report.strictness import Strictness

from .kernels import Kernel
from .launch import launch
from .settings import SETTINGS, target_named

COLLECTING = Strictness(collect=True)


@dataclass(frozen=True, slots=True)
class Stop:
    """The exception that ended a run, and the kernel's line at which it did."""

    error: Exception
    at: SourcePlace

    def as_json(self) -> dict[str, Any]:
        return {
            "type": type(self.error).__name__,
            "message": str(self.error),
            "filename": self.at.file,
            "row": self.at.row,
            "function": self.at.function,
        }


@dataclass(frozen=True, slots=True)
class Observation:
    """What one run gave. `results` is None where something stopped the run; `exceeded` says which limit did."""

    results: Any
    findings: tuple[Finding, ...]
    stopped: Stop | None
    exceeded: str = ""

    def as_json(self) -> dict[str, Any]:
        """The report without the results."""
        return {
            "version": 1,
            "findings": [finding.as_json() for finding in self.findings],
            "stopped": None if self.stopped is None else self.stopped.as_json(),
        }


def observe(
    kernel: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    dialect: str = BETA1,
    grid: Sequence[int] = (),
    target: str | None = None,
    immutable: bool | None = None,
    strictness: Strictness = COLLECTING,
    budget: Budget | None = None,
    outputs: Collection[str] = (),
) -> Observation:
    """Run a kernel once and tell what happened; nothing is printed, and the findings of the process stay as they are.

    A jitted kernel brings its dialect, its grid and whether its inputs are immutable along; these arguments serve plain
    functions, and `grid` and `immutable` take precedence where they are given. A run ends where its `budget` does.
    `outputs` names parameters that the kernel is to write as a whole.
    """
    if isinstance(kernel, Kernel):
        grid = grid or kernel.grid
        dialect, function = kernel.dialect, kernel.func
        immutable = kernel.immutable if immutable is None else immutable
    else:
        function = kernel
    outer, chosen = FINDINGS.set_aside(), SETTINGS["strictness"]
    SETTINGS["strictness"] = strictness
    results: Any = None
    stopped: Stop | None = None
    exceeded = ""
    try:
        device = None if target is None else target_named(target)
        with limited(budget):
            results = launch(function, args, kwargs or {}, dialect, tuple(grid), device, bool(immutable), outputs)
    except OutOfBudget as error:
        exceeded = str(error)
    except Exception as error:  # a kernel is anyone's code, and whatever it raises belongs to the account of its run
        stopped = Stop(error, _place_of(error))
    finally:
        found = tuple(FINDINGS.items)
        FINDINGS.put_back(outer)
        SETTINGS["strictness"] = chosen
    return Observation(results, found, stopped, exceeded)


def _place_of(error: Exception) -> SourcePlace:
    """The innermost line that the exception passed outside of the simulator, numpy and Python's own library."""
    if isinstance(error, NkiError):
        return error.finding.at
    found = UNKNOWN_PLACE
    for frame, row in traceback.walk_tb(error.__traceback__):
        if is_users(frame.f_code):
            found = SourcePlace(frame.f_code.co_filename, row, frame.f_code.co_name)
    return found
