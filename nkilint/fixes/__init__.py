"""Repairs that are certain: what a finding asks for, as edits of the source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from ..findings import Diagnostic, KernelReport, Report
from .edits import Edit, Fix, applied

__all__ = ["Edit", "Fix", "applied", "fix_for", "with_fixes"]

Lines = Callable[[str], Sequence[str]]


def fix_for(finding: Diagnostic, kernels: Iterable[KernelReport], lines: Sequence[str]) -> Fix | None:
    """The repair of a finding in a file of these lines, if there is one that is certain."""
    if not 1 <= finding.at.row <= finding.at.end_row <= len(lines):
        return None
    maker = _MAKERS.get(finding.code)
    if maker is not None:
        return maker(finding, lines)
    if finding.verdict == "conditional" and finding.precondition is not None:
        from .statements import state_precondition

        own = (k for k in kernels if k.name == finding.kernel and k.file == finding.at.file)
        return next((fix for k in own if (fix := state_precondition(finding, k, lines)) is not None), None)
    return None


def with_fixes(report: Report, lines: Lines) -> Report:
    """`report` with its repairs in it."""

    def repaired(finding: Diagnostic) -> Diagnostic:
        fix = fix_for(finding, report.kernels, lines(finding.at.file))
        return finding if fix is None else replace(finding, fix=fix.entry())

    return replace(report, diagnostics=tuple(repaired(d) for d in report.diagnostics))


def _masks(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    from .expressions import join_masks

    return join_masks(finding, lines)


def _grids(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    from .expressions import widen_grid

    return widen_grid(finding, lines)


def _loops(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    from .statements import run_in_sequence

    return run_in_sequence(finding, lines)


def _suppressions(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    from .suppressions import remove_unused

    return remove_unused(finding, lines)


_MAKERS: Mapping[str, Callable[[Diagnostic, Sequence[str]], Fix | None]] = {
    "NKI002": _suppressions,
    "NKI302": _grids,
    "NKI304": _masks,
    "NKI601": _loops,
}
