from ..rule import Example, Rule, wording
from ..words.dialects import BETA1


class ImmutableParameter(Rule):
    """A kernel writes to one of its inputs.

    ## What it does
    Reports operations that write to a parameter of an `nki.jit` kernel: stores, DMA copies, atomic updates. Parameters
    annotated `nt.mutable_tensor` may be written, and so may those of kernels in the early calling convention, which
    receive their outputs as parameters (`nki.trace`, `nki.simulate_kernel`, `nki_call`). A kernel that another kernel
    calls may write to what it is handed, unless that is an input of its caller.

    ## Why is this bad?
    The framework that calls the kernel regards its inputs as unchanged. The compiler stops with an error.

    ## How to fix
    Make an output with `nl.ndarray(..., buffer=nl.shared_hbm)`, copy the input there if its old values are needed,
    write to the output, and return it.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_cannot_update_immutable_parameter`).
    """

    code = "NKI207"
    dialects = (BETA1,)

    @wording
    def message(self, parameter: object) -> str:
        return f"this writes to the parameter `{parameter}`, and inputs of a kernel are immutable"

    help = "write to a tensor made with `nl.ndarray(..., buffer=nl.shared_hbm)` and return that"
    aws = ("err_cannot_update_immutable_parameter",)
    dynamic = True
    invalid = [
        Example(
            "⟦nl.store(a[0:128, 0:512], value=x)⟧",
            message="this writes to the parameter `a`, and inputs of a kernel are immutable",
        ),
        Example(
            "⟦nisa.dma_copy(dst=a, src=b)⟧",
            message="this writes to the parameter `a`, and inputs of a kernel are immutable",
        ),
    ]
    valid = [
        Example("nl.store(output[0:128, 0:512], value=x)"),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=source.dtype, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=source[0:128, 0:512])
                nl.store(output, value=nl.add(nl.load(output), 1))
                return output
            """
        ),
        Example(
            """
            # nkilint: row: float32[1, 512], cache: float32[128, 512]
            @nki.jit
            def kernel(row, cache: nt.mutable_tensor):
                nl.store(cache[5:6], value=nl.load(row))
                return cache
            """
        ),
        Example(
            """
            # nkilint: source: float32[128, 512], output: float32[128, 512]
            def kernel(source, output):
                nl.store(output, value=nl.load(source))

            if __name__ == "__main__":
                data = np.zeros((128, 512), dtype=np.float32)
                nki.simulate_kernel(kernel, data, data.copy())
            """
        ),
    ]
