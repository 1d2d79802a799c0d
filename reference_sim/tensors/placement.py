"""Where direct allocation puts tiles, and what the rulebook asks of their places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.catalogue import rules_of_places
from nkilint_rules.placement.placement_signature import PlacementSignature
from nkilint_rules.placing.allocators import GIVEN
from nkilint_rules.placing.located import Located, PlacedTiles, at_address, by_allocator
from nkilint_rules.words.conditions import is_integer
from reference_sim.machine.memory import Placement
from reference_sim.machine.program import Program
from reference_sim.report.wording import require

if TYPE_CHECKING:
    from .allocation import Allocator

Index = tuple[int, ...]
SIGNATURE = PlacementSignature()


def of_address(partition: int, byte: int, memory: str, current: Program) -> Placement:
    """The place at `address=(partition, byte)`."""

    def locate(index: Index, partitions: int, size: int) -> tuple[int, int]:
        return _checked(at_address(partition, byte), partitions, size, memory, current)

    return Placement(locate)


def of_allocator(allocator: Allocator, blocks: int, current: Program) -> Placement:
    """The places that an allocator of Beta 1 chooses."""
    memory = allocator.memory
    for name, counts in allocator.counts:
        require(SIGNATURE.check_counts(name, counts, blocks))

    def locate(index: Index, partitions: int, size: int) -> tuple[int, int]:
        given = _plain(allocator.locate(index, partitions, size))
        if not require(SIGNATURE.check_result(given, memory)):
            given = _completed(given, len(GIVEN[memory]))
        found = by_allocator(memory, current.launch.target, given)
        return _checked(found, partitions, size, memory, current)

    return Placement(locate)


def _plain(given: Any) -> Any:
    """What an allocator gave, with NumPy's integers as Python's."""
    if not isinstance(given, tuple):
        return given
    return tuple(int(part) if isinstance(part, np.integer) else part for part in given)


def _completed(given: Any, length: int) -> tuple[int, ...]:
    """A place made of what an allocator gave, so that a run that collects findings goes on."""
    parts = given if isinstance(given, tuple) else (given,)
    return tuple(part if is_integer(part) else 0 for part in (*parts, *(0,) * length)[:length])


def _checked(found: Located, partitions: int, size: int, memory: str, current: Program) -> tuple[int, int]:
    """First partition and byte of a tile, after the rules about places had their say."""
    tiles = PlacedTiles(found, partitions, size, memory, current.launch.target, current.dialect)
    for rule in rules_of_places():
        for need in rule.check_place(tiles):
            require(need)
    return found.partition, found.byte
