"""Launch grids of which every program does the same work."""

from __future__ import annotations

from nkilint.prover import Verdict
from nkilint.prover.elimination import Existence
from nkilint_rules.parallel.redundant_write import RedundantWrite

from .findings import Analysis
from .questions.programs import does_the_same, grid_axes, highest_asked, shared_tensors
from .registry import decides


@decides(RedundantWrite)
def check_redundant(analysis: Analysis) -> None:
    """NKI605 for the first write to each tensor that the programs share. A kernel that asks for its position is meant
    for a grid of several programs, unless it says otherwise."""
    several, asked = bool(grid_axes(analysis)), highest_asked(analysis)
    if not (several or asked is not None) or not does_the_same(analysis):
        return
    for base in shared_tensors(analysis):
        writes = [t for t in analysis.coverage.touches.writes_of(base) if t.event.kind != "allocation"]
        write = next((w for w in writes if not w.problem), None)
        if write is None:
            continue
        site = write.event.site
        if several or analysis.decide(asked <= 0, site.conditions()).verdict is not Verdict.PROVED:
            analysis.settle(RedundantWrite.message(tensor=base.name), Existence(False), site)
