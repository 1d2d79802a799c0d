from collections.abc import Iterator

from ..needs import declared, required
from ..operations.form import Call
from ..rule import Example, Need, Rule, wording
from ..words.dialects import NKI


class FreeSizeLimit(Rule):
    """An operand holds more elements in a partition than one instruction takes.

    ## What it does
    Compares the free size of an operand, the product of all dimensions but the first, with the limit of the operation:
    128 for a transposition on the Tensor Engine, 512 for `bn_stats`, and others that the pages of the operations name.

    ## Why is this bad?
    The engine's registers or the target memory have room for no more. The compiler stops with an error.

    ## How to fix
    Loop over slices of the free dimension.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_size_of_dimension_exceed_arch_limit`) and the page of each operation.
    0.x: the page of each operation.
    """

    code = "NKI102"

    @wording
    def message(self, operand: object, quantity: object, value: object, operation: object, bound: object) -> str:
        return f"`{operand}` has {quantity} {value}; `{operation}` takes {bound}"

    help = "split the free dimension into tiles of that size"
    aws = ("err_size_of_dimension_exceed_arch_limit",)
    dynamic = True
    judges_calls = True
    invalid = [
        Example(
            "r = nl.transpose(⟦x[0:128, 0:129]⟧)",
            message="`x` has free size 129; `transpose` takes at most 128",
        ),
        Example(
            """
            t = nl.zeros((128, 513), dtype=nl.float32, buffer=nl.sbuf)
            r = nisa.bn_stats(⟦t⟧)
            """,
            message="`data` has free size 513; `bn_stats` takes at most 512",
        ),
        Example(
            """
            t = nl.ndarray((128, 6), dtype=nl.float32, buffer=nl.sbuf)
            q = nl.ndarray((128, 513), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(dst=q, value=0.0)
            nisa.bn_stats(dst=t, data=⟦q⟧)
            """,
            message="`data` has free size 513; `bn_stats` takes at most 512",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, N]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 6), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.load(source)
                nl.store(output, value=nisa.bn_stats(⟦tile⟧))
                return output
            """,
            message="`data` has free size N; `bn_stats` takes at most 512",
            precondition="N <= 512",
        ),
    ]
    valid = [
        Example("r = nl.transpose(x[0:128, 0:128])"),
        Example("r = nisa.bn_stats(x)"),
        Example(
            """
            t = nl.ndarray((128, 6), dtype=nl.float32, buffer=nl.sbuf)
            nisa.bn_stats(dst=t, data=x)
            """,
            dialect=NKI,
        ),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        yield from declared(call, self.message)
        yield from required(call, type(self))
