"""Launch grids of which every program does the same work."""

from __future__ import annotations

from nkilint.prover import Verdict
from nkilint.prover.elimination import Existence
from nkilint_rules.parallel.redundant_write import RedundantWrite

from .findings import Analysis
from .questions.programs import (
    does_the_same,
    done_by_all,
    grid_axes,
    highest_asked,
    is_redundant,
    made_together,
    shared_tensors,
)
from .registry import decides


@decides(RedundantWrite)
def check_redundant(analysis: Analysis) -> None:
    """NKI605 for the first write of all programs to each tensor that they share. A kernel that asks for its position
    and never uses it is meant for a grid of several programs, unless it says otherwise."""
    several, asked, same = bool(grid_axes(analysis)), highest_asked(analysis), does_the_same(analysis)
    if not (several or asked is not None) or not (same or (several and not analysis.incomplete)):
        return
    common = frozenset() if same else done_by_all(analysis) - made_together(analysis)
    for base in shared_tensors(analysis):
        writes = [t for t in analysis.coverage.touches.writes_of(base) if t.event.kind != "allocation"]
        write = next((w for w in writes if not w.problem and (same or is_redundant(w, common))), None)
        if write is None:
            continue
        site = write.event.site
        if several or analysis.decide(asked <= 0, site.conditions()).verdict is not Verdict.PROVED:
            analysis.require(RedundantWrite.message(tensor=base.told), Existence(False), site)
