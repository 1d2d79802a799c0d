"""How long data stays where direct allocation put it: reads of what something else has overwritten."""

from __future__ import annotations

from collections.abc import Callable

from ..dataflow import Settled, incomplete
from ..evaluator.kernel import Run
from ..prover import Prover
from .conflicts import Conflicts
from .tensors import Tensors

__all__ = ["analyse"]


def analyse(run: Run, prover: Prover, selects: Callable[[str], bool]) -> list[Settled]:
    """The obligations about lifetimes, decided."""
    tensors = Tensors(run.trace, prover)
    conflicts = Conflicts(tensors, incomplete(run), selects)
    if tensors.places:
        conflicts.check()
        for assumption in conflicts.known.assumptions:
            run.trace.assumptions.setdefault(assumption, None)
    return [s for s in conflicts.settled if selects(s.obligation.code)]
