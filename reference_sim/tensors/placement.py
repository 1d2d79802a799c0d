"""Where direct allocation puts tiles: the documented formula of modulo allocation, and what a place has to obey."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nkilint_rules.placing import places
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import MEMORY_NAMES, PSUM
from reference_sim.machine.buffers import MemoryRegion
from reference_sim.machine.memory import PlacedTile, Placement
from reference_sim.report.context import Program
from reference_sim.report.wording import complain

if TYPE_CHECKING:
    from .allocation import Allocator

Index = tuple[int, ...]


def modulo(index: Index, counts: Index, scale: int, base: int) -> int:
    """The documented formula: the block index modulo the tile counts, linearised, scaled and moved."""
    counts = counts or (1,) * len(index)
    total = 0
    for position, count in zip(index, counts, strict=False):
        total = total * count + position % count
    return total * scale + base


def of_allocator(allocator: Allocator, sizes: Index, blocks: int, current: Program) -> Placement:
    """The places that an allocator of Beta 1 chooses."""
    for name, counts in allocator.counts:
        if counts and len(counts) != blocks:
            complain("NKI409", "counts", name=name, count=len(counts), blocks=blocks)

    def locate(index: Index, partitions: int, size: int) -> tuple[int, int]:
        found = allocator.locate(index, partitions, size)
        if not isinstance(found, tuple) or len(found) != allocator.returns:
            result = f"{len(found)} values" if isinstance(found, tuple) else repr(found)
            complain("NKI409", "result", result=result, expected=EXPECTED[allocator.returns])
            found = (*(found if isinstance(found, tuple) else (found,)), 0, 0, 0)[: allocator.returns]
        if allocator.returns == 3:
            bank, partition, byte = (int(part) for part in found)
            return partition, _bank_address(bank, partition, byte, current)
        partition, byte = (int(part) for part in found)
        return partition, byte

    return Placement(locate)


EXPECTED = {2: "(start_partition, byte_addr)", 3: "(bank_id, start_partition, byte_addr)"}


def _bank_address(bank: int, partition: int, byte: int, current: Program) -> int:
    target = current.launch.target
    if not places.aligned(byte, target.psum_min_align):
        complain("NKI403", byte=byte, memory=MEMORY_NAMES[PSUM], alignment=target.psum_min_align)
    if not places.bank_exists(bank, target):
        complain("NKI404", bank=bank, banks=target.psum_banks, target=target)
    if not places.at_bank_start(byte, target, BETA1):
        complain("NKI404", "byte", byte=byte)
    if partition != 0:
        complain("NKI404", "partition", partition=partition)
    return bank * target.psum_bank_bytes + byte


def check(tile: PlacedTile, where: MemoryRegion, current: Program) -> None:
    """A place obeys the start-partition rule, the address range and the bank boundaries."""
    target, beta1 = current.launch.target, current.dialect == BETA1
    memory = where.memory
    if not places.may_start(tile.partition, tile.partitions):
        complain("NKI401", partition=tile.partition, partitions=tile.partitions,
                 legal=places.legal_starts(tile.partitions))  # fmt: skip
    if memory == PSUM and not beta1:
        if not places.aligned(tile.byte, target.psum_min_align):
            complain("NKI403", byte=tile.byte, memory=MEMORY_NAMES[PSUM], alignment=target.psum_min_align)
        if not places.at_bank_start(tile.byte, target, current.dialect):
            complain("NKI404", "start", byte=tile.byte, bank_bytes=target.psum_bank_bytes)
    limit = places.limit(memory, target, current.dialect)
    if not places.within(tile.byte, tile.bytes, limit):
        complain("NKI402", first=tile.byte, last=tile.byte + tile.bytes, limit=limit, memory=MEMORY_NAMES[memory],
                 target=target)  # fmt: skip


__all__ = ["check", "modulo", "of_allocator"]
