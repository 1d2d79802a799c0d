from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class LostSum(Rule):
    """A matmul starts over in PSUM before anything has read the sum that is there.

    ## What it does
    Looks for matmuls that overwrite (`accumulate=False`, or a condition that is false) what earlier matmuls left in the
    same elements of PSUM, while nothing reads these in between: a flag that compares with the wrong number or asks for
    another loop's index, or a second matmul that was to add to the first. A matmul that overwrites in every iteration
    of a loop what is read only after it is NKI708.

    The two matmuls write the same elements, seen alike, and nothing else touches these between them: of sums that are
    lost in other ways, such as two halves under a whole, no verdict speaks.

    ## Why is this bad?
    The products of before are lost. Nothing fails; the result lacks them.

    ## How to fix
    Let only the first matmul of a sum overwrite (`accumulate=k > 0` in a loop over `k` from 0), or read the sum out
    before the next one begins.

    ## Source
    `nki.isa.nc_matmul` (Accumulation mode).
    """

    code = "NKI506"
    dialects = (NKI,)

    @wording
    def message(self, tensor: object) -> str:
        return f"the sum in `{tensor}` starts over before anything has read it, so that earlier products are lost"

    help = "let only the first matmul of a sum overwrite, or read `{tensor}` out before"
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: left: float32[512, 128], right: float32[512, 512]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
                x = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                y = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                for k in range(4):
                    nisa.dma_copy(dst=x, src=left[k * 128 : (k + 1) * 128, :])
                    nisa.dma_copy(dst=y, src=right[k * 128 : (k + 1) * 128, :])
                    ⟦nisa.nc_matmul(dst=sums, stationary=x, moving=y, accumulate=k > 1)⟧
                nisa.tensor_copy(dst=y, src=sums)
                nisa.dma_copy(dst=output, src=y)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((512, 128), dtype=np.float32), np.zeros((512, 512), dtype=np.float32))
            """,
            message="the sum in `sums` starts over before anything has read it, so that earlier products are lost",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: left: float32[128, 128]
            @nki.jit
            def kernel(left):
                output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
                sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
                x = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                y = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=x, src=left)
                nisa.tensor_copy(dst=y, src=x)
                nisa.nc_matmul(dst=sums, stationary=x, moving=y, accumulate=False)
                ⟦nisa.nc_matmul(dst=sums, stationary=y, moving=y, accumulate=False)⟧
                nisa.tensor_copy(dst=y, src=sums)
                nisa.dma_copy(dst=output, src=y)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 128), dtype=np.float32))
            """,
            message="the sum in `sums` starts over before anything has read it, so that earlier products are lost",
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
                sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
                x = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                y = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                for m in range(2):
                    for k in range(2):
                        row = (m * 2 + k) * 128
                        nisa.dma_copy(dst=x, src=left[row : row + 128, :])
                        nisa.dma_copy(dst=y, src=right[row : row + 128, :])
                        nisa.nc_matmul(dst=sums, stationary=x, moving=y, accumulate=k > 0)
                    nisa.tensor_copy(dst=y, src=sums)
                    nisa.dma_copy(dst=output[m], src=y)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((512, 128), dtype=np.float32), np.zeros((512, 512), dtype=np.float32))
            """,
            dialect=NKI,
        ),
    ]
