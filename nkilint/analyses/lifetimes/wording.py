"""What a finding about lifetimes says: which tiles share which bytes, when, and what would repair it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nkilint.base.ir import Span
from nkilint.evaluator.device.placement.place import Placement
from nkilint.evaluator.state.trace import AtWitness, Site
from nkilint.prover import Prover, Verdict
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import key_of
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.records import dataclass

from ..questions.accesses import Occurrence, Touch, occurrence, precedes
from .deciding import Answer, Model
from .overlap import Spot, numbers, spot
from .question import FIRST, equations
from .tensors import Tensors

MAX_RELATED = 6


@dataclass(frozen=True, slots=True)
class Told:
    """The tiles and bytes that a finding names, its place and related places, and the numbers of its counterexample."""

    site: Site
    victim: str
    culprit: str
    bytes: str
    element: AtWitness
    related: tuple[tuple[str, Span], ...]
    model: Model


def describe(found: Answer, place: Placement, other: Placement, also: Sequence[Touch], tensors: Tensors) -> Told:
    """The words for a clobbered read."""
    last, middle = found.last, found.middle
    assert last is not None
    assert middle is not None
    model = completed(found.decision.model, last, middle)
    a, b = spot(last, place), spot(middle, other)
    victim, culprit = tile_name(a, model), tile_name(b, model)
    related = [(f"`{culprit}` overwrites it here{iterations(middle, model)}", middle.touch.event.site.at)]
    if found.first is not None:
        first, earlier = earlier_write(found.first, middle, last, model, tensors.prover)
        related.append((f"`{victim}` is written here first{iterations(first, earlier)}", first.touch.event.site.at))
    related.append((f"`{name(place)}` is allocated here: {rectangle(a, model)}", place.event.site.at))
    if other.base is not place.base:
        related.append((f"`{name(other)}` is allocated here: {rectangle(b, model)}", other.event.site.at))
    spans = dict.fromkeys(t.event.site.at for t in also if t.event.site.at != last.touch.event.site.at)
    related += [("overwritten before this read, too", at) for at in spans]
    return Told(
        last.touch.event.site, victim, culprit, shared_bytes(a, b, model), AtWitness(last.element),
        tuple(related[:MAX_RELATED]), model,
    )  # fmt: skip


def completed(model: Model, *executions: Occurrence) -> Model:
    """The counterexample with the iterations that it leaves open, which are then the first ones."""
    found = dict(model)
    for execution in executions:
        for iteration in execution.iterations:
            for variable in variables(iteration):
                value = numbers(iteration, found)
                if variable not in found and key_of(iteration) == key_of(variable) and isinstance(value, int):
                    found[variable] = value
    return found


def earlier_write(
    first: Touch, middle: Occurrence, last: Occurrence, model: Model, prover: Prover
) -> tuple[Occurrence, Model]:
    """The execution of `first` that wrote what is read, and its numbers where the solver finds them."""
    execution = occurrence(first, FIRST)
    wanted = [*execution.conditions, precedes(execution, middle), *(e == 0 for e in equations(execution, last))]
    fixed: dict[Any, Any] = dict(model)
    left = [substitute(c, fixed) if isinstance(c, Cond) else c for c in wanted]
    if any(c is False or isinstance(c, Unknown) for c in left):
        return execution, {}
    decision = prover.decide(False, [c for c in left if c is not True])
    return execution, decision.model if decision.verdict is not Verdict.PROVED else {}


def name(place: Placement) -> str:
    return place.base.name or "a tensor"


def tile_name(at: Spot, model: Model) -> str:
    """A logical tile as a subscript of its tensor: `t[2]`."""
    index = ", ".join(str(numbers(i, model)) for i in at.block)
    made = [f"{loop.name}={numbers(i, model)}" for loop, i in zip(at.place.base.loops, at.instance, strict=True)]
    tile = f"{name(at.place)}[{index}]" if index else name(at.place)
    return f"{tile} of {', '.join(made)}" if made else tile


def rectangle(at: Spot, model: Model) -> str:
    """The partitions and bytes of a tile, in words."""
    partition, byte = (numbers(v, model) for v in at.place.at(at.block, at.instance))
    partitions, size = numbers(at.place.partitions, model), numbers(at.place.bytes, model)
    return f"partitions {partition} to {_less_one(partition + partitions)}, bytes {byte} to {_less_one(byte + size)}"


def shared_bytes(a: Spot, b: Spot, model: Model) -> str:
    """What two tiles have in common, in words."""
    sides = []
    for at in (a, b):
        partition, byte = (numbers(v, model) for v in at.place.at(at.block, at.instance))
        sides.append((partition, partition + numbers(at.place.partitions, model), byte,
                      byte + numbers(at.place.bytes, model)))  # fmt: skip
    (p, p_end, x, x_end), (q, q_end, y, y_end) = sides
    if not all(isinstance(n, int) for side in sides for n in side):
        return "the same bytes"
    first, last = max(x, y), min(x_end, y_end) - 1
    return f"bytes {first} to {last} of partitions {max(p, q)} to {min(p_end, q_end) - 1}"


def _less_one(value: Any) -> Any:
    return value - 1


def iterations(execution: Occurrence, model: Model) -> str:
    """In which iteration something happens, in words."""
    found = [
        (loop.name, numbers(i, model)) for loop, i in zip(execution.touch.loops, execution.iterations, strict=True)
    ]
    pairs = [f"{loop}={i}" for loop, i in found if isinstance(i, int)]
    return f", at {', '.join(pairs)}" if pairs and len(pairs) == len(found) else ""
