"""Findings that are known and put off: written to a file, and told from new ones later."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from nkilint.base import whole
from nkilint.base.config import ConfigError
from nkilint.base.findings import Diagnostic, Report
from nkilint.base.fingerprints import Lines, fingerprints
from nkilint.base.serial import json_text
from nkilint_rules.rule import Severity
from nkilint_rules.words.records import dataclass

VERSION = 1
_LOUDNESS = {Severity.INFO: 0, Severity.WARNING: 1, Severity.ERROR: 2}


@dataclass(frozen=True, slots=True)
class Entry:
    """A known finding. Kernel and message are for people who read the file."""

    fingerprint: str
    code: str
    severity: Severity
    filename: str  # relative to the folder of the baseline, with forward slashes
    kernel: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The known findings, and the file that holds them."""

    file: Path
    entries: tuple[Entry, ...]

    def place(self, entry: Entry) -> Path:
        """The source file that `entry` speaks of."""
        return Path(os.path.abspath(self.file.parent / entry.filename))


def read(file: Path) -> Baseline:
    """The baseline in `file`; `ConfigError` if it is none."""
    try:
        data = json.loads(whole.read(file))
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}; --write-baseline makes a baseline", file) from None
    except ValueError:
        raise ConfigError("is not a baseline: it is not JSON", file) from None
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise ConfigError(f"is not a baseline of version {VERSION}", file)
    try:
        return Baseline(file, tuple(_entry(item) for item in data["findings"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"is not a baseline: an entry lacks or misstates {error}", file) from None


def _entry(item: dict[str, Any]) -> Entry:
    kernel = item.get("kernel")
    return Entry(
        str(item["fingerprint"]),
        str(item["code"]),
        Severity(item["severity"]),
        str(item["filename"]),
        None if kernel is None else str(kernel),
        str(item.get("message", "")),
    )


def text(report: Report, file: Path, lines: Lines) -> str:
    """A baseline, to be kept in `file`, that holds every finding of `report`; failures are never put off."""
    found = [asdict(entry) | {"severity": str(entry.severity)} for entry in entries(report, file, lines)]
    return json_text({"version": VERSION, "findings": found})


def entries(report: Report, file: Path, lines: Lines) -> list[Entry]:
    """Every finding of `report` in the order of their places, as a baseline in `file` names it."""
    findings = _in_order(report.diagnostics)
    named = _named(file)
    return [
        Entry(fingerprint, d.code, d.severity, named(d.at.file), d.kernel, d.message)
        for d, fingerprint in zip(findings, fingerprints(findings, named, lines), strict=True)
    ]


def compare(report: Report, baseline: Baseline, lines: Lines) -> tuple[Report, tuple[Entry, ...]]:
    """`report` with only what is new as its findings, and the entries that were not found again.

    A finding that has become louder since, such as a condition that turned into a violation, is new.
    """
    findings = _in_order(report.diagnostics)
    entries = {e.fingerprint: e for e in baseline.entries}
    new: list[Diagnostic] = []
    known: list[Diagnostic] = []
    for finding, fingerprint in zip(findings, fingerprints(findings, _named(baseline.file), lines), strict=True):
        entry = entries.pop(fingerprint, None)
        put_off = entry is not None and _LOUDNESS[finding.severity] <= _LOUDNESS[entry.severity]
        (known if put_off else new).append(finding)
    return replace(report, diagnostics=tuple(new), known=tuple(known)), tuple(entries.values())


def _in_order(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    return sorted(findings, key=lambda d: d.order)


def _named(file: Path) -> Callable[[str], str]:
    """Names files relative to the folder of the baseline, so that it serves from any working folder."""
    folder = os.path.abspath(file.parent)

    def name(source: str) -> str:
        return source if source == "-" else Path(os.path.relpath(source, folder)).as_posix()

    return name
