from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class DivisionByZero(Rule):
    """Arithmetic on sizes divides by zero.

    ## What it does
    Proves for each `/`, `//` and `%` on numbers and sizes that the divisor is not zero for any input that reaches it.

    ## Why is this bad?
    Python raises `ZeroDivisionError` while the kernel is traced. A quotient such as `M // 128` is zero for every `M`
    below 128, so a kernel that divides by it works until someone passes a small tensor.

    ## How to fix
    Divide rounding up, treat small inputs separately, or assert the bound that the kernel relies on.

    ## Source
    Python, Binary arithmetic operations. Kernels evaluate arithmetic on sizes while they are traced: 0.x
    `get-started/nki-language-guide.rst` (Compilation Model).
    """

    code = "NKI806"

    @wording
    def message(self, expression: object, divisor: object) -> str:
        return f"`{expression}` divides by {divisor}"

    @wording
    def conditional(self, expression: object, divisor: object) -> str:
        return f"`{expression}` divides by `{divisor}`, which can be 0"

    help = "assert that the divisor is positive, or treat the small case separately"
    dynamic = True
    exception = ZeroDivisionError
    invalid = [
        Example(
            """
            columns = a.shape[1] // 1024
            for k in nl.affine_range(⟦4 // columns⟧):
                nl.store(output[0:128, 0:512], value=x)
            """,
            message="`4 // columns` divides by 0",
        ),
        Example(
            """
            tile = a.shape[1] % 512
            nisa.memset(dst=x[0:128, 0 : ⟦512 % tile⟧ + 1], value=0.0)
            """,
            message="`512 % tile` divides by 0",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, N]
            @nki.jit
            def kernel(source):
                tiles = source.shape[1] // 64
                output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=nl.full((128, 64), ⟦1.0 / tiles⟧, dtype=nl.float32))
                return output
            """,
            message="`1.0 / tiles` divides by `N // 64`, which can be 0",
            precondition="N >= 64",
        ),
    ]
    valid = [
        Example(
            """
            columns = a.shape[1] // 512
            for k in nl.affine_range(4 // columns):
                nl.store(output[k * 128 : (k + 1) * 128, 0:512], value=x)
            """
        ),
        Example(
            """
            tile = a.shape[1] % 513
            nisa.memset(dst=x[0:128, 0 : 512 % tile + 1], value=0.0)
            """,
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, N]
            @nki.jit
            def kernel(source):
                tiles = (source.shape[1] + 63) // 64
                output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=nl.full((128, 64), 1.0 / tiles, dtype=nl.float32))
                return output
            """
        ),
    ]
