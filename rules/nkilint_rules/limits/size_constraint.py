from collections.abc import Iterator

from ..needs import declared, required
from ..operations.form import Call
from ..rule import Example, Need, Rule, wording
from ..words.dialects import NKI
from ..words.promotion import as_dtype


class SizeConstraint(Rule):
    """A size is below the minimum of an operation, or no multiple of what it works on.

    ## What it does
    Compares sizes with what the page of the operation demands beyond an upper limit: at least 8 elements for `max8`,
    groups of 3 for `bn_aggr`, groups of 16 partitions for `local_gather`, of 32 for scaled matmuls, and others.

    ## Why is this bad?
    The instruction works on groups of a fixed size and has no way to leave some of a group out. The compiler stops with
    an error.

    ## How to fix
    Pad the operand, and ignore what belongs to the padding.

    ## Source
    The page of each operation, of Beta 1 and of 0.x.
    """

    code = "NKI109"

    @wording
    def message(self, operand: object, quantity: object, value: object, operation: object, bound: object) -> str:
        return f"`{operand}` has {quantity} {value}; `{operation}` takes {bound}"

    @wording
    def view(self, bytes: object, itemsize: object, dtype: object) -> str:
        return f"the last dimension holds {bytes} bytes, no multiple of the {itemsize} of {dtype}"

    help = "pad the operand to a size that the operation takes"
    dynamic = True
    judges_calls = True
    before = ("NKI102",)
    invalid = [
        Example(
            "r = nisa.max8(src=⟦x[0:128, 0:7]⟧)",
            message="`src` has free size 7; `max8` takes at least 8",
        ),
        Example(
            "r = nisa.bn_aggr(⟦x[0:128, 0:7]⟧)",
            message="`data` has free size 7; `bn_aggr` takes multiples of 3",
        ),
        Example(
            """
            t = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
            nisa.max8(dst=t, src=⟦x[0:128, 0:7]⟧)
            """,
            message="`src` has free size 7; `max8` takes at least 8",
            dialect=NKI,
        ),
        Example(
            """
            t = nl.ndarray((128, 6), dtype=nl.uint8, buffer=nl.sbuf)
            nisa.memset(dst=t, value=0)
            q = ⟦t.view(nl.float32)⟧
            """,
            message="the last dimension holds 6 bytes, no multiple of the 4 of float32",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, N]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 2), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.load(source)
                nl.store(output, value=nisa.bn_aggr(⟦tile⟧))
                return output
            """,
            message="`data` has free size N; `bn_aggr` takes multiples of 3",
            precondition="N % 3 == 0",
        ),
    ]
    valid = [
        Example("r = nisa.max8(src=x[0:128, 0:8])"),
        Example("r = nisa.bn_aggr(x[0:128, 0:6])"),
        Example(
            """
            t = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
            nisa.max8(dst=t, src=x[0:128, 0:8])
            """,
            dialect=NKI,
        ),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        yield from declared(call, self.message)
        yield from required(call, type(self))
        if call.operation.name in ("tensor.view", "tensor.reinterpret_cast"):
            dtype = as_dtype(call.dtype)
            size = call.self.shape[-1] * call.self.dtype.itemsize
            yield Need(size % dtype.itemsize == 0, None, self.view(bytes=size, itemsize=dtype.itemsize, dtype=dtype))
