from ..operation import NKI
from ..rule import Example, Rule


class OutputMemory(Rule):
    """A kernel returns a tensor that is on chip.

    ## What it does
    Looks at the memory of every tensor that a kernel returns to the host. Kernels that other kernels call, and those
    under `nki.trace`, may return tiles.

    ## Why is this bad?
    SBUF and PSUM belong to the kernel while it runs. The host can only get at tensors in HBM.

    ## How to fix
    Make an output with `buffer=nl.shared_hbm`, store the tile there and return it.

    ## Source
    Beta 1: `programming_model.rst` (Memory hierarchy). 0.x: `get-started/nki-language-guide.rst` (the first example).
    """

    code = "NKI707"
    message = "the kernel returns {tensor}, which is in {memory}"
    help = "store it to a tensor in `nl.shared_hbm`, and return that"
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                tile = nl.load(source)
                ⟦return tile⟧
            """,
            message="the kernel returns `tile`, which is in SBUF",
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=source)
                ⟦return tile⟧
            """,
            message="the kernel returns `tile`, which is in SBUF",
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
                nl.store(output, value=nl.load(source))
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
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=tile)
                return output
            """,
            dialect=NKI,
        ),
    ]
