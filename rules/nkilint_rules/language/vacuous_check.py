from ..rule import Example, Rule, Severity, wording
from ..words.dialects import NKI


class VacuousCheck(Rule):
    """A check has the same outcome whatever the input is, or tests something else than it seems to.

    ## What it does
    Reports an assertion or an `if` over sizes whose condition has the same value for every value of the names in it,
    and a mask that lets no element, or every element, of its access through for any input; and, in assertions and `if`,
    `size & 128 == 0`, which tests one bit of the size where a multiple was meant. What is known about a name
    (that sizes are positive, what an earlier assertion said) counts for masks only, and a condition without names is
    never reported: `assert M > 0`, or a check that repeats an earlier one, is no fault. In all functions of a file: an
    assertion or a check such as `assert_allclose` that compares something with itself, without a call in it but of
    `len` and of the launch grid (`nl.num_programs(0)`), an `if` that does so with a shape or dtype, and statements
    behind a `return`, `raise`, `break` or `continue`.

    ## Why is this bad?
    The check says that a case is excluded, and it is not: `a == a` stands where two tensors were to be compared, and
    `n & 128 == 0` holds for 1 and 256, and not for 128. A mask that lets nothing through drops the whole tile; one that
    excludes nothing often has the wrong bound.

    ## How to fix
    Compare what was meant, and write `%` for a remainder. Remove a check that has nothing to say.

    ## Source
    Python, Comparisons and Operator precedence. Beta 1: `nki.language` (NKI API Masking).
    """

    code = "NKI810"

    @wording
    def message(self, kind: object, condition: object, outcome: object) -> str:
        return f"the {kind} `{condition}` is {outcome}"

    @wording
    def bit(self, condition: object, number: object) -> str:
        return f"`{condition}` tests one bit of a size, not its remainder: it is 0 for 1, {number} for {number}"

    @wording
    def unreachable(self, word: object, row: object) -> str:
        return f"nothing leads here: the `{word}` on line {row} leaves the block"

    help = "compare what was meant, or remove the check"
    severity = Severity.WARNING
    style = True
    invalid = [
        Example(
            """
            # nkilint: left: float32[M, 512], right: float32[N, 512], M >= 128, N >= 128
            @nki.jit
            def kernel(left, right):
                assert ⟦left.shape == left.shape⟧
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                total = nl.add(nl.load(left[0:128, 0:512]), nl.load(right[0:128, 0:512]))
                nl.store(output, value=total)
                return output
            """,
            message="the assertion `left.shape == left.shape` is always true",
        ),
        Example(
            """
            # nkilint: source: float32[M, 512], M >= 128
            @nki.jit
            def kernel(source):
                if ⟦source.shape[0] % 128 > 127⟧:
                    return source
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=source[0:128, 0:512])
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=tile)
                return output
            """,
            message="the guard `source.shape[0] % 128 > 127` is never true",
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[M, 512], M >= 128
            @nki.jit
            def kernel(source):
                assert ⟦source.shape[0] & 128⟧ == 0
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=nl.load(source[0:128, 0:512]))
                return output
            """,
            message="`source.shape[0] & 128` tests one bit of a size, not its remainder: it is 0 for 1, 128 for 128",
        ),
        Example(
            """
            i, j = nl.mgrid[0:128, 0:512]
            nl.store(output[i, j], value=x, mask=⟦j > 511⟧)
            """,
            message="the mask `j > 511` is never true",
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: left: float32[M, 512], right: float32[N, 512], M >= 128, N >= 128
            @nki.jit
            def kernel(left, right):
                assert left.shape == right.shape
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                total = nl.add(nl.load(left[0:128, 0:512]), nl.load(right[0:128, 0:512]))
                nl.store(output, value=total)
                return output
            """
        ),
        Example(
            """
            # nkilint: source: float32[M, 512], M >= 128
            @nki.jit
            def kernel(source):
                if source.shape[0] % 128 > 126:
                    return source
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=source[0:128, 0:512])
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nisa.dma_copy(dst=output, src=tile)
                return output
            """,
            dialect=NKI,
        ),
        Example(
            """
            # nkilint: source: float32[M, 512], M >= 128
            @nki.jit
            def kernel(source):
                assert source.shape[0] % 128 == 0 and source.shape[0] & 127 == 0
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                nl.store(output, value=nl.load(source[0:128, 0:512]))
                return output
            """
        ),
        Example(
            """
            i, j = nl.mgrid[0:128, 0:512]
            nl.store(output[i, j], value=x, mask=j > 510)
            """
        ),
    ]
