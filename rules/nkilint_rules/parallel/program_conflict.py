from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class ProgramConflict(Rule):
    """Two programs of the launch grid touch the same element, and one of them writes it.

    ## What it does
    Proves, for every tensor in HBM that programs share, that no two programs of the launch grid write the same element,
    and that none reads what another writes. The grid is that of the launch where one is found, and of any size
    otherwise. Accesses with a barrier between them are not compared. A kernel that never asks for its position in the
    grid is judged only where a launch gives it several programs; that all of them write the same is another rule's
    (NKI605).

    ## Why is this bad?
    Programs run in any order, or at the same time on the two cores of LNC2. Which value stays, or is read, is not
    defined. The Beta 1 compiler reports `err_unexpected_output_dependencies` where it notices.

    ## How to fix
    Index the tensor by `program_id`, let one program write (`if nl.program_id(0) == 0`), or put a barrier between.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_unexpected_output_dependencies`), `programming_model.rst` (SPMD). 0.x:
    `api/nki/isa` (`core_barrier`).
    """

    code = "NKI603"

    @wording
    def message(self, first: object, second: object, element: object, tensor: object) -> str:
        return f"programs {first} and {second} both write element {element} of `{tensor}`"

    @wording
    def read(self, first: object, second: object, element: object, tensor: object) -> str:
        return f"programs {first} and {second} share element {element} of `{tensor}`: one writes, one reads"

    help = "index it by `program_id`, or let one program write"
    aws = ("err_unexpected_output_dependencies",)
    dynamic = True
    same_as = ("NKI605",)  # a run sees equal values where the text only tells that elements are
    invalid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                assert nl.num_programs(0) == 2
                output = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
                half = nl.program_id(0) * 256
                tile = nl.load(source[0:128, half : half + 256])
                ⟦nl.store(output[0:128, 0:256], value=tile)⟧
                return output

            if __name__ == "__main__":
                kernel[2](np.arange(65536, dtype=np.float32).reshape(128, 512))
            """,
            message="programs 0 and 1 both write element [0, 0] of `output`",
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                assert nl.num_programs(0) == 2
                output = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.sbuf)
                half = nl.program_id(0) * 256
                nisa.dma_copy(dst=tile, src=source[0:128, half : half + 256])
                ⟦nisa.dma_copy(dst=output, src=tile)⟧
                return output

            if __name__ == "__main__":
                nki.simulate(kernel[2])(np.arange(65536, dtype=np.float32).reshape(128, 512))
            """,
            message="programs 0 and 1 both write element [0, 0] of `output`",
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
                assert nl.num_programs(0) == 2
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.sbuf)
                half = nl.program_id(0) * 256
                nisa.dma_copy(dst=tile, src=source[0:128, half : half + 256])
                nisa.dma_copy(dst=output[0:128, half : half + 256], src=tile)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel[2])(np.arange(65536, dtype=np.float32).reshape(128, 512))
            """,
            dialect=NKI,
        ),
    ]
