"""The allocators of Beta 1: what they take and give, and the documented formula of modulo allocation.

Sources: `nki.compiler.sbuf.alloc`, `nki.compiler.sbuf.mod_alloc`, `nki.compiler.psum.alloc`,
`nki.compiler.psum.mod_alloc`, `nki_direct_allocation_guide`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..words.conditions import is_integer
from ..words.memory import PSUM, SBUF
from ..words.records import dataclass
from ..words.shapes import same_size

GIVEN: Mapping[str, tuple[str, ...]] = {
    SBUF: ("start_partition", "byte_addr"),
    PSUM: ("bank_id", "start_partition", "byte_addr"),
}
"""What an allocation function returns."""

STARTS: Mapping[str, tuple[str, ...]] = {
    SBUF: ("base_partition", "base_addr"),
    PSUM: ("base_bank", "base_partition", "base_addr"),
}
"""The arguments of modulo allocation that say where the first tile goes, in the order of `GIVEN`."""

COUNTS: Mapping[str, tuple[str, ...]] = {
    SBUF: ("num_par_tiles", "num_free_tiles"),
    PSUM: ("num_bank_tiles", "num_par_tiles", "num_free_tiles"),
}
"""The arguments of modulo allocation that say how many tiles take turns, in the order of `GIVEN`."""

Turn = Callable[[Sequence[Any]], Any]


@dataclass(frozen=True, slots=True)
class Modulo:
    """Modulo allocation: where it starts, and over how many tiles it turns for each block dimension."""

    starts: tuple[Any, ...]
    counts: tuple[tuple[Any, ...], ...]

    def place(self, partitions: Any, size: Any, turn: Turn) -> tuple[Any, ...]:
        """Where a tile of so many partitions and bytes goes; `turn` says which of its places it has."""
        steps = (1, partitions, size)[-len(self.starts) :]
        return tuple(
            start + step * turn(counts) for start, step, counts in zip(self.starts, steps, self.counts, strict=True)
        )


def turn(index: Sequence[Any], counts: Sequence[Any], sizes: Sequence[Any] | None = None) -> Any:
    """Which of its places a tile has: the index of its block, each part modulo the tile count, in row-major order.

    Without counts all tiles have one place. `sizes` are the numbers of blocks, where they may be as many as the tiles.
    """
    total: Any = 0
    for axis, (block, count) in enumerate(zip(index, counts or (1,) * len(index), strict=False)):
        plain = sizes is not None and same_size(count, sizes[axis])
        total = total * count + (block if plain else block % count)
    return total


def is_place(result: Any, memory: str) -> bool:
    """Whether an allocation function gave a place of the form that the memory asks for."""
    return isinstance(result, tuple) and len(result) == len(GIVEN[memory]) and all(map(is_integer, result))


def place_words(result: Any) -> str:
    """What an allocation function gave in place of a place, in words."""
    if isinstance(result, tuple):
        return f"{len(result)} values" if all(map(is_integer, result)) else "values that are no integers"
    return "a number" if is_integer(result) else "nothing" if result is None else "no tuple"
