from ..rule import Example, Rule, wording
from ..words.dialects import BETA1, NKI


class OverlappingTensors(Rule):
    """A tensor is overwritten through another tensor's placement while it is still needed.

    ## What it does
    Follows the accesses of directly allocated tensors in program order. A read is reported when something was written
    to the tile before, a write to another tensor then hit the same bytes of the same partitions, and nothing restored
    what is read. Loops may have symbolic trip counts. Two tensors may share bytes one after the other: that is reuse,
    and stays silent.

    ## Why is this bad?
    The read gets the other tensor's data. The compiler's own lifetime checks are incomplete, so a wrong allocation
    shows up as wrong numbers.

    ## How to fix
    Move one of the tensors to bytes of its own, or let the first one be used up before the second one is written.

    ## Source
    Beta 1: `nki_direct_allocation_guide.rst` (Common Errors, #3). 0.x: `migration/index.rst` (Improved allocation API).
    """

    code = "NKI501"
    repair = "the tensor gets the address that the finding proposes"
    dialects = (BETA1, NKI)

    @wording
    def message(self, victim: object, other: object, bytes: object, repair: object = None) -> str:
        return f"`{victim}` is overwritten through `{other}` before this read; both have {bytes}"

    help = "{repair}"
    aws = ("Lifetime Conflicts",)
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                first = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                second = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=1024))
                first[...] = nl.load(source)
                second[...] = nl.multiply(first, 2.0)
                second[...] = ⟦nl.add(second, first)⟧
                nl.store(output, value=second)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 512), dtype=np.float32))
            """,
            message="`first` is overwritten through `second` before this read; both have bytes 1024 to 2047 of "
            "partitions 0 to 127",
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                first = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf, address=(0, 0))
                second = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf, address=(0, 2044))
                nisa.dma_copy(dst=first, src=source)
                nisa.tensor_copy(dst=second, src=first)
                ⟦nisa.dma_copy(dst=output, src=first)⟧
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 512), dtype=np.float32))
            """,
            message="`first` is overwritten through `second` before this read; both have bytes 2044 to 2047 of "
            "partitions 0 to 127",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                first = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                second = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=2048))
                third = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                first[...] = nl.load(source)
                second[...] = nl.multiply(first, 2.0)
                third[...] = nl.multiply(second, 2.0)
                nl.store(output, value=third)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 512), dtype=np.float32))
            """
        ),
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                first = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf, address=(0, 0))
                second = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf, address=(0, 2048))
                nisa.dma_copy(dst=first, src=source)
                nisa.tensor_copy(dst=second, src=first)
                nisa.tensor_tensor(dst=second, data1=first, data2=second, op=nl.add)
                nisa.dma_copy(dst=output, src=second)
                return output

            if __name__ == "__main__":
                nki.simulate(kernel)(np.zeros((128, 512), dtype=np.float32))
            """,
            dialect=NKI,
        ),
    ]
