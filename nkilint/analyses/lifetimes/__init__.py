"""How long data stays where it was put: reads of what was overwritten under direct allocation, sums in PSUM."""

from __future__ import annotations

from collections.abc import Callable

from nkilint.evaluator.kernels.requests import Run
from nkilint.prover import Prover

from ..dataflow import Settled, incomplete
from .accumulation import Accumulation
from .conflicts import Conflicts
from .tensors import Tensors

__all__ = ["analyse"]


def analyse(run: Run, prover: Prover, selects: Callable[[str], bool]) -> list[Settled]:
    """The obligations about lifetimes, decided."""
    tensors = Tensors(run.trace, prover)
    missing = incomplete(run)
    dialect = run.request.dialect if run.request is not None else ""
    conflicts = Conflicts(tensors, missing, dialect, selects)
    accumulation = Accumulation(tensors, dialect, missing)
    conflicts.check()
    accumulation.check()
    for known in (conflicts.known, accumulation.known):
        for assumption in known.assumptions:
            run.trace.assumptions.setdefault(assumption, None)
    return [s for s in (*conflicts.settled, *accumulation.settled) if selects(s.obligation.rule.code)]
