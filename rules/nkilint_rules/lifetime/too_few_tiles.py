from ..rule import Example, Rule, wording
from ..words.dialects import BETA1


class TooFewTiles(Rule):
    """A logical tile is overwritten by another tile of the same tensor before its last read.

    ## What it does
    Follows the blocks of directly allocated tensors through the loops of a kernel. With `num_free_tiles=(2,)` the tiles
    0, 2, 4 ... share one place. A read of a tile is reported when another tile of the tensor was written to that place
    after the tile itself, and nothing restored it. Trip counts and numbers of tiles may be symbolic.

    ## Why is this bad?
    The read gets another tile's data. The compiler finds some of these conflicts, and calls those in PSUM
    "[SCH713] Violation of accumulation group interleaving".

    ## How to fix
    Allocate as many physical tiles as are alive at the same time, or use each tile up in the iteration that fills it.

    ## Source
    `nki_direct_allocation_guide.rst` (Common Errors, #3).
    """

    code = "NKI502"
    repair = "the tensor gets the number of tiles that the finding proposes"
    dialects = (BETA1,)

    @wording
    def message(self, victim: object, other: object, bytes: object, repair: object = None) -> str:
        return f"`{victim}` is overwritten by `{other}` before this read; both have {bytes}"

    help = "{repair}"
    aws = ("SCH713",)
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: source: float32[8, 128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((8, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tiles = nl.ndarray((8, nl.par_dim(128), 512), dtype=nl.float32,
                                   buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,)))
                for i in nl.affine_range(8):
                    tiles[i] = nl.load(source[i])
                for i in nl.affine_range(8):
                    ⟦nl.store(output[i], value=tiles[i])⟧
                return output

            if __name__ == "__main__":
                kernel(np.zeros((8, 128, 512), dtype=np.float32))
            """,
            message="`tiles[0]` is overwritten by `tiles[2]` before this read; both have bytes 0 to 2047 of "
            "partitions 0 to 127",
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[8, 128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((8, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tiles = nl.ndarray((8, nl.par_dim(128), 512), dtype=nl.float32,
                                   buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,)))
                for i in nl.affine_range(8):
                    tiles[i] = nl.load(source[i])
                    nl.store(output[i], value=tiles[i])
                return output

            if __name__ == "__main__":
                kernel(np.zeros((8, 128, 512), dtype=np.float32))
            """
        ),
    ]
