from ..rule import Example, Rule, Severity, wording
from ..words.dialects import NKI


class UnusedSuppression(Rule):
    """A comment silences a finding that is not there.

    ## What it does
    Reports `# noqa: NKI...` and `# nkilint: ignore[...]` comments that no finding on their line needs, code by code,
    and those that name a code no rule has. A bare `# noqa` and codes of other tools are left alone.

    ## Why is this bad?
    It hides the finding that someone will introduce there later, and tells readers of a fault that was corrected long
    ago.

    ## How to fix
    Remove the comment, or the code in it.

    ## Source
    This tool.
    """

    code = "NKI002"
    repair = "the comment is removed, or the code in it that silences nothing"

    @wording
    def message(self, directive: object) -> str:
        return f"`{directive}` silences nothing"

    @wording
    def unknown(self, directive: object) -> str:
        return f"`{directive}` names no rule"

    help = "remove it"
    severity = Severity.WARNING
    invalid = [
        Example("r = nl.exp(x)  ⟦# noqa: NKI101⟧", message="`noqa: NKI101` silences nothing"),
        Example(
            "nisa.tensor_copy(dst=x, src=y)  ⟦# nkilint: ignore[NKI203]⟧",
            message="`nkilint: ignore[NKI203]` silences nothing",
            dialect=NKI,
        ),
        Example("r = nl.exp(x)  ⟦# noqa: NKI199⟧", message="`noqa: NKI199` names no rule"),
    ]
    valid = [
        Example(
            """
            t = nl.zeros((128, 513), dtype=nl.float32, buffer=nl.sbuf)
            r = nisa.bn_stats(t)  # noqa: NKI102
            """
        ),
        Example("nisa.tensor_copy(dst=x, src=y[0:64, 0:512])  # nkilint: ignore[NKI203]", dialect=NKI),
        Example("r = nl.exp(x)  # noqa: E501"),
    ]
