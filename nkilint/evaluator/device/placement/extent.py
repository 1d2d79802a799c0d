"""The bytes that all tiles of a tensor together take, where they are numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from nkilint.symbolic.integers import Sym, key_of
from nkilint.symbolic.substitution import substitute

from .place import Placement, block_variables

MAX_TILES = 4096  # tiles that are looked at one by one
NO_INPUTS: Mapping[Any, int] = {}


@dataclass(frozen=True, slots=True, order=True)
class Rectangle:
    """Bytes of partitions: from the first of each up to, without, the last."""

    byte: int
    end: int
    partition: int
    last: int

    def meets(self, other: Rectangle) -> bool:
        return (
            self.byte < other.end
            and other.byte < self.end
            and self.partition < other.last
            and other.partition < self.last
        )


def physical_tiles(place: Placement, inputs: Mapping[Any, int] = NO_INPUTS) -> list[Rectangle] | None:
    """The places of the tiles for given inputs, each once, in order; None where they are no numbers or too many."""
    if place.problem or place.moves:
        return None
    size, partitions = _number(place.bytes, inputs), _number(place.partitions, inputs)
    found: set[Rectangle] = set()
    for partition, byte in _starts(place, inputs):
        if not all(isinstance(n, int) for n in (partition, byte, size, partitions)):
            return None
        found.add(Rectangle(byte, byte + size, partition, partition + partitions))
    return sorted(found) or None


def spots(place: Placement, most: int) -> list[tuple[Any, Any, Any, Any]] | None:
    """The places of the tiles for all inputs, each once: first byte, end, first partition, end. None where they are not
    known, or their number depends on inputs or is larger than `most`."""
    if place.problem or place.moves:
        return None
    found: dict[Any, tuple[Any, Any, Any, Any]] = {}
    for partition, byte in _starts(place, NO_INPUTS):
        if partition is None or len(found) == most:
            return None
        spot = byte, byte + place.bytes, partition, partition + place.partitions
        found.setdefault(tuple(map(key_of, spot)), spot)
    return list(found.values())


def _starts(place: Placement, inputs: Mapping[Any, int]) -> Iterator[tuple[Any, Any]]:
    sizes = [_number(n, inputs) for n in place.base.shape[: place.base.blocks]]
    if not all(isinstance(size, int) for size in sizes):
        yield None, None
        return
    blocks, tiles = block_variables(place.base), 1
    for size in sizes:
        tiles *= size
    if tiles > MAX_TILES:
        yield None, None
        return
    for index in product(*(range(size) for size in sizes)):
        at = {**inputs, **{b.variable: i for b, i in zip(blocks, index, strict=True) if isinstance(b, Sym)}}
        yield _number(place.partition, at), _number(place.byte, at)


def _number(value: Any, at: Mapping[Any, int]) -> Any:
    return substitute(value, dict(at)) if isinstance(value, Sym) and at else value


def extent(place: Placement) -> Rectangle | None:
    """The smallest rectangle around all tiles of the tensor."""
    tiles = physical_tiles(place)
    if not tiles:
        return None
    return Rectangle(
        min(t.byte for t in tiles),
        max(t.end for t in tiles),
        min(t.partition for t in tiles),
        max(t.last for t in tiles),
    )
