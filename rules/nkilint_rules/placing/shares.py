"""How much of SBUF or PSUM tiles take together; partitions and bytes are ints or symbolic ints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..words.conditions import ceil_div, is_integer
from ..words.memory import PSUM
from ..words.targets import Target

QUARTERS = 4  # the partitions, 32 by 32: where a tile of so few may start


@dataclass(frozen=True, slots=True)
class Held:
    """A tile on chip: its partitions, and its bytes in each."""

    partitions: Any
    bytes: Any


def capacity(memory: str, target: Target) -> int:
    """Bytes of a partition of the memory."""
    return target.psum_bytes if memory == PSUM else target.sbuf_bytes


def quarters(tiles: Iterable[Held]) -> Any:
    """The bytes that tiles take at least, summed over quarters of the partitions: tiles of few partitions may lie below
    one another. Where the number of partitions is not known, it is one."""
    total: Any = 0
    for tile in tiles:
        known = isinstance(tile.partitions, int)
        total = total + tile.bytes * (min(max(ceil_div(tile.partitions, 32), 1), QUARTERS) if known else 1)
    return total


def bytes_of_each(tiles: Iterable[Held]) -> Any:
    """The bytes of each partition that tiles take together, as messages say it."""
    total = quarters(tiles)
    return ceil_div(total, QUARTERS) if is_integer(total) else total
