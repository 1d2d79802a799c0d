from types import MappingProxyType

from ..rule import Example, Rule, Severity, wording
from ..words.dialects import NKI


class RepeatedSeed(Rule):
    """Each iteration of a loop starts the random numbers over from the same seed.

    ## What it does
    Looks for loops that seed an engine's generator with one and the same value in every iteration and then draw from
    it. A seed that hangs on the iteration is not reported; neither is one that the loop computes from random numbers,
    or in more steps than one, nor what is drawn on another engine.

    ## Why is this bad?
    The same seed gives the same sequence: every tile gets the same random numbers, or loses the same elements to
    dropout. What they are drawn for counts on their being independent.

    ## How to fix
    Seed once before the loop, or add the number of the iteration to the seed. Where the sequence is repeated on
    purpose, to compute the same dropout a second time, silence the finding.

    ## Source
    Beta 1 and 0.x: `nki.language.random_seed`. 0.x: `nki.isa.set_rng_seed`, `nki.isa.rand_set_state`.
    """

    code = "NKI712"
    seeds = MappingProxyType(
        {"language.random_seed": "seed", "isa.set_rng_seed": "src_seeds", "isa.rand_set_state": "src_seeds"}
    )
    """Operations that seed the generator, and their operand that holds the seed."""
    draws = frozenset({"language.rand", "language.dropout", "isa.dropout", "isa.rng"})
    """Operations that draw from it."""
    engines = MappingProxyType({"isa.rng": "vector", "isa.rand_set_state": "gpsimd"})
    """Operations that run on an engine of the kernel's choice, and the one where it chooses none."""

    @classmethod
    def engine(cls, operation: str, given: str | None) -> str | None:
        """The engine whose generator an operation seeds or draws from, where it is `given` this one; None where that is
        not known."""
        name = (given or cls.engines[operation]) if operation in cls.engines else "vector"
        return name if name in ("vector", "gpsimd") else None

    @wording
    def message(self, loop: object) -> str:
        return f"each iteration of the loop over `{loop}` seeds with the same value and draws the same random numbers"

    help = "seed once before the loop, or add the iteration to the seed"
    severity = Severity.WARNING
    dynamic = True
    invalid = [
        Example(
            """
            for i in nl.affine_range(4):
                ⟦nl.random_seed(7)⟧
                tile = nl.load(a[nl.ds(i * 128, 128), 0:512])
                nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.dropout(tile, 0.5))
            """,
            message="each iteration of the loop over `i` seeds with the same value and draws the same random numbers",
        ),
        Example(
            """
            seed = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
            nisa.memset(dst=seed, value=7)
            for i in range(4):
                ⟦nisa.set_rng_seed(seed)⟧
                nisa.dropout(dst=y, data=x, prob=0.5)
                nisa.dma_copy(dst=output[nl.ds(i * 128, 128), 0:512], src=y)
            """,
            message="each iteration of the loop over `i` seeds with the same value and draws the same random numbers",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[N, 512], N % 128 == 0
            @nki.jit
            def kernel(source):
                output = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.shared_hbm)
                for i in nl.affine_range(source.shape[0] // 128):
                    ⟦nl.random_seed(7)⟧
                    tile = nl.load(source[nl.ds(i * 128, 128), 0:512])
                    nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.dropout(tile, 0.5))
                return output
            """,
            message="each iteration of the loop over `i` seeds with the same value and draws the same random numbers",
            precondition="N <= 128",
        ),
    ]
    valid = [
        Example(
            """
            nl.random_seed(7)
            for i in nl.sequential_range(4):
                tile = nl.load(a[nl.ds(i * 128, 128), 0:512])
                nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.dropout(tile, 0.5))
            """
        ),
        Example(
            """
            seed = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
            for i in range(4):
                nisa.memset(dst=seed, value=i)
                nisa.set_rng_seed(seed)
                nisa.dropout(dst=y, data=x, prob=0.5)
                nisa.dma_copy(dst=output[nl.ds(i * 128, 128), 0:512], src=y)
            """,
            dialect=NKI,
        ),
    ]
