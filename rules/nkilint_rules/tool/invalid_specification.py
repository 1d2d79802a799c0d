from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class InvalidSpecification(Rule):
    """A shape specification, annotation or setting makes no sense.

    ## What it does
    Reports a `# nkilint:` comment, an entry of `[tool.nkilint]` or an annotation that cannot be read, that names a
    parameter the kernel does not have, or whose conditions exclude one another. The kernel is then checked as if it
    were not there.

    ## Why is this bad?
    What was meant to be assumed about the inputs is not assumed.

    ## How to fix
    Write `name: dtype[size, ...]`, several separated by commas, followed by conditions on the sizes:
    `# nkilint: a: bfloat16[M, K], b: bfloat16[K, N], M % 128 == 0`.

    ## Source
    This tool.
    """

    code = "NKI004"

    @wording
    def message(self, problem: object) -> str:
        return f"{problem}"

    help = "write it as `name: dtype[size, ...], condition`"
    invalid = [
        Example(
            """
            ⟦# nkilint: source: float33[M, 512]⟧
            @nki.jit
            def kernel(source):
                assert source.shape == (128, 512)
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=nl.load(source[0:128, 0:512]))
                return output
            """
        ),
        Example(
            """
            ⟦# nkilint: sorce: float32[128, 512]⟧
            @nki.jit
            def kernel(source):
                assert source.shape == (128, 512)
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=source[0:128, 0:512])
                return output
            """,
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[M, 512], M >= 128
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=nl.load(source[0:128, 0:512]))
                return output
            """
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=source[0:128, 0:512])
                return output
            """,
            dialect=NKI,
        ),
    ]
