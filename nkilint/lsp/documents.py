"""What is known about each open document: its last results, and which findings it contributes to which file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from nkilint.base.findings import Diagnostic, KernelReport, Report
from nkilint.base.ir import Span
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.tool.unused_suppression import UnusedSuppression
from nkilint_rules.words.records import dataclass

_UNSETTLED = frozenset({UnusedSuppression.code, IncompleteAnalysis.code})  # what only a complete analysis can say


@dataclass(frozen=True, slots=True)
class Result:
    """One analysis of one version. `read` are the files that it looked into; `complete` says that nothing was left
    out for the sake of time, `tried` that the reference simulator has had its say."""

    version: int
    report: Report
    lines: Sequence[str]
    read: frozenset[str]
    complete: bool
    tried: bool = False


@dataclass
class Document:
    """An open file. `turn` counts the reasons to analyse it again: results of an older turn are stale. `saved` is the
    version that was saved last."""

    uri: str
    path: str
    version: int
    turn: int = 0
    saved: int = -1
    result: Result | None = None
    whole: Result | None = None  # the last complete one
    done: int = -1  # the last turn with a result
    contributed: dict[str, list[Diagnostic]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return os.path.basename(self.path)

    def take(self, result: Result, settled: bool = True) -> None:
        """Note the newest result; unless it is `settled`, another on the same text follows at once."""
        self.result = result
        if result.complete:
            self.whole = result
        if settled:
            self.done = self.turn
        self.contributed = {}
        for finding in self._findings(result):
            self.contributed.setdefault(os.path.abspath(finding.at.file), []).append(finding)

    def _findings(self, result: Result) -> Iterable[Diagnostic]:
        """A hasty result says what certainly fails; the rest is what the last complete one said of lines that still
        stand where they stood."""
        if result.complete:
            return result.report.findings
        certain = [d for d in result.report.findings if d.verdict != "conditional" and d.code not in _UNSETTLED]
        if self.whole is None:
            return certain
        places = {(d.at.file, d.at.row) for d in certain}
        kept = [
            d
            for d in self.whole.report.findings
            if (d.at.file, d.at.row) not in places and self._stands(d.at, self.whole.lines, result.lines)
        ]
        return [*certain, *kept]

    def _stands(self, at: Span, before: Sequence[str], after: Sequence[str]) -> bool:
        if os.path.abspath(at.file) != self.path:
            return True
        rows = slice(at.row - 1, at.end_row)
        return at.end_row <= len(after) and before[rows] == after[rows]

    @property
    def kernels(self) -> tuple[KernelReport, ...]:
        """The kernels of the file, as the last complete analysis knows them."""
        if self.whole is None:
            return ()
        return tuple(k for k in self.whole.report.kernels if os.path.abspath(k.file) == self.path)

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        """The findings of the last complete analysis."""
        return () if self.whole is None else self.whole.report.diagnostics


def absolute(report: Report, folder: str) -> Report:
    """`report` of a run in `folder`, with files named by their whole paths."""

    def place(at: Span) -> Span:
        return replace(at, file=os.path.join(folder, at.file))

    def finding(d: Diagnostic) -> Diagnostic:
        return replace(d, at=place(d.at), related=tuple(replace(r, at=place(r.at)) for r in d.related))

    def kernel(k: KernelReport) -> KernelReport:
        instances = tuple(replace(i, at=None if i.at is None else place(i.at)) for i in k.instances)
        return replace(k, file=os.path.join(folder, k.file), at=place(k.at), instances=instances)

    return replace(
        report,
        diagnostics=tuple(finding(d) for d in report.diagnostics),
        failures=tuple(finding(d) for d in report.failures),
        suppressed=tuple(finding(d) for d in report.suppressed),
        kernels=tuple(kernel(k) for k in report.kernels),
    )


def merged(contributions: Iterable[Mapping[str, Sequence[Diagnostic]]], path: str) -> list[Diagnostic]:
    """What several documents have to say about one file, each thing once."""
    found: dict[tuple[str, Span, str], Diagnostic] = {}
    for contribution in contributions:
        for finding in contribution.get(path, ()):
            found.setdefault((finding.code, finding.at, finding.message), finding)
    return sorted(found.values(), key=lambda d: d.order)
