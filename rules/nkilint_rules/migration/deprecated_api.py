from ..rule import Example, Rule, Severity, wording
from ..words.dialects import NKI


class DeprecatedApi(Rule):
    """Advice: a kernel uses what a later version of NKI will drop.

    ## What it does
    Reports operations and constants whose page says that they are deprecated in the configured version, `while` loops
    over a register, each once in a kernel, and the argument `mode` of `nki.jit`, which is ignored. Without a configured
    `nki-version`, the newest counts.

    ## Why is this bad?
    They still work, and go away in a later version.

    ## How to fix
    Write what takes their place, which the help names.

    ## Source
    0.x: `api/nki.language.rst`, `migration/index.rst` (Deprecated APIs), `release-notes/components/nki.rst`.
    """

    code = "NKI904"
    dialects = (NKI,)
    severity = Severity.INFO

    @wording
    def message(self, name: object, version: object, instead: object) -> str:
        return f"`{name}` is deprecated since NKI {version}"

    help = "write {instead}"
    invalid = [
        Example(
            """
            for i in ⟦nl.affine_range(4)⟧:
                nisa.tensor_scalar(dst=x, data=x, op0=nl.add, operand0=1.0)
            """,
            message="`affine_range` is deprecated since NKI 0.3",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit(mode=⟦"jax"⟧)
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=source)
                return output
            """,
            message="`jit(mode=)` is deprecated since NKI 0.3",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            for i in range(4):
                nisa.tensor_scalar(dst=x, data=x, op0=nl.add, operand0=1.0)
            """,
            dialect=NKI,
        ),
        Example(
            """
            for i in nl.affine_range(4):
                nisa.tensor_scalar(dst=x, data=x, op0=nl.add, operand0=1.0)
            """,
            dialect=NKI,
            version="0.2",
        ),
    ]
