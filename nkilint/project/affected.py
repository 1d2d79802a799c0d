"""Chooses the kernels that a change touches: it is in them, in what they use, or in the host code that runs them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from nkilint.base import ir
from nkilint.base.findings import Diagnostic, Report

from .changes import Changes, Hunk
from .dependencies import Dependencies, Unit
from .discovery import Kernel
from .files import Project

_BOUND = re.compile(r"(?:@|async\s+)*(?:def|class)\s+(\w+)|(\w+)\s*(?::[^=]+)?=[^=]")
_IMPORTED = re.compile(r"(?:from\s+\S+\s+)?import\s+(.*)")
_REMARK = re.compile(r"\s*(#(?!\s*(?:nkilint|noqa)\b)|$)", re.IGNORECASE)


@dataclass(frozen=True)
class Touched:
    """The choice that `changes` make. Given to the engine, and asked afterwards which findings belong to it."""

    changes: Changes

    def choose(self, project: Project, modules: Sequence[ir.Module], kernels: Sequence[Kernel]) -> list[Kernel]:
        """The kernels that the changes touch; those that call a touched one are among them."""
        dependencies = Dependencies(project)
        own = {k: dependencies.unit_at(k.module, k.function.at.row) for k in kernels}
        parts = {k: dependencies.reached([u]) if u is not None else set() for k, u in own.items()}
        change = _Change(self.changes, dependencies)
        found = {k for k in kernels if own[k] is None or change.is_in(parts[k])}
        device = frozenset(u for units in parts.values() for u in units)
        entries = frozenset(u for u in own.values() if u is not None)
        for module in modules:
            for unit in dependencies.units(module):
                if unit not in device:
                    used = dependencies.reached([unit], stop=entries)
                    if change.is_in(used - device):
                        found |= {k for k in kernels if own[k] in used}
        return [k for k in kernels if k in found]

    def only(self, report: Report) -> Report:
        """`report` without findings that stand outside of kernels in lines that have not changed."""
        kept = tuple(d for d in report.diagnostics if d.kernel is not None or self._is_new(d))
        failures = tuple(d for d in report.failures if os.path.abspath(d.at.file) in self.changes)
        return replace(report, diagnostics=kept, failures=failures)

    def _is_new(self, finding: Diagnostic) -> bool:
        hunks = self.changes.get(os.path.abspath(finding.at.file), ())
        return any(h.row <= finding.at.end_row and finding.at.row < h.row + h.count for h in hunks)


class _Change:
    """The changes, file by file, as touched pieces and as names that were taken away."""

    def __init__(self, changes: Changes, dependencies: Dependencies) -> None:
        self.changes, self.dependencies = changes, dependencies
        self._gone: dict[str, frozenset[str]] = {
            file: frozenset(name for hunk in hunks for name in _removed(hunk)) for file, hunks in changes.items()
        }

    def is_in(self, units: Iterable[Unit]) -> bool:
        return any(self._touches(unit) for unit in units)

    def _touches(self, unit: Unit) -> bool:
        file = os.path.abspath(unit.file)
        if any(_inside(hunk, unit) for hunk in self.changes.get(file, ())):
            return True
        near = {file, *self.dependencies.imports(file)} & self._gone.keys()
        return any(unit.mentions & self._gone[path] for path in near)


def _inside(hunk: Hunk, unit: Unit) -> bool:
    """Whether a hunk changes the piece: new lines in it, or lines that were taken out of its middle or its end."""
    if hunk.count:
        return hunk.row <= unit.end_row and unit.row < hunk.row + hunk.count
    if unit.row == hunk.row + 1 and any(
        line.lstrip().startswith("#") and not _REMARK.match(line) for line in hunk.removed
    ):
        return True
    if not unit.row <= hunk.row <= unit.end_row:
        return False
    body = next((line for line in hunk.removed if line.strip()), "")
    return hunk.row < unit.end_row or body[:1].isspace()


def _removed(hunk: Hunk) -> Iterator[str]:
    """The names that the lines taken away bound at the top level."""
    for line in hunk.removed:
        if line[:1].isspace() or _REMARK.match(line):
            continue
        imported = _IMPORTED.match(line)
        if imported:
            yield from (part.split()[-1] for part in re.split(r"[,()]", imported[1]) if part.strip())
        elif (bound := _BOUND.match(line)) is not None:
            yield bound[1] or bound[2]
