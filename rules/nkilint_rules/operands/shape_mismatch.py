from collections.abc import Iterator
from typing import Any

from ..needs import elementwise_operands, on_chip, partition_source, required, shape_text
from ..operations.form import Call, Result
from ..operations.tensor_methods import misses_axis
from ..rule import Example, Need, Rule, Wording, wording
from ..words.conditions import Unknown, any_of, product
from ..words.dialects import BETA1, NKI
from ..words.shapes import (
    as_shape,
    axes_of,
    broadcast_conditions,
    equal_shapes_condition,
    expands_to_condition,
    is_literal,
    reshape_condition,
    reshaped,
    same_size,
    sizes_of_names,
)
from ..words.tiles import Tile


class ShapeMismatch(Rule):
    """Shapes do not fit together.

    ## What it does
    Compares the shapes of operands with one another: free sizes of what is combined element by element, broadcasting
    in Beta 1's `nki.language`, the contracted dimension of a matmul, the number of elements of a DMA, the `dst` of 0.x
    with the result, and with what another core sends. Also the two sides of an assignment, of an unpacking and of a
    store, a reshape with the number of elements, and a local variable with its annotation. Advises of a DMA of 0.x
    between `[m, n]` and `[n, m]`: it copies row by row and transposes nothing.

    ## Why is this bad?
    The compiler stops with an error. Where it did not check, elements were dropped or read from beyond the tile.

    ## How to fix
    Slice, reshape or broadcast the operands to shapes that fit.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_store_dst_shape_smaller_than_other_shape`, `err_annotation_shape_mismatch`).
    0.x: release notes of 0.4 (Known Issues: binary operations do not broadcast) and 0.5 (`reshape`), `api/nki/language`
    (`NkiTensor`). Both dialects: the page of each operation.
    """

    code = "NKI204"

    @wording
    def message(self, operand: object, quantity: object, value: object, other: object, expected: object) -> str:
        count = f"{value} elements" if quantity == "size" else f"{quantity} {value}"
        return f"`{operand}` has {count}; `{other}` has {expected}"

    @wording
    def broadcast(self, operand: object, value: object, other: object, expected: object) -> str:
        return f"`{operand}` has shape {value}; `{other}` has {expected}, and the two do not broadcast"

    @wording
    def contraction(self, operand: object, quantity: object, value: object, other: object, expected: object) -> str:
        return f"`{operand}` has {quantity} {value}; `{other}` contracts it with {expected}"

    @wording
    def destination(self, quantity: object, value: object, operation: object, expected: object) -> str:
        return f"`dst` has {quantity} {value}; `{operation}` writes {expected}"

    @wording
    def store(self, operand: object, value: object, expected: object, other: object) -> str:
        return f"`{operand}` has shape {value}, which does not fill the shape {expected} of `{other}`"

    @wording
    def assignment(self, value: object, target: object) -> str:
        return f"a value of shape {value} is assigned to shape {target}"

    @wording
    def received(self, core: object, value: object, other: object, expected: object) -> str:
        return f"`dst` has shape {value}; core {core} receives {expected} from core {other}"

    @wording
    def turned(self, value: object, other: object, expected: object) -> str:
        return f"`dst` has shape {value}; `{other}` has {expected}, whose rows do not become its columns"

    @wording
    def grids(self, left: object, right: object) -> str:
        return f"index grids of {left} and {right} do not broadcast"

    @wording
    def annotation(self, tensor: object, shape: object, expected: object) -> str:
        return f"`{tensor}` has shape {shape}; its annotation says {expected}"

    @wording
    def unpacked(self, count: object, targets: object, target: object) -> str:
        return f"`{target}` takes {targets} values; {count} are unpacked"

    @wording
    def reshape(self, shape: object, elements: object, expected: object) -> str:
        return f"shape {shape} has {elements} elements; the tensor has {expected}"

    @wording
    def partition(self, shape: object, partitions: object, expected: object) -> str:
        return f"shape {shape} has partition size {partitions}; the tile has {expected}, which stays as it is"

    @wording
    def unit(self, axis: object, size: object, operation: object) -> str:
        return f"axis {axis} has size {size}; `{operation}` takes an axis of size 1"

    help = "slice, reshape or broadcast the operands so that their shapes fit"
    aws = ("err_store_dst_shape_smaller_than_other_shape", "err_annotation_shape_mismatch")
    dynamic = True
    unseen = ("annotation",)
    advice = ("turned",)
    judges_calls = True
    invalid = [
        Example(
            "r = nisa.tensor_tensor(x, ⟦y[0:128, 0:511]⟧, op=nl.add)",
            message="`data2` has free size 511; `data1` has 512",
        ),
        Example(
            "r = nl.add(x, ⟦y[0:128, 0:511]⟧)",
            message="`y` has shape [128, 511]; `x` has [128, 512], and the two do not broadcast",
        ),
        Example(
            "r = nisa.nc_matmul(w[0:64, 0:128], ⟦x⟧)",
            message="`moving` has partition size 128; `stationary` contracts it with 64",
        ),
        Example(
            """
            t = nl.zeros((128, 1), dtype=nl.float32, buffer=nl.sbuf)
            ⟦t[...]⟧ = x
            """,
            message="a value of shape [128, 512] is assigned to shape [128, 1]",
        ),
        Example(
            "⟦t: nt.tensor[128, 512] = nl.zeros((nl.par_dim(128), 128), dtype=np.float32)⟧",
            message="`t` has shape [128, 128]; its annotation says [128, 512]",
        ),
        Example(
            "nl.store(output[0:128, 0:256], value=⟦x⟧)",
            message="`value` has shape [128, 512], which does not fill the shape [128, 256] of `dst`",
        ),
        Example(
            "nisa.tensor_copy(dst=⟦y[0:128, 0:256]⟧, src=x)",
            message="`dst` has free size 256; `tensor_copy` writes 512",
            dialect=NKI,
        ),
        Example(
            "nisa.dma_copy(dst=⟦output[0:512, 0:128]⟧, src=x)",
            message="`dst` has shape [512, 128]; `src` has [128, 512], whose rows do not become its columns",
            dialect=NKI,
        ),
        Example(
            "nisa.dma_copy(dst=⟦x⟧, src=a[0:127, 0:512])",
            message="`dst` has 65536 elements; `src` has 65024",
            dialect=NKI,
        ),
        Example(
            "q = ⟦x.reshape((128, 2, 255))⟧",
            message="shape [128, 2, 255] has 65280 elements; the tensor has 65536",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: left: float32[128, M], right: float32[128, N]
            @nki.jit
            def kernel(left, right):
                one = nl.ndarray(left.shape, dtype=left.dtype, buffer=nl.sbuf)
                other = nl.ndarray(right.shape, dtype=right.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=one, src=left)
                nisa.dma_copy(dst=other, src=right)
                nisa.tensor_tensor(dst=one, data1=one, data2=⟦other⟧, op=nl.add)
                output = nl.ndarray(left.shape, dtype=left.dtype, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=one)
                return output
            """,
            message="`data2` has free size N; `data1` has M",
            dialect=NKI,
            precondition="M == N",
        ),
    ]
    valid = [
        Example("r = nisa.tensor_tensor(x, y, op=nl.add)"),
        Example("r = nl.add(x, y[0:128, 0:1])"),
        Example("r = nisa.nc_matmul(w[0:64, 0:128], x[0:64, 0:512])"),
        Example(
            """
            t = nl.zeros((128, 1), dtype=nl.float32, buffer=nl.sbuf)
            x[...] = t
            """
        ),
        Example("t: nt.tensor[128, 512] = nl.zeros((nl.par_dim(128), 512), dtype=np.float32)"),
        Example("nl.store(output[0:128, 0:512], value=x)"),
        Example(
            """
            # nkilint: a: float32[256]
            @nki.jit
            def kernel(a):
                output = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
                for i in nl.affine_range(2):
                    nl.store(output[i * 128 : (i + 1) * 128], nl.load(a[i * 128 : (i + 1) * 128]))
                return output
            """,
        ),
        Example("nisa.tensor_copy(dst=y, src=x.reshape((128, 2, 256)))", dialect=NKI),
        Example("nisa.dma_copy(dst=x, src=a[0:128, 0:512])", dialect=NKI),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        for names, quantity in ((call.required.same_free, "free size"), (call.required.same_size, "size")):
            if names:
                yield from _equal(call, names, quantity)
        yield from self._contracted(call)
        yield from self._turned(call)
        yield from self._broadcast(call)
        yield from self._destination(call)
        judge = _SINGLE.get(call.operation.name)
        if judge is not None:
            yield from judge(self, call)
        yield from required(call, type(self))

    def _turned(self, call: Call) -> Iterator[Need]:
        """A copy between a matrix and one of its sizes the other way round goes row by row: it turns nothing."""
        dst, (other, *_) = call.get("dst"), (*call.required.same_size, "")
        src = call.get(other)
        if not isinstance(dst, Tile) or not isinstance(src, Tile) or dst.rank != 2 or src.rank != 2:
            return
        (rows, columns), (first, second) = dst.shape, src.shape
        crossed = same_size(rows, second) and same_size(columns, first) and not same_size(rows, columns)
        if crossed:
            said = self.turned(value=shape_text(dst.shape), other=other, expected=shape_text(src.shape))
            yield Need(any_of((rows == columns, rows == 1, columns == 1)), "dst", said)

    def _contracted(self, call: Call) -> Iterator[Need]:
        pair = call.required.contraction
        if pair is not None:
            first, second = (call.get(name) for name in pair)
            if isinstance(first, Tile) and isinstance(second, Tile):
                yield self._contraction(pair[1], second.partitions, pair[0], first.partitions)

    def _contraction(self, name: str, value: Any, other: str, expected: Any) -> Need:
        return Need(
            value == expected,
            name,
            self.contraction(operand=name, quantity="partition size", value=value, other=other, expected=expected),
        )

    def _broadcast(self, call: Call) -> Iterator[Need]:
        """Operands of `nki.language`: Beta 1 broadcasts by NumPy's rule, 0.x does not."""
        tiles = elementwise_operands(call)
        if len(tiles) < 2:
            return
        (other, first), aligned = tiles[0], len({tile.rank for _, tile in tiles}) == 1
        if call.dialect == BETA1:
            for condition, number, axis in broadcast_conditions(tile.shape for _, tile in tiles):
                if axis or not aligned:  # partitions are another rule's
                    yield self._two(self.broadcast, *tiles[number], other, first, condition)
            return
        for name, tile in tiles[1:]:
            condition = equal_shapes_condition(tile.shape[1:], first.shape[1:]) if aligned else False
            if condition is not True:
                yield self._two(self.broadcast, name, tile, other, first, condition)

    def _two(self, said: Wording[...], name: str, tile: Tile, other: str, first: Tile, condition: Any) -> Need:
        return Need(
            condition,
            name,
            said(operand=name, value=shape_text(tile.shape), other=other, expected=shape_text(first.shape)),
        )

    def _destination(self, call: Call) -> Iterator[Need]:
        """The `dst` of 0.x against the result that it receives."""
        dst, result = call.get("dst"), call.result
        if not isinstance(dst, Tile) or not isinstance(result, Result):
            return
        leaf = call.operation.leaf
        if result.exact:
            condition = equal_shapes_condition(dst.shape, result.shape)
            given, wanted = shape_text(dst.shape), shape_text(result.shape)
            if condition is not True:
                message = self.destination(quantity="shape", value=given, operation=leaf, expected=wanted)
                yield Need(condition, "dst", message)
            return
        compared = [("free size", dst.free, product(result.shape[1:]))]
        if partition_source(call, result) is None:
            compared.insert(0, ("partition size", dst.partitions, result.shape[0]))
        for quantity, size, expected in compared:
            if not same_size(size, expected):
                message = self.destination(quantity=quantity, value=size, operation=leaf, expected=expected)
                yield Need(size == expected, "dst", message)

    def _store(self, call: Call) -> Iterator[Need]:
        value, dst = call.value, call.dst
        if isinstance(value, Tile) and isinstance(dst, Tile):
            condition = expands_to_condition(_as_stored(value.shape, dst.rank), dst.shape)
            if condition is not True:
                yield self._two(self.store, "value", value, "dst", dst, condition)

    def _broadcast_to(self, call: Call) -> Iterator[Need]:
        name = next(name for name in ("self", "src", "x") if name in call.arguments)
        tile, shape = call.get(name), as_shape(call.shape)
        if isinstance(tile, Tile):
            message = self.broadcast(
                operand=name, value=shape_text(tile.shape), other="shape", expected=shape_text(shape)
            )
            yield Need(expands_to_condition(tile.shape, shape), None, message)

    def _matmul(self, call: Call) -> Iterator[Need]:
        x, y = call.x, call.y
        if isinstance(x, Tile) and isinstance(y, Tile) and isinstance(call.transpose_x, bool):
            yield self._contraction("y", y.partitions, "x", x.partitions if call.transpose_x else x.free)

    def _reshape(self, call: Call) -> Iterator[Need]:
        tile, shape = call.self, reshaped(call.self.shape, call.shape)
        yield Need(
            reshape_condition(tile.shape, shape),
            None,
            self.reshape(shape=shape_text(as_shape(call.shape)), elements=product(shape), expected=tile.size),
        )
        if call.dialect == NKI and on_chip(tile) and shape and not same_size(shape[0], tile.partitions):
            yield Need(
                shape[0] == tile.partitions,
                None,
                self.partition(shape=shape_text(shape), partitions=shape[0], expected=tile.partitions),
            )

    def _reshape_dim(self, call: Call) -> Iterator[Need]:
        if misses_axis(call) is not None:
            return
        (axis,) = axes_of(call.dim, call.self.rank)
        shape = as_shape(call.shape)
        known = [size for size in shape if not is_literal(size, -1)]
        elements, expected = product(known), call.self.shape[axis]
        condition = elements == expected if len(known) == len(shape) else expected % elements == 0
        yield Need(condition, None, self.reshape(shape=shape_text(shape), elements=elements, expected=expected))

    def _rearrange(self, call: Call) -> Iterator[Need]:
        """Groups of names against the dimensions that they stand for."""
        source, tile = as_shape(call.src_pattern), call.self
        sizes = {} if isinstance(call.fixed_sizes, Unknown) else sizes_of_names(tile.shape, source, call.fixed_sizes)
        for pattern, expected in zip(source, tile.shape, strict=False):
            shape = [sizes[name] for name in as_shape(pattern) if name in sizes]
            if len(shape) > 1 and not same_size(product(shape), expected):
                said = self.reshape(shape=shape_text(shape), elements=product(shape), expected=expected)
                yield Need(product(shape) == expected, None, said)

    def _unit(self, call: Call) -> Iterator[Need]:
        if misses_axis(call) is not None:
            return
        (axis,) = axes_of(call.dim, call.self.rank)
        size = call.self.shape[axis]
        yield Need(size == 1, None, self.unit(axis=axis, size=size, operation=call.operation.leaf))


_SINGLE = {
    "language.store": ShapeMismatch._store,
    "language.matmul": ShapeMismatch._matmul,
    "language.broadcast_to": ShapeMismatch._broadcast_to,
    "tensor.broadcast_to": ShapeMismatch._broadcast_to,
    "tensor.reshape": ShapeMismatch._reshape,
    "tensor.reshape_dim": ShapeMismatch._reshape_dim,
    "tensor.rearrange": ShapeMismatch._rearrange,
    "tensor.broadcast": ShapeMismatch._unit,
    "tensor.squeeze_dim": ShapeMismatch._unit,
}


def _equal(call: Call, names: tuple[str, ...], quantity: str) -> Iterator[Need]:
    tiles = [(name, tile) for name in names if isinstance(tile := call.get(name), Tile)]
    for name, tile in tiles[1:]:
        other, first = tiles[0]
        value, expected = (tile.free, first.free) if quantity == "free size" else (tile.size, first.size)
        if not same_size(value, expected):
            column = (value == 1, expected == 1) if _stretches_columns(call) else ()
            yield Need(
                any_of((value == expected, *column)),
                name,
                ShapeMismatch.message(operand=name, quantity=quantity, value=value, other=other, expected=expected),
            )


def _stretches_columns(call: Call) -> bool:
    """Beta 1's `tensor_tensor` combines a column with every column of the other operand."""
    return call.dialect == BETA1 and call.operation.name == "isa.tensor_tensor"


def _as_stored(shape: tuple[Any, ...], rank: int) -> tuple[Any, ...]:
    """The shape without leading ones; a column, which is what a vector of HBM is on chip, becomes a vector again."""
    while len(shape) > rank and is_literal(shape[0], 1):
        shape = shape[1:]
    return shape[:1] if rank == 1 and len(shape) == 2 and is_literal(shape[1], 1) else shape
