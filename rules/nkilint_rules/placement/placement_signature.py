from collections.abc import Sequence
from typing import Any

from ..placing.allocators import GIVEN, is_place, place_words
from ..rule import Example, Need, Rule, wording
from ..words.dialects import BETA1


class PlacementSignature(Rule):
    """Tile counts do not fit the block dimensions, or an allocator returns something else than a place.

    ## What it does
    Compares the lengths of `num_bank_tiles`, `num_par_tiles` and `num_free_tiles` with the number of block dimensions;
    an empty tuple stands for one tile. Calls the function given to `alloc` for every block and looks at what it
    returns: `(start_partition, byte_addr)` for SBUF and `(bank_id, start_partition, byte_addr)` for PSUM.

    ## Why is this bad?
    The compiler calls the allocator in just this way, and stops.

    ## How to fix
    Give one count for each dimension before the partition dimension, and return the place that the memory asks for.

    ## Source
    `nki.compiler.sbuf.alloc`, `nki.compiler.sbuf.mod_alloc`, `nki.compiler.psum.alloc`, `nki.compiler.psum.mod_alloc`.
    """

    code = "NKI409"
    dialects = (BETA1,)

    @wording
    def message(self, name: object, count: object, blocks: object) -> str:
        return f"`{name}` has {count} entries for {blocks} block dimensions"

    @wording
    def counts(self, name: object, count: object, blocks: object) -> str:
        return f"`{name}` has {count} entries for {blocks} block dimensions"

    @wording
    def result(self, result: object, expected: object) -> str:
        return f"the allocator returns {result}; the compiler takes {expected}"

    help = "give one count for each block dimension, and return a place of the form that the memory asks for"
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: source: float32[4, 128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tiles = ⟦nl.ndarray(
                    (4, nl.par_dim(128), 512), dtype=nl.float32,
                    buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2, 2)),
                )⟧
                for i in nl.affine_range(4):
                    tiles[i] = nl.load(source[i])
                    nl.store(output[i], value=tiles[i])
                return output

            if __name__ == "__main__":
                kernel(np.zeros((4, 128, 512), dtype=np.float32))
            """,
            message="`num_free_tiles` has 2 entries for 1 block dimensions",
        ),
        Example(
            """
            def place(idx, pdim_size, fdim_size):
                return 0, 0, idx[0] * fdim_size

            # nkilint: source: float32[4, 128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tiles = ⟦nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.alloc(place))⟧
                for i in nl.affine_range(4):
                    tiles[i] = nl.load(source[i])
                    nl.store(output[i], value=tiles[i])
                return output

            if __name__ == "__main__":
                kernel(np.zeros((4, 128, 512), dtype=np.float32))
            """,
            message="the allocator returns 3 values; the compiler takes (start_partition, byte_addr)",
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[2, 4, 128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((2, 4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tiles = nl.ndarray(
                    (2, 4, nl.par_dim(128), 512), dtype=nl.float32,
                    buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2, 2)),
                )
                for i in nl.affine_range(2):
                    for j in nl.affine_range(4):
                        tiles[i, j] = nl.load(source[i, j])
                        nl.store(output[i, j], value=tiles[i, j])
                return output

            if __name__ == "__main__":
                kernel(np.zeros((2, 4, 128, 512), dtype=np.float32))
            """
        ),
        Example(
            """
            def place(idx, pdim_size, fdim_size):
                return 0, (idx[0] % 2) * fdim_size

            # nkilint: source: float32[4, 128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tiles = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.alloc(place))
                for i in nl.affine_range(4):
                    tiles[i] = nl.load(source[i])
                    nl.store(output[i], value=tiles[i])
                return output

            if __name__ == "__main__":
                kernel(np.zeros((4, 128, 512), dtype=np.float32))
            """
        ),
    ]

    def check_counts(self, name: str, counts: Sequence[Any], blocks: int) -> Need:
        """Tile counts are left out, or there is one for each block dimension, if there are any."""
        return Need(
            blocks == 0 or len(counts) in (0, blocks), None, self.counts(name=name, count=len(counts), blocks=blocks)
        )

    def check_result(self, result: Any, memory: str) -> Need:
        """An allocation function gives a place of the form that the memory asks for."""
        return Need(
            is_place(result, memory),
            None,
            self.result(result=place_words(result), expected=f"({', '.join(GIVEN[memory])})"),
        )
