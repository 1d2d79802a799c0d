from ..rule import Example, Rule, wording
from ..words.dialects import BETA1


class ReboundAccumulator(Rule):
    """An assignment in a loop makes a new tensor where the old one was to be updated.

    ## What it does
    Looks for `x = x + ...`, and other values that are computed from `x`, in a loop or in a branch that the iteration
    decides, where `x` was made before the block and is used after it. Likewise for names that a loop reads and then
    binds to a new tensor; the next iteration would read that.

    ## Why is this bad?
    The name stands for a new tensor from there on, which ends with its block, while the tensor from before the block
    never changes. The compiler warns of the shadowing, and stops where the name is used after the block. The body of a
    loop is compiled once, so what it reads before the assignment is the old tensor in every iteration.

    ## How to fix
    Assign to the elements: `x[...] = x + ...`, or `x += ...`.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_local_variable_used_out_of_scope`).
    """

    code = "NKI705"
    repair = "`x = x + y` becomes `x[...] = x + y`"
    dialects = (BETA1,)

    @wording
    def message(self, tensor: object) -> str:
        return f"`{tensor}` becomes a new tensor in this loop, and is used after it"

    @wording
    def branch(self, tensor: object) -> str:
        return f"`{tensor}` becomes a new tensor in this branch, and is used after it"

    @wording
    def next(self, tensor: object) -> str:
        return f"`{tensor}` becomes a new tensor in this loop, of which the next iteration sees nothing"

    unseen = ("branch", "next")
    help = "assign to its elements: `{tensor}[...] = ...`"
    aws = ("err_local_variable_used_out_of_scope",)
    dynamic = True
    before = ("NKI704",)
    invalid = [
        Example(
            """
            total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            for i in nl.sequential_range(4):
                ⟦total = total + nl.load(a[nl.ds(i * 128, 128), 0:512])⟧
            nl.store(output[0:128, 0:512], value=total)
            """,
            message="`total` becomes a new tensor in this loop, and is used after it",
        ),
        Example(
            """
            before = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            for i in nl.sequential_range(4):
                tile = nl.load(a[nl.ds(i * 128, 128), 0:512])
                nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.subtract(tile, before))
                before = ⟦nl.copy(tile)⟧
            """,
            message="`before` becomes a new tensor in this loop, of which the next iteration sees nothing",
        ),
    ]
    valid = [
        Example(
            """
            total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            for i in nl.sequential_range(4):
                total[...] = total + nl.load(a[nl.ds(i * 128, 128), 0:512])
            nl.store(output[0:128, 0:512], value=total)
            """
        ),
        Example(
            """
            before = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            for i in nl.sequential_range(4):
                tile = nl.load(a[nl.ds(i * 128, 128), 0:512])
                nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.subtract(tile, before))
                before[...] = nl.copy(tile)
            """
        ),
        Example(
            """
            total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            for i in nl.static_range(4):
                total = total + nl.load(a[nl.ds(i * 128, 128), 0:512])
            nl.store(output[0:128, 0:512], value=total)
            """
        ),
    ]
