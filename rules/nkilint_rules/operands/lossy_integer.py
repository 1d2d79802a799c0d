from collections.abc import Iterator, Mapping
from typing import ClassVar

from ..needs import new_tiles, required
from ..operations.form import Call
from ..operations.isa_results import leaf
from ..operations.particular import operator as operator_of
from ..rule import Example, Need, Rule, wording
from ..words.dialects import NKI
from ..words.dtypes import DType
from ..words.operators import is_bitvec
from ..words.tiles import Tile

EXACT = 2**24
_ARITHMETIC = {
    "isa.tensor_scalar": (("op0", "operand0"), ("op1", "operand1")),
    "isa.tensor_scalar_reduce": (("op0", "operand0"),),
    "isa.scalar_tensor_tensor": (("op0", "operand0"),),
}


class LossyInteger(Rule):
    """An integer does not survive the way through the engine or into its destination.

    ## What it does
    Reports a constant that a tile of integers is filled with and that its dtype cannot hold, and what operations on
    constants and on `iota` put into a tile whose dtype cannot hold it. Reports an integer constant in arithmetic on
    integer tiles that is not exact in float32: beyond 2^24 only multiples of larger powers of two are. Bitwise
    operators, and additions and multiplications that may run on the GpSimd Engine, work on the integers themselves.

    ## Why is this bad?
    The Vector and Scalar Engines convert integers to float32, compute, and convert back. Larger values are rounded
    silently; values out of range saturate or wrap around.

    ## How to fix
    Use a wider dtype, split the value into parts below 2^24, or use bitwise operators.

    ## Source
    `nki.isa.tensor_scalar`, `nki.isa.tensor_tensor`, `nki.isa.range_select` of Beta 1 and 0.x (computation in float32),
    0.x: release notes of 0.6 (casts from float32 to integers saturate).
    """

    code = "NKI212"

    @wording
    def message(self, operand: object, value: object, dtype: object, low: object, high: object) -> str:
        return f"`{operand}` is {value}; {dtype} holds {low} to {high}"

    @wording
    def kept(self, tensor: object, value: object, dtype: object, low: object, high: object) -> str:
        return f"{value} is put into `{tensor}`; {dtype} holds {low} to {high}"

    @wording
    def arithmetic(self, operand: object, value: object, operation: object, rounded: object) -> str:
        return f"`{operand}` is {value}; `{operation}` computes in float32, which rounds it to {rounded}"

    help = "use a wider dtype, or split the value"
    dynamic = True
    judges_calls = True
    fills: ClassVar[Mapping[str, str]] = {"isa.memset": "value", "language.full": "fill_value"}
    before = ("NKI202",)
    invalid = [
        Example(
            "t = nisa.memset((128, 512), ⟦256⟧, dtype=nl.uint8)",
            message="`value` is 256; uint8 holds 0 to 255",
        ),
        Example(
            """
            t = nl.zeros((128, 512), dtype=nl.int32, buffer=nl.sbuf)
            r = nisa.tensor_scalar(t, op0=nl.subtract, operand0=⟦16777217⟧)
            """,
            message="`operand0` is 16777217; `tensor_scalar` computes in float32, which rounds it to 16777216",
        ),
        Example(
            """
            t = nl.ndarray((128, 512), dtype=nl.int8, buffer=nl.sbuf)
            nisa.memset(dst=t, value=⟦-129⟧)
            """,
            message="`value` is -129; int8 holds -128 to 127",
            dialect=NKI,
        ),
        Example(
            """
            t = nl.ndarray((128, 257), dtype=nl.uint8, buffer=nl.sbuf)
            ⟦nisa.iota(dst=t, pattern=[[1, 257]])⟧
            """,
            message="256 is put into `t`; uint8 holds 0 to 255",
            dialect=NKI,
        ),
        Example(
            """
            i = nisa.iota(nl.arange(128)[:, None], dtype=nl.int32)
            r = ⟦nisa.tensor_scalar(i, op0=nl.add, operand0=1, dtype=nl.int8)⟧
            """,
            message="128 is put into a tensor; int8 holds -128 to 127",
        ),
    ]
    valid = [
        Example("t = nisa.memset((128, 512), 255, dtype=nl.uint8)"),
        Example(
            """
            t = nl.zeros((128, 512), dtype=nl.int32, buffer=nl.sbuf)
            r = nisa.tensor_scalar(t, op0=nl.subtract, operand0=16777216)
            """
        ),
        Example(
            """
            t = nl.ndarray((128, 512), dtype=nl.int8, buffer=nl.sbuf)
            nisa.memset(dst=t, value=-128)
            """,
            dialect=NKI,
        ),
        Example(
            """
            t = nl.ndarray((128, 256), dtype=nl.uint8, buffer=nl.sbuf)
            nisa.iota(dst=t, pattern=[[1, 256]])
            """,
            dialect=NKI,
        ),
        Example(
            """
            i = nisa.iota(nl.arange(128)[:, None], dtype=nl.int32)
            r = nisa.tensor_scalar(i, op0=nl.subtract, operand0=1, dtype=nl.int8)
            """
        ),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        name = call.operation.name
        if name in self.fills:
            yield from self._filled(call, self.fills[name])
        for operator, operand in _ARITHMETIC.get(name, ()):
            yield from self._computed(call, operator, operand)
        yield from required(call, type(self))

    def _filled(self, call: Call, argument: str) -> Iterator[Need]:
        value = call.get(argument)
        made = [call.dst] if isinstance(call.get("dst"), Tile) else list(new_tiles(call))
        for tile in made:
            dtype = tile.dtype
            if isinstance(value, int) and isinstance(dtype, DType) and dtype.is_integer:
                low, high = dtype.integers
                if not low <= value <= high:
                    yield Need(
                        False, argument, self.message(operand=argument, value=value, dtype=dtype, low=low, high=high)
                    )

    def _computed(self, call: Call, operator: str, operand: str) -> Iterator[Need]:
        value, given = call.get(operand), operator_of(call, operator)
        if not isinstance(value, int) or given is None or is_bitvec(given) or abs(value) <= EXACT:
            return
        dtype = call.data.dtype if isinstance(call.get("data"), Tile) else None
        exact_engine = given in ("add", "multiply") and leaf(call.get("engine")) in ("unknown", "gpsimd", None)
        if isinstance(dtype, DType) and dtype.is_integer and not exact_engine and in_float32(value) != value:
            rounded, operation = in_float32(value), call.operation.leaf
            message = self.arithmetic(operand=operand, value=value, operation=operation, rounded=rounded)
            yield Need(False, operand, message)


def in_float32(value: int) -> int:
    """The nearest integer that float32 has, ties to even."""
    unit = 1 << max(abs(value).bit_length() - 24, 0)
    quotient, rest = divmod(abs(value), unit)
    quotient += 2 * rest > unit or (2 * rest == unit and quotient % 2 == 1)
    return quotient * unit if value >= 0 else -quotient * unit
