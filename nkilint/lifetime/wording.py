"""What a finding about lifetimes says: which tiles share which bytes, when, and what would repair it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..dataflow.regions import Occurrence, Touch
from ..evaluator.trace import Site
from ..ir import Span
from ..placement.place import Place
from .deciding import Found, Model
from .overlap import Spot, numbers, spot
from .repair import repair
from .tensors import Tensors

MAX_RELATED = 6


@dataclass(frozen=True, slots=True)
class Told:
    """Place, values, wording and related places of a finding."""

    site: Site
    values: dict[str, Any]
    template: str | None
    related: tuple[tuple[str, Span], ...]


def describe(code: str, found: Found, place: Place, other: Place, also: Sequence[Touch], tensors: Tensors) -> Told:
    """The words for a clobbered read."""
    last, middle = found.last, found.middle
    assert last is not None
    assert middle is not None
    model = found.decision.model
    a, b = spot(last, place), spot(middle, other)
    victim, culprit = tile_name(a, model), tile_name(b, model)
    values = {
        "victim": victim,
        "other": culprit,
        "bytes": shared_bytes(a, b, model),
        "repair": repair(code, place, other, tensors),
        "call": last.touch.event.site.at,
    }
    related = [(f"`{culprit}` overwrites it here{iterations(middle, model)}", middle.touch.event.site.at)]
    if found.first is not None:
        related.append((f"`{victim}` is written here first", found.first.event.site.at))
    related.append((f"`{name(place)}` is allocated here: {rectangle(a, model)}", place.event.site.at))
    if other.base is not place.base:
        related.append((f"`{name(other)}` is allocated here: {rectangle(b, model)}", other.event.site.at))
    spans = dict.fromkeys(t.event.site.at for t in also if t.event.site.at != last.touch.event.site.at)
    related += [("overwritten before this read, too", at) for at in spans]
    return Told(last.touch.event.site, values, None, tuple(related[:MAX_RELATED]))


def name(place: Place) -> str:
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
    pairs = [
        f"{loop.name}={numbers(i, model)}" for loop, i in zip(execution.touch.loops, execution.iterations, strict=True)
    ]
    return f", at {', '.join(pairs)}" if pairs else ""
