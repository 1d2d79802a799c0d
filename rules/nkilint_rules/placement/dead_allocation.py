from ..rule import Example, Rule, Severity, wording
from ..words.dialects import BETA1, NKI


class DeadAllocation(Rule):
    """A part of a tensor on chip that no access reaches.

    ## What it does
    Compares the sizes of tensors in SBUF, and the number of tiles in SBUF and PSUM, with the furthest elements that
    accesses without a mask reach. In any function, it looks for names that are bound to a new tensor and then bound
    again before anything reads them.

    ## Why is this bad?
    The memory is taken and never used. Often one of two constants for the size of a tile is wrong.

    ## How to fix
    Allocate what is used, or use what is allocated.

    ## Source
    Beta 1: `nki_direct_allocation_guide.rst` (Development Best Practices). 0.x: `nki.language.ndarray`.
    """

    code = "NKI411"
    dialects = (BETA1, NKI)
    severity = Severity.INFO

    @wording
    def message(self, used: object, size: object, dimension: object, tensor: object) -> str:
        return f"accesses reach {used} of {size} along dimension {dimension} of `{tensor}`"

    @wording
    def rebound(self, tensor: object, row: object) -> str:
        return f"nothing uses the tensor that `{tensor}` is bound to here before line {row} binds the name anew"

    help = "allocate what is used, or use the rest"
    invalid = [
        Example(
            """
            # nkilint: source: float32[512, 256]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((512, 256), dtype=nl.float32, buffer=nl.shared_hbm)
                tiles = ⟦nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)⟧
                for i in nl.affine_range(4):
                    tiles[i, 0:128, 0:256] = nl.load(source[i * 128 : (i + 1) * 128, 0:256])
                for i in nl.affine_range(4):
                    nl.store(output[i * 128 : (i + 1) * 128, 0:256], value=tiles[i, 0:128, 0:256])
                return output
            """,
            message="accesses reach 256 of 512 along dimension 2 of `tiles`",
        ),
        Example(
            """
            # nkilint: source: float32[128, 256]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = ⟦nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)⟧
                nisa.dma_copy(dst=tile[0:128, 0:256], src=source)
                nisa.dma_copy(dst=output, src=tile[0:128, 0:256])
                return output
            """,
            message="accesses reach 256 of 512 along dimension 1 of `tile`",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[512, 256]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((512, 256), dtype=nl.float32, buffer=nl.shared_hbm)
                tiles = nl.ndarray((4, nl.par_dim(128), 256), dtype=nl.float32, buffer=nl.sbuf)
                for i in nl.affine_range(4):
                    tiles[i, 0:128, 0:256] = nl.load(source[i * 128 : (i + 1) * 128, 0:256])
                for i in nl.affine_range(4):
                    nl.store(output[i * 128 : (i + 1) * 128, 0:256], value=tiles[i, 0:128, 0:256])
                return output
            """
        ),
        Example(
            """
            # nkilint: source: float32[128, 256]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile[0:128, 0:256], src=source)
                nisa.dma_copy(dst=output, src=tile[0:128, 0:256])
                return output
            """,
            dialect=NKI,
        ),
    ]
