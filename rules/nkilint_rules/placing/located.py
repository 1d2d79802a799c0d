"""Where the tiles of a directly allocated tensor lie; partitions, bytes and sizes are ints or symbolic ints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..words.memory import PSUM
from ..words.records import dataclass
from ..words.targets import Target


@dataclass(frozen=True, slots=True)
class Bank:
    """The PSUM banks of the first and of the last tile, and the byte within its bank of each."""

    first: Any
    last: Any
    byte: Any


@dataclass(frozen=True, slots=True)
class Located:
    """First partition and byte of each tile, as numbers or over the index of its block.

    Bytes of PSUM are counted through all banks. `first` and `last` are the bytes of the first tile and of the one that
    lies farthest on. `bank` is known where an allocator gives it, which is for PSUM in Beta 1. `periods` holds, for
    each block dimension, over how many tiles modulo allocation turns.
    """

    partition: Any
    byte: Any
    first: Any
    last: Any
    bank: Bank | None = None
    periods: tuple[tuple[Any, ...], ...] | None = None

    def with_each(self, change: Callable[[Any], Any]) -> Located:
        """The same with each number of a place changed."""
        bank = self.bank and Bank(change(self.bank.first), change(self.bank.last), change(self.bank.byte))
        partition, byte, first, last = map(change, (self.partition, self.byte, self.first, self.last))
        return Located(partition, byte, first, last, bank, self.periods)


@dataclass(frozen=True, slots=True)
class PlacedTiles:
    """What has to be right about a placement: tiles of so many partitions and bytes in a memory, and where they lie."""

    at: Located
    partitions: Any
    bytes: Any
    memory: str
    target: Target
    dialect: str

    @property
    def byte_given(self) -> Any:
        """The byte as kernels give it: within its bank, where they name banks."""
        return self.at.byte if self.at.bank is None else self.at.bank.byte


def at_address(partition: Any, byte: Any) -> Located:
    """One tile at `address=(partition, byte)`."""
    return Located(partition, byte, byte, byte)


def by_allocator(memory: str, target: Target, place: Sequence[Any], ends: Sequence[Sequence[Any]] = ()) -> Located:
    """The tiles that an allocator puts at `place`: partition and byte, for PSUM after the bank. `ends` holds the places
    of the first tile and of the last one, where there are several."""
    first, last = ends or (place, place)
    if memory != PSUM:
        return Located(place[0], place[1], first[1], last[1])
    size = target.psum_bank_bytes
    byte, start, end = (bank * size + within for bank, _, within in (place, first, last))
    return Located(place[1], byte, start, end, Bank(first[0], last[0], place[2]))
