from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class LostWrite(Rule):
    """A result is overwritten before anything reads it: by the next iteration of a loop, or by another statement.

    ## What it does
    Looks for writes to the same elements in every iteration, of a value that is computed anew in each, to a tensor that
    is read only after the loop, whether that is a `for` over a range or over a list, or a `while`. So are sums lost
    that each iteration begins anew, and in 0.x tiles that each iteration makes and nothing reads but what comes after
    the loop, which sees the last of them.

    A value that builds on the iteration before, such as a running sum that is stored each time, is not reported;
    neither is one that is the same each time, nor a copy of a tile that something else reads too: of that the last is
    kept on purpose.

    Looks besides for statements of which every result is overwritten whole by another statement that always follows
    while nothing reads any of it between the two: a tile that is loaded twice, or a part that is loaded ahead into the
    slot that is still in use. That is a warning. Not reported is what a branch may leave as it is, even if a constant
    decides that branch: such a default is there on purpose. Neither is what is not made of the kernel's inputs, such as
    zeros; nor what is overwritten with the same values; nor what an operation has to write somewhere besides another
    result; nor a tensor that nothing reads at all; nor a copy on chip of a tile that something else reads, too.

    These are the forms that are looked for, and all that a verdict speaks of. A loss that takes more to see is none of
    them: what the next iteration of a loop around reads at its head, parts that statements overwrite only together,
    slots that a remainder chooses, the iterations of a triangular loop.

    ## Why is this bad?
    Only the result of the last iteration is left. Mostly an accumulation was meant, or each iteration was to write its
    own part of the tensor. In `affine_range` of Beta 1, whose iterations have no order, this is NKI602. What another
    statement overwrites was loaded or computed for nothing: mostly one of the two was to write elsewhere, or what reads
    the first stands too late.

    ## How to fix
    Accumulate with `+=` or `nisa.tensor_tensor(..., op=nl.add)`, or let the elements depend on the iteration. Of two
    statements let one write to another tensor or slot, or leave the first one out.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_unexpected_output_dependencies`). 0.x: `get-started/nki-language-guide.rst`.
    """

    code = "NKI708"
    copies = frozenset({"isa.tensor_copy", "isa.dma_copy", "language.copy", "language.store"})
    """Operations that leave what they write where it was, too."""

    @wording
    def message(self, loop: object, tensor: object) -> str:
        return f"each iteration of the loop over `{loop}` overwrites `{tensor}`, which is read only after the loop"

    @wording
    def on_device(self, loop: object, tensor: object) -> str:
        return f"each iteration of `{loop}` overwrites `{tensor}`, which is read only after the loop"

    @wording
    def anew(self, loop: object, tensor: object) -> str:
        return f"each iteration of the loop over `{loop}` makes `{tensor}` anew, and only the last one is read"

    @wording
    def overwritten(self, tensor: object) -> str:
        return f"what is written to `{tensor}` here is overwritten before anything reads it"

    help = "accumulate, or write to elements of its own each time"
    dynamic = True
    warned = ("overwritten",)
    unseen = ("on_device",)
    breaks_besides = ("NKI701", "NKI703")  # what all iterations should have written between them is missing elsewhere
    invalid = [
        Example(
            """
            total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
            for k in nl.sequential_range(4):
                stationary = nl.load(a[nl.ds(k * 128, 128), 0:128])
                moving = nl.load(b[nl.ds(k * 128, 128), 0:512])
                ⟦total[...]⟧ = nisa.nc_matmul(stationary, moving)
            nl.store(output[0:128, 0:512], value=nl.copy(total))
            """,
            message="each iteration of the loop over `k` overwrites `total`, which is read only after the loop",
        ),
        Example(
            """
            total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            for k in range(8):
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=a[nl.ds(k * 32, 128), 0:512])
                ⟦nisa.tensor_scalar(dst=total, data=tile, op0=nl.multiply, operand0=0.125)⟧
            nisa.dma_copy(dst=output[0:128, 0:512], src=total)
            """,
            message="each iteration of the loop over `k` overwrites `total`, which is read only after the loop",
            dialect=NKI,
        ),
        Example(
            """
            @nki.jit
            def kernel(a):
                assert a.shape == (512, 512)
                output = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
                total = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)

                def load(i):
                    ⟦nisa.dma_copy(dst=total, src=a[nl.ds(i * 128, 128), 0:512])⟧

                nl.fori_loop(0, 4, load)
                nisa.dma_copy(dst=output, src=total)
                return output
            """,
            message="each iteration of `fori_loop` overwrites `total`, which is read only after the loop",
            dialect=NKI,
        ),
        Example(
            """
            nisa.dma_copy(dst=x, src=b[0:128, 0:512])
            for k in range(8):
                total = ⟦nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)⟧
                weights = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=weights, src=a[nl.ds(k * 32, 128), 0:128])
                nisa.nc_matmul(dst=total, stationary=weights, moving=x)
            nisa.tensor_copy(dst=y, src=total)
            nisa.dma_copy(dst=output[0:128, 0:512], src=y)
            """,
            message="each iteration of the loop over `k` makes `total` anew, and only the last one is read",
            dialect=NKI,
        ),
        Example(
            """
            total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            for k in range(8):
                nisa.memset(dst=total, value=0.0)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=a[nl.ds(k * 32, 128), 0:512])
                ⟦nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)⟧
            nisa.dma_copy(dst=output[0:128, 0:512], src=total)
            """,
            message="each iteration of the loop over `k` overwrites `total`, which is read only after the loop",
            dialect=NKI,
        ),
        Example(
            """
            tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            ⟦nisa.dma_copy(dst=tile, src=a[0:128, 0:512])⟧
            nisa.dma_copy(dst=tile, src=b[128:256, 0:512])
            nisa.dma_copy(dst=output[0:128, 0:512], src=tile)
            """,
            message="what is written to `tile` here is overwritten before anything reads it",
            dialect=NKI,
        ),
        Example(
            """
            tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            ⟦tile[...]⟧ = nl.load(a[0:128, 0:512])
            tile[...] = nl.load(b[128:256, 0:512])
            nl.store(output[0:128, 0:512], value=tile)
            """,
            message="what is written to `tile` here is overwritten before anything reads it",
        ),
        Example(
            """
            slots = nl.ndarray((128, 2, 512), dtype=nl.float32, buffer=nl.sbuf)
            ⟦nisa.dma_copy(dst=slots[:, 0, :], src=a[0:128, 0:512])⟧
            for i in range(4):
                if i + 1 < 4:
                    nisa.dma_copy(dst=slots[:, i % 2, :], src=a[nl.ds((i + 1) * 128, 128), 0:512])
                nisa.dma_copy(dst=output[nl.ds(i * 128, 128), 0:512], src=slots[:, i % 2, :])
            """,
            message="what is written to `slots` here is overwritten before anything reads it",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
            for k in nl.sequential_range(4):
                stationary = nl.load(a[nl.ds(k * 128, 128), 0:128])
                moving = nl.load(b[nl.ds(k * 128, 128), 0:512])
                total += nisa.nc_matmul(stationary, moving)
            nl.store(output[0:128, 0:512], value=nl.copy(total))
            """
        ),
        Example(
            """
            total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(dst=total, value=0.0)
            for k in range(8):
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=a[nl.ds(k * 32, 128), 0:512])
                nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
            nisa.dma_copy(dst=output[0:128, 0:512], src=total)
            """,
            dialect=NKI,
        ),
        Example(
            """
            last = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            for k in range(3):
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=a[nl.ds(k * 32, 128), 0:512])
                nisa.tensor_copy(dst=last, src=tile)
                nisa.dma_copy(dst=output[nl.ds(k * 128, 128), 0:512], src=tile)
            nisa.dma_copy(dst=output[384:512, 0:512], src=last)
            """,
            dialect=NKI,
        ),
        Example(
            """
            slots = nl.ndarray((128, 2, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=slots[:, 0, :], src=a[0:128, 0:512])
            for i in range(4):
                if i + 1 < 4:
                    nisa.dma_copy(dst=slots[:, (i + 1) % 2, :], src=a[nl.ds((i + 1) * 128, 128), 0:512])
                nisa.dma_copy(dst=output[nl.ds(i * 128, 128), 0:512], src=slots[:, i % 2, :])
            """,
            dialect=NKI,
        ),
    ]
