"""Findings as a GitLab code quality report."""

from __future__ import annotations

from nkilint.base.findings import Diagnostic, Report
from nkilint.base.fingerprints import fingerprints
from nkilint.base.serial import json_text
from nkilint.base.source import notebook_of
from nkilint_rules.rule import Severity

from .places import confirmation_text, headline, witness_text
from .setting import Setting

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def _description(finding: Diagnostic) -> str:
    """All that GitLab shows of a finding: it has one line for it."""
    told = [witness_text(finding.witness) if finding.witness else "", confirmation_text(finding)]
    parts = [f"{finding.code} {headline(finding)}", f"help: {finding.help}" if finding.help else ""]
    parts.append(f"witness: {'; '.join(t for t in told if t)}" if any(told) else "")
    return ". ".join(part for part in parts if part)


def render(report: Report, setting: Setting) -> str:
    """A list with an object for each finding; GitLab tells old from new by the fingerprints."""
    named = zip(report.findings, fingerprints(report.findings, setting.named, setting.lines), strict=True)
    issues = [
        {
            "type": "issue",
            "check_name": finding.code,
            "description": _description(finding),
            "categories": ["Bug Risk"],
            "severity": _SEVERITIES[finding.severity],
            "fingerprint": fingerprint,
            "location": {
                "path": setting.named(notebook_of(finding.at.file)),
                "lines": {"begin": finding.at.row, "end": finding.at.end_row},
            },
        }
        for finding, fingerprint in named
    ]
    return json_text(issues)
