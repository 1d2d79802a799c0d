"""Warnings that say the same about one kernel told once, with the other places beside the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nkilint.base.findings import Diagnostic, Related
from nkilint_rules.rule import Severity

SAME = "the same is said of this"


def together(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """`findings` in their order; of those that are no errors and agree in kernel, file, code and words, the first."""
    first: dict[Any, int] = {}
    found: list[Diagnostic] = []
    for finding in findings:
        if finding.severity is Severity.ERROR or finding.kernel is None:
            found.append(finding)
            continue
        key = finding.kernel, finding.at.file, finding.code, finding.severity, finding.message
        at = first.setdefault(key, len(found))
        if at == len(found):
            found.append(finding)
        else:
            found[at] = replace(found[at], related=(*found[at].related, Related(SAME, finding.at)))
    return found
