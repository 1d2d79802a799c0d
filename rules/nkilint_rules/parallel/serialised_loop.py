from ..operation import BETA1
from ..rule import Example, Rule, Severity


class SerialisedLoop(Rule):
    """Advice: a loop runs in order although no iteration needs another.

    ## What it does
    Reports `nl.sequential_range` where it is proved, for all inputs, that no two iterations touch the same element of
    anything that outlives an iteration while one of them writes it. Loops that accumulate, draw random numbers or print
    are left out, and so are those of which anything is not known, and kernels that place tensors themselves.

    ## Why is this bad?
    The compiler keeps the order of a sequential loop, and may not overlap its iterations.

    ## How to fix
    Write `nl.affine_range`, which promises that the iterations are independent.

    ## Source
    Beta 1: `programming_model.rst` (`affine_range` and `sequential_range`), `nki.language.sequential_range`.
    """

    code = "NKI604"
    dialects = (BETA1,)
    severity = Severity.INFO
    message = "no iteration of the loop over `{loop}` needs another, yet they run in order"
    help = "write `nl.affine_range`"
    invalid = [
        Example(
            """
            ⟦for i in nl.sequential_range(4):
                tile = nl.exp(nl.load(a[nl.ds(i * 128, 128), 0:512]))
                nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)⟧
            """,
            message="no iteration of the loop over `i` needs another, yet they run in order",
        ),
    ]
    valid = [
        Example(
            """
            for i in nl.affine_range(4):
                tile = nl.exp(nl.load(a[nl.ds(i * 128, 128), 0:512]))
                nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)
            """
        ),
        Example(
            """
            for i in nl.sequential_range(4):
                x += nl.load(a[nl.ds(i * 128, 128), 0:512])
            nl.store(output[0:128, 0:512], value=x)
            """
        ),
    ]
