from ..rule import Example, Rule, wording
from ..words.dialects import BETA1


class ImplicitTensor(Rule):
    """An operation makes a tensor of its own in a directly allocated kernel.

    ## What it does
    Looks, in kernels that use `alloc` or `mod_alloc`, for operations that the compiler turns into several, with
    constants or intermediate tensors between them: `nisa.activation` without `bias`, `nisa.nc_transpose` on the Tensor
    Engine, `nl.matmul` without `transpose_x=True`, `nl.softmax` and their like. Elementwise functions such as `nl.exp`
    are not reported.

    ## Why is this bad?
    Such a tensor cannot be given a place, and a kernel either places all tensors or none. The compiler stops with
    `err_bias_tensor_must_be_specified_in_allocation` or
    `err_transpose_on_tensor_engine_not_allowed_in_allocated_kernel`.

    ## How to fix
    Pass the bias as a tensor of zeros that you have allocated; transpose with `nisa.nc_matmul` and an identity matrix
    of your own; write the composed function out of single operations.

    ## Source
    `nki_direct_allocation_guide.rst` (Common Errors, #2), `nki.errors.rst`.
    """

    code = "NKI406"
    dialects = (BETA1,)

    @wording
    def message(self, operation: object, what: object, other: object) -> str:
        return f"`{operation}` makes a tensor of its own, {what}, in a kernel that places `{other}` itself"

    help = "pass or compute it in a tensor that has an allocator"
    aws = (
        "err_bias_tensor_must_be_specified_in_allocation",
        "err_transpose_on_tensor_engine_not_allowed_in_allocated_kernel",
    )
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                result = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=2048))
                tile[...] = nl.load(source)
                result[...] = ⟦nisa.activation(op=nl.exp, data=tile)⟧
                nl.store(output, value=result)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 512), dtype=np.float32))
            """,
            message="`activation` makes a tensor of its own, a bias of zeros, in a kernel that places `tile` itself",
        ),
        Example(
            """
            # nkilint: source: float32[128, 128]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                turned = nl.ndarray((128, 128), dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=0))
                result = nl.ndarray((128, 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=512))
                tile[...] = nl.load(source)
                turned[...] = ⟦nisa.nc_transpose(tile)⟧
                result[...] = nl.copy(turned)
                nl.store(output, value=result)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 128), dtype=np.float32))
            """,
            message="`nc_transpose` makes a tensor of its own, an identity matrix, in a kernel that places `tile` "
            "itself",
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                zeros = nl.ndarray((128, 1), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=4096))
                zeros[...] = 0.0
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                result = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=2048))
                tile[...] = nl.load(source)
                result[...] = nisa.activation(op=nl.exp, data=tile, bias=zeros)
                nl.store(output, value=result)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 512), dtype=np.float32))
            """
        ),
        Example(
            """
            # nkilint: source: float32[32, 32]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((32, 32), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                turned = nl.ndarray((32, 32), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=128))
                tile[...] = nl.load(source)
                turned[...] = nisa.nc_transpose(tile, engine=nisa.vector_engine)
                nl.store(output, value=turned)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((32, 32), dtype=np.float32))
            """
        ),
        Example(
            """
            # nkilint: left: float32[128, 128], right: float32[128, 512]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                x = nl.ndarray((128, 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                y = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=512))
                z = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=0))
                result = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=2560))
                x[...] = nl.load(left)
                y[...] = nl.load(right)
                z[...] = nl.matmul(x, y, transpose_x=True)
                result[...] = nl.copy(z)
                nl.store(output, value=result)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 128), dtype=np.float32), np.zeros((128, 512), dtype=np.float32))
            """
        ),
    ]
