from ..rule import Example, Rule, wording
from ..words.dialects import BETA1, NKI


class StaleAccumulator(Rule):
    """Accumulation goes on in a PSUM tile that was already read out, so that earlier sums are counted again.

    ## What it does
    Follows the matmuls that add up in a PSUM tile. One is reported when something was summed in the tile before, an
    operation then read the sum, and nothing cleared or overwrote it since: a tile made outside the loop over the
    results, say.

    ## Why is this bad?
    The second result contains the first one.

    ## How to fix
    Make the tile inside the loop over the results, so that each sum begins anew, or clear it after it was read. In 0.x,
    `accumulate=False` for the first matmul of each sum overwrites what is there.

    ## Source
    Beta 1 and 0.x: `trainium_inferentia2_arch.rst` (Near-memory accumulation in PSUM). 0.x: `nki.isa.nc_matmul`
    (Accumulation mode).
    """

    code = "NKI504"
    dialects = (BETA1, NKI)

    @wording
    def message(self, tensor: object) -> str:
        return f"the sum in `{tensor}` goes on after it was read out, so that earlier products are counted again"

    help = "make `{tensor}` inside the loop over the results, or overwrite it with the first product of each sum"
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: left: float32[512, 128], right: float32[512, 512]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                sums = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
                for m in nl.sequential_range(2):
                    for k in nl.affine_range(2):
                        row = (m * 2 + k) * 128
                        x = nl.load(left[row : row + 128, 0:128])
                        y = nl.load(right[row : row + 128, 0:512])
                        ⟦sums += nisa.nc_matmul(x, y)⟧
                    nl.store(output[m], value=nl.copy(sums))
                return output

            if __name__ == "__main__":
                kernel(np.zeros((512, 128), dtype=np.float32), np.zeros((512, 512), dtype=np.float32))
            """,
            message="the sum in `sums` goes on after it was read out, so that earlier products are counted again",
        ),
        Example(
            """
            # nkilint: left: float32[256, 128]
            @nki.jit
            def kernel(left):
                output = nl.ndarray((2, 128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
                sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
                for m in range(2):
                    x = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                    result = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                    nisa.dma_copy(dst=x, src=left[m * 128 : (m + 1) * 128, 0:128])
                    ⟦nisa.nc_matmul(dst=sums, stationary=x, moving=x)⟧
                    nisa.tensor_copy(dst=result, src=sums)
                    nisa.dma_copy(dst=output[m], src=result)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((256, 128), dtype=np.float32))
            """,
            message="the sum in `sums` goes on after it was read out, so that earlier products are counted again",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: left: float32[512, 128], right: float32[512, 512]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                for m in nl.affine_range(2):
                    sums = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
                    for k in nl.affine_range(2):
                        row = (m * 2 + k) * 128
                        x = nl.load(left[row : row + 128, 0:128])
                        y = nl.load(right[row : row + 128, 0:512])
                        sums += nisa.nc_matmul(x, y)
                    nl.store(output[m], value=nl.copy(sums))
                return output

            if __name__ == "__main__":
                kernel(np.zeros((512, 128), dtype=np.float32), np.zeros((512, 512), dtype=np.float32))
            """
        ),
        Example(
            """
            # nkilint: left: float32[256, 128]
            @nki.jit
            def kernel(left):
                output = nl.ndarray((2, 128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
                sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
                for m in range(2):
                    x = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                    result = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                    nisa.dma_copy(dst=x, src=left[m * 128 : (m + 1) * 128, 0:128])
                    nisa.nc_matmul(dst=sums, stationary=x, moving=x, accumulate=False)
                    nisa.tensor_copy(dst=result, src=sums)
                    nisa.dma_copy(dst=output[m], src=result)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((256, 128), dtype=np.float32))
            """,
            dialect=NKI,
        ),
    ]
