from ..rule import Example, Rule, Severity, wording
from ..words.dialects import NKI


class MutableGlobal(Rule):
    """A kernel depends on a global name that the program binds anew, or whose items it changes.

    ## What it does
    Reports, in all functions that a kernel of `nki` leads to, the first read of a name of the module that some function
    there binds anew with `global`, and of a list or dict of constants whose items some function there changes.

    ## Why is this bad?
    Compiled kernels are kept by their arguments, and kernels are taken for pure functions of these. When the name is
    bound to something else, a kernel that was compiled before goes on with the old value.

    ## How to fix
    Pass the value as an argument.

    ## Source
    0.x: `get-started/nki-language-guide.rst` (Kernel Caching), release notes of 0.3 (Known Issues, Caching).
    """

    code = "NKI812"
    dialects = (NKI,)
    severity = Severity.WARNING
    style = True

    @wording
    def message(self, name: object, function: object) -> str:
        return f"`{name}` is bound anew by `{function}`; kernels that are compiled already keep its old value"

    @wording
    def changed(self, name: object, function: object) -> str:
        return f"`{name}` is changed by `{function}`; kernels that are compiled already keep its old items"

    help = "pass the value as an argument"
    invalid = [
        Example(
            """
            SCALE = 2.0

            def set_scale(value):
                global SCALE
                SCALE = value

            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=source)
                nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=⟦SCALE⟧)
                nisa.dma_copy(dst=output, src=tile)
                return output
            """,
            message="`SCALE` is bound anew by `set_scale`; kernels that are compiled already keep its old value",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            SCALE = 2.0

            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=source)
                nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=SCALE)
                nisa.dma_copy(dst=output, src=tile)
                return output
            """,
            dialect=NKI,
        ),
    ]
