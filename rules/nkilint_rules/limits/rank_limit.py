from collections.abc import Iterator

from ..needs import declared, new_tiles, on_chip, required, shape_text
from ..operations.form import Call, Result
from ..rule import Example, Need, Rule, wording
from ..words.dialects import NKI
from ..words.memory import MEMORY_NAMES, ON_CHIP


class RankLimit(Rule):
    """A tensor has too many or too few dimensions.

    ## What it does
    Compares the number of dimensions of an operand with what its operation takes, and the number of subscripts with
    the dimensions of the tensor, and requires that a tile in SBUF or PSUM has a dimension, and a new one at least two.

    ## Why is this bad?
    An instruction describes its operands by a fixed number of dimensions, and an on-chip tile always has a partition
    and a free one. The compiler stops with an error; for a tile of one dimension it speaks of "Insufficient rank".

    ## How to fix
    Merge or index away dimensions until the operation takes the tile; write `(128, 1)` instead of `(128,)`.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_exceed_max_supported_dimension`), `nki_known_issues.rst` (Indexing). Both
    dialects: the page of each operation. 0.x: `get-started/nki-language-guide.rst` (Tensor Values).
    """

    code = "NKI105"

    @wording
    def message(self, operand: object, quantity: object, value: object, operation: object, bound: object) -> str:
        return f"`{operand}` has {quantity} {value}; `{operation}` takes {bound}"

    @wording
    def new(self, shape: object, memory: object, rank: object) -> str:
        return f"tile {shape} in {memory} has rank {rank}; an on-chip tile has at least 2 dimensions"

    @wording
    def none(self, memory: object) -> str:
        return f"a tile in {memory} has no dimension; its first one is the partition dimension"

    @wording
    def subscript(self, given: object, rank: object) -> str:
        return f"{given} subscripts index a tensor of rank {rank}"

    help = "merge dimensions, or add one of size 1"
    aws = ("err_exceed_max_supported_dimension", "Insufficient rank")
    dynamic = True
    unenforced = ("new",)
    judges_calls = True
    before = ("NKI101", "NKI102")
    invalid = [
        Example(
            """
            t = nl.zeros((64, 32, 2), dtype=nl.float32, buffer=nl.sbuf)
            r = nl.transpose(⟦t⟧)
            """,
            message="`x` has rank 3; `transpose` takes at most 2",
        ),
        Example(
            "t = ⟦nl.zeros((128,), dtype=nl.float32, buffer=nl.sbuf)⟧",
            message="tile [128] in SBUF has rank 1; an on-chip tile has at least 2 dimensions "
            "(documented, not enforced)",
        ),
        Example(
            "t = ⟦nl.ndarray((128,), dtype=nl.float32, buffer=nl.sbuf)⟧",
            message="tile [128] in SBUF has rank 1; an on-chip tile has at least 2 dimensions "
            "(documented, not enforced)",
            dialect=NKI,
        ),
        Example(
            "t = ⟦nl.ndarray((), dtype=nl.float32, buffer=nl.psum)⟧",
            message="a tile in PSUM has no dimension; its first one is the partition dimension",
            dialect=NKI,
        ),
        Example("r = nl.exp(⟦x[0:128, 0:512, 0:1]⟧)", message="3 subscripts index a tensor of rank 2"),
        Example(
            """
            t = nl.ndarray((32, 2, 2, 2, 2), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(dst=t, value=0.0)
            q = nl.ndarray((32, 2, 2, 2, 2), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_transpose(dst=q, src=⟦t⟧)
            """,
            message="`src` has rank 5; `dma_transpose` takes at most 4",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            t = nl.zeros((64, 64), dtype=nl.float32, buffer=nl.sbuf)
            r = nl.transpose(t)
            """
        ),
        Example("t = nl.zeros((128, 1), dtype=nl.float32, buffer=nl.sbuf)"),
        Example("t = nl.ndarray((128,), dtype=nl.float32, buffer=nl.hbm)"),
        Example(
            """
            t = nl.ndarray((32, 2, 2, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
            nisa.memset(dst=t, value=0.0)
            q = nl.ndarray((32, 2, 2, 32), dtype=nl.bfloat16, buffer=nl.sbuf)
            nisa.dma_transpose(dst=q, src=t)
            """,
            dialect=NKI,
        ),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        yield from declared(call, self.message)
        yield from required(call, type(self))
        if _has_no_dimension(call):
            yield Need(False, None, self.none(memory=MEMORY_NAMES[call.self.memory]))
        if call.operation.kind == "create":
            for made in new_tiles(call):
                shape = made.shape[made.blocks :]
                if made.memory in ON_CHIP and not shape:
                    yield Need(False, None, self.none(memory=MEMORY_NAMES[made.memory]))
                elif made.memory in ON_CHIP and len(shape) < 2:
                    yield Need(
                        False,
                        None,
                        self.new(shape=shape_text(shape), memory=MEMORY_NAMES[made.memory], rank=len(shape)),
                    )


def _has_no_dimension(call: Call) -> bool:
    """Whether a tile is viewed as one without dimensions."""
    seen = call.result if call.operation.kind == "method" else None
    return isinstance(seen, Result) and not seen.shape and on_chip(call.self)
