from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class DependencyAcrossLoop(Rule):
    """An instruction depends on one that a loop on the device runs, and is not in that loop itself.

    ## What it does
    Looks at `later.depends_on(earlier)`. Each loop around `earlier` that the device runs (`nl.dynamic_range`,
    `nl.fori_loop`, `nl.while_loop`) has to be around `later`, too. An `earlier` outside of the loops around `later` is
    in order. Loops that the compiler unrolls do not count.

    ## Why is this bad?
    A dependency becomes a semaphore that the device waits for whenever the instruction runs. How often a loop on the
    device runs is not known when the kernel is compiled: the semaphore may be raised too often, or never, and the
    kernel hangs.

    ## How to fix
    Let `later` depend on an instruction outside of the loop, or state the order of two instructions of one iteration.

    ## Source
    0.x: `nki.isa.NkiInstruction`.
    """

    code = "NKI608"
    dialects = (NKI,)

    @wording
    def message(self, later: object, earlier: object, loop: object) -> str:
        return f"`{later}` waits for `{earlier}`, which runs in `{loop}` without it"

    help = "let it depend on an instruction outside of the loop, or move both into it"
    dynamic = True
    invalid = [
        Example(
            """
            for i in nl.dynamic_range(4):
                copied = nisa.tensor_copy(dst=y, src=x)
            stored = nisa.dma_copy(dst=output[0:128, 0:512], src=y)
            ⟦stored.depends_on(copied)⟧
            """,
            message="`dma_copy` waits for `tensor_copy`, which runs in `dynamic_range` without it",
            dialect=NKI,
            version="0.5",
        ),
    ]
    valid = [
        Example(
            """
            first = nisa.tensor_copy(dst=y, src=x)
            for i in nl.dynamic_range(4):
                nisa.tensor_copy(dst=y, src=x).depends_on(first)
            """,
            dialect=NKI,
            version="0.5",
        ),
        Example(
            """
            for i in range(4):
                copied = nisa.tensor_copy(dst=y, src=x)
            stored = nisa.dma_copy(dst=output[0:128, 0:512], src=y)
            stored.depends_on(copied)
            """,
            dialect=NKI,
        ),
    ]
