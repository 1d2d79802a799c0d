"""What a place on the chip has to obey; partitions, bytes and sizes are ints or symbolic ints.

Sources: `nki.compiler.sbuf.alloc`, `nki.compiler.psum.alloc`, `nki_direct_allocation_guide` (Beta 1);
`migration/index`, Improved allocation API, and `nki.language.tile_size` (0.x).
"""

from __future__ import annotations

from typing import Any

from ..words.conditions import all_of, any_of
from ..words.dialects import BETA1
from ..words.memory import PSUM
from ..words.targets import Target


def may_start(partition: Any, partitions: Any) -> Any:
    """Whether a tile of that many partitions may lie from `partition` on."""
    return all_of((partition >= 0, starts_legally(partition, partitions), partition + partitions <= 128))


def starts_legally(partition: Any, partitions: Any) -> Any:
    """Whether an access or a placement of that many partitions may begin at `partition`, which is one of 128."""
    return all_of(
        (
            partition % 32 == 0,
            any_of((partitions <= 32, partition % 64 == 0)),
            any_of((partitions <= 64, partition == 0)),
        )
    )


def legal_starts(partitions: Any) -> str:
    """The partitions where that many may begin, in words."""
    if not isinstance(partitions, int):
        return "0, 32, 64 or 96 up to 32, at 0 or 64 up to 64, else at 0"
    return "0, 32, 64 or 96" if partitions <= 32 else "0 or 64" if partitions <= 64 else "0"


def limit(memory: str, target: Target, dialect: str) -> int:
    """Bytes of a partition that a kernel may place tensors in. Beta 1 keeps a part of SBUF for the compiler."""
    if memory == PSUM:
        return target.psum_bytes
    return target.sbuf_fmax_bytes if dialect == BETA1 else target.sbuf_bytes


def aligned(byte: Any, alignment: int) -> Any:
    """Whether an address is a multiple of the memory's alignment."""
    return True if alignment == 1 else byte % alignment == 0


def bank_exists(bank: Any, target: Target) -> Any:
    """Whether the target has that PSUM bank."""
    return all_of((bank >= 0, bank < target.psum_banks))


def at_bank_start(byte: Any, target: Target, dialect: str) -> Any:
    """Whether a PSUM tile starts where a bank does; what is not even aligned is another rule's.

    Bytes are counted within the bank in Beta 1, and through all of them in 0.x.
    """
    begins = byte == 0 if dialect == BETA1 else byte % target.psum_bank_bytes == 0
    return any_of((begins, byte % target.psum_min_align != 0))
