"""Which repairs a finding has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from nkilint.base.findings import Diagnostic, KernelReport, Report
from nkilint_rules.dataflow.output_not_at_kernel_level import OutputNotAtKernelLevel
from nkilint_rules.dataflow.partial_output import PartialOutput
from nkilint_rules.dataflow.rebound_accumulator import ReboundAccumulator
from nkilint_rules.indexing.mask_conjunction import MaskConjunction
from nkilint_rules.indexing.one_dimensional_arange import OneDimensionalArange
from nkilint_rules.lifetime.overlapping_tensors import OverlappingTensors
from nkilint_rules.lifetime.too_few_tiles import TooFewTiles
from nkilint_rules.parallel.loop_carried_dependency import LoopCarriedDependency
from nkilint_rules.tool.unused_suppression import UnusedSuppression

from .assumptions import without_assumptions
from .edits import Fix
from .expressions import join_masks, place_as_proposed, widen_grid
from .hoisting import make_before, make_private
from .statements import run_in_sequence, state_precondition, update_in_place
from .suppressions import remove_unused
from .tails import cover_tail

Proposal = Callable[[Diagnostic, Sequence[str]], Fix | None]
Lines = Callable[[str], Sequence[str]]


def fixes_for(finding: Diagnostic, kernels: Sequence[KernelReport], lines: Sequence[str]) -> tuple[Fix, ...]:
    """The repairs of a finding in a file of these lines, one instead of the other; the safe ones first."""
    if not 1 <= finding.at.row <= finding.at.end_row <= len(lines):
        return ()
    found: list[Fix | None] = [make(finding, lines) for make in PROPOSALS.get(finding.code, ())]
    if finding.verdict == "conditional" and finding.precondition is not None:
        own = [k for k in kernels if k.name == finding.kernel and k.file == finding.at.file]
        stated = own[:1] if finding.code != ReboundAccumulator.code else []  # it would say that a loop runs once
        found += [state_precondition(finding, k, lines) for k in stated]
        if finding.code == PartialOutput.code:
            found += [cover_tail(finding, k, lines) for k in own[:1]]
    made = [without_assumptions(fix, finding, kernels) for fix in found if fix is not None]
    return tuple(sorted(made, key=lambda fix: not fix.safe))


def with_fixes(report: Report, kernels: Sequence[KernelReport], lines: Lines) -> Report:
    """`report` with the first repair of each finding in it; `kernels` are those that they are about."""

    def repaired(finding: Diagnostic) -> Diagnostic:
        fixes = fixes_for(finding, kernels, lines(finding.at.file))
        return replace(finding, fix=fixes[0].entry()) if fixes else finding

    return replace(report, diagnostics=tuple(repaired(d) for d in report.diagnostics))


PROPOSALS: Mapping[str, tuple[Proposal, ...]] = {
    UnusedSuppression.code: (remove_unused,),
    OneDimensionalArange.code: (widen_grid,),
    MaskConjunction.code: (join_masks,),
    OverlappingTensors.code: (place_as_proposed,),
    TooFewTiles.code: (place_as_proposed,),
    LoopCarriedDependency.code: (run_in_sequence,),
    ReboundAccumulator.code: (update_in_place,),
    OutputNotAtKernelLevel.code: (make_before, make_private),
}
