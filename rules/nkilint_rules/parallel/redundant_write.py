from ..rule import Example, Rule, Severity, wording
from ..words.dialects import NKI


class RedundantWrite(Rule):
    """Advice: every program of the launch grid writes the same values to the same elements.

    ## What it does
    Reports the first write to each tensor in HBM that programs share, of a kernel that is launched on a grid of several
    programs, or asks for its position in one, where neither the write nor what led to its values hangs on the position.
    What is computed from such a tensor while it is written, or with random numbers, is left out: programs do not do the
    same there (NKI603).

    ## Why is this bad?
    The result is right, but each program does all of the work, so that a larger grid saves no time. Most often the
    position in the grid was meant to choose what each program works on.

    ## How to fix
    Index what is read and written by `program_id`, or launch the kernel without a grid.

    ## Source
    Beta 1: `programming_model.rst` (SPMD). 0.x: `api/nki/language` (`program_id`, `num_programs`).
    """

    code = "NKI605"
    severity = Severity.INFO

    @wording
    def message(self, tensor: object) -> str:
        return f"every program of the grid writes the same values to the same elements of `{tensor}`"

    help = "let each program work on a part that it chooses by `program_id`, or launch it without a grid"
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.load(source[0:128, 0:512])
                ⟦nl.store(output[0:128, 0:512], value=tile)⟧
                return output

            if __name__ == "__main__":
                kernel[2](np.zeros((128, 512), dtype=np.float32))
            """,
            message="every program of the grid writes the same values to the same elements of `output`",
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=source)
                ⟦nisa.dma_copy(dst=output, src=tile)⟧
                return output

            if __name__ == "__main__":
                nki.simulate(kernel[2])(np.zeros((128, 512), dtype=np.float32))
            """,
            message="every program of the grid writes the same values to the same elements of `output`",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                assert nl.num_programs(0) == 4
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                column = nl.program_id(0) * 128
                tile = nl.load(source[0:128, column : column + 128])
                nl.store(output[0:128, column : column + 128], value=tile)
                return output

            if __name__ == "__main__":
                kernel[4](np.zeros((128, 512), dtype=np.float32))
            """
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=source)
                nisa.dma_copy(dst=output, src=tile)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 512), dtype=np.float32))
            """,
            dialect=NKI,
        ),
    ]
