from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class AccumulateOnInitialised(Rule):
    """A matmul accumulates on a PSUM tile that something other than a matmul wrote.

    ## What it does
    Looks for matmuls that are told to add (`accumulate=True`, or a condition) to elements of PSUM which `memset`,
    `tensor_copy`, `nl.zeros` or another operation wrote last, on trn1, inf2 and trn2. Without `accumulate` the compiler
    chooses, and nothing is reported.

    ## Why is this bad?
    Up to NeuronCore-v3 only matmuls begin a sum; the result on top of anything else is undefined.

    ## How to fix
    Let the first matmul overwrite the tile (`accumulate=False`), and add the initial value after the sum was read out.

    ## Source
    `nki.isa.nc_matmul` (Accumulation mode), `trainium_inferentia2_arch.rst` (Near-memory accumulation in PSUM).
    """

    code = "NKI505"
    dialects = (NKI,)

    @wording
    def message(self, tensor: object, operation: object, target: object) -> str:
        return f"a matmul accumulates on `{tensor}` after `{operation}` wrote it, which {target} leaves undefined"

    help = "overwrite the tile with the first matmul (`accumulate=False`)"
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: left: float32[128, 128]
            @nki.jit
            def kernel(left):
                output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
                sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
                x = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                result = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=x, src=left)
                nisa.memset(dst=sums, value=1.0)
                ⟦nisa.nc_matmul(dst=sums, stationary=x, moving=x, accumulate=True)⟧
                nisa.tensor_copy(dst=result, src=sums)
                nisa.dma_copy(dst=output, src=result)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 128), dtype=np.float32))
            """,
            message="a matmul accumulates on `sums` after `memset` wrote it, which trn2 leaves undefined",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: left: float32[128, 128]
            @nki.jit
            def kernel(left):
                output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
                sums = nl.zeros((128, 128), dtype=nl.float32, buffer=nl.psum)
                x = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                result = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=x, src=left)
                ⟦nisa.nc_matmul(dst=sums, stationary=x, moving=x, accumulate=True)⟧
                nisa.tensor_copy(dst=result, src=sums)
                nisa.dma_copy(dst=output, src=result)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 128), dtype=np.float32))
            """,
            message="a matmul accumulates on `sums` after `zeros` wrote it, which trn2 leaves undefined",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: left: float32[128, 128]
            @nki.jit
            def kernel(left):
                output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
                sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
                x = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                result = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=x, src=left)
                nisa.nc_matmul(dst=sums, stationary=x, moving=x, accumulate=False)
                nisa.nc_matmul(dst=sums, stationary=x, moving=x, accumulate=True)
                nisa.tensor_copy(dst=result, src=sums)
                nisa.dma_copy(dst=output, src=result)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 128), dtype=np.float32))
            """,
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
                result = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=x, src=left)
                nisa.memset(dst=sums, value=1.0)
                nisa.nc_matmul(dst=sums, stationary=x, moving=x, accumulate=True)
                nisa.tensor_copy(dst=result, src=sums)
                nisa.dma_copy(dst=output, src=result)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 128), dtype=np.float32))
            """,
            dialect=NKI,
            target="trn3",
        ),
    ]
