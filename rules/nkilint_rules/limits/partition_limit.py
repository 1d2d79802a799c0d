from collections.abc import Iterator

from ..needs import new_tiles, on_chip, shape_text
from ..operations.form import Call
from ..rule import Example, Need, Rule, wording
from ..words.dialects import NKI
from ..words.memory import ON_CHIP
from ..words.shapes import same_size


class PartitionLimit(Rule):
    """A tile spans more partitions than the memory has.

    ## What it does
    Requires of every tile in SBUF or PSUM, where it is created, loaded or computed, that its partition dimension is at
    most 128. The partition dimension is the first one; in Beta 1 it is the one marked `nl.par_dim`, and dimensions
    before it are block dimensions.

    ## Why is this bad?
    SBUF and PSUM have 128 partitions, one for each lane of the engines. The compiler stops with an error.

    ## How to fix
    Split the dimension into tiles of 128 and loop over them.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_num_partition_exceed_arch_limit`), `programming_model.rst` (Tile size
    considerations, TC#1). 0.x: `get-started/about/tiling-overview.rst`, release notes of 0.6 (operands of compute
    instructions are verified).
    """

    code = "NKI101"

    @wording
    def message(self, shape: object, partitions: object, target: object, limit: object) -> str:
        return f"tile {shape} spans {partitions} partitions; {target} has {limit}"

    help = "split the partition dimension into tiles of at most 128"
    aws = ("err_num_partition_exceed_arch_limit",)
    dynamic = True
    judges_calls = True
    invalid = [
        Example(
            "t = ⟦nl.zeros((129, 512), dtype=nl.float32, buffer=nl.sbuf)⟧",
            message="tile [129, 512] spans 129 partitions; trn2 has 128",
        ),
        Example(
            "t = ⟦nl.ndarray((4, nl.par_dim(256), 512), dtype=nl.float32, buffer=nl.sbuf)⟧",
            message="tile [256, 512] spans 256 partitions; trn2 has 128",
        ),
        Example("t = ⟦nl.load(a)⟧", message="tile [512, 512] spans 512 partitions; trn2 has 128"),
        Example(
            "t = ⟦nl.ndarray((129, 512), dtype=nl.float32, buffer=nl.sbuf)⟧",
            message="tile [129, 512] spans 129 partitions; trn2 has 128",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[M, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.shared_hbm)
                nl.store(output, value=⟦nl.load(source)⟧)
                return output
            """,
            message="tile [M, 512] spans M partitions; trn2 has 128",
            precondition="M <= 128",
        ),
        Example(
            """
            # nkilint: source: float32[M, 512]
            @nki.jit
            def kernel(source):
                tile = ⟦nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.sbuf)⟧
                nisa.dma_copy(dst=tile, src=source)
                output = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=tile)
                return output
            """,
            message="tile [M, 512] spans M partitions; trn2 has 128",
            dialect=NKI,
            precondition="M <= 128",
        ),
    ]
    valid = [
        Example("t = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)"),
        Example("t = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)"),
        Example("t = nl.load(a[384:512, 0:512])"),
        Example("t = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.hbm)"),
        Example("t = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)", dialect=NKI),
        Example(
            """
            # nkilint: source: float32[M, 512]
            @nki.jit
            def kernel(source):
                assert source.shape[0] <= nl.tile_size.pmax
                output = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.shared_hbm)
                nl.store(output, value=nl.load(source))
                return output
            """
        ),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        # What comes from a tile on the chip has the sizes of that tile, which were judged where it was made.
        inherited = [size for _, _, t in call.tiles() if on_chip(t) for size in (t.partitions, t.free)]
        for made in new_tiles(call):
            if made.memory in ON_CHIP and len(made.shape) > made.blocks:
                partitions = made.shape[made.blocks]
                if not any(same_size(partitions, size) for size in inherited):
                    yield Need(
                        partitions <= call.target.pmax,
                        None,
                        self.message(
                            shape=shape_text(made.shape[made.blocks :]),
                            partitions=partitions,
                            target=call.target,
                            limit=call.target.pmax,
                        ),
                    )
