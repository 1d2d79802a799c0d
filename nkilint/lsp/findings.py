"""Findings as diagnostics of the protocol."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.uris import from_fs_path
from pygls.workspace import PositionCodec

from nkilint.base.findings import Diagnostic
from nkilint.report.places import confirmation_text, headline, witness_text
from nkilint_rules.rule import Severity
from nkilint_rules.tool.unused_suppression import UnusedSuppression

from .places import shown_range

SOURCE = "nkilint"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
_UNNECESSARY = frozenset({UnusedSuppression.code})
Lines = Callable[[str], Sequence[str]]
Address = Callable[[str], str]


def uri_of(path: str) -> str:
    """The address of a file."""
    return from_fs_path(os.path.abspath(path)) or Path(os.path.abspath(path)).as_uri()


def diagnostic(
    finding: Diagnostic, lines: Lines, codec: PositionCodec, page: Address, address: Address
) -> types.Diagnostic:
    """A finding for the editor; `lines` gives the text of a file, `address` its address, `page` a rule's page."""
    related = [
        types.DiagnosticRelatedInformation(
            location=types.Location(address(r.at.file), shown_range(r.at, lines(r.at.file), codec)), message=r.message
        )
        for r in finding.related
    ]
    return types.Diagnostic(
        range=shown_range(finding.at, lines(finding.at.file), codec),
        message=text(finding),
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(href=page(finding.code)),
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code in _UNNECESSARY else None,
        related_information=related or None,
        data=_data(finding),
    )


def text(finding: Diagnostic) -> str:
    """What the editor shows: the message, then help and witness on lines of their own."""
    shown = [headline(finding)]
    if finding.help:
        shown.append(f"help: {finding.help}")
    evidence = [witness_text(finding.witness) if finding.witness else "", confirmation_text(finding)]
    if any(evidence):
        shown.append("witness: " + "; ".join(e for e in evidence if e))
    return "\n".join(shown)


def _data(finding: Diagnostic) -> dict[str, Any]:
    """What a code action needs to know, and what tells equal diagnostics apart."""
    return {
        "name": finding.name,
        "kernel": finding.kernel,
        "verdict": finding.verdict,
        "precondition": finding.precondition,
    }
