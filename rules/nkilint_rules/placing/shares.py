"""How much of SBUF or PSUM tiles take together: those of an instruction, with symbolic sizes too,
and those that hold data at the same time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Any, Protocol, TypeVar

from ..words.conditions import ceil_div, is_integer
from ..words.memory import PSUM
from ..words.records import dataclass
from ..words.targets import Target

QUARTERS = 4  # the partitions, 32 by 32: where a tile of so few may start


@dataclass(frozen=True, slots=True)
class Held:
    """A tile on chip: its partitions, and its bytes in each."""

    partitions: Any
    bytes: Any


class Alive(Protocol):
    """A tile that holds data from one moment to another: its bytes over all partitions."""

    area: int
    start: int
    end: int


A = TypeVar("A", bound=Alive)


def fullest(tiles: Iterable[A]) -> list[A]:
    """The tiles that hold data when most of the memory first does, the largest first."""
    known = list(tiles)
    changes = [(x.end, 0, -x.area) for x in known]
    changes += [(x.start, 1, x.area) for x in known]
    changes.sort()
    held = list(accumulate(map(itemgetter(2), changes)))
    when = changes[held.index(max(held))][0] if held else 0
    return sorted([x for x in known if x.start <= when < x.end], key=lambda x: -x.area)


def total(tiles: Sequence[Alive]) -> int:
    """The bytes over all partitions that tiles take together."""
    return sum(tile.area for tile in tiles)


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
