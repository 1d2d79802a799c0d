from collections.abc import Iterator

from ..needs import on_chip, runs_on_engine
from ..operations.form import Call
from ..placing.places import legal_starts, starts_legally
from ..rule import Example, Need, Rule, wording
from ..words.conditions import any_of
from ..words.dialects import NKI


class PartitionStart(Rule):
    """An engine accesses partitions from one where it cannot start.

    ## What it does
    Looks at the first partition of every operand in SBUF or PSUM that a compute engine reads or writes. It is 0 for
    more than 64 partitions, 0 or 64 for 33 to 64, and 0, 32, 64 or 96 for up to 32. Loads, stores and other DMA
    transfers may start anywhere. The partition is counted from the start of the tensor; the compiler places tensors by
    the same rule, so that the two agree.

    ## Why is this bad?
    The engines reach the partitions in groups of 32. The compiler stops with "Invalid access of N partitions starting
    at partition M".

    ## How to fix
    Move the data by DMA to where an access may start, or lay the tensor out so that each part begins at a multiple of
    32 partitions.

    ## Source
    `arch/trainium_inferentia2_arch.rst` (Accessing SBUF/PSUM tensors using compute engines), of Beta 1 and of 0.x.
    """

    code = "NKI106"

    @wording
    def message(self, operand: object, partitions: object, start: object, legal: object) -> str:
        return f"`{operand}` takes {partitions} partitions from partition {start}; that many start at {legal}"

    help = "start at a multiple of 32 partitions, or move the data by DMA"
    aws = ("Invalid access of N partitions starting at partition M",)
    dynamic = True
    judges_calls = True
    invalid = [
        Example(
            "r = nisa.tensor_copy(⟦x[16:32, 0:512]⟧)",
            message="`src` takes 16 partitions from partition 16; that many start at 0, 32, 64 or 96",
        ),
        Example(
            "r = nl.exp(⟦x[32:65, 0:512]⟧)",
            message="`x` takes 33 partitions from partition 32; that many start at 0 or 64",
        ),
        Example(
            "nisa.tensor_copy(dst=⟦x[32:97, 0:512]⟧, src=y[0:65, 0:512])",
            message="`dst` takes 65 partitions from partition 32; that many start at 0",
            dialect=NKI,
        ),
        Example(
            """
            for k in nl.affine_range(8):
                r = nl.exp(⟦x[k * 16 : (k + 1) * 16, 0:512]⟧)
            """,
        ),
    ]
    valid = [
        Example("r = nisa.tensor_copy(x[32:64, 0:512])"),
        Example("r = nl.exp(x[64:128, 0:512])"),
        Example("nl.store(output[0:65, 0:512], value=x[32:97, 0:512])"),
        Example("nisa.tensor_copy(dst=x[96:128, 0:512], src=y[0:32, 0:512])", dialect=NKI),
        Example("nisa.dma_copy(dst=x[16:32, 0:512], src=a[0:16, 0:512])", dialect=NKI),
        Example(
            """
            for k in nl.affine_range(4):
                r = nl.exp(x[k * 32 : (k + 1) * 32, 0:512])
            """
        ),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        if not runs_on_engine(call):
            return
        exempt = call.required.anywhere
        for name, _, tile in call.tiles():
            if on_chip(tile) and tile.rank and name not in exempt:
                start, partitions = tile.start_partition, tile.partitions
                if start is not None and not (isinstance(start, int) and start == 0):
                    yield Need(
                        any_of((starts_legally(start, partitions), tile.size == 0)),  # of no element none is accessed
                        name,
                        self.message(operand=name, partitions=partitions, start=start, legal=legal_starts(partitions)),
                    )
