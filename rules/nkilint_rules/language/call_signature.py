from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class CallSignature(Rule):
    """A kernel or helper is called with arguments that do not fit its parameters.

    ## What it does
    Binds the arguments of each call to the parameters of the function, as Python would: too many positional arguments,
    missing ones, unknown keywords, and one parameter given twice. For a kernel this covers the calls from host code
    through `nki.jit`, `baremetal`, `benchmark`, `simulate_kernel`, `nki.simulate` and `nki_call`. For NKI's own
    operations, unknown keywords are reported by `unknown-api` and a missing `dst` by `missing-destination`. Reports,
    too, what Python's operators and `len` are given that they have no meaning for, such as a tuple and a list to `+`,
    numbers that are called, walked over or subscripted, shapes that are called, and tensors of which `int`, `float` or
    `math` is to make a number: they hold none while the kernel is traced.

    ## Why is this bad?
    Python raises `TypeError` before the first operation is recorded.

    ## How to fix
    Pass the arguments that the signature names.

    ## Source
    Python, Calls, and Binary arithmetic operations.
    """

    code = "NKI809"

    @wording
    def message(self, callee: object, problem: object) -> str:
        return f"`{callee}` {problem}"

    @wording
    def not_callable(self, callee: object, kind: object) -> str:
        return f"`{callee}` is {kind}, which cannot be called"

    @wording
    def takes_none(self, callee: object, given: object) -> str:
        return f"`{callee}` does not take {given}"

    @wording
    def unusable(self, expression: object, kind: object, use: object) -> str:
        return f"`{expression}` is {kind}, which {use}"

    help = "pass the arguments that the signature names, of types that it takes"
    breaks_trace = True
    dynamic = True
    exception = TypeError
    same_as = ("NKI208",)
    invalid = [
        Example(
            "r = ⟦nisa.tensor_scalar(x, op0=nl.multiply)⟧",
            message="`tensor_scalar` is missing `operand0`",
        ),
        Example(
            """
            def scale(tile, factor):
                return nl.multiply(tile, factor)

            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.load(source[0:128, 0:512])
                nl.store(output, value=⟦scale(tile)⟧)
                return output
            """,
            message="`scale` is missing `factor`",
        ),
        Example(
            """
            def clear(tile):
                nisa.memset(dst=tile, value=0.0)

            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                ⟦clear(tile, value=1.0)⟧
                nisa.dma_copy(dst=output, src=tile)
                return output
            """,
            message="`clear` takes no argument `value`",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=nl.load(source[0:128, 0:512]))
                return output

            if __name__ == "__main__":
                data = np.zeros((128, 512), dtype=np.float32)
                ⟦kernel(data, data)⟧
            """,
            message="`kernel` takes 1 positional arguments, 2 given",
        ),
        Example(
            """
            factor = 2.0

            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.load(source[0:128, 0:512])
                nl.store(output, value=nl.multiply(tile, ⟦factor()⟧))
                return output
            """,
            message="`factor` is a number, which cannot be called",
        ),
        Example(
            "r = nl.ndarray(⟦x.shape[:-1] + [256]⟧, dtype=nl.float32, buffer=nl.sbuf)",
            message="`+` does not take a tuple and a list",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            def scale(tile, factor=2.0):
                return nl.multiply(tile, factor)

            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.load(source[0:128, 0:512])
                nl.store(output, value=scale(tile))
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 512), dtype=np.float32))
            """
        ),
        Example(
            """
            def clear(tile, value=0.0):
                nisa.memset(dst=tile, value=value)

            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                clear(tile, value=1.0)
                nisa.dma_copy(dst=output, src=tile)
                return output
            """,
            dialect=NKI,
        ),
    ]
