from ..rule import Example, Rule, wording
from ..words.dialects import BETA1


class NestedGrid(Rule):
    """A kernel launches another one with a grid.

    ## What it does
    Reports `kernel[grid](...)` inside a kernel, unless the grid is known to be a single program.

    ## Why is this bad?
    The programs of a launch grid are made by the host. A kernel that is called inside another is part of its caller
    and has no grid of its own; the compiler stops.

    ## How to fix
    Call the inner kernel without a grid, in a loop over what its programs would do, or launch the outer kernel with the
    grid.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_nested_kernel_with_spmd_grid`).
    """

    code = "NKI804"
    dialects = (BETA1,)

    @wording
    def message(self, kernel: object) -> str:
        return f"`{kernel}` is launched with a grid inside a kernel"

    help = "call it without a grid, or launch the outer kernel with the grid"
    aws = ("err_nested_kernel_with_spmd_grid",)
    dynamic = True
    invalid = [
        Example(
            """
            @nki.trace
            def double(tile):
                return nl.multiply(tile, 2.0)

            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=⟦double[4, 4](nl.load(source))⟧)
                return output
            """,
            message="`double` is launched with a grid inside a kernel",
        ),
    ]
    valid = [
        Example(
            """
            @nki.trace
            def double(tile):
                return nl.multiply(tile, 2.0)

            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=double(nl.load(source)))
                return output
            """
        ),
    ]
