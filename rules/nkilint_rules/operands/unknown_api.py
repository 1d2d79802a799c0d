from ..operation import NKI
from ..rule import Example, Rule


class UnknownApi(Rule):
    """NKI has no such operation, constant or argument.

    ## What it does
    Looks up every name that a file takes from NKI's modules, and every argument of its operations, in the
    documentation of that dialect and version. Names that existed in another version are reported by `removed-api` and
    `changed-signature`.

    ## Why is this bad?
    The call raises an error when the kernel is traced. Before 0.2 some misspelt arguments were silently ignored.

    ## How to fix
    Use the name that the message suggests, or look the operation up in the documentation.

    ## Source
    Beta 1: `api/nki.language.rst`, `api/nki.isa.rst`. 0.x: `api/nki.language.rst`, `api/nki.isa.rst`, and the release
    notes of 0.2 (keyword arguments are validated).
    """

    code = "NKI208"
    message = "`{module}` has no `{name}`"
    variants = {
        "suggestion": "`{module}` has no `{name}`; the nearest name is `{suggestion}`",
        "argument": "`{operation}` has no argument `{name}`",
        "argument-suggestion": "`{operation}` has no argument `{name}`; the nearest name is `{suggestion}`",
        "positional": "`{operation}` takes {limit} positional arguments; this call passes {count}",
        "missing": "`{operation}` is called without its argument `{name}`",
        "twice": "`{operation}` receives its argument `{name}` twice",
    }
    help = "see the operation's page in the NKI documentation"
    dynamic = True
    invalid = [
        Example(
            "r = ⟦nl.exponent⟧(x)",
            message="`nl` has no `exponent`",
        ),
        Example(
            "r = ⟦nl.maximun⟧(x, y)",
            message="`nl` has no `maximun`; the nearest name is `maximum`",
        ),
        Example(
            "r = ⟦nisa.nc_transpose(w, axes=(1, 0))⟧",
            message="`nc_transpose` has no argument `axes`",
        ),
        Example(
            "r = ⟦nisa.tensor_scalar(x, op0=nl.multiply)⟧",
            message="`tensor_scalar` is called without its argument `operand0`",
        ),
        Example(
            "⟦nisa.tensor_copy(dst=x, scr=y)⟧",
            message="`tensor_copy` has no argument `scr`; the nearest name is `src`",
            dialect=NKI,
        ),
        Example(
            "⟦nisa.tensor_copy(x, y, nisa.engine.vector, None, None)⟧",
            message="`tensor_copy` takes 4 positional arguments; this call passes 5",
            dialect=NKI,
        ),
    ]
    valid = [
        Example("r = nl.maximum(nl.exp(x), y)"),
        Example("r = nisa.tensor_scalar(x, op0=nl.multiply, operand0=2.0)"),
        Example("nisa.tensor_copy(x, y, nisa.engine.vector)", dialect=NKI),
    ]
