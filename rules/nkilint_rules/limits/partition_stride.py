from collections.abc import Iterator
from typing import Any

from ..needs import on_chip, runs_on_engine
from ..operations.form import Call
from ..rule import Example, Need, Rule, wording
from ..words.conditions import any_of
from ..words.dialects import NKI
from ..words.shapes import as_shape
from ..words.tiles import Tile


class PartitionStride(Rule):
    """An access does not take consecutive partitions.

    ## What it does
    Requires of the operands in SBUF and PSUM that a compute engine accesses that each row of the access lies one
    partition below the one before. In `.ap(...)` the first pair of the pattern steps over partitions: its stride is
    the number of elements that the tensor has in a partition, of the dtype that the pattern counts in.

    ## Why is this bad?
    An engine reads all partitions of an access at once, and they are neighbours. Strides are possible in the free
    dimensions alone. The compiler stops with an error.

    ## How to fix
    Load the rows that belong together into neighbouring partitions, where DMA may take any rows of HBM, or stride over
    a free dimension.

    ## Source
    Beta 1 and 0.x: `arch/trainium_inferentia2_arch.rst` (Accessing SBUF/PSUM tensors using compute engines).
    0.x: `deep-dives/nki-aps.rst` (Restriction on SBUF/PSUM Tensors).
    """

    code = "NKI108"

    @wording
    def message(self, operand: object, step: object) -> str:
        return f"`{operand}` takes every {step} partitions; an engine takes consecutive ones"

    @wording
    def pattern(self, step: object, free: object) -> str:
        return f"the pattern steps over {step} elements from row to row; a partition holds {free}"

    help = "bring the rows into neighbouring partitions, or stride over a free dimension"
    dynamic = True
    judges_calls = True
    before = ("NKI106",)
    invalid = [
        Example(
            """
            i = nl.arange(64)[:, None]
            j = nl.arange(512)[None, :]
            r = nl.exp(⟦x[2 * i, j]⟧)
            """,
            message="`x` takes every 2 partitions; an engine takes consecutive ones",
        ),
        Example(
            "nisa.tensor_copy(dst=y[0:64, 0:512], src=⟦x[0:128:2, 0:512]⟧)",
            message="`src` takes every 2 partitions; an engine takes consecutive ones",
            dialect=NKI,
        ),
        Example(
            "nisa.tensor_copy(dst=y[0:64, 0:512], src=⟦x.ap(pattern=[[1024, 64], [1, 512]])⟧)",
            message="the pattern steps over 1024 elements from row to row; a partition holds 512",
            dialect=NKI,
        ),
        Example(
            "nisa.tensor_copy(dst=y, src=⟦x.ap(pattern=[[512, 128], [1, 512]], dtype=nl.bfloat16)⟧)",
            message="the pattern steps over 512 elements from row to row; a partition holds 1024",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            i = nl.arange(64)[:, None]
            j = nl.arange(256)[None, :]
            r = nl.exp(x[i, 2 * j])
            """
        ),
        Example("nisa.tensor_copy(dst=y[0:64, 0:256], src=x[0:64, 0:512:2])", dialect=NKI),
        Example("nisa.tensor_copy(dst=y[0:64, 0:256], src=x.ap(pattern=[[512, 64], [2, 256]]))", dialect=NKI),
        Example(
            "nisa.tensor_copy(dst=y, src=x.ap(pattern=[[1024, 128], [1, 512]], dtype=nl.bfloat16))",
            dialect=NKI,
        ),
        Example("nisa.dma_copy(dst=x[0:64, 0:512], src=a[0:128:2, 0:512])", dialect=NKI),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        if call.operation.name == "tensor.ap":
            yield from self._pattern(call)
        elif runs_on_engine(call):
            for name, _, tile in call.tiles():
                step = tile.partition_step
                if on_chip(tile) and tile.rank and not (isinstance(step, int) and step == 1):
                    yield Need(any_of((step == 1, tile.partitions == 1)), name, self.message(operand=name, step=step))

    def _pattern(self, call: Call) -> Iterator[Need]:
        tile = call.self
        pairs = as_shape(call.pattern)
        free = _free(tile, call.get("dtype"))
        if on_chip(tile) and free is not None and pairs:
            step, rows = as_shape(pairs[0])
            yield Need(any_of((step == free, rows == 1)), None, self.pattern(step=step, free=free))


def _free(tile: Tile, dtype: Any) -> Any:
    """How many elements of a dtype a partition of the whole tensor holds; None where that is not known."""
    if dtype is None:
        return tile.row
    old, new = (getattr(each, "itemsize", None) for each in (tile.dtype, dtype))
    if not isinstance(old, int) or not isinstance(new, int) or getattr(tile, "is_cast", False):
        return None
    return tile.row * old // new
