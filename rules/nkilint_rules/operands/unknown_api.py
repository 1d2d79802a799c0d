from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class UnknownApi(Rule):
    """A name or argument that this dialect or version of NKI does not have.

    ## What it does
    Looks up every name that a kernel takes from NKI's modules, and every keyword argument of its operations, in the
    documentation of the dialect and of the configured version. A name that no documentation mentions, in whatever
    dialect, is not reported but counted as undecided: releases contain more than is documented. Where an operation of
    Beta 1 takes any keyword, those are reported that are a letter away from one that it has; and so are attributes of
    tensors (`x.shapes`), of a parameter where the kernel hands its elements to an operation.

    ## Why is this bad?
    The call raises an error when the kernel is traced. Before 0.2 misspelt arguments were silently ignored.

    ## How to fix
    Use what the configured version has, or configure the version that the kernel is written for.

    ## Source
    Beta 1: `api/nki.language.rst`, `api/nki.isa.rst`. 0.x: `api/nki.language.rst`, `api/nki.isa.rst`, and the release
    notes of 0.2 (keyword arguments are validated).
    """

    code = "NKI208"

    @wording
    def message(self, name: object) -> str:
        return f"`{name}` is not documented"

    @wording
    def elsewhere(self, name: object, dialect: object) -> str:
        return f"`{name}` is not in `{dialect}`; it belongs to the other dialect"

    @wording
    def version(self, name: object) -> str:
        return f"`{name}` is not in the configured version"

    @wording
    def argument(self, operation: object, argument: object) -> str:
        return f"`{operation}` takes no argument `{argument}`"

    help = "see the operation's page in the NKI documentation"
    breaks_trace = True
    dynamic = True
    exception = AttributeError
    same_as = ("NKI808", "NKI809")  # a name that is not there; an unknown argument and a missing one: one is told first
    invalid = [
        Example(
            "r = ⟦nl.abs_max⟧(x, y)",
            message="`nl.abs_max` is not in `neuronxcc`; it belongs to the other dialect",
        ),
        Example(
            "⟦nisa.dma_copy(dst=output, source=a)⟧",
            message="`dma_copy` takes no argument `source`",
        ),
        Example(
            "r = ⟦nl.exp(x, dtyp=nl.bfloat16)⟧",
            message="`exp` takes no argument `dtyp`",
        ),
        Example(
            "i = ⟦nl.arange⟧(128)",
            message="`nl.arange` is not in `nki`; it belongs to the other dialect",
            dialect=NKI,
        ),
        Example(
            "⟦nisa.tensor_copy(dst=x, scr=y)⟧",
            message="`tensor_copy` takes no argument `scr`",
            dialect=NKI,
        ),
    ]
    valid = [
        Example("r = nl.maximum(nl.exp(x), y)"),
        Example("nisa.dma_copy(dst=output, src=a)"),
        Example("r = nl.exp(x, max_free_vec_size=512)"),
        Example("i = nl.arange(128)[:, None]"),
        Example("nisa.tensor_copy(dst=x, src=y, engine=nisa.engine.vector)", dialect=NKI),
    ]
