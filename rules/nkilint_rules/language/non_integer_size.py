from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class NonIntegerSize(Rule):
    """A size, trip count or index is not an integer.

    ## What it does
    Reports a float where a number of elements, of iterations or a position is expected, and anything else that is no
    integer: a tensor, a tuple within a shape, a function that is not called, and in 0.x the None of a new axis. `/`
    gives a float even where it divides evenly, and so do `np.ceil`, `np.floor` and `np.sqrt`. An index grid that a
    float is added to, or that is multiplied by one, is a float, too.

    ## Why is this bad?
    Shapes, loops and addresses count whole elements: tracing the kernel raises an error.

    ## How to fix
    Divide with `//`, round with `math.ceil` or `int(...)`.

    ## Source
    Python, `range` and `object.__index__`. Beta 1: `nki.language` (`ndarray`, `affine_range`).
    0.x: `nki.language` (`NkiTensor`: shape as a tuple of positive integers; `__getitem__`).
    """

    code = "NKI811"

    @wording
    def message(self, expression: object, type: object, value: object, use: object) -> str:
        return f"`{expression}` is the {type} {value}, used as {use}, which takes an integer"

    @wording
    def symbolic(self, expression: object, type: object, use: object) -> str:
        return f"`{expression}` is a {type}, used as {use}, which takes an integer"

    @wording
    def other(self, expression: object, kind: object, use: object) -> str:
        return f"`{expression}` is {kind}, used as {use}, which takes an integer"

    help = "divide with `//`, or round with `math.ceil` or `int`"
    breaks_trace = True
    dynamic = True
    invalid = [
        Example(
            """
            for k in nl.affine_range(⟦a.shape[0] / 128⟧):
                nl.store(output[k * 128 : (k + 1) * 128, 0:512], value=x)
            """,
            message="`a.shape[0] / 128` is the float 4.0, used as a trip count, which takes an integer",
        ),
        Example(
            "y[...] = nl.load(a[⟦x.shape[1] / 4 + nl.arange(128)[:, None]⟧, nl.arange(512)[None, :]])",
            message="`x.shape[1] / 4 + nl.arange(128)[:, None]` is a float, used as an index, which takes an integer",
        ),
        Example(
            "nisa.memset(dst=x[0:128, 0:⟦x.shape[1] / 2⟧], value=0.0)",
            message="`x.shape[1] / 2` is the float 256.0, used as an index, which takes an integer",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, N]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, ⟦source.shape[1] / 2⟧), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=nl.load(source))
                return output
            """,
            message="`source.shape[1] / 2` is a float, used as a size, which takes an integer",
        ),
    ]
    valid = [
        Example(
            """
            for k in nl.affine_range(a.shape[0] // 128):
                nl.store(output[k * 128 : (k + 1) * 128, 0:512], value=x)
            """
        ),
        Example("nisa.memset(dst=x[0:128, 0 : x.shape[1] // 2], value=0.0)", dialect=NKI),
    ]
