from ..rule import Example, Rule, wording
from ..words.dialects import BETA1


class IndexControlFlow(Rule):
    """A branch or loop hangs on an index grid.

    ## What it does
    Reports index grids of `nl.arange` and `nl.mgrid`, and comparisons of them, where Python asks for a truth value: in
    `if`, `while`, `assert` and conditional expressions. Variables of loops are no grids.

    ## Why is this bad?
    A grid stands for all its positions at once. There is no single answer to whether it is less than something, and
    the compiler stops.

    ## How to fix
    Pass the comparison as `mask=` to the operation, or branch on the variable of a loop.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_control_flow_condition_depending_on_arange`).
    """

    code = "NKI802"
    dialects = (BETA1,)

    @wording
    def message(self, grid: object) -> str:
        return f"control flow hangs on the index grid `{grid}`"

    help = "pass the comparison to the operation as `mask=`"
    aws = ("err_control_flow_condition_depending_on_arange",)
    dynamic = True
    invalid = [
        Example(
            """
            i, j = nl.mgrid[0:128, 0:512]
            if ⟦j > 255⟧:
                nl.store(output[i, j], value=x)
            """,
            message="control flow hangs on the index grid `j > 255`",
        ),
        Example(
            """
            rows = nl.arange(128)[:, None]
            start = 128 if ⟦rows⟧ else 0
            nl.store(output[start : start + 128, 0:512], value=x)
            """,
            message="control flow hangs on the index grid `rows`",
        ),
    ]
    valid = [
        Example(
            """
            i, j = nl.mgrid[0:128, 0:512]
            nl.store(output[i, j], value=x, mask=j > 255)
            """
        ),
        Example(
            """
            i, j = nl.mgrid[0:128, 0:512]
            for k in nl.static_range(2):
                if k > 0:
                    nl.store(output[k * 128 + i, j], value=x)
            """
        ),
    ]
