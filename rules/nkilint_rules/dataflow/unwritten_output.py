from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class UnwrittenOutput(Rule):
    """An output is never written.

    ## What it does
    Looks at every tensor that a kernel returns, and at every parameter that an early-style kernel only writes, and
    proves that something is stored to it. A loop that may run zero times counts as not storing: the finding then gives
    the condition under which it runs.

    ## Why is this bad?
    The caller gets whatever was in memory. The Beta 1 compiler reports `err_tensor_output_not_written_to`; later ones
    compile the kernel as it is. The most common cause is a trip count such as `rows // 128`, which is zero for small
    inputs.

    ## How to fix
    Take `math.ceil(rows / 128)` iterations and mask the last one, assert the least size, or store a default value
    outside the loop.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_tensor_output_not_written_to`). 0.x: `get-started/nki-language-guide.rst`.
    """

    code = "NKI702"

    @wording
    def message(self, tensor: object) -> str:
        return f"`{tensor}` is returned, but nothing is written to it"

    @wording
    def unreached(self, tensor: object) -> str:
        return f"`{tensor}` is returned, but no store to it is reached"

    help = "store the result, round trip counts up and mask the last tile, or assert the least size"
    aws = ("err_tensor_output_not_written_to",)
    dynamic = True
    whole_run = True
    invalid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.load(source[0:128, 0:512])
                result = nl.exp(tile)
                ⟦return output⟧
            """,
            message="`output` is returned, but nothing is written to it",
        ),
        Example(
            """
            # nkilint: source: float32[K, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((1, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                for k in nl.sequential_range(source.shape[0] // 128):
                    row = nl.load(source[0:1, 0:512])
                    nl.store(output[0:1, 0:512], value=row)
                ⟦return output⟧
            """,
            precondition="K >= 128",
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                for k in range(128 // 129):
                    nisa.dma_copy(dst=output, src=source[0:128, 0:512])
                ⟦return output⟧
            """,
            message="`output` is returned, but nothing is written to it",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[K, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((1, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                for k in nl.sequential_range(math.ceil(source.shape[0] / 128)):
                    row = nl.load(source[0:1, 0:512])
                    nl.store(output[0:1, 0:512], value=row)
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
