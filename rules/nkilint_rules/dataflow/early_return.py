from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class EarlyReturn(Rule):
    """A kernel returns at the end of the first iteration of a loop.

    ## What it does
    Reports a `return` that ends the body of a loop over a range, not under any condition, in the kernel itself, where
    the loop has more than one iteration.

    ## Why is this bad?
    Only the first iteration runs, and fills its part of the output. Mostly the line is indented too far.

    ## How to fix
    Return after the loop.

    ## Source
    Python, The return statement. Beta 1: `api/nki.errors.rst` (`err_tensor_output_not_written_to`). 0.x:
    `get-started/nki-language-guide.rst` (Control Flow).
    """

    code = "NKI710"

    @wording
    def message(self, trips: object, loop: object) -> str:
        return f"the kernel returns in the first of {trips} iterations of the loop over `{loop}`"

    help = "return after the loop"
    before = ("NKI702", "NKI703")
    invalid = [
        Example(
            """
            # nkilint: source: float32[512, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                for i in nl.affine_range(4):
                    tile = nl.load(source[nl.ds(i * 128, 128), 0:512])
                    nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)
                    ⟦return output⟧
            """,
            message="the kernel returns in the first of 4 iterations of the loop over `i`",
        ),
        Example(
            """
            # nkilint: source: float32[512, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                for i in range(4):
                    rows = nl.ds(i * 128, 128)
                    nisa.dma_copy(dst=output[rows, 0:512], src=source[rows, 0:512])
                    ⟦return output⟧
            """,
            message="the kernel returns in the first of 4 iterations of the loop over `i`",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[512, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                for i in nl.affine_range(4):
                    tile = nl.load(source[nl.ds(i * 128, 128), 0:512])
                    nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)
                return output
            """
        ),
        Example(
            """
            # nkilint: source: float32[512, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                for i in range(4):
                    nisa.dma_copy(dst=output, src=source[i * 128 : i * 128 + 128, 0:512])
                    if i == 2:
                        return output
            """,
            dialect=NKI,
        ),
    ]
