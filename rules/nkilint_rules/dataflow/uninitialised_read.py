from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class UninitialisedRead(Rule):
    """An element that nothing wrote is read, and what is made of it reaches an output or a decision.

    ## What it does
    Follows each tile from where it is written to where its values end up, element by element: under masks, in loops,
    in partial tiles. What a kernel stores, and where it stores it, and what it moves to a register has to be made of
    elements that were written before. Computing on a whole tile of which only a part was loaded is fine as long as
    only that part is stored, and so is the first matmul into fresh PSUM, unless it is told to add (`accumulate=True`).
    The registers of an engine that a `reduce_cmd` speaks of hold nothing before a call begins them, nor after an idle
    call of the Vector Engine: what is read out of them then counts as not written.

    ## Why is this bad?
    On-chip memory keeps what the last kernel left there. The result is wrong in a way that differs from run to run, and
    often right in tests. Usual causes are a tile that is larger than what is loaded into it, a mask on the load that is
    missing on the store, and a loop that is meant to fill a tile but runs too seldom.

    ## How to fix
    Initialise the tile (`nl.zeros`, `nisa.memset`), load all of it, or mask the store as the load is masked.

    ## Source
    Beta 1: `programming_model.rst` (Tile-based operations, masks), `api/nki/language` (`ndarray`). 0.x:
    `api/nki/language` (`ndarray`), `deep-dives` on memory. Both dialects: the pages of operations with `reduce_cmd`.
    """

    code = "NKI701"

    @wording
    def message(self, element: object, tensor: object) -> str:
        return f"element {element} of `{tensor}` is read before anything is written to it"

    help = "initialise it, write all of it, or mask what is stored as what is loaded"
    dynamic = True
    invalid = [
        Example(
            """
            tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            tile[0:128, 0:256] = nl.load(a[0:128, 0:256])
            ⟦nl.store(output[0:128, 0:512], value=tile)⟧
            """,
            message="element [0, 256] of `tile` is read before anything is written to it",
        ),
        Example(
            """
            # nkilint: source: float32[M, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=source.dtype, buffer=nl.shared_hbm)
                i, j = nl.mgrid[0:128, 0:512]
                tile = nl.load(source[i, j], mask=i < source.shape[0])
                power = ⟦nl.exp(tile[i, j])⟧
                nl.store(output[i, j], value=power)
                return output
            """,
            precondition="M >= 128",
        ),
        Example(
            """
            tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile[0:64, 0:512], src=a[0:64, 0:512])
            other = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            ⟦nisa.tensor_copy(dst=other, src=tile)⟧
            nisa.dma_copy(dst=output[0:128, 0:512], src=other)
            """,
            message="element [64, 0] of `tile` is read before anything is written to it",
            dialect=NKI,
        ),
        Example(
            """
            sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
            for i in range(4):
                ⟦nisa.nc_matmul(dst=sums, stationary=w, moving=x, accumulate=True)⟧
            tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=tile, src=sums)
            nisa.dma_copy(dst=output[0:128, 0:512], src=tile)
            """,
            message="element [0, 0] of `sums` is read before anything is written to it",
            dialect=NKI,
        ),
        Example(
            """
            result = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
            tile = nl.load(a[0:128, 0:512])
            ⟦nisa.dma_copy(dst=result, src=tile, dst_rmw_op=np.add)⟧
            nl.store(output[0:128, 0:512], value=nl.load(result))
            """,
            message="element [0, 0] of `result` is read before anything is written to it",
        ),
        Example(
            """
            y = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
            nisa.nc_stream_shuffle(dst=y, src=x, shuffle_mask=[255] * 32)
            ⟦nisa.dma_copy(dst=output[0:128, 0:512], src=y)⟧
            """,
            message="element [0, 0] of `y` is read before anything is written to it",
            dialect=NKI,
        ),
        Example(
            """
            tile = nl.ndarray((128, 511), dtype=nl.int32, buffer=nl.sbuf)
            nisa.memset(tile, value=1)
            y = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.sbuf)
            nisa.nonzero_with_count(dst=y, src=tile)
            ⟦nisa.dma_copy(dst=output[0:128, 0:512], src=y)⟧
            """,
            message="element [1, 0] of `y` is read before anything is written to it",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            tile = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            tile[0:128, 0:256] = nl.load(a[0:128, 0:256])
            nl.store(output[0:128, 0:512], value=tile)
            """
        ),
        Example(
            """
            i, j = nl.mgrid[0:128, 0:512]
            tile = nl.load(a[500 + i, j], mask=500 + i < 512)
            power = nl.exp(tile)
            nl.store(output[500 + i, j], value=power, mask=500 + i < 512)
            """
        ),
        Example(
            """
            tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile[0:64, 0:512], src=a[0:64, 0:512])
            other = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=other, src=tile)
            nisa.dma_copy(dst=output[0:64, 0:512], src=other[0:64, 0:512])
            """,
            dialect=NKI,
        ),
        Example(
            """
            sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
            for i in range(4):
                nisa.nc_matmul(dst=sums, stationary=w, moving=x, accumulate=(i > 0))
            tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=tile, src=sums)
            nisa.dma_copy(dst=output[0:128, 0:512], src=tile)
            """,
            dialect=NKI,
        ),
        Example(
            """
            y = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
            nisa.nc_stream_shuffle(dst=y, src=x, shuffle_mask=[*range(16), *[255] * 16])
            nisa.dma_copy(dst=output[0:16, 0:512], src=y[0:16, 0:512])
            """,
            dialect=NKI,
        ),
        Example(
            """
            tile = nl.ndarray((128, 511), dtype=nl.int32, buffer=nl.sbuf)
            nisa.memset(tile, value=1)
            y = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.sbuf)
            nisa.nonzero_with_count(dst=y, src=tile)
            nisa.dma_copy(dst=output[0:1, 0:512], src=y[16:17, 0:512])
            """,
            dialect=NKI,
        ),
    ]
