from ..rule import Example, Rule, wording
from ..words.dialects import BETA1


class MixedIndexing(Rule):
    """A subscript mixes index grids with slices.

    ## What it does
    Reports a subscript in which one axis is indexed with an index grid (`nl.arange`, `nl.mgrid`) and another with a
    slice. Integers, loop variables and `program_id` may stand beside either.

    ## Why is this bad?
    Slices keep an axis where it is, grids place it by broadcasting: the order of the result's axes is not defined, and
    the compiler stops with an error.

    ## How to fix
    Use slices on all axes, or grids on all of them.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_unsupported_mixing_basic_advanced_tensor_indexing`), `programming_model.rst`
    (Tensor Indexing).
    """

    code = "NKI303"
    dialects = (BETA1,)

    @wording
    def message(self, tensor: object) -> str:
        return f"`{tensor}` is indexed with slices and index grids at once"

    help = "use slices on all axes, or grids on all of them"
    aws = ("err_unsupported_mixing_basic_advanced_tensor_indexing",)
    dynamic = True
    before = ("NKI302",)
    invalid = [
        Example(
            """
            i = nl.arange(128)[:, None]
            r = nl.exp(⟦x[i, :]⟧)
            """,
            message="`x` is indexed with slices and index grids at once",
        ),
        Example(
            "nl.store(⟦output[0:128, nl.arange(512)[None, :]]⟧, value=x)",
            message="`output` is indexed with slices and index grids at once",
        ),
    ]
    valid = [
        Example("r = nl.exp(x[:, :])"),
        Example(
            """
            i = nl.arange(128)[:, None]
            j = nl.arange(512)[None, :]
            r = nl.exp(x[i, j])
            """
        ),
        Example(
            """
            for k in nl.affine_range(4):
                r = nl.load(a[k * 128 + nl.arange(128)[:, None], nl.arange(512)[None, :]])
            """
        ),
    ]
