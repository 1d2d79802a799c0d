from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class SyntaxError(Rule):
    """A file is not Python.

    ## What it does
    Reports a file that cannot be read or parsed, at the place where the parser gave up, or that Python parses and
    does not compile, such as `break` outside of a loop. The other files are checked all the same, and the exit code
    is 2.

    ## Why is this bad?
    Nothing in the file is checked, and nothing in it runs.

    ## How to fix
    Correct the syntax, or do not pass the file.

    ## Source
    Python, Full Grammar specification.
    """

    code = "NKI001"

    @wording
    def message(self, problem: object) -> str:
        return f"{problem}"

    help = "correct the syntax"
    invalid = [
        Example("r = nl.exp(x)⟦)⟧"),
        Example("nisa.tensor_copy(dst=x, src=y)⟦)⟧", dialect=NKI),
    ]
    valid = [
        Example("r = nl.exp(x)"),
        Example("nisa.tensor_copy(dst=x, src=y)", dialect=NKI),
    ]
