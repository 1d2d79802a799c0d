from ..rule import Example, Rule, wording
from ..words.dialects import BETA1


class IndexAssignment(Rule):
    """An element of an index grid is assigned to.

    ## What it does
    Reports assignments, plain and augmented, to elements of what `nl.arange`, `nl.mgrid` or arithmetic on them gives.

    ## Why is this bad?
    An index grid is a formula for addresses, not a tile in memory. It has no elements to write to, and the compiler
    stops with an error.

    ## How to fix
    Make a tile of it with `nisa.iota` and write to that.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_cannot_assign_to_index`).
    """

    code = "NKI305"
    dialects = (BETA1,)

    @wording
    def message(self, index: object) -> str:
        return f"`{index}` is an index grid, whose elements cannot be assigned"

    help = "make a tile of it first, with `nisa.iota`"
    aws = ("err_cannot_assign_to_index",)
    dynamic = True
    invalid = [
        Example(
            """
            i = nl.arange(8)[None, :]
            ⟦i[0, 5]⟧ = 1024
            """,
            message="`i` is an index grid, whose elements cannot be assigned",
        ),
        Example(
            """
            i, j = nl.mgrid[0:128, 0:512]
            ⟦j[0, 0]⟧ += 1
            """,
            message="`j` is an index grid, whose elements cannot be assigned",
        ),
    ]
    valid = [
        Example(
            """
            i = nl.arange(8)[None, :]
            r = nisa.iota(i, dtype=nl.uint32)
            r[0, 5] = 1024
            """
        ),
    ]
