from ..rule import Example, Rule, wording
from ..words.dialects import BETA1


class NeuronxccNamespace(Rule):
    """A kernel of `neuronxcc.nki` is checked for a version of NKI that compiles it no longer.

    ## What it does
    Reports kernels that import from `neuronxcc.nki` where `nki-version` is configured as 0.4 or later. Without a
    configured version, kernels are checked for the newest version of the namespace that they use.

    ## Why is this bad?
    From 0.4 on, `neuronxcc.nki` in a kernel is a compilation error; before, it was a warning.

    ## How to fix
    Port the kernel to `nki`: operations write to `dst=`, slices take the place of index grids and masks.

    ## Source
    0.x: `migration/index.rst` (Migrating from NKI 0.3.0 to NKI 0.4.0), `release-notes/components/nki.rst` (0.4.0).
    """

    code = "NKI901"
    dialects = (BETA1,)

    @wording
    def message(self, kernel: object) -> str:
        return f"`{kernel}` is written for `neuronxcc.nki`, which does not compile since NKI 0.4"

    help = "port it to `nki`, or configure the version that it is written for"
    invalid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def ⟦kernel⟧(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=nl.load(source))
                return output
            """,
            message="`kernel` is written for `neuronxcc.nki`, which does not compile since NKI 0.4",
            version="0.4",
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=nl.load(source))
                return output
            """,
            version="0.3",
        ),
    ]
