from ..rule import Example, Rule, wording
from ..words.dialects import BETA1


class OutOfScope(Rule):
    """A tensor is used outside the block that makes it.

    ## What it does
    Looks for tensors that are made in a loop, or in a branch that the iteration or the program decides, and used after
    it. A branch on shapes or arguments has no scope of its own here, since tracing takes one side of it; neither has
    the body of `nl.static_range`, which is unrolled.

    ## Why is this bad?
    The compiler keeps loops and such branches as blocks with scopes of their own. A tensor ends with its block, where
    Python would keep the name.

    ## How to fix
    Make the tensor before the block and assign to its elements inside: `tile[...] = nl.load(...)`.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_local_variable_used_out_of_scope`), `programming_model.rst` (`range` is
    `sequential_range`).
    """

    code = "NKI704"
    dialects = (BETA1,)

    @wording
    def message(self, tensor: object, block: object) -> str:
        return f"`{tensor}` is used outside the loop that makes it"

    @wording
    def branch(self, tensor: object, block: object) -> str:
        return f"`{tensor}` is used outside the branch that makes it"

    unseen = ("branch",)
    help = "make `{tensor}` before the {block}, and assign to its elements inside"
    aws = ("err_local_variable_used_out_of_scope",)
    dynamic = True
    invalid = [
        Example(
            """
            for i in nl.affine_range(4):
                tile = nl.load(a[nl.ds(i * 128, 128), 0:512])
                nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)
            ⟦nl.store(output[0:128, 0:512], value=tile)⟧
            """,
            message="`tile` is used outside the loop that makes it",
        ),
        Example(
            """
            for i in nl.affine_range(4):
                if i < 2:
                    tile = nl.load(a[0:128, 0:512])
                else:
                    tile = nl.load(b[0:128, 0:512])
                ⟦nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)⟧
            """,
            message="`tile` is used outside the branch that makes it",
        ),
    ]
    valid = [
        Example(
            """
            for i in nl.affine_range(4):
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                if i < 2:
                    tile[...] = nl.load(a[0:128, 0:512])
                else:
                    tile[...] = nl.load(b[0:128, 0:512])
                nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)
            """
        ),
        Example(
            """
            tiles = []
            for i in nl.static_range(4):
                tiles.append(nl.load(a[nl.ds(i * 128, 128), 0:512]))
            for i in nl.static_range(4):
                nl.store(output[nl.ds(i * 128, 128), 0:512], value=tiles[i])
            """
        ),
    ]
