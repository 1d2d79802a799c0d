from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class PartialOutput(Rule):
    """Some elements of an output are never written.

    ## What it does
    Proves that the stores of a kernel, over all loops, masks and programs of the launch grid together, reach every
    element of each tensor that it returns and of each parameter that an early-style kernel only writes. Where that
    holds for some sizes only, the finding gives the condition, such as `M % 128 == 0`, for each axis by itself. A
    store at an index that is held in a tensor leaves the question open: it is counted as unknown and not reported.

    ## Why is this bad?
    The caller gets whatever was in memory for those elements. The usual cause is a forgotten tail: `M // 128` tiles of
    128 rows leave out the last rows when `M` is not a multiple of 128. A launch grid that is too small does the same.

    ## How to fix
    Take `math.ceil(M / 128)` tiles and mask the last one (or shorten its slice), or assert `M % 128 == 0`.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_tensor_output_not_written_to`), `programming_model.rst` (Tensor Indexing).
    0.x: `migration/index.rst` (Deprecation of masking).
    """

    code = "NKI703"
    repair = "with `--unsafe-fixes`, one more iteration, and a mask on the loads and stores of the loop"

    @wording
    def message(self, element: object, tensor: object) -> str:
        return f"element {element} of `{tensor}` is never written"

    @wording
    def axis(self, element: object, tensor: object, axis: object) -> str:
        return f"element {element} of `{tensor}` is never written: axis {axis} is not covered"

    help = "cover the last tile too (`math.ceil`, and a mask or a shorter slice), or assert sizes that are multiples"
    aws = ("err_tensor_output_not_written_to",)
    dynamic = True
    whole_run = True
    same_as = ("NKI702",)  # on small inputs, nothing is written where something is left out on others
    invalid = [
        Example(
            """
            # nkilint: source: float32[300, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((300, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                for m in nl.affine_range(300 // 128):
                    tile = nl.load(source[m * 128 : (m + 1) * 128, 0:512])
                    nl.store(output[m * 128 : (m + 1) * 128, 0:512], value=tile)
                ⟦return output⟧
            """,
            message="element [256, 0] of `output` is never written: axis 0 is not covered",
        ),
        Example(
            """
            # nkilint: source: float32[M, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.shared_hbm)
                for m in nl.affine_range(source.shape[0] // 128):
                    tile = nl.load(source[m * 128 : (m + 1) * 128, 0:512])
                    nl.store(output[m * 128 : (m + 1) * 128, 0:512], value=tile)
                ⟦return output⟧
            """,
            precondition="M % 128 == 0",
        ),
        Example(
            """
            # nkilint: source: float32[M, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.shared_hbm)
                for m in range(source.shape[0] // 128):
                    nisa.dma_copy(
                        dst=output[m * 128 : (m + 1) * 128, 0:512], src=source[m * 128 : (m + 1) * 128, 0:512]
                    )
                ⟦return output⟧
            """,
            precondition="M % 128 == 0",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: cache: float32[128, 64], row: float32[1, 64]
            @nki.trace
            def kernel(cache, row):
                nl.store(cache[2:3], value=nl.load(row))
                return cache
            """
        ),
        Example(
            """
            # nkilint: source: float32[M, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.shared_hbm)
                i, j = nl.mgrid[0:128, 0:512]
                for m in nl.affine_range(math.ceil(source.shape[0] / 128)):
                    inside = m * 128 + i < source.shape[0]
                    tile = nl.load(source[m * 128 + i, j], mask=inside)
                    nl.store(output[m * 128 + i, j], value=tile, mask=inside)
                return output
            """
        ),
        Example(
            """
            # nkilint: source: float32[M, 512]
            @nki.jit
            def kernel(source):
                rows = source.shape[0]
                output = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.shared_hbm)
                for m in range(math.ceil(rows / 128)):
                    end = min(rows, (m + 1) * 128)
                    nisa.dma_copy(dst=output[m * 128 : end, 0:512], src=source[m * 128 : end, 0:512])
                return output
            """,
            dialect=NKI,
        ),
    ]
