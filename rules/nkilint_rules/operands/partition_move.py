from collections.abc import Iterator

from ..needs import on_chip
from ..operations import load_operations
from ..operations.form import Call
from ..rule import Example, Need, Rule, wording
from ..words.dialects import NKI
from ..words.tiles import Tile


class PartitionMove(Rule):
    """Operands start at different partitions of an operation that cannot move data across them.

    ## What it does
    Compares the first partitions of the operands of gathers and counts on the GpSimd Engine. Only operands that
    start at different partitions wherever the compiler places their tensors are reported. The other engines move data
    between the quarters and halves of the partitions, and DMA moves it anywhere.

    ## Why is this bad?
    Each core of the GpSimd Engine is connected to 16 partitions of its own, for reading and for writing. The values
    that it would need belong to another core.

    ## How to fix
    Move one operand to the partitions of the other first, with `tensor_copy` or by DMA.

    ## Source
    `arch/trainium_inferentia2_arch.rst` (GpSimd Engine; Cross-Partition Connectivity) and `nki.isa.local_gather`, of
    Beta 1 and of 0.x.
    """

    code = "NKI211"

    @wording
    def message(self, operand: object, start: object, other: object, expected: object, operation: object) -> str:
        return f"`{operand}` starts at partition {start}; `{other}` starts at {expected}, and {operation} moves nothing"

    help = "move one operand to the partitions of the other first"
    dynamic = True
    judges_calls = True
    ops = tuple(name for name, operation in load_operations().items() if operation.requires.fixed_partitions)
    before = ("NKI106",)
    invalid = [
        Example(
            """
            s = nl.zeros((128, 512, 4), dtype=nl.float32, buffer=nl.sbuf)
            t = nl.zeros((128, 4), dtype=nl.uint16, buffer=nl.sbuf)
            r = nisa.local_gather(s[64:96, 0:512, 0:4], ⟦t[32:64, 0:4]⟧, num_elem_per_idx=4)
            """,
            message="`index` starts at partition 32; `src_buffer` starts at 64, and local_gather moves nothing",
        ),
        Example(
            """
            q = nl.ndarray((128, 513), dtype=nl.int32, buffer=nl.sbuf)
            nisa.nonzero_with_count(dst=⟦q[32:64, 0:513]⟧, src=x[64:96, 0:512])
            """,
            message="`dst` starts at partition 32; `src` starts at 64, and nonzero_with_count moves nothing",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            s = nl.zeros((128, 512, 4), dtype=nl.float32, buffer=nl.sbuf)
            t = nl.zeros((128, 4), dtype=nl.uint16, buffer=nl.sbuf)
            r = nisa.local_gather(s[64:96, 0:512, 0:4], t[64:96, 0:4], num_elem_per_idx=4)
            """
        ),
        Example(
            """
            q = nl.ndarray((128, 513), dtype=nl.int32, buffer=nl.sbuf)
            nisa.nonzero_with_count(dst=q[64:96, 0:513], src=x[64:96, 0:512])
            """,
            dialect=NKI,
        ),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        names = call.required.fixed_partitions
        tiles = [(name, tile) for name, _, tile in call.tiles() if name in names and on_chip(tile) and tile.rank]
        for name, tile in tiles[1:]:
            other, first = tiles[0]
            here, there = _starts(tile), _starts(first)
            if here and there and not here & there:
                yield Need(
                    False,
                    name,
                    self.message(
                        operand=name,
                        start=tile.start_partition,
                        other=other,
                        expected=first.start_partition,
                        operation=call.operation.leaf,
                    ),
                )


def _starts(tile: Tile) -> frozenset[int]:
    """Partitions that the access can start at, over the places where a tensor just large enough for it may lie."""
    start, count = tile.start_partition, tile.partitions
    if not isinstance(start, int) or not isinstance(count, int):
        return frozenset()
    size = start + count
    bases = (0, 32, 64, 96) if size <= 32 else (0, 64) if size <= 64 else (0,)
    return frozenset(base + start for base in bases)
