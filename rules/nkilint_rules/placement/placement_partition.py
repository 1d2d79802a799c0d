from collections.abc import Iterator

from ..placing.located import PlacedTiles
from ..placing.places import legal_starts, may_start
from ..rule import Example, Need, wording
from ..words.dialects import BETA1, NKI
from .place_rule import PlaceRule


class PlacementPartition(PlaceRule):
    """A tile is placed at a partition where that many partitions cannot start.

    ## What it does
    Evaluates the allocator of a tensor (`alloc`, `mod_alloc`, `address=`) for every block and looks at the first
    partition of each physical tile: 0 for more than 64 partitions, 0 or 64 for 33 to 64, and 0, 32, 64 or 96 for up to
    32 partitions. `num_par_tiles` places tiles one after the other, so tiles of 16 partitions start at 0, 16, 32 ...

    ## Why is this bad?
    The engines reach the partitions in groups of 32, and the compiler rejects the placement.

    ## How to fix
    Start at a legal partition; put tiles of fewer than 32 partitions side by side in the free dimension instead.

    ## Source
    Beta 1: `nki_direct_allocation_guide.rst` (`ncc.sbuf.alloc()`), `nki.compiler.sbuf.alloc`. 0.x:
    `migration/index.rst` (Improved allocation API) with the same engines.
    """

    code = "NKI401"

    @wording
    def message(self, partitions: object, partition: object, legal: object) -> str:
        return f"a tile of {partitions} partitions starts at partition {partition}; that many start at {legal}"

    help = "start the tile at partition {legal}"
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: source: float32[64, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = ⟦nl.ndarray((64, 512), dtype=nl.float32,
                                  buffer=ncc.sbuf.mod_alloc(base_addr=0, base_partition=32))⟧
                tile[...] = nl.load(source[0:64, 0:512])
                nl.store(output, value=tile)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((64, 512), dtype=np.float32))
            """,
            message="a tile of 64 partitions starts at partition 32; that many start at 0 or 64",
        ),
        Example(
            """
            # nkilint: source: float32[4, 16, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((4, 16, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tiles = ⟦nl.ndarray(
                    (4, nl.par_dim(16), 512), dtype=nl.float32,
                    buffer=ncc.sbuf.mod_alloc(base_addr=0, num_par_tiles=(2,), num_free_tiles=(2,)),
                )⟧
                for i in nl.affine_range(4):
                    tiles[i] = nl.load(source[i])
                    nl.store(output[i], value=tiles[i])
                return output

            if __name__ == "__main__":
                kernel(np.zeros((4, 16, 512), dtype=np.float32))
            """,
            message="a tile of 16 partitions starts at partition 16; that many start at 0, 32, 64 or 96",
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                tile = ⟦nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf, address=(64, 0))⟧
                nisa.dma_copy(dst=tile, src=source)
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=tile)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 512), dtype=np.float32))
            """,
            message="a tile of 128 partitions starts at partition 64; that many start at 0",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[4, 32, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((4, 32, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tiles = nl.ndarray(
                    (4, nl.par_dim(32), 512), dtype=nl.float32,
                    buffer=ncc.sbuf.mod_alloc(base_addr=0, num_par_tiles=(4,)),
                )
                for i in nl.affine_range(4):
                    tiles[i] = nl.load(source[i])
                    nl.store(output[i], value=tiles[i])
                return output

            if __name__ == "__main__":
                kernel(np.zeros((4, 32, 512), dtype=np.float32))
            """
        ),
        Example(
            """
            # nkilint: source: float32[64, 512]
            @nki.jit
            def kernel(source):
                tile = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.sbuf, address=(64, 0))
                nisa.dma_copy(dst=tile, src=source)
                output = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=tile)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((64, 512), dtype=np.float32))
            """,
            dialect=NKI,
        ),
    ]
    dialects = (BETA1, NKI)

    def check_place(self, tiles: PlacedTiles) -> Iterator[Need]:
        legal = legal_starts(tiles.partitions)
        yield Need(
            may_start(tiles.at.partition, tiles.partitions),
            None,
            self.message(partition=tiles.at.partition, partitions=tiles.partitions, legal=legal),
        )
