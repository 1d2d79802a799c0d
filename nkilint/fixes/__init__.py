"""Repairs that are certain: what a finding asks for, as edits of the source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from ..base.findings import Diagnostic, KernelReport, Report
from .edits import Edit, Fix, applied

__all__ = ["Edit", "Fix", "applied", "fixes_for", "with_fixes"]

Lines = Callable[[str], Sequence[str]]


def fixes_for(finding: Diagnostic, kernels: Iterable[KernelReport], lines: Sequence[str]) -> tuple[Fix, ...]:
    """The repairs of a finding in a file of these lines, one instead of the other; the safe ones first."""
    if not 1 <= finding.at.row <= finding.at.end_row <= len(lines):
        return ()
    found: list[Fix | None] = [make(finding, lines) for make in _MAKERS.get(finding.code, ())]
    if finding.verdict == "conditional" and finding.precondition is not None:
        from .statements import state_precondition
        from .tails import cover_tail

        own = [k for k in kernels if k.name == finding.kernel and k.file == finding.at.file]
        stated = own[:1] if finding.code != "NKI705" else []  # it would say that a loop runs once
        found += [state_precondition(finding, k, lines) for k in stated]
        if finding.code == "NKI703":
            found += [cover_tail(finding, k, lines) for k in own[:1]]
    return tuple(sorted((fix for fix in found if fix is not None), key=lambda fix: not fix.safe))


def with_fixes(report: Report, lines: Lines) -> Report:
    """`report` with the first repair of each finding in it."""

    def repaired(finding: Diagnostic) -> Diagnostic:
        fixes = fixes_for(finding, report.kernels, lines(finding.at.file))
        return replace(finding, fix=fixes[0].entry()) if fixes else finding

    return replace(report, diagnostics=tuple(repaired(d) for d in report.diagnostics))


def _masks(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    from .expressions import join_masks

    return join_masks(finding, lines)


def _grids(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    from .expressions import widen_grid

    return widen_grid(finding, lines)


def _places(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    from .expressions import place_as_proposed

    return place_as_proposed(finding, lines)


def _loops(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    from .statements import run_in_sequence

    return run_in_sequence(finding, lines)


def _accumulators(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    from .statements import update_in_place

    return update_in_place(finding, lines)


def _levels(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    from .hoisting import make_before

    return make_before(finding, lines)


def _private(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    from .hoisting import make_private

    return make_private(finding, lines)


def _suppressions(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    from .suppressions import remove_unused

    return remove_unused(finding, lines)


_MAKERS: Mapping[str, tuple[Callable[[Diagnostic, Sequence[str]], Fix | None], ...]] = {
    "NKI002": (_suppressions,),
    "NKI302": (_grids,),
    "NKI304": (_masks,),
    "NKI501": (_places,),
    "NKI502": (_places,),
    "NKI601": (_loops,),
    "NKI705": (_accumulators,),
    "NKI706": (_levels, _private),
}
