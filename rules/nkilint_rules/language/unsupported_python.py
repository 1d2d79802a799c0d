from ..rule import Example, Rule, Severity, wording
from ..words.dialects import NKI


class UnsupportedPython(Rule):
    """A kernel uses Python that the compiler of NKI does not take.

    ## What it does
    Reports, for NKI 0.3 and later, what the migration guide names: `is` and `is not` in code that runs in a kernel,
    keyword-only parameters of a kernel, and lists as its arguments or their defaults. Without a configured
    `nki-version`, the newest counts.

    ## Why is this bad?
    The compiler evaluates a part of Python of its own, in which these do not exist. The simulator, which runs Python
    itself, takes them.

    ## How to fix
    Write `==` and `!=`, leave out the `*`, and pass tuples.

    ## Source
    0.x: `migration/index.rst` (Migrating from NKI 0.2.0 to NKI 0.3.0, Language restrictions).
    """

    code = "NKI803"
    dialects = (NKI,)
    severity = Severity.WARNING
    style = True

    @wording
    def message(self, instead: object, operator: object) -> str:
        return f"kernels of NKI compare with `{instead}`, not with `{operator}`"

    @wording
    def separator(self, parameter: object) -> str:
        return f"`{parameter}` can be given by name only, which kernels of NKI do not take"

    @wording
    def list(self, parameter: object) -> str:
        return f"`{parameter}` is a list, which kernels of NKI do not take"

    help = "write `==` and `!=`, leave out the `*` of the signature, pass tuples"
    invalid = [
        Example(
            """
            if ⟦b is not None⟧:
                nisa.dma_copy(dst=output, src=b)
            """,
            message="kernels of NKI compare with `!=`, not with `is not`",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source, *, ⟦twice⟧=False):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=source)
                return output
            """,
            message="`twice` can be given by name only, which kernels of NKI do not take",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source, ⟦steps⟧=[1, 1]):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=source)
                return output
            """,
            message="`steps` is a list, which kernels of NKI do not take",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            if b != None:
                nisa.dma_copy(dst=output, src=b)
            """,
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source, twice=False, steps=(1, 1)):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=source)
                return output
            """,
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source, *, twice=False):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=source)
                return output
            """,
            dialect=NKI,
            version="0.2",
        ),
    ]
