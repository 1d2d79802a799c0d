from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class OutputMemory(Rule):
    """A kernel returns a tensor that is not in shared HBM.

    ## What it does
    Looks at the memory of every tensor that a kernel returns to the host. Kernels that other kernels call, and those
    under `nki.trace`, may return tiles. Tensors in `nl.hbm` are reported from NKI 0.3 on, without a configured
    `nki-version` too.

    ## Why is this bad?
    SBUF and PSUM belong to the kernel while it runs. The host can only get at tensors in HBM. From NKI 0.3 on, the
    compiler takes outputs in `nl.shared_hbm` only.

    ## How to fix
    Make an output with `buffer=nl.shared_hbm`, store the tile there and return it.

    ## Source
    Beta 1: `programming_model.rst` (Memory hierarchy). 0.x: `get-started/nki-language-guide.rst` (the first example),
    `migration/index.rst` (Output tensors must use `nl.shared_hbm`), `release-notes/components/nki.rst` (0.3).
    """

    code = "NKI707"

    @wording
    def message(self, tensor: object, memory: object) -> str:
        return f"the kernel returns {tensor}, which is in {memory}"

    @wording
    def private(self, tensor: object) -> str:
        return f"the kernel returns {tensor}, which is not in `nl.shared_hbm`"

    help = "store it to a tensor in `nl.shared_hbm`, and return that"
    dynamic = True
    accepted = True
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
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.hbm)
                nisa.dma_copy(dst=output, src=source)
                ⟦return output⟧
            """,
            message="the kernel returns `output`, which is not in `nl.shared_hbm`",
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
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.hbm)
                nisa.dma_copy(dst=output, src=source)
                return output
            """,
            dialect=NKI,
            version="0.2",
        ),
    ]
