from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class ApiOutsideKernel(Rule):
    """An operation is called where no kernel runs.

    ## What it does
    Reports calls of `nki.language` and `nki.isa` operations at the top level of a module and in functions that host
    code calls directly. Constants, data types, `nki.language.tile_size` and the decorators may be used anywhere.

    ## Why is this bad?
    Operations are recorded while a kernel is traced. Outside of one there is nothing to record into, and the call
    raises an error.

    ## How to fix
    Move the call into the kernel, decorate the function that holds it with `nki.jit`, or use NumPy on the host.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_nki_api_outside_of_nki_kernel`). 0.x: `get-started/nki-language-guide.rst`
    (Compilation Model).
    """

    code = "NKI805"

    @wording
    def message(self, operation: object, place: object) -> str:
        return f"`{operation}` is called in {place}, outside any kernel"

    help = "move the call into a kernel, or decorate the function with `nki.jit`"
    aws = ("err_nki_api_outside_of_nki_kernel",)
    dynamic = True
    invalid = [
        Example(
            """
            tile = ⟦nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)⟧

            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=tile)
                return output
            """,
            message="`nl.zeros` is called in the module's body, outside any kernel",
        ),
        Example(
            """
            def copy(source):
                return ⟦nl.load(source)⟧

            if __name__ == "__main__":
                copy(np.zeros((128, 512), dtype=np.float32))
            """,
            message="`nl.load` is called in `copy`, outside any kernel",
        ),
        Example(
            """
            def fill(shape):
                tile = ⟦nl.ndarray(shape, dtype=nl.float32, buffer=nl.sbuf)⟧
                return tile

            if __name__ == "__main__":
                fill((128, 512))
            """,
            message="`nl.ndarray` is called in `fill`, outside any kernel",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            TILE = nl.tile_size.pmax

            def copy(source):
                return nl.load(source)

            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=source.dtype, buffer=nl.shared_hbm)
                nl.store(output, value=copy(source[0:TILE, 0:512]))
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 512), dtype=np.float32))
            """
        ),
        Example(
            """
            def fill(shape):
                tile = nl.ndarray(shape, dtype=nl.float32, buffer=nl.sbuf)
                nisa.memset(dst=tile, value=0.0)
                return tile

            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=fill((128, 512)))
                return output
            """,
            dialect=NKI,
        ),
    ]
