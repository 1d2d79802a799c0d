from ..rule import Example, Rule, Severity, wording
from ..words.dialects import NKI


class IncompleteAnalysis(Rule):
    """Some of a kernel could not be judged.

    ## What it does
    Says how many of a kernel's obligations were neither proved nor refuted, and why: a construct that is not modelled,
    a value that only the running program knows, or a proof that exceeded its budget. The obligations that were decided
    stay decided.

    ## Why is this bad?
    It is no fault of the kernel. But a kernel with open obligations is not verified: what is left open may fail.

    ## How to fix
    State what is known, by an assertion in the kernel or a specification (`# nkilint: x: float32[M, 512]`), or write
    the construct named in the reason in a simpler way.

    ## Source
    This tool.
    """

    code = "NKI003"

    @wording
    def message(self, count: object, total: object, kernel: object, reasons: object) -> str:
        return f"{count} of {total} obligations of `{kernel}` {'is' if count == 1 else 'are'} undecided: {reasons}"

    @wording
    def failed(self, subject: object, fault: object, source: object) -> str:
        return f"nkilint failed on {subject}: {fault}; please report it together with the {source}"

    help = (
        "state what is known about the inputs, in an assertion or a specification; `nkilint explain` lists what is open"
    )
    severity = Severity.INFO
    invalid = [
        Example(
            """
            from elsewhere import rows_of

            # nkilint: source: float32[512, 512]
            @nki.jit
            def ⟦kernel⟧(source):
                rows = rows_of(source)
                output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output[0:rows, 0:512], value=nl.load(source[0:rows, 0:512]))
                return output
            """
        ),
        Example(
            """
            from elsewhere import rows_of

            # nkilint: source: float32[128, 512]
            @nki.jit
            def ⟦kernel⟧(source):
                rows = rows_of(source)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile[0:rows, 0:512], src=source[0:rows, 0:512])
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=tile)
                return output
            """,
            dialect=NKI,
        ),
    ]
    valid = [
        Example("r = nl.exp(x)"),
        Example("nisa.tensor_copy(dst=x, src=y)", dialect=NKI),
    ]
