"""Tiles, and what one instruction holds of them, that are larger than SBUF or PSUM (NKI410).

Sizes that inputs choose count as little as they can be: an input that is too large for the device is no fault of the
kernel. Tensors that the kernel places itself are not counted: they may share bytes, and have rules of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from nkilint.evaluator.kernels.requests import Run
from nkilint.evaluator.state.trace import Event, Obligation
from nkilint.evaluator.values.tensors import Declaration
from nkilint.symbolic.atoms import Atom
from nkilint.symbolic.substitution import substitute
from nkilint_rules.operations.effects import RESULT
from nkilint_rules.placement.capacity import Capacity
from nkilint_rules.placing.shares import Held
from nkilint_rules.rule import Need
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.memory import ON_CHIP, PSUM, SBUF
from nkilint_rules.words.targets import Target

from ..registry import states
from .capacity import least

RULE = Capacity()


@states(Capacity)
def state_capacity(run: Run) -> Iterator[Obligation]:
    """What does not fit into the memories at once."""
    target = run.trace.target
    if target is None:
        return
    for event in run.trace.events:
        for need in _needs(event, target):
            if not need.condition:
                yield Obligation(need.message, False, event.site)


def _needs(event: Event, target: Target) -> Iterator[Need]:
    settled = {} if event.site.facts is None else event.site.facts.settled
    if event.kind == "allocation":
        yield from _alone(event.arguments["tensor"].base, settled, target)
    if event.kind != "operation" or event.operation is None:
        return
    kept = [a for a in event.accesses if a.role == "accumulate"] or event.accesses  # a product is added in its place
    bases = {id(a.view.base): a.view.base for a in kept if _counts(a.view.base)}
    for access in event.accesses:
        if access.operand == RESULT:
            yield from _alone(access.view.base, settled, target)
    for memory in (SBUF, PSUM):
        tiles = [_held(base, settled) for base in bases.values() if base.memory == memory]
        if len(tiles) > 1 and all(RULE.check_tile(tile, memory, target).condition for tile in tiles):
            yield RULE.check_instruction(event.operation.leaf, tiles, memory, target)


def _alone(base: Declaration, settled: Mapping[Atom, int], target: Target) -> Iterator[Need]:
    """A tile in SBUF fits; tiles in PSUM have a rule of their own."""
    if _counts(base) and base.memory == SBUF:
        yield RULE.check_tile(_held(base, settled), SBUF, target)


def _counts(base: Declaration) -> bool:
    return base.memory in ON_CHIP and base.kind in ("allocation", "result") and base.placement is None


def _held(base: Declaration, settled: Mapping[Atom, int]) -> Held:
    """A tensor's tile, as small as it can be where facts settle some of the inputs."""
    sizes = [least(substitute(size, settled)) for size in base.shape[base.blocks :]]
    itemsize = 1 if isinstance(base.dtype, Unknown) else least(base.dtype.itemsize)
    return Held(sizes[0] if sizes else 1, prod(sizes[1:]) * itemsize)
