from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class OutputNotReturned(Rule):
    """An output is written and then not returned.

    ## What it does
    Looks for tensors in shared HBM that the kernel makes and writes, and that it neither reads nor returns. Where a
    kernel returns nothing and writes to none of its inputs, so it does for other tensors in HBM.

    ## Why is this bad?
    Nobody can see what was stored. The caller gets `None`, or only the other outputs.

    ## How to fix
    Return the tensor, or remove it and the stores to it.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_tensor_output_not_written_to`: outputs are what the kernel returns), `nki.jit`.
    0.x: `get-started/nki-language-guide.rst`.
    """

    code = "NKI711"

    @wording
    def message(self, tensor: object) -> str:
        return f"{tensor} is written, but neither read nor returned"

    help = "return {tensor}"
    invalid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def ⟦kernel⟧(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=nl.exp(nl.load(source)))
            """,
            message="`output` is written, but neither read nor returned",
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=source)
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=tile)
                total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=total, src=tile)
                ⟦return output⟧
            """,
            message="`total` is written, but neither read nor returned",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=nl.exp(nl.load(source)))
                return output
            """
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=source)
                between = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=between, src=tile)
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=between)
                return output
            """,
            dialect=NKI,
        ),
    ]
