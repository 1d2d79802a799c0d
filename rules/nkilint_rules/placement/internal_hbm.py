from ..rule import Example, Rule, wording
from ..words.dialects import BETA1


class InternalHbm(Rule):
    """A directly allocated kernel makes an HBM tensor that is none of its outputs.

    ## What it does
    Looks, in kernels that use `alloc` or `mod_alloc`, for tensors in `nl.hbm` or `nl.private_hbm`, and for tensors in
    `nl.shared_hbm` that the kernel does not return.

    ## Why is this bad?
    Such kernels may have HBM tensors only as inputs and outputs. The compiler stops with "Non IO HBM tensor is not
    supported in allocated NKI kernel".

    ## How to fix
    Return the tensor, keep the data on chip, or leave allocation to the compiler.

    ## Source
    `nki_direct_allocation_guide.rst` (Known Limitations).
    """

    code = "NKI407"
    dialects = (BETA1,)

    @wording
    def message(self, tensor: object, other: object) -> str:
        return f"HBM tensor `{tensor}` is no output of the kernel, which places `{other}` itself"

    help = "return the tensor, or keep its data on chip"
    aws = ("Non IO HBM tensor is not supported",)
    dynamic = True
    before = ("NKI711",)
    invalid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                spill = ⟦nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.private_hbm)⟧
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                tile[...] = nl.load(source)
                nl.store(spill, value=tile)
                tile[...] = nl.load(spill)
                nl.store(output, value=tile)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 512), dtype=np.float32))
            """,
            message="HBM tensor `spill` is no output of the kernel, which places `tile` itself",
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                copy = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                tile[...] = nl.load(source)
                nl.store(output, value=tile)
                nl.store(copy, value=tile)
                return output, copy

            if __name__ == "__main__":
                kernel(np.zeros((128, 512), dtype=np.float32))
            """
        ),
    ]
