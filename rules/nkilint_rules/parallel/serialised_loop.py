from ..rule import Example, Rule, Severity, wording
from ..words.dialects import BETA1


class SerialisedLoop(Rule):
    """Advice: a loop runs in order although no iteration needs another.

    ## What it does
    Reports `nl.affine_range` loops in which every iteration writes and reads the same physical tiles of a directly
    allocated tensor: one made inside of the loop, at an address that does not depend on the iteration, or one with a
    block for each iteration and a single physical tile.

    Reports `nl.sequential_range` where it is proved, for all inputs, that no two iterations touch the same element of
    anything that outlives an iteration while one of them writes it. Loops that accumulate, draw random numbers or print
    are left out, and so are those of which anything is not known, and kernels that place tensors themselves.

    ## Why is this bad?
    The compiler keeps the order of a sequential loop, and may not overlap its iterations. Where they share a tile, one
    iteration cannot write it before the one before has read it, so that the engines wait for each other.

    ## How to fix
    Write `nl.affine_range`, which promises that the iterations are independent. Make a shared tensor before the loop,
    with a block dimension, and give it two or more physical tiles, if there is room.

    ## Source
    Beta 1: `programming_model.rst` (`affine_range` and `sequential_range`), `nki.language.sequential_range`,
    `nki_direct_allocation_guide.rst` (Development Best Practices).
    """

    code = "NKI604"
    dialects = (BETA1,)
    severity = Severity.INFO

    @wording
    def message(self, loop: object, instead: object) -> str:
        return f"no iteration of the loop over `{loop}` needs another, yet they run in order"

    @wording
    def tiles(self, loop: object, tensors: object, instead: object) -> str:
        return f"the iterations of the loop over `{loop}` share the physical tiles of {tensors}, and cannot overlap"

    help = "write {instead}"
    invalid = [
        Example(
            """
            ⟦for i in nl.sequential_range(4):
                tile = nl.exp(nl.load(a[nl.ds(i * 128, 128), 0:512]))
                nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)⟧
            """,
            message="no iteration of the loop over `i` needs another, yet they run in order",
        ),
        Example(
            """
            # nkilint: a: float32[512, 512]
            @nki.jit
            def kernel(a):
                output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                ⟦for i in nl.affine_range(4):
                    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                    tile[...] = nl.load(a[nl.ds(i * 128, 128), 0:512])
                    nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)⟧
                return output
            """,
            message="the iterations of the loop over `i` share the physical tiles of `tile`, and cannot overlap",
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: a: float32[512, 512]
            @nki.jit
            def kernel(a):
                output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
                tiles = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)
                for i in nl.affine_range(4):
                    tiles[i] = nl.load(a[nl.ds(i * 128, 128), 0:512])
                    nl.store(output[nl.ds(i * 128, 128), 0:512], value=tiles[i])
                return output
            """
        ),
        Example(
            """
            for i in nl.affine_range(4):
                tile = nl.exp(nl.load(a[nl.ds(i * 128, 128), 0:512]))
                nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)
            """
        ),
        Example(
            """
            for i in nl.sequential_range(4):
                x += nl.load(a[nl.ds(i * 128, 128), 0:512])
            nl.store(output[0:128, 0:512], value=x)
            """
        ),
    ]
