from ..rule import Example, Rule, wording
from ..words.dialects import BETA1


class MixedAllocation(Rule):
    """A kernel places some tensors itself and leaves others to the compiler.

    ## What it does
    Looks for tensors in SBUF and PSUM without an allocator in kernels that use `alloc` or `mod_alloc`. What an
    operation returns is such a tensor too, unless it is assigned to elements of another one: `t = nl.load(x)` makes a
    tensor, `t[...] = nl.load(x)` fills one. Kernels under `force_auto_alloc` or `enable_stack_allocator` are left out.

    ## Why is this bad?
    The compiler does not know which bytes the other tensors take, and stops with an error, or the tensors collide.

    ## How to fix
    Give every tensor on chip an allocator, and assign results to elements of allocated tensors. To fall back to
    automatic allocation, decorate the kernel with `nki.compiler.force_auto_alloc`.

    ## Source
    `nki_direct_allocation_guide.rst` (Common Errors, #1), `nki.compiler.sbuf.alloc`.
    """

    code = "NKI405"
    dialects = (BETA1,)

    @wording
    def message(self, tensor: object, other: object) -> str:
        return f"`{tensor}` is placed automatically in a kernel that places `{other}` itself"

    @wording
    def result(self, operation: object, other: object) -> str:
        return f"the result of `{operation}` is placed automatically in a kernel that places `{other}` itself"

    help = "give every tensor on chip an allocator, and assign results to elements of allocated tensors"
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                placed = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                plain = ⟦nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)⟧
                placed[...] = nl.load(source)
                plain[...] = nl.copy(placed)
                nl.store(output, value=plain)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 512), dtype=np.float32))
            """,
            message="`plain` is placed automatically in a kernel that places `placed` itself",
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                placed = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                tile = ⟦nl.load(source)⟧
                placed[...] = nl.multiply(tile, 2.0)
                nl.store(output, value=placed)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 512), dtype=np.float32))
            """,
            message="the result of `load` is placed automatically in a kernel that places `placed` itself",
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                twice = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=2048))
                tile[...] = nl.load(source)
                twice[...] = nl.multiply(tile, 2.0)
                nl.store(output, value=twice)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 512), dtype=np.float32))
            """
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @ncc.force_auto_alloc
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                tile[...] = nl.load(source)
                nl.store(output, value=nl.multiply(tile, 2.0))
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 512), dtype=np.float32))
            """
        ),
    ]
