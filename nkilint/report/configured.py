"""What a configuration makes of findings: some are left out in some files, others are louder or quieter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from nkilint.base.findings import Diagnostic, Report
from nkilint.base.options import Options


def configured(report: Report, options: Options) -> Report:
    """`report` as `options` wants it; failures stay as they are."""
    if not options.per_file_ignores and not options.severity:
        return report
    return replace(
        report,
        diagnostics=_configured(report.diagnostics, options),
        suppressed=_configured(report.suppressed, options),
    )


def _configured(findings: Iterable[Diagnostic], options: Options) -> tuple[Diagnostic, ...]:
    return tuple(
        replace(d, severity=options.severity_of(d.code, d.severity))
        for d in findings
        if options.selects(d.code, d.at.file)
    )
