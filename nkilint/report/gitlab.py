"""Findings as a GitLab code quality report."""

from __future__ import annotations

import json

from nkilint.base.findings import Report
from nkilint.base.fingerprints import fingerprints
from nkilint_rules.rule import Severity

from .places import headline
from .setting import Setting

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report, setting: Setting) -> str:
    """A list with an object for each finding; GitLab tells old from new by the fingerprints."""
    named = zip(report.findings, fingerprints(report.findings, setting.named, setting.lines), strict=True)
    issues = [
        {
            "type": "issue",
            "check_name": finding.code,
            "description": f"{finding.code} {headline(finding)}",
            "categories": ["Bug Risk"],
            "severity": _SEVERITIES[finding.severity],
            "fingerprint": fingerprint,
            "location": {
                "path": setting.named(finding.at.file),
                "lines": {"begin": finding.at.row, "end": finding.at.end_row},
            },
        }
        for finding, fingerprint in named
    ]
    return json.dumps(issues, indent=2, ensure_ascii=False) + "\n"
