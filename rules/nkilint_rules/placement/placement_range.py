from collections.abc import Iterator

from ..placing.located import PlacedTiles
from ..placing.places import limit
from ..rule import Example, Need, wording
from ..words.conditions import all_of
from ..words.dialects import BETA1, NKI
from ..words.memory import MEMORY_NAMES
from .place_rule import PlaceRule


class PlacementRange(PlaceRule):
    """A tile is placed outside the bytes that a kernel can use.

    ## What it does
    Evaluates the allocator of a tensor for every block and compares the bytes of each physical tile with what a
    partition has: SBUF has 192 KiB on trn1 and inf2, 224 KiB on trn2 and 256 KiB on trn3, of which Beta 1 keeps 16 KiB
    for the compiler; PSUM has 16 KiB.

    ## Why is this bad?
    The compiler rejects the placement; where it does not, the tile overwrites what the compiler keeps there.

    ## How to fix
    Use smaller tiles, fewer of them at a time, or share bytes between tensors that are not alive together.

    ## Source
    Beta 1: `nki_direct_allocation_guide.rst` (`ncc.sbuf.alloc()`), `nki.compiler.sbuf.alloc`. 0.x:
    `library/kernel-utils/allocator.rst`, `migration/index.rst` (Improved allocation API). Sizes:
    `trainium_inferentia2_arch`, `trainium2_arch`, `trainium3_arch`.
    """

    code = "NKI402"

    @wording
    def message(self, first: object, last: object, memory: object, target: object, limit: object) -> str:
        return f"a tile takes bytes {first} to {last} of a partition; {memory} of {target} has {limit} for kernels"

    help = "place the tile below byte {limit}"
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: source: float32[4, 128, 8192]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((4, 128, 8192), dtype=nl.float32, buffer=nl.shared_hbm)
                tiles = ⟦nl.ndarray(
                    (4, nl.par_dim(128), 8192), dtype=nl.float32,
                    buffer=ncc.sbuf.mod_alloc(base_addr=147456, num_free_tiles=(2,)),
                )⟧
                for i in nl.affine_range(4):
                    tiles[i] = nl.load(source[i])
                    nl.store(output[i], value=tiles[i])
                return output

            if __name__ == "__main__":
                kernel(np.zeros((4, 128, 8192), dtype=np.float32))
            """,
            message="a tile takes bytes 180224 to 212992 of a partition; SBUF of trn1 has 180224 for kernels",
            target="trn1",
        ),
        Example(
            """
            # nkilint: source: float32[128, N]
            @nki.jit
            def kernel(source):
                output = nl.ndarray(source.shape, dtype=nl.float32, buffer=nl.shared_hbm)
                tile = ⟦nl.ndarray(source.shape, dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=1024))⟧
                tile[...] = nl.load(source)
                nl.store(output, value=tile)
                return output
            """,
            precondition="N <= 52992",
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                tile = ⟦nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf, address=(0, 228000))⟧
                nisa.dma_copy(dst=tile, src=source)
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=tile)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 512), dtype=np.float32))
            """,
            message="a tile takes bytes 228000 to 230048 of a partition; SBUF of trn2 has 229376 for kernels",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[4, 128, 8192]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((4, 128, 8192), dtype=nl.float32, buffer=nl.shared_hbm)
                tiles = nl.ndarray(
                    (4, nl.par_dim(128), 8192), dtype=nl.float32,
                    buffer=ncc.sbuf.mod_alloc(base_addr=114688, num_free_tiles=(2,)),
                )
                for i in nl.affine_range(4):
                    tiles[i] = nl.load(source[i])
                    nl.store(output[i], value=tiles[i])
                return output

            if __name__ == "__main__":
                kernel(np.zeros((4, 128, 8192), dtype=np.float32))
            """,
            target="trn1",
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf, address=(0, 227328))
                nisa.dma_copy(dst=tile, src=source)
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=tile)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 512), dtype=np.float32))
            """,
            dialect=NKI,
        ),
    ]
    dialects = (BETA1, NKI)

    def check_place(self, tiles: PlacedTiles) -> Iterator[Need]:
        target, at = tiles.target, tiles.at
        if at.bank is not None and not target.matmul_spans_banks:
            return  # a bank that exists lies in PSUM, and no tile is larger than one
        most = limit(tiles.memory, target, tiles.dialect)
        values = {"first": at.last, "last": at.last + tiles.bytes, "limit": most, "memory": MEMORY_NAMES[tiles.memory]}
        yield Need(all_of((at.first >= 0, at.last + tiles.bytes <= most)), None, self.message(**values, target=target))
