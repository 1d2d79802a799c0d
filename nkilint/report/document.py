"""Turns a report into the JSON document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from nkilint.base.findings import Diagnostic, KernelReport, Report
from nkilint.base.ir import Span
from nkilint.base.serial import json_text
from nkilint_rules.rule import Severity

from .places import shown_path
from .schema import (
    VERSION,
    DiagnosticEntry,
    Document,
    InstanceEntry,
    KernelEntry,
    ObligationsEntry,
    Position,
    RelatedEntry,
    SummaryEntry,
    UnknownEntry,
    WitnessEntry,
)
from .setting import Setting


def render(report: Report, setting: Setting) -> str:
    whole = asdict(document(report, setting.folder, setting.seconds))
    return json_text(whole)


def document(report: Report, folder: Path, seconds: float) -> Document:
    """The report in the shape of the JSON document."""
    kernels = sorted(report.kernels, key=lambda k: (k.file, k.at.row, k.name))
    return Document(
        version=VERSION,
        target=report.target,
        diagnostics=tuple(_diagnostic(d, folder) for d in report.findings),
        kernels=tuple(_kernel(k, folder) for k in kernels),
        summary=SummaryEntry(
            files=report.files,
            kernels=len(report.kernels),
            errors=report.count(Severity.ERROR),
            warnings=report.count(Severity.WARNING),
            seconds=round(seconds, 3),
            codes=dict(sorted(Counter(d.code for d in report.findings).items())),
            obligations=_obligations(report),
        ),
    )


def explained(kernel: KernelReport, findings: Iterable[Diagnostic], folder: Path) -> dict[str, object]:
    """A kernel with what was found in it, and how each of its obligations was decided."""
    own = [f for f in findings if f.kernel == kernel.name and f.home in (None, kernel.at)]
    return {
        **asdict(_kernel(kernel, folder)),
        "diagnostics": [asdict(_diagnostic(f, folder)) for f in own],
        "proofs": [
            {"code": p.code, "row": p.row, "text": p.text, "verdict": p.verdict, "rung": p.rung} for p in kernel.proofs
        ],
    }


def _begin(at: Span) -> Position:
    return Position(at.row, at.column)


def _end(at: Span) -> Position:
    return Position(at.end_row, at.end_column)


def _diagnostic(finding: Diagnostic, folder: Path) -> DiagnosticEntry:
    witness = finding.witness
    return DiagnosticEntry(
        code=finding.code,
        name=finding.name,
        severity=str(finding.severity),
        message=finding.message,
        help=finding.help,
        filename=shown_path(finding.at.file, folder),
        location=_begin(finding.at),
        end_location=_end(finding.at),
        kernel=finding.kernel,
        verdict=finding.verdict,
        precondition=finding.precondition,
        witness=None if witness is None else WitnessEntry(dict(witness.inputs), dict(witness.loops), witness.element),
        confirmation=finding.confirmation,
        confirmation_reason=finding.confirmation_reason,
        related=tuple(
            RelatedEntry(r.message, shown_path(r.at.file, folder), _begin(r.at), _end(r.at)) for r in finding.related
        ),
        fix=finding.fix,
    )


def _obligations(holder: Report | KernelReport) -> ObligationsEntry:
    count = holder.obligations
    return ObligationsEntry(count.total, count.proved, count.violated, count.conditional, count.unknown)


def _kernel(kernel: KernelReport, folder: Path) -> KernelEntry:
    return KernelEntry(
        filename=shown_path(kernel.file, folder),
        name=kernel.name,
        location=_begin(kernel.at),
        dialect=kernel.dialect,
        verdict=kernel.verdict,
        contract=kernel.contract,
        assumptions=kernel.assumptions,
        obligations=_obligations(kernel),
        unknown=tuple(
            UnknownEntry(u.code, shown_path(u.file or kernel.file, folder), u.row, u.reason) for u in kernel.unknown
        ),
        instances=tuple(InstanceEntry(dict(i.inputs), i.verdict) for i in kernel.instances),
    )
