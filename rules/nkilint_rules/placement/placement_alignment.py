from collections.abc import Iterator

from ..placing.located import PlacedTiles
from ..placing.places import aligned
from ..rule import Example, Need, wording
from ..words.dialects import BETA1, NKI
from ..words.memory import MEMORY_NAMES, PSUM
from .place_rule import PlaceRule


class PlacementAlignment(PlaceRule):
    """A tile starts at a byte that is not aligned to what its memory asks for.

    ## What it does
    Compares the first byte of every physical tile with the alignment of its memory, `psum_min_align` or
    `sbuf_min_align` of the target: 4 bytes in PSUM and any byte in SBUF.

    ## Why is this bad?
    The compiler rejects the placement.

    ## How to fix
    Round the address up to a multiple of the alignment.

    ## Source
    Beta 1: `nki_direct_allocation_guide.rst` (`ncc.sbuf.alloc()`). 0.x: `nki.language.tile_size`
    (`psum_min_align`, `sbuf_min_align`). The documentation gives no figures.
    """

    code = "NKI403"

    @wording
    def message(self, byte: object, memory: object, alignment: object) -> str:
        return f"a tile starts at byte {byte} of {memory}, which is not a multiple of {alignment}"

    help = "round the address up to a multiple of {alignment}"
    dynamic = True
    invalid = [
        Example(
            """
            def place(idx, pdim_size, fdim_size):
                return 0, 0, 2

            # nkilint: left: float32[128, 128], right: float32[128, 256]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
                x = nl.ndarray((128, 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                y = nl.ndarray((128, 256), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=512))
                z = ⟦nl.ndarray((128, 256), dtype=nl.float32, buffer=ncc.psum.alloc(place))⟧
                r = nl.ndarray((128, 256), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=1536))
                x[...] = nl.load(left)
                y[...] = nl.load(right)
                z[...] = nisa.nc_matmul(x, y)
                r[...] = nl.copy(z)
                nl.store(output, value=r)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 128), dtype=np.float32), np.zeros((128, 256), dtype=np.float32))
            """,
            message="a tile starts at byte 2 of PSUM, which is not a multiple of 4",
        ),
        Example(
            """
            # nkilint: source: float32[128, 128]
            @nki.jit
            def kernel(source):
                x = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=x, src=source)
                z = ⟦nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum, address=(0, 2050))⟧
                nisa.nc_matmul(dst=z, stationary=x, moving=x)
                r = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.tensor_copy(dst=r, src=z)
                output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=r)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 128), dtype=np.float32))
            """,
            message="a tile starts at byte 2050 of PSUM, which is not a multiple of 4",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: bfloat16[128, 3]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 3), dtype=nl.bfloat16, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 3), dtype=nl.bfloat16, buffer=ncc.sbuf.mod_alloc(base_addr=7))
                tile[...] = nl.load(source)
                nl.store(output, value=tile)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 3), dtype=nl.bfloat16))
            """
        ),
        Example(
            """
            # nkilint: source: float32[128, 128]
            @nki.jit
            def kernel(source):
                x = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=x, src=source)
                z = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum, address=(0, 2048))
                nisa.nc_matmul(dst=z, stationary=x, moving=x)
                r = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.tensor_copy(dst=r, src=z)
                output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=r)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 128), dtype=np.float32))
            """,
            dialect=NKI,
        ),
    ]
    dialects = (BETA1, NKI)

    def check_place(self, tiles: PlacedTiles) -> Iterator[Need]:
        least = tiles.target.psum_min_align if tiles.memory == PSUM else tiles.target.sbuf_min_align
        yield Need(
            aligned(tiles.byte_given, least),
            None,
            self.message(byte=tiles.byte_given, memory=MEMORY_NAMES[tiles.memory], alignment=least),
        )
