"""Findings as workflow commands, which GitHub shows beside the changed lines."""

from __future__ import annotations

from pathlib import Path

from nkilint.base.findings import Diagnostic, Report
from nkilint.base.source import notebook_of
from nkilint_rules.rule import Severity

from .places import headline, shown_path
from .setting import Setting

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: Report, setting: Setting) -> str:
    """One command for each finding."""
    return "".join(_command(d, setting.folder) + "\n" for d in report.findings)


def _command(finding: Diagnostic, folder: Path) -> str:
    at = finding.at
    places = {"file": shown_path(notebook_of(at.file), folder), "line": at.row, "endLine": at.end_row}
    if at.row == at.end_row:  # GitHub takes columns on single lines only, the last one included
        places |= {"col": at.column, "endColumn": max(at.end_column - 1, at.column)}
    places["title"] = f"{finding.code} {finding.name}"
    properties = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in places.items())
    text = headline(finding) + (f"\nhelp: {finding.help}" if finding.help else "")
    return f"::{_COMMANDS[finding.severity]} {properties}::{_escaped(text)}"


def _escaped(text: str, more: str = "") -> str:
    """`text` with the characters that end a command or a property written by their numbers."""
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text
