from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class FailedAssertion(Rule):
    """A kernel is called with inputs that its own assertion rejects.

    ## What it does
    Evaluates the assertions of a kernel, and of the helpers it calls, for each call found in the files given and for
    each shape specification. The call is reported, with the assertion as the related place. An assertion that no input
    at all can pass is reported where it stands.

    ## Why is this bad?
    The kernel raises `AssertionError` while it is traced: this call has never worked. Kernels of nki-library say
    `NCC_INKI016` then, with their own words.

    ## How to fix
    Pass inputs that meet the assertion, or make the kernel take these.

    ## Source
    Python, The assert statement. Kernels evaluate it while they are traced: 0.x
    `get-started/nki-language-guide.rst` (Compilation Model). nki-library: `core/utils/kernel_assert.py`.
    """

    code = "NKI807"
    aws = ("NCC_INKI016",)

    @wording
    def message(self, kernel: object, condition: object, values: object) -> str:
        return f"`{kernel}` asserts `{condition}`, which fails here" + (f": {values}" if values else "")

    @wording
    def never(self, condition: object) -> str:
        return f"no input meets the assertion `{condition}`"

    help = "pass inputs that meet the assertion"
    dynamic = True
    invalid = [
        Example(
            """
            @nki.jit
            def kernel(source):
                rows, columns = source.shape
                assert rows % 128 == 0
                output = nl.ndarray((128, columns), dtype=source.dtype, buffer=nl.shared_hbm)
                nl.store(output, value=nl.load(source[0:128, 0:columns]))
                return output

            if __name__ == "__main__":
                ⟦kernel(np.zeros((129, 512), dtype=np.float32))⟧
            """,
            message="`kernel` asserts `rows % 128 == 0`, which fails here: rows=129",
        ),
        Example(
            """
            @nki.jit
            def kernel(source):
                assert source.shape[0] <= 128
                tile = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=source)
                output = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=tile)
                return output

            if __name__ == "__main__":
                ⟦nki.simulate(kernel)(np.zeros((129, 512), dtype=np.float32))⟧
            """,
            message="`kernel` asserts `source.shape[0] <= 128`, which fails here: source.shape[0]=129",
            dialect=NKI,
        ),
        Example(
            """
            @nki.jit
            def kernel(source):
                ⟦assert source.shape[0] % 128 == 128⟧
                output = nl.ndarray((128, 512), dtype=source.dtype, buffer=nl.shared_hbm)
                nl.store(output, value=nl.zeros((128, 512), dtype=source.dtype, buffer=nl.sbuf))
                return output
            """,
            message="no input meets the assertion `source.shape[0] % 128 == 128`",
        ),
    ]
    valid = [
        Example(
            """
            @nki.jit
            def kernel(source):
                rows, columns = source.shape
                assert rows % 128 == 0
                output = nl.ndarray((128, columns), dtype=source.dtype, buffer=nl.shared_hbm)
                nl.store(output, value=nl.load(source[0:128, 0:columns]))
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 512), dtype=np.float32))
            """
        ),
        Example(
            """
            @nki.jit
            def kernel(source):
                assert source.shape[0] <= 128
                tile = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=source)
                output = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=tile)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 512), dtype=np.float32))
            """,
            dialect=NKI,
        ),
    ]
