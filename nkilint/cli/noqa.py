"""`nkilint check --add-noqa`: a comment beside each finding that silences it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from nkilint.base.config import ConfigError
from nkilint.base.findings import Diagnostic, Report
from nkilint.base.source import Overlay, SourceError, decode, encode, read_bytes
from nkilint.fixes.edits import applied
from nkilint.fixes.mending import Mended, write
from nkilint.fixes.suppressions import suppress_here
from nkilint.report.places import shown_path, shown_place
from nkilint.report.summary import counted
from nkilint_rules.tool.unused_suppression import UnusedSuppression

from . import comparison, settings
from .tasks import complete, report_of, task_of


def run(arguments: argparse.Namespace) -> int:
    """Exits with 0 if every finding could be silenced, 2 if something could not be read or written, else 1."""
    try:
        if "-" in arguments.paths:
            raise ConfigError("--add-noqa writes into files; give some instead of `-`")
        task = task_of(arguments)
        report = report_of(task, comparison.touched(arguments))
        report = comparison.compared(report, task.known, arguments, task.overlay)
    except ConfigError as error:
        settings.complain(error)
        return 2
    complete()
    files = sorted({d.at.file for d in report.diagnostics})
    result = _silenced(report, files)
    problems = write(result)
    result = result.without(problems)
    left = len(report.diagnostics) - result.count
    sys.stderr.write(f"{counted(result.count, 'finding')} silenced in {counted(len(result.files), 'file')}\n")
    for file, problem in problems.items():
        print(f"{shown_path(file, Path.cwd())}: {problem}", file=sys.stderr)
    return 2 if report.failures or problems else int(left > 0)


def _silenced(report: Report, files: Sequence[str]) -> Mended:
    """The files with their comments; comments stand at the ends of lines, so rows stay what they are."""
    after: dict[str, bytes] = {}
    before: dict[str, bytes] = {}
    counts: dict[str, int] = {}
    for file in files:
        try:
            data = read_bytes(file, Overlay())
            text = decode(data, file)
        except SourceError:
            continue
        for finding in (d for d in report.diagnostics if d.at.file == file):
            changed = _with_comment(finding, text)
            if changed is None:
                print(f"{shown_place(finding.at, Path.cwd())}: no line of it can take a comment", file=sys.stderr)
                continue
            text = changed
            counts[file] = counts.get(file, 0) + 1
        if encode(text, data) != data:
            before[file], after[file] = data, encode(text, data)
    return Mended(report, after, before, counts)


def _with_comment(finding: Diagnostic, text: str) -> str | None:
    if finding.code == UnusedSuppression.code or not finding.at.file.endswith(".py"):
        return None
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    fix = suppress_here(finding, lines) if finding.at.end_row <= len(lines) else None
    return None if fix is None else applied(fix.edits, text)
