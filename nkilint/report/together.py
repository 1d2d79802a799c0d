"""What is no error told once: for one place and rule, and for all places of a file where advice is the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from nkilint.base.findings import Diagnostic, Related
from nkilint_rules.rule import Severity

SAME = "the same is said of this"
OTHERWISE = "more like it, under other conditions or of other kernels; --all-places lists them"


def together(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """`findings` in their order; of those that are no errors and have one cause, the first, with places of the others.

    What one rule says of one place has one cause, whichever kernels come there. So has what it says of a kernel in the
    same words, and advice in the same words, which hangs on no kernel.
    """
    return _first(_first(findings, _place, OTHERWISE), _words, SAME)


def _place(finding: Diagnostic) -> Any:
    return finding.code, finding.severity, finding.at


def _words(finding: Diagnostic) -> Any:
    kernel = finding.kernel if finding.verdict is not None else ""
    return kernel, finding.at.file, finding.code, finding.severity, finding.message


def _first(findings: Sequence[Diagnostic], cause: Callable[[Diagnostic], Any], said: str) -> list[Diagnostic]:
    """The first finding of each cause, with the places of the others."""
    first: dict[Any, int] = {}
    found: list[Diagnostic] = []
    for finding in findings:
        if finding.severity is Severity.ERROR or finding.kernel is None:
            found.append(finding)
            continue
        at = first.setdefault(cause(finding), len(found))
        if at == len(found):
            found.append(finding)
        else:
            found[at] = replace(found[at], related=(*found[at].related, Related(said, finding.at)))
    return found
