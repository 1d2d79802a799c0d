from ..rule import Example, Rule, wording
from ..words.dialects import BETA1


class OneDimensionalArange(Rule):
    """A tensor is indexed with a one-dimensional `arange`.

    ## What it does
    Reports an access to a tensor on the chip or in HBM whose index grids have no second axis.

    ## Why is this bad?
    An index grid describes a tile, and a tile has a partition and a free dimension. With a single axis it is open
    which of the two is meant, and the compiler stops with an error.

    ## How to fix
    Give each grid the axes of the tile, `nl.arange(64)[:, None]` for the partition dimension and
    `nl.arange(512)[None, :]` for the free one, or use a slice.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_1d_arange_not_supported`).
    """

    code = "NKI302"
    repair = "the grid gets its second axis"
    dialects = (BETA1,)

    @wording
    def message(self, tensor: object, index: object) -> str:
        return f"`{tensor}` is indexed with `{index}`, a grid of one dimension; index grids have at least two"

    help = "add the missing axis, `[:, None]` or `[None, :]`, or use a slice"
    aws = ("err_1d_arange_not_supported",)
    dynamic = True
    invalid = [
        Example(
            """
            i = nl.arange(64)
            r = nl.exp(⟦x[i, 0]⟧)
            """,
            message="`x` is indexed with `i`, a grid of one dimension; index grids have at least two",
        ),
        Example(
            "nl.store(⟦output[0, nl.arange(512)]⟧, value=x[0:1, 0:512])",
            message="`output` is indexed with `nl.arange(512)`, a grid of one dimension; index grids have at least two",
        ),
    ]
    valid = [
        Example(
            """
            i = nl.arange(64)[:, None]
            r = nl.exp(x[i, 0])
            """
        ),
        Example("r = nl.exp(x[0:64, 0])"),
    ]
