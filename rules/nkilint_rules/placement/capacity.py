from ..rule import Example, Rule, Severity, wording
from ..words.dialects import BETA1, NKI


class Capacity(Rule):
    """More data is alive at once than SBUF or PSUM holds.

    ## What it does
    Adds up, for each statement of a kernel, the tensors that were written before it and are read after it, and compares
    the largest sum with the memory of the target. Only what surely is alive at the same time is counted. A kernel that
    places its tensors itself is not looked at: there, a tile beyond the memory (NKI402) and tiles that overwrite each
    other (NKI501) are reported.

    ## Why is this bad?
    The compiler has to move data to HBM and back, which costs time, or gives up.

    ## How to fix
    Use data up before the next tensors are filled, load it in smaller pieces, or keep it in a narrower dtype.

    ## Source
    Beta 1 and 0.x: `trainium_inferentia2_arch.rst`, `trainium2_arch.rst`, `trainium3_arch.rst` (sizes of the memories).
    """

    code = "NKI410"
    dialects = (BETA1, NKI)
    severity = Severity.INFO

    @wording
    def message(self, who: object, bytes: object, memory: object, target: object, capacity: object) -> str:
        return f"{who} {bytes} bytes of each partition at once; {memory} of {target} has {capacity}"

    help = "use some of them up before the others are filled, or load smaller pieces"
    aws = ("GCA046",)
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: left: float32[128, 32768], right: float32[128, 32768]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((128, 32768), dtype=nl.float32, buffer=nl.shared_hbm)
                x = nl.load(left)
                y = ⟦nl.load(right)⟧
                nl.store(output, value=nl.add(x, y))
                return output
            """,
            message="2 tensors need 262144 bytes of each partition at once; SBUF of trn2 has 229376",
        ),
        Example(
            """
            # nkilint: left: float32[128, 32768], right: float32[128, 32768]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((128, 32768), dtype=nl.float32, buffer=nl.shared_hbm)
                x = nl.ndarray((128, 32768), dtype=nl.float32, buffer=nl.sbuf)
                y = nl.ndarray((128, 32768), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=x, src=left)
                ⟦nisa.dma_copy(dst=y, src=right)⟧
                nisa.tensor_tensor(dst=y, data1=x, data2=y, op=nl.add)
                nisa.dma_copy(dst=output, src=y)
                return output
            """,
            message="2 tensors need 262144 bytes of each partition at once; SBUF of trn2 has 229376",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: left: float32[128, 32768], right: float32[128, 32768]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((128, 32768), dtype=nl.float32, buffer=nl.shared_hbm)
                for i in nl.affine_range(64):
                    x = nl.load(left[0:128, nl.ds(i * 512, 512)])
                    y = nl.load(right[0:128, nl.ds(i * 512, 512)])
                    nl.store(output[0:128, nl.ds(i * 512, 512)], value=nl.add(x, y))
                return output
            """
        ),
        Example(
            """
            # nkilint: left: float32[128, 32768], right: float32[128, 32768]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((128, 32768), dtype=nl.float32, buffer=nl.shared_hbm)
                for i in range(64):
                    x = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                    y = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                    nisa.dma_copy(dst=x, src=left[0:128, i * 512 : (i + 1) * 512])
                    nisa.dma_copy(dst=y, src=right[0:128, i * 512 : (i + 1) * 512])
                    nisa.tensor_tensor(dst=y, data1=x, data2=y, op=nl.add)
                    nisa.dma_copy(dst=output[0:128, i * 512 : (i + 1) * 512], src=y)
                return output
            """,
            dialect=NKI,
        ),
    ]
