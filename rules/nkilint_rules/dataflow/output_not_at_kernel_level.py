from ..rule import Example, Rule, wording
from ..words.dialects import BETA1


class OutputNotAtKernelLevel(Rule):
    """A tensor in shared HBM is made in a loop, in a branch, or in a function that the kernel calls.

    ## What it does
    Looks where tensors with `buffer=nl.shared_hbm` are made. A branch on shapes or arguments, of which tracing takes
    one side, and the body of `nl.static_range`, which is unrolled, are let pass.

    ## Why is this bad?
    Tensors in shared HBM are what the kernel shares with its caller and with the other programs of its grid, and the
    compiler makes them at the level of the kernel only.

    ## How to fix
    Make the tensor at the top of the kernel, and hand it to the functions that fill it. Use `nl.private_hbm` for what
    is needed in between.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_shared_hbm_must_in_kernel_level`).
    """

    code = "NKI706"
    repair = "the tensor is made before the loop or branch; with `--unsafe-fixes`, in private HBM"
    dialects = (BETA1,)

    @wording
    def message(self, tensor: object, where: object) -> str:
        return f"{tensor} is made in shared HBM {where}"

    @wording
    def branch(self, tensor: object) -> str:
        return f"{tensor} is made in shared HBM in a branch"

    unseen = ("branch",)
    help = "make it at the top of the kernel, or in `nl.private_hbm`"
    aws = ("err_shared_hbm_must_in_kernel_level",)
    dynamic = True
    accepted = True
    invalid = [
        Example(
            """
            for i in nl.affine_range(4):
                copied = ⟦nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)⟧
                nl.store(copied, value=nl.load(a[nl.ds(i * 128, 128), 0:512]))
                nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.load(copied))
            """,
            message="`copied` is made in shared HBM in a loop",
        ),
        Example(
            """
            def exponential(source):
                output = ⟦nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)⟧
                nl.store(output, value=nl.exp(nl.load(source)))
                return output

            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                return exponential(source)
            """,
            message="`output` is made in shared HBM in a function that the kernel calls",
        ),
    ]
    valid = [
        Example(
            """
            for i in nl.affine_range(4):
                copied = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.private_hbm)
                nl.store(copied, value=nl.load(a[nl.ds(i * 128, 128), 0:512]))
                nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.load(copied))
            """
        ),
        Example(
            """
            def exponential(source, output):
                nl.store(output, value=nl.exp(nl.load(source)))

            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                exponential(source, output)
                return output
            """
        ),
    ]
