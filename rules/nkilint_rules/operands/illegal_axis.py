from collections.abc import Iterator

from ..needs import on_chip, required
from ..operations.form import Call
from ..operations.tensor_methods import AXES, misses_axis
from ..rule import Example, Need, Rule, wording
from ..words.dialects import BETA1, NKI
from ..words.memory import MEMORY_NAMES
from ..words.shapes import axes_of, trailing_free_axes
from ..words.tiles import Tile

_REDUCTIONS = tuple(
    f"language.{name}" for name in ("sum", "max", "min", "prod", "all", "mean", "var", "softmax", "rms_norm")
)


class IllegalAxis(Rule):
    """An operation works on an axis that it does not take.

    ## What it does
    Requires of reductions that they leave the partition axis alone, and of `nisa.tensor_reduce` that its axes are the
    last ones of the tile, without a gap; of methods in 0.x that they number dimensions that there are, and of
    `broadcast` that it leaves the partition axis of a tile alone; of Beta 1's `nl.expand_dims` that it adds dimensions
    behind the last one. Gaps before the last axis have run on devices, in Beta 1 also behind it (`docs/readings.md`):
    of these it warns. The reductions of `nki.language` take any free axes, as the documentation's pooling example does.

    ## Why is this bad?
    An engine reduces within each partition, along the elements in the order of the access. What lies in other
    partitions never meets, and an axis in the middle is not consecutive. The compiler stops with an error.

    ## How to fix
    Index the tile so that the axes to reduce come last. To reduce over partitions, multiply with a column of ones
    (`nc_matmul`), transpose first, or use `nisa.tensor_partition_reduce`.

    ## Source
    Beta 1: `nki.isa.tensor_reduce`, `nki.language.sum` (axis), `expand_dims`. 0.x: `nki.isa.tensor_reduce`, release
    notes of 0.3 (axis handling), `NkiTensor` (`permute`, `broadcast`, `slice` and its like).
    """

    code = "NKI213"

    @wording
    def message(self, argument: object, axis: object, rank: object, operation: object) -> str:
        return f"`{argument}` is {axis} of {rank} dimensions; `{operation}` takes the last free ones without a gap"

    @wording
    def gap(self, argument: object, axis: object, rank: object, operation: object) -> str:
        return f"`{argument}` is {axis} of {rank} dimensions; `{operation}` takes the last free ones without a gap"

    @wording
    def language(self, argument: object, axis: object, rank: object, operation: object) -> str:
        return f"`{argument}` is {axis} of {rank} dimensions; `{operation}` takes free ones"

    @wording
    def partition(self, argument: object, axis: object, memory: object) -> str:
        return f"`{argument}` is {axis}, the partition axis of a tile in {memory}"

    @wording
    def absent(self, argument: object, axis: object, rank: object, operation: object) -> str:
        return f"`{argument}` is {axis} of {rank} dimensions; `{operation}` takes those that there are"

    help = "bring the axes to reduce or to add to the end; over partitions, multiply with ones or transpose first"
    dynamic = True
    unenforced = ("gap",)
    judges_calls = True
    ops = (
        "isa.tensor_reduce",
        *_REDUCTIONS,
        *(f"tensor.{name}" for name in AXES),
        "isa.dma_transpose",
        "language.expand_dims",
    )
    before = ("NKI204",)
    invalid = [
        Example(
            "r = nisa.tensor_reduce(nl.add, x, axis=⟦0⟧)",
            message="`axis` is 0 of 2 dimensions; `tensor_reduce` takes the last free ones without a gap",
        ),
        Example(
            """
            t = nl.zeros((128, 4, 8), dtype=nl.float32, buffer=nl.sbuf)
            r = nl.sum(t, axis=⟦[0, 1]⟧)
            """,
            message="`axis` is (0, 1) of 3 dimensions; `sum` takes free ones",
        ),
        Example(
            "r = nl.mean(x, axis=⟦2⟧)",
            message="`axis` is 2 of 2 dimensions; `mean` takes free ones",
        ),
        Example(
            """
            t = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
            q = nl.ndarray((128, 4, 128), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(dst=q, value=0.0)
            nisa.tensor_reduce(dst=t, op=nl.add, data=q, axis=⟦1⟧)
            """,
            message="`axis` is 1 of 3 dimensions; `tensor_reduce` takes the last free ones without a gap",
            dialect=NKI,
        ),
        Example(
            "q = x[0:1, 0:512].broadcast(⟦0⟧, 128)",
            message="`dim` is 0, the partition axis of a tile in SBUF",
            dialect=NKI,
        ),
        Example(
            "q = a.permute(⟦(1, 1)⟧)",
            message="`dims` is (1, 1) of 2 dimensions; `permute` takes those that there are",
            dialect=NKI,
        ),
        Example(
            "q = a.slice(⟦2⟧, 0, 4)",
            message="`dim` is 2 of 2 dimensions; `slice` takes those that there are",
            dialect=NKI,
        ),
    ]
    valid = [
        Example("r = nl.max(x, axis=[-1])"),
        Example("r = nisa.tensor_reduce(nl.add, x, axis=1)"),
        Example(
            """
            t = nl.zeros((128, 4, 8), dtype=nl.float32, buffer=nl.sbuf)
            r = nl.sum(t, axis=1)
            """
        ),
        Example(
            """
            t = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
            q = nl.ndarray((128, 4, 128), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(dst=q, value=0.0)
            nisa.tensor_reduce(dst=t, op=nl.add, data=q, axis=2)
            """,
            dialect=NKI,
        ),
        Example("q = x[0:128, 0:1].broadcast(1, 512)", dialect=NKI),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        name = call.operation.name
        missed = misses_axis(call) if name.startswith("tensor.") else None
        if missed is not None:
            rank, operation = call.self.rank, call.operation.leaf
            yield Need(
                False, missed, self.absent(argument=missed, axis=call.get(missed), rank=rank, operation=operation)
            )
        elif name == "tensor.broadcast":
            yield from self._broadcast(call)
        elif call.required.last_free_axes:
            yield from self._reduced(call, "data")
        elif name in _REDUCTIONS:
            yield from self._reduced(call, "x")
        yield from required(call, type(self))

    def _reduced(self, call: Call, operand: str) -> Iterator[Need]:
        tile = call.get(operand)
        if not isinstance(tile, Tile):
            return
        if operand == "x":
            legal = all(0 < axis < tile.rank for axis in axes_of(call.axis, tile.rank))
        else:
            legal = trailing_free_axes(call.axis, tile.rank)
        if not legal:
            axes = axes_of(call.axis, tile.rank)
            free = bool(axes) and axes[0] > 0 and axes[-1] < tile.rank
            has_run = free and (call.dialect == BETA1 or axes[-1] == tile.rank - 1)
            said = self.language if operand == "x" else self.gap if has_run else self.message
            message = said(argument="axis", axis=call.axis, rank=tile.rank, operation=call.operation.leaf)
            yield Need(False, "axis", message)

    def _broadcast(self, call: Call) -> Iterator[Need]:
        tile = call.self
        if on_chip(tile) and axes_of(call.dim, tile.rank) == (0,):
            yield Need(False, "dim", self.partition(argument="dim", axis=call.dim, memory=MEMORY_NAMES[tile.memory]))
