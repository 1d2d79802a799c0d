from collections.abc import Iterator
from typing import Any

from ..needs import listed, required
from ..operations.form import Call
from ..rule import Example, Need, Rule, wording
from ..words.conditions import Unknown
from ..words.dialects import NKI
from ..words.dtypes import WIDE, DType, dtype_in
from ..words.promotion import as_dtype
from ..words.tiles import Tile


class UnsupportedDtype(Rule):
    """An operand has a data type that the operation does not take.

    ## What it does
    Compares the dtype of each operand with those that the operation takes in its place, and dtypes that have to agree
    with one another. Bitwise operators take integers, and products of matmuls are not added to integers. In 0.x,
    reports a float that fills a tile of integers. Reports types of 64 bits that are asked for with `dtype=`, but for
    that of an argument of the host (`np.random.rand` gives float64): frameworks make of it what devices have.

    ## Why is this bad?
    The instruction has no encoding for this dtype. The compiler stops with an error; releases that did not check gave
    wrong results.

    ## How to fix
    Convert the operand: with `dtype=` where the tile is made (Beta 1), with `nisa.tensor_copy` into a tile of the right
    dtype (0.x).

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_activation_bias_invalid_type`, `err_activation_scale_invalid_type`). 0.x: release
    notes of 0.3 (`nisa.memset`). Both dialects: the page of each operation, `api/nki.api.shared.rst` (Supported Data
    Types).
    """

    code = "NKI202"

    @wording
    def message(self, operand: object, dtype: object, operation: object, accepted: object) -> str:
        return f"`{operand}` is {dtype}; `{operation}` takes {accepted}"

    @wording
    def pair(self, operand: object, dtype: object, other: object, expected: object) -> str:
        return f"`{operand}` is {dtype}; `{other}` is {expected}, and the two have the same dtype"

    @wording
    def products(self, tensor: object, dtype: object) -> str:
        return f"`{tensor}` is {dtype}; products of matmuls are added up as floats"

    @wording
    def wide(self, operand: object, dtype: object) -> str:
        return f"`{operand}` is {dtype}, which no tensor of NKI has: its types have at most 32 bits"

    help = "convert the operand to a dtype that the operation takes"
    aws = ("err_activation_bias_invalid_type", "err_activation_scale_invalid_type")
    dynamic = True
    unseen = ("wide",)
    judges_calls = True
    invalid = [
        Example(
            """
            t = nisa.memset((128, 1), 1.2, dtype=np.int8)
            r = nisa.activation(op=nl.exp, data=x, bias=⟦t⟧)
            """,
            message="`bias` is int8; `activation` takes bfloat16, float16 or float32",
        ),
        Example(
            """
            t = nisa.memset((128, 1), 1.2, dtype=np.float16)
            r = nisa.activation(op=nl.exp, data=x, scale=⟦t⟧)
            """,
            message="`scale` is float16; `activation` takes float32",
        ),
        Example(
            "r = nisa.tensor_tensor(⟦x⟧, nl.zeros((128, 512), dtype=nl.int32, buffer=nl.sbuf), op=nl.bitwise_and)",
            message="`data1` is float32; bitwise operators take integers",
        ),
        Example(
            """
            total = nl.zeros((128, 512), dtype=nl.int32, buffer=nl.psum)
            ⟦total += nisa.nc_matmul(w, x)⟧
            """,
            message="`total` is int32; products of matmuls are added up as floats",
        ),
        Example(
            """
            t = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.sbuf)
            nisa.memset(dst=t, value=⟦2.0⟧)
            """,
            message="`value` is the float 2.0; `dst` is int32",
            dialect=NKI,
        ),
        Example(
            "t = nl.ndarray((128, 512), dtype=⟦np.float64⟧, buffer=nl.sbuf)",
            message="`dtype` is float64, which no tensor of NKI has: its types have at most 32 bits",
        ),
        Example(
            "nisa.tensor_copy_predicated(dst=x, src=y, predicate=⟦y⟧)",
            message="`predicate` is float32; `tensor_copy_predicated` takes bool, uint8, uint16 or uint32",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            total = nl.zeros((128, 512), dtype=nl.bfloat16, buffer=nl.psum)
            total += nisa.nc_matmul(w, x)
            """
        ),
        Example(
            """
            t = nisa.memset((128, 1), 1.2, dtype=nl.bfloat16)
            r = nisa.activation(op=nl.exp, data=x, bias=t)
            """
        ),
        Example("r = nisa.activation(op=nl.exp, data=x, scale=1.2)"),
        Example(
            """
            t = nisa.memset((128, 1), 1.2, dtype=np.float32)
            r = nisa.activation(op=nl.exp, data=x, scale=t)
            """
        ),
        Example(
            """
            t = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.sbuf)
            nisa.memset(dst=t, value=2)
            """,
            dialect=NKI,
        ),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        given = as_dtype(call.get("dtype")) if "dtype" in call.given else None
        if isinstance(given, DType) and given in WIDE:
            yield Need(False, "dtype", self.wide(operand="dtype", dtype=given))
        for name, operand, tile in call.tiles():
            if operand.dtypes is not None:
                yield from self._accepted(call, name, tile.dtype, operand.dtypes)
        for name, column in call.required.columns.items():
            value = call.get(name)
            if column.dtypes is not None and isinstance(value, Tile):
                yield from self._accepted(call, name, value.dtype, column.dtypes)
        for first, second in call.required.same_dtype:
            one, other = call.get(first), call.get(second)
            if isinstance(one, Tile) and isinstance(other, Tile):
                condition = _same(one.dtype, other.dtype)
                if condition is not True:
                    yield Need(
                        condition, second, self.pair(operand=second, dtype=other.dtype, other=first, expected=one.dtype)
                    )
        yield from required(call, type(self))

    def _accepted(self, call: Call, name: str, dtype: Any, accepted: frozenset[DType]) -> Iterator[Need]:
        condition = dtype_in(dtype, accepted)
        if condition is not True:
            words = listed(sorted(accepted, key=lambda each: (each.kind, each.itemsize, each.name)))
            yield Need(
                condition, name, self.message(operand=name, dtype=dtype, operation=call.operation.leaf, accepted=words)
            )


def _same(a: Any, b: Any) -> Any:
    """Whether two dtypes are the same, one of which may be an input's that nothing specifies."""
    if isinstance(a, DType):
        return dtype_in(b, frozenset({a}))
    if isinstance(b, DType):
        return dtype_in(a, frozenset({b}))
    return a == b or Unknown("the dtypes of two inputs are not known to agree")
