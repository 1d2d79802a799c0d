from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class MissingDestination(Rule):
    """What an operation computes goes nowhere.

    ## What it does
    In 0.x, reports a call of an operation that writes through `dst` without `dst`. In both dialects, reports a
    statement that consists of a call whose only effect is the tile it returns, so that nothing can ever use it.

    ## Why is this bad?
    Beta 1 returns results and 0.x writes them to `dst`; what is right in one dialect is lost or an error in the
    other. A result that nothing uses is removed by the compiler, together with the work before it.

    ## How to fix
    Pass a tile as `dst=` in 0.x; assign the result, `tile[...] = nl.exp(...)`, in Beta 1.

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

    help = "pass the destination, or assign the result"
    before = ("NKI208",)
    dynamic = True
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
    ]
    valid = [
        Example("nisa.reciprocal(dst=y, data=x)", dialect=NKI),
        Example("y[...] = nl.exp(x)"),
        Example("p[...] += nisa.nc_matmul(w, x)"),
        Example("nisa.dma_copy(dst=output, src=a)"),
    ]
