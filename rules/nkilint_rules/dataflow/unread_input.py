from ..rule import Example, Rule, Severity, wording
from ..words.dialects import NKI


class UnreadInput(Rule):
    """The rest of an input after the last whole tile is never read.

    ## What it does
    Looks for inputs that a kernel reads as a whole along an axis where its size is a multiple of something, and in part
    elsewhere, unless the parts overlap, as windows do, or a result has less for each whole part and no more, as that of
    pooling has; for loops that read as many parts of an axis as it has, but move by less than a part (`nl.ds(i, 128)`
    for `nl.ds(i * 128, 128)`) and could go on, or not at all (`nl.ds(0, 128)`; of fixed sizes where the loop goes
    through nothing else, or sums up products); and for loops that go from part to part and leave out the first or the
    last (`range(K // 128 - 1)`), unless they write a part of a result for each. A kernel that reads another part of its
    input whatever the size is not reported: it may need no more.

    ## Why is this bad?
    A loop over `rows // 128` tiles leaves out up to 127 rows. In a contraction or a reduction that gives a result of
    the right shape with wrong values.

    ## How to fix
    Take `math.ceil(rows / 128)` iterations and mask the last one, or assert that the size is a multiple.

    ## Source
    Beta 1: `programming_model.rst` (loops over tiles, masking). 0.x: `get-started/nki-language-guide.rst`.
    """

    code = "NKI709"

    @wording
    def message(self, element: object, tensor: object, axis: object) -> str:
        return f"element {element} of `{tensor}` is never read: axis {axis} is not covered"

    @wording
    def conditional(self, element: object, tensor: object, axis: object) -> str:
        return f"the rest of axis {axis} of `{tensor}` after the last whole tile is never read"

    @wording
    def steps(self, tensor: object, axis: object, loop: object, step: object, width: object) -> str:
        return (
            f"the loop over `{loop}` reads {width} elements of axis {axis} of `{tensor}` at a time and moves by {step}"
            ", so that the rest is never read"
        )

    @wording
    def parts(self, tensor: object, axis: object, loop: object, which: object) -> str:
        return f"the loop over `{loop}` reads all parts of axis {axis} of `{tensor}` but the {which}"

    @wording
    def stays(self, tensor: object, axis: object, loop: object) -> str:
        return (
            f"each iteration of the loop over `{loop}` reads the same part of axis {axis} of `{tensor}`, so that the "
            "rest is never read"
        )

    help = "round the trip count up and mask the last tile, or assert that the size is a multiple"
    severity = Severity.WARNING
    invalid = [
        Example(
            """
            # nkilint: left: float32[K, 128], right: float32[K, 512]
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
                for k in nl.affine_range(left.shape[0] // 128):
                    stationary = ⟦nl.load(left[nl.ds(k * 128, 128), 0:128])⟧
                    moving = nl.load(right[nl.ds(k * 128, 128), 0:512])
                    total += nisa.nc_matmul(stationary, moving)
                nl.store(output, value=nl.copy(total))
                return output
            """,
            message="the rest of axis 0 of `left` after the last whole tile is never read",
            precondition="K % 128 == 0",
        ),
        Example(
            """
            # nkilint: source: float32[128, N]
            @nki.jit
            def kernel(source):
                total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.memset(dst=total, value=0.0)
                for j in range(source.shape[1] // 512):
                    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                    ⟦nisa.dma_copy(dst=tile, src=source[0:128, nl.ds(j * 512, 512)])⟧
                    nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=total)
                return output
            """,
            message="the rest of axis 1 of `source` after the last whole tile is never read",
            precondition="N % 512 == 0",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[N, 512], N % 128 == 0
            @nki.jit
            def kernel(source):
                total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.memset(dst=total, value=0.0)
                for i in range(source.shape[0] // 128):
                    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                    ⟦nisa.dma_copy(dst=tile, src=source[nl.ds(i, 128), 0:512])⟧
                    nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=total)
                return output
            """,
            message="the loop over `i` reads 128 elements of axis 0 of `source` at a time and moves by 1, so that the "
            "rest is never read",
            precondition="N <= 128",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[K, 512], K % 128 == 0
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                for k in nl.sequential_range(source.shape[0] // 128 - 1):
                    total[...] = nl.add(total, ⟦nl.load(source[nl.ds(k * 128, 128), 0:512])⟧)
                nl.store(output, value=total)
                return output
            """,
            message="the loop over `k` reads all parts of axis 0 of `source` but the last",
        ),
        Example(
            """
            # nkilint: source: float32[N, 512], scale: float32[N, 1], N % 128 == 0
            @nki.jit
            def kernel(source, scale):
                output = nl.ndarray(source.shape, dtype=nl.float32, buffer=nl.shared_hbm)
                for i in range(source.shape[0] // 128):
                    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                    factor = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
                    nisa.dma_copy(dst=tile, src=source[nl.ds(i * 128, 128), 0:512])
                    ⟦nisa.dma_copy(dst=factor, src=scale[0:128, 0:1])⟧
                    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=factor)
                    nisa.dma_copy(dst=output[nl.ds(i * 128, 128), 0:512], src=tile)
                return output
            """,
            message="each iteration of the loop over `i` reads the same part of axis 0 of `scale`, so that the rest is "
            "never read",
            precondition="N <= 128",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: left: float32[K, 128], right: float32[K, 512], K % 128 == 0
            @nki.jit
            def kernel(left, right):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
                for k in nl.affine_range(left.shape[0] // 128):
                    stationary = nl.load(left[nl.ds(k * 128, 128), 0:128])
                    moving = nl.load(right[nl.ds(k * 128, 128), 0:512])
                    total += nisa.nc_matmul(stationary, moving)
                nl.store(output, value=nl.copy(total))
                return output
            """
        ),
        Example(
            """
            # nkilint: source: float32[K, 512], K >= 128
            @nki.jit
            def kernel(source):
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=source[0:128, 0:512])
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=tile)
                return output
            """,
            dialect=NKI,
        ),
    ]
