from ..rule import Example, Rule, wording
from ..words.dialects import BETA1


class MaskConjunction(Rule):
    """Masks are joined with `and`, `or` or a chained comparison.

    ## What it does
    Reports `and`, `or`, `not` and chained comparisons (`0 <= i < n`) on masks, that is on comparisons of index grids.

    ## Why is this bad?
    Python asks a mask for a single truth value to evaluate these, and keeps one of the two operands. At best the
    compiler stops; at worst one of the conditions is dropped.

    ## How to fix
    Join masks with `&`, each in parentheses: `mask=(i < m) & (j < n)`.

    ## Source
    Beta 1: `nki_known_issues.rst` (Masks conjunction), `api/nki.api.shared.rst` (NKI API Masking).
    """

    code = "NKI304"
    repair = "masks are joined by `&` and `|`"
    dialects = (BETA1,)

    @wording
    def message(self, operator: object, symbol: object) -> str:
        return f"masks are joined by {operator}; NKI joins them with `{symbol}`"

    help = "write `(i < m) & (j < n)`, each condition in parentheses"
    dynamic = True
    accepted = True
    before = ("NKI802",)
    invalid = [
        Example(
            """
            i, j = nl.mgrid[0:128, 0:512]
            r = nl.load(a[i, j], mask=⟦i < 100 and j < 300⟧)
            """,
            message="masks are joined by `and`; NKI joins them with `&`",
        ),
        Example(
            """
            i, j = nl.mgrid[0:128, 0:512]
            r = nl.load(a[i, j], mask=⟦8 <= j < 300⟧)
            """,
            message="masks are joined by a chained comparison; NKI joins them with `&`",
        ),
    ]
    valid = [
        Example(
            """
            i, j = nl.mgrid[0:128, 0:512]
            r = nl.load(a[i, j], mask=(i < 100) & (j < 300))
            """
        ),
    ]
