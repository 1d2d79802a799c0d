from collections.abc import Sequence
from typing import Any

from ..rule import Example, Need, Rule, wording
from ..words.conditions import product
from ..words.dialects import NKI
from ..words.targets import Target


class GridDegree(Rule):
    """A kernel is launched on more cores than one of the target's logical cores has.

    ## What it does
    Compares the number of programs that a launch `kernel[grid](...)` asks for with the physical cores that share a
    logical one: 2 on trn2 and trn3, 1 on trn1 and inf2. In Beta 1, whose grids are no cores, nothing is reported.

    ## Why is this bad?
    In 0.x each program of the grid is a core. The compiler stops with an error, or the runtime does. For a whole graph,
    the compiler calls it `NCC_EARG001`.

    ## How to fix
    Launch the kernel on `kernel[2]` at most, and loop over what further programs did.

    ## Source
    0.x: `get-started/about/lnc.rst` (Launching a kernel on multiple cores), `api/nki` (`jit`);
    `compiler/error-codes/EARG001.rst`.
    """

    code = "NKI607"
    dialects = (NKI,)
    aws = ("NCC_EARG001",)

    @wording
    def message(self, programs: object, target: object, limit: object) -> str:
        return f"the launch grid has {programs} programs; {target} runs a kernel on at most {limit}"

    help = "launch it on at most {limit}, and loop over the rest"
    dynamic = True
    whole_launch = True
    invalid = [
        Example(
            """
            # nkilint: source: float32[4, 128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                share = 4 // nl.num_programs(0)
                for i in range(share):
                    row = nl.program_id(0) * share + i
                    nisa.dma_copy(dst=tile, src=source[row])
                    nisa.dma_copy(dst=output[row], src=tile)
                return output

            if __name__ == "__main__":
                ⟦kernel[4](np.zeros((4, 128, 512), dtype=np.float32))⟧
            """,
            message="the launch grid has 4 programs; trn2 runs a kernel on at most 2",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[2, 128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                share = 2 // nl.num_programs(0)
                for i in range(share):
                    row = nl.program_id(0) * share + i
                    nisa.dma_copy(dst=tile, src=source[row])
                    nisa.dma_copy(dst=output[row], src=tile)
                return output

            if __name__ == "__main__":
                ⟦kernel[2](np.zeros((2, 128, 512), dtype=np.float32))⟧
            """,
            message="the launch grid has 2 programs; trn1 runs a kernel on at most 1",
            dialect=NKI,
            target="trn1",
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[4, 128, 512]
            @nki.jit
            def kernel(source):
                assert nl.num_programs(0) == 2
                output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                core = nl.program_id(0)
                for i in range(2):
                    nisa.dma_copy(dst=tile, src=source[core * 2 + i])
                    nisa.dma_copy(dst=output[core * 2 + i], src=tile)
                return output

            if __name__ == "__main__":
                kernel[2](np.zeros((4, 128, 512), dtype=np.float32))
            """,
            dialect=NKI,
        ),
    ]

    def check_grid(self, sizes: Sequence[Any], target: Target) -> Need:
        """A launch grid asks for no more programs than the target has cores for."""
        programs = product(sizes)
        return Need(
            programs <= target.lnc_max, None, self.message(programs=programs, target=target, limit=target.lnc_max)
        )
