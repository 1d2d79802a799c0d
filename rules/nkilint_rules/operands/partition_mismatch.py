from collections.abc import Iterator, Sequence
from typing import Any

from ..needs import elementwise_operands, partition_source, required
from ..operations.form import Call, Result
from ..rule import Example, Need, Rule, wording
from ..words.conditions import any_of
from ..words.dialects import BETA1, NKI
from ..words.shapes import is_literal, same_size
from ..words.tiles import Tile


class PartitionMismatch(Rule):
    """Operands span different numbers of partitions.

    ## What it does
    Requires equal partition sizes of the operands that an operation combines element by element, of scale and bias
    columns, and of the `dst` that receives the result. The operations of `nki.language` in Beta 1 also broadcast a
    tile of one partition, while operators such as `+` do not.

    ## Why is this bad?
    Each lane of an engine serves one partition, and there is nothing it could combine with a partition that the other
    operand does not have. The compiler stops with an error.

    ## How to fix
    Slice the operands to the same partitions, or broadcast one of them explicitly: `y.broadcast_to((128, 512))` in
    Beta 1; a matmul with ones, or a DMA, in 0.x.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_num_partition_mismatch`), `nki_known_issues.rst` (Partition dimension
    broadcasting). Both dialects: the page of each operation.
    """

    code = "NKI203"

    @wording
    def message(self, operand: object, partitions: object, other: object, expected: object) -> str:
        return f"`{operand}` has partition size {partitions}; `{other}` has {expected}"

    @wording
    def spread(self, operation: object, left: object, right: object) -> str:
        return f"operands of {left} and of {right} partitions; an operator broadcasts none, `nl.{operation}` does"

    help = "give the operands the same partitions, or broadcast one of them explicitly"
    aws = ("err_num_partition_mismatch",)
    dynamic = True
    judges_calls = True
    before = ("NKI204",)
    invalid = [
        Example(
            "r = nisa.tensor_tensor(x, ⟦y[0:1, 0:512]⟧, op=nl.add)",
            message="`data2` has partition size 1; `data1` has 128",
        ),
        Example(
            "r = nl.add(x, ⟦y[0:127, 0:512]⟧)",
            message="`y` has partition size 127; `x` has 128",
        ),
        Example(
            """
            t = nl.zeros((64, 1), dtype=nl.float32, buffer=nl.sbuf)
            r = nisa.activation(op=nl.exp, data=x, bias=⟦t⟧)
            """,
            message="`bias` has partition size 64; `data` has 128",
        ),
        Example(
            "r = ⟦x * y[0:1, 0:512]⟧",
            message="operands of 128 and of 1 partitions; an operator broadcasts none, `nl.multiply` does",
        ),
        Example(
            "nisa.tensor_tensor(dst=x, data1=x, data2=⟦y[0:127, 0:512]⟧, op=nl.add)",
            message="`data2` has partition size 127; `data1` has 128",
            dialect=NKI,
        ),
        Example(
            "nisa.tensor_copy(dst=⟦y[0:64, 0:512]⟧, src=x)",
            message="`dst` has partition size 64; `src` has 128",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: left: float32[P, 512], right: float32[Q, 512], P <= 128, Q <= 128
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray(left.shape, dtype=nl.float32, buffer=nl.shared_hbm)
                one, other = nl.load(left), nl.load(right)
                nl.store(output, value=nisa.tensor_tensor(one, ⟦other⟧, op=nl.add))
                return output
            """,
            message="`data2` has partition size Q; `data1` has P",
            precondition="P == Q",
        ),
    ]
    valid = [
        Example("r = nisa.tensor_tensor(x, y[0:1, 0:512].broadcast_to((128, 512)), op=nl.add)"),
        Example("r = nl.add(x, y[0:1, 0:512])"),
        Example("r = x * y[0:128, 0:1]"),
        Example("nisa.tensor_tensor(dst=x, data1=x, data2=y, op=nl.add)", dialect=NKI),
        Example("nisa.tensor_copy(dst=y[0:64, 0:512], src=x[64:128, 0:512])", dialect=NKI),
    ]

    def of_operator(self, operation: str, left: Sequence[Any], right: Sequence[Any]) -> Iterator[Need]:
        """What operators of Beta 1 such as `+` require besides, of operands on chip with these sizes."""
        if not left or len(left) != len(right) or same_size(left[0], right[0]):
            return
        a, b = left[0], right[0]
        if is_literal(a, 1) or is_literal(b, 1):  # others do not fit at all, whoever combines them
            yield Need(a == b, None, self.spread(operation=operation, left=a, right=b))

    def check(self, call: Call) -> Iterator[Need]:
        yield from _equal(call, call.required.same_partitions)
        for name, column in call.required.columns.items():
            yield from _equal(call, (column.of, name))
        yield from _elementwise(call)
        yield from _destination(call)
        yield from required(call, type(self))


def _need(condition: object, name: str, tile: Tile, other: str, expected: object) -> Need:
    return Need(
        condition,
        name,
        PartitionMismatch.message(operand=name, partitions=tile.partitions, other=other, expected=expected),
    )


def _equal(call: Call, names: tuple[str, ...]) -> Iterator[Need]:
    tiles = [(name, tile) for name in names if isinstance(tile := call.get(name), Tile)]
    for name, tile in tiles[1:]:
        other, first = tiles[0]
        if not same_size(first.partitions, tile.partitions):
            yield _need(tile.partitions == first.partitions, name, tile, other, first.partitions)


def _elementwise(call: Call) -> Iterator[Need]:
    """Operands of `nki.language` of the same rank, whose first axes are compared with each other."""
    tiles = elementwise_operands(call)
    for name, tile in tiles[1:]:
        other, first = tiles[0]
        a, b = first.partitions, tile.partitions
        if tile.rank == first.rank and not same_size(a, b):
            stretched = (a == 1, b == 1) if call.dialect == BETA1 else ()
            yield _need(any_of((a == b, *stretched)), name, tile, other, a)


def _destination(call: Call) -> Iterator[Need]:
    """The `dst` of an operation that keeps partitions where they are."""
    dst, result = call.get("dst"), call.result
    if not isinstance(dst, Tile) or not isinstance(result, Result):
        return
    source = partition_source(call, result)
    if source is not None and not same_size(dst.partitions, result.shape[0]):
        yield _need(dst.partitions == result.shape[0], "dst", dst, source, result.shape[0])
