"""Where direct allocation puts tiles: the documented formula of modulo allocation, and what a place has to obey."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nkilint_rules.operation import PSUM, SBUF

from .context import Program, report
from .errors import finding_at
from .memory import PlacedTile, Placement
from .regions import MemoryRegion

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
            report(finding_at("NKI409", f"`{name}` has {len(counts)} entries for {blocks} block dimensions"))

    def locate(index: Index, partitions: int, size: int) -> tuple[int, int]:
        found = allocator.locate(index, partitions, size)
        if not isinstance(found, tuple) or len(found) != allocator.returns:
            report(finding_at("NKI409", f"the allocator returns {found!r}; it returns {allocator.returns} integers"))
        if allocator.returns == 3:
            bank, partition, byte = (int(part) for part in found)
            return partition, _bank_address(bank, byte, current)
        partition, byte = (int(part) for part in found)
        return partition, byte

    return Placement(locate)


def _bank_address(bank: int, byte: int, current: Program) -> int:
    target = current.launch.target
    if not 0 <= bank < target.psum_banks:
        report(finding_at("NKI404", f"PSUM bank {bank} does not exist; {target} has {target.psum_banks}"))
    if byte != 0:
        report(finding_at("NKI404", f"byte {byte} of a PSUM bank is not its first; a tile starts at byte 0"))
    return bank * target.psum_bank_bytes + byte


def check(tile: PlacedTile, where: MemoryRegion, current: Program) -> None:
    """A place obeys the start-partition rule, the address range and the bank boundaries."""
    target = current.launch.target
    starts = (0,) if tile.partitions > 64 else (0, 64) if tile.partitions > 32 else (0, 32, 64, 96)
    if tile.partition not in starts:
        legal = " or ".join(map(str, starts))
        report(
            finding_at("NKI401", f"a tile of {tile.partitions} partitions is placed at partition {tile.partition}; "
                                 f"that many start at {legal}")
        )  # fmt: skip
    if where is MemoryRegion.sbuf:
        limit = target.sbuf_bytes - target.sbuf_reserved
    else:
        limit = target.psum_bytes
    if tile.byte < 0 or tile.byte + tile.bytes > limit:
        report(
            finding_at("NKI402", f"a tile takes bytes {tile.byte} to {tile.byte + tile.bytes} of a partition; "
                                 f"{target} has {limit} for kernels")
        )  # fmt: skip
    if where is MemoryRegion.psum:
        _in_one_bank(tile, target)


def _in_one_bank(tile: PlacedTile, target: Any) -> None:
    bank = target.psum_bank_bytes
    if tile.byte % target.psum_min_align:
        report(finding_at("NKI403", f"byte {tile.byte} of PSUM is not aligned to {target.psum_min_align}"))
    first, last = tile.byte // bank, (tile.byte + max(1, tile.bytes) - 1) // bank
    if first != last and target.generation < 4:
        report(finding_at("NKI404", f"a tile of {tile.bytes} bytes spans PSUM banks {first} to {last}"))


__all__ = ["PSUM", "SBUF", "check", "modulo", "of_allocator"]
