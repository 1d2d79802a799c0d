from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class MissingDestination(Rule):
    """What an operation computes goes nowhere.

    ## What it does
    In 0.x, reports a call of an operation that writes through `dst` without `dst`. In both dialects, reports a
    statement that consists of a call whose only effect is the tile it returns, so that nothing can ever use it.

    Advises besides of tiles that are made of what the kernel is given, and that nothing reads, stores or returns. Not
    reported are tiles that a branch may use although it is not taken with the values at hand; results that an operation
    has to put somewhere besides the one that is used, and those of a function that has others; names that begin with an
    underscore; and kernels that write no tensor in HBM.

    ## Why is this bad?
    Beta 1 returns results and 0.x writes them to `dst`; what is right in one dialect is lost or an error in the
    other. A result that nothing uses is removed by the compiler, together with the work before it. Mostly another tile
    is stored in its place, and what the kernel hands back lacks a step.

    ## How to fix
    Pass a tile as `dst=` in 0.x; assign the result, `tile[...] = nl.exp(...)`, in Beta 1. Let what comes
    after take the tile that is computed, or leave the statement out.

    ## Source
    0.x: release notes of 0.1 ("`dst` as an input param" of all `nki.isa` operations), `migration/index.rst`. Beta 1:
    `nki.isa` (return values).
    """

    code = "NKI210"

    @wording
    def message(self, operation: object) -> str:
        return f"`{operation}` is called without `dst`, the tile that it writes to"

    @wording
    def unused(self, operation: object) -> str:
        return f"nothing uses the tile that `{operation}` returns"

    @wording
    def unread(self, tensor: object) -> str:
        return f"nothing reads `{tensor}`, which is computed here"

    help = "pass the destination, or use the result"
    before = ("NKI208",)
    dynamic = True
    advice = ("unread",)
    unseen = ("unread",)
    invalid = [
        Example(
            "⟦nisa.reciprocal(data=x)⟧",
            message="`reciprocal` is called without `dst`, the tile that it writes to",
            dialect=NKI,
        ),
        Example(
            "r = ⟦nisa.tensor_tensor(data1=x, data2=y, op=nl.add)⟧",
            message="`tensor_tensor` is called without `dst`, the tile that it writes to",
            dialect=NKI,
        ),
        Example("⟦nl.exp(x)⟧", message="nothing uses the tile that `exp` returns"),
        Example("⟦nisa.nc_matmul(w, x)⟧", message="nothing uses the tile that `nc_matmul` returns"),
        Example(
            """
            tile = nl.load(a[0:128, 0:512])
            power = ⟦nl.exp(tile)⟧
            nl.store(output[0:128, 0:512], value=tile)
            """,
            message="nothing reads `power`, which is computed here",
        ),
        Example(
            """
            tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=a[0:128, 0:512])
            power = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            ⟦nisa.activation(dst=power, op=nl.exp, data=tile)⟧
            nisa.dma_copy(dst=output[0:128, 0:512], src=tile)
            """,
            message="nothing reads `power`, which is computed here",
            dialect=NKI,
        ),
    ]
    valid = [
        Example("nisa.reciprocal(dst=y, data=x)", dialect=NKI),
        Example("y[...] = nl.exp(x)"),
        Example("p[...] += nisa.nc_matmul(w, x)"),
        Example("nisa.dma_copy(dst=output, src=a)"),
        Example(
            """
            tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=a[0:128, 0:512])
            power = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            sums = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.activation_reduce(dst=power, op=nl.exp, data=tile, reduce_op=nl.add, reduce_res=sums)
            nisa.dma_copy(dst=output[0:128, 0:1], src=sums)
            """,
            dialect=NKI,
        ),
    ]
