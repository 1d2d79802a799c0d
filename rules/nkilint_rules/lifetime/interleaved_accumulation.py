from ..rule import Example, Rule, wording
from ..words.dialects import BETA1, NKI


class InterleavedAccumulation(Rule):
    """Two accumulation groups alternate on one region of a PSUM bank.

    ## What it does
    Follows the matmuls that add up in directly allocated PSUM tiles. One is reported when, since the tile's group
    began, something was written to the same bytes of the bank through another tile.

    ## Why is this bad?
    The sum goes on from the other group's result. The compiler calls it "[SCH713] Violation of accumulation group
    interleaving", where it finds it.

    ## How to fix
    Finish and read out one group before the next one begins in its bank, or give each group a bank of its own.

    ## Source
    Beta 1: `nki_direct_allocation_guide.rst` (Common Errors, #3). 0.x: `trainium_inferentia2_arch.rst` (Near-memory
    accumulation in PSUM).
    """

    code = "NKI503"
    dialects = (BETA1, NKI)

    @wording
    def message(self, victim: object, other: object, bytes: object, repair: object = None) -> str:
        return f"the sum in `{victim}` goes on after `{other}` took {bytes} of PSUM from it"

    help = "{repair}"
    aws = ("SCH713",)
    dynamic = True
    before = ("NKI501", "NKI502")
    invalid = [
        Example(
            """
            # nkilint: left: float32[256, 128], right: float32[256, 512]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                x = nl.ndarray((2, nl.par_dim(128), 128), dtype=nl.float32,
                               buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,)))
                y = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32,
                               buffer=ncc.sbuf.mod_alloc(base_addr=1024, num_free_tiles=(2,)))
                sums = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=0))
                result = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32,
                                    buffer=ncc.sbuf.mod_alloc(base_addr=8192, num_free_tiles=(2,)))
                for k in nl.affine_range(2):
                    x[k] = nl.load(left[k * 128 : (k + 1) * 128, 0:128])
                    y[k] = nl.load(right[k * 128 : (k + 1) * 128, 0:512])
                for k in nl.affine_range(2):
                    for m in nl.affine_range(2):
                        ⟦sums[m] += nisa.nc_matmul(x[k], y[k])⟧
                for m in nl.affine_range(2):
                    result[m] = nl.copy(sums[m])
                    nl.store(output[m], value=result[m])
                return output

            if __name__ == "__main__":
                kernel(np.zeros((256, 128), dtype=np.float32), np.zeros((256, 512), dtype=np.float32))
            """,
            message="the sum in `sums[1]` goes on after `sums[0]` took bytes 0 to 2047 of partitions 0 to 127 of PSUM "
            "from it",
        ),
        Example(
            """
            # nkilint: left: float32[256, 128]
            @nki.jit
            def kernel(left):
                output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
                x = nl.ndarray((128, 2, 128), dtype=nl.float32, buffer=nl.sbuf)
                first = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum, address=(0, 0))
                second = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum, address=(0, 0))
                for k in range(2):
                    nisa.dma_copy(dst=x[:, k, :], src=left[k * 128 : (k + 1) * 128, 0:128])
                for k in range(2):
                    ⟦nisa.nc_matmul(dst=first, stationary=x[:, k, :], moving=x[:, k, :], accumulate=k > 0)⟧
                    if k == 0:
                        nisa.nc_matmul(dst=second, stationary=x[:, k, :], moving=x[:, k, :], accumulate=False)
                result = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.tensor_copy(dst=result, src=first)
                nisa.dma_copy(dst=output, src=result)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((256, 128), dtype=np.float32))
            """,
            message="the sum in `first` goes on after `second` took bytes 0 to 511 of partitions 0 to 127 of PSUM from "
            "it",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: left: float32[256, 128], right: float32[256, 512]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                x = nl.ndarray((2, nl.par_dim(128), 128), dtype=nl.float32,
                               buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,)))
                y = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32,
                               buffer=ncc.sbuf.mod_alloc(base_addr=1024, num_free_tiles=(2,)))
                sums = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32,
                                  buffer=ncc.psum.mod_alloc(base_bank=0, num_bank_tiles=(2,)))
                result = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32,
                                    buffer=ncc.sbuf.mod_alloc(base_addr=8192, num_free_tiles=(2,)))
                for k in nl.affine_range(2):
                    x[k] = nl.load(left[k * 128 : (k + 1) * 128, 0:128])
                    y[k] = nl.load(right[k * 128 : (k + 1) * 128, 0:512])
                for k in nl.affine_range(2):
                    for m in nl.affine_range(2):
                        sums[m] += nisa.nc_matmul(x[k], y[k])
                for m in nl.affine_range(2):
                    result[m] = nl.copy(sums[m])
                    nl.store(output[m], value=result[m])
                return output

            if __name__ == "__main__":
                kernel(np.zeros((256, 128), dtype=np.float32), np.zeros((256, 512), dtype=np.float32))
            """
        ),
        Example(
            """
            # nkilint: left: float32[256, 128]
            @nki.jit
            def kernel(left):
                output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
                x = nl.ndarray((128, 2, 128), dtype=nl.float32, buffer=nl.sbuf)
                sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum, address=(0, 0))
                for k in range(2):
                    nisa.dma_copy(dst=x[:, k, :], src=left[k * 128 : (k + 1) * 128, 0:128])
                for k in range(2):
                    nisa.nc_matmul(dst=sums, stationary=x[:, k, :], moving=x[:, k, :], accumulate=k > 0)
                result = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.tensor_copy(dst=result, src=sums)
                nisa.dma_copy(dst=output, src=result)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((256, 128), dtype=np.float32))
            """,
            dialect=NKI,
        ),
    ]
