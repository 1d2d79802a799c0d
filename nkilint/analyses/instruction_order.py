"""Whether instructions depend on those that loops on the device run without them (NKI608)."""

from __future__ import annotations

from collections.abc import Iterator

from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import Obligation, Site
from nkilint.evaluator.values.instructions import Instruction
from nkilint_rules.parallel.dependency_across_loop import DependencyAcrossLoop
from nkilint_rules.words.conditions import Unknown

from .registry import states


@states(DependencyAcrossLoop)
def state_orders(run: Run) -> Iterator[Obligation]:
    """Of each dependency, that the loops around what comes earlier are around what comes later."""
    for event in run.trace.events:
        later = event.arguments.get("self")
        if event.operation is None or event.operation.leaf != "depends_on" or not isinstance(later, Instruction):
            continue
        for earlier in event.arguments.get("producers", ()):
            if isinstance(earlier, Instruction):
                yield _order(later, earlier, event.site)
            elif isinstance(earlier, Unknown):
                yield Obligation(DependencyAcrossLoop, earlier, event.site)


def _order(later: Instruction, earlier: Instruction, site: Site) -> Obligation:
    around = [loop for _, loop in later.loops]
    apart = [kind for kind, loop in earlier.loops if not any(loop is other for other in around)]
    apart += [kind for kind, at in earlier.unrolled if (kind, at) not in later.unrolled]
    if apart:
        said = DependencyAcrossLoop.message(later=later.operation, earlier=earlier.operation, loop=apart[0])
        return Obligation(said, False, site)
    one = not earlier.unrolled or earlier.callers == later.callers
    return Obligation(DependencyAcrossLoop, one or Unknown("whether two instructions are in one loop"), site)
