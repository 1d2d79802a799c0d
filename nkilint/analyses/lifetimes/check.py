"""The obligations about lifetimes, decided."""

from __future__ import annotations

from nkilint_rules.lifetime.accumulate_on_initialised import AccumulateOnInitialised
from nkilint_rules.lifetime.interleaved_accumulation import InterleavedAccumulation
from nkilint_rules.lifetime.overlapping_tensors import OverlappingTensors
from nkilint_rules.lifetime.stale_accumulator import StaleAccumulator
from nkilint_rules.lifetime.too_few_tiles import TooFewTiles

from ..findings import Analysis
from ..registry import decides
from .accumulation import Accumulation
from .conflicts import Conflicts
from .tensors import Tensors


@decides(OverlappingTensors, TooFewTiles, InterleavedAccumulation, StaleAccumulator, AccumulateOnInitialised)
def check_lifetimes(analysis: Analysis) -> None:
    """What is read is what was written there last for it."""
    trace = analysis.run.trace
    tensors = Tensors(trace, analysis.prover)
    dialect = analysis.run.request.dialect if analysis.run.request is not None else ""
    conflicts = Conflicts(tensors, analysis.incomplete, dialect, analysis.selects)
    accumulation = Accumulation(tensors, dialect, analysis.incomplete)
    conflicts.check()
    accumulation.check()
    for known in (conflicts.known, accumulation.known):
        for assumption in known.assumptions:
            trace.assumptions.setdefault(assumption, None)
    analysis.settled += [*conflicts.settled, *accumulation.settled]
