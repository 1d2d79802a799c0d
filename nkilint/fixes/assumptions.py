"""What the analysis assumed that a repair would make a kernel's own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from nkilint.base.findings import Diagnostic, KernelReport
from nkilint_rules.dataflow.output_not_at_kernel_level import OutputNotAtKernelLevel
from nkilint_rules.dataflow.rebound_accumulator import ReboundAccumulator
from nkilint_rules.indexing.mask_conjunction import MaskConjunction
from nkilint_rules.parallel.loop_carried_dependency import LoopCarriedDependency
from nkilint_rules.tool.unused_suppression import UnusedSuppression

from .edits import Fix

_ANYWAY = frozenset(
    {
        r.code
        for r in (LoopCarriedDependency, MaskConjunction, OutputNotAtKernelLevel, ReboundAccumulator, UnusedSuppression)
    }
)
"""Rules whose repairs are right whatever the inputs are."""
_KNOWN = re.compile(
    r".*, as in its launches"  # calls say so, and are run
    r"|the assertion on line \d+ holds"
    r"|.* (?:is|are) in bounds"  # else the kernel is wrong by itself
    r"|[^ ]*\.dtype .*"  # another the operations do not take
)


def without_assumptions(fix: Fix, finding: Diagnostic, kernels: Iterable[KernelReport]) -> Fix:
    """The repair as it is, or one that is not safe and says what it rests on."""
    if finding.code in _ANYWAY:
        return fix
    own = [k for k in kernels if k.name == finding.kernel and finding.home in (None, k.at)]
    found = tuple(dict.fromkeys(a for k in own for a in k.assumptions if not _KNOWN.fullmatch(a)))
    if not found:
        return fix
    return replace(fix, title=f"{fix.title}, assuming that {'; '.join(found)}", safe=False, assuming=found)
