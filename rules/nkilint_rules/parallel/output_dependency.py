from ..rule import Example, Rule, wording


class OutputDependency(Rule):
    """Two iterations of an `affine_range` loop write the same element.

    ## What it does
    Proves, for every `affine_range` loop and every tensor made outside it, that no two iterations write the same
    element: with symbolic trip counts, masks, block dimensions, partial tiles and in the helpers that the loop calls.
    Accumulating in place with `+=` (or another operator whose steps may come in any order) is exempt, in PSUM and in
    SBUF, unless another operator changes the same elements in the loop. A tensor that is made inside the loop belongs
    to its iteration. In 0.x `affine_range` is another name for `range`: nothing is reported.

    ## Why is this bad?
    `affine_range` promises the compiler that iterations are independent. It may run them in any order, or overlap them,
    and which of the values stays is not defined. The compiler reports `err_unexpected_output_dependencies` where it
    notices.

    ## How to fix
    Index the destination by the loop variable, make the tensor inside the loop, or use `sequential_range`.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_unexpected_output_dependencies`), `api/nki/language` (`affine_range`).
    """

    code = "NKI602"
    dialects = ("neuronxcc",)

    @wording
    def message(self, first: object, second: object, loop: object, element: object, tensor: object) -> str:
        return f"iterations {first} and {second} of the loop over `{loop}` both write element {element} of `{tensor}`"

    help = "index it by `{loop}`, make it inside the loop, or use `sequential_range`"
    aws = ("err_unexpected_output_dependencies",)
    dynamic = True
    invalid = [
        Example(
            """
            rows = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
            for i in nl.affine_range(4):
                ⟦rows[...]⟧ = nl.load(a[i * 128 : (i + 1) * 128, 0:512])
            for i in nl.affine_range(4):
                nl.store(output[i * 128 : (i + 1) * 128, 0:512], value=rows)
            """,
            message="iterations 0 and 1 of the loop over `i` both write element [0, 0] of `rows`",
        ),
        Example(
            """
            for i in nl.affine_range(4):
                tile = nl.load(a[0:128, i * 128 : i * 128 + 128])
                ⟦nl.store(output[0:128, i * 100 : i * 100 + 128], value=tile)⟧
            """,
            message="iterations 0 and 1 of the loop over `i` both write element [0, 100] of `output`",
        ),
        Example(
            """
            # nkilint: source: float32[512, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                for i in nl.affine_range(4):
                    for j in nl.affine_range(4):
                        tile = nl.load(source[i * 128 : (i + 1) * 128, j * 128 : (j + 1) * 128])
                        ⟦nl.store(output[0:128, j * 128 : (j + 1) * 128], value=tile)⟧
                return output
            """,
            message="iterations 0 and 1 of the loop over `i` both write element [0, 0] of `output`",
        ),
        Example(
            """
            total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            for i in nl.affine_range(4):
                total *= 0.5
                ⟦total += nl.load(a[i * 128 : (i + 1) * 128, 0:512])⟧
            nl.store(output[0:128, 0:512], value=total)
            """,
            message="iterations 0 and 1 of the loop over `i` both write element [0, 0] of `total`",
        ),
    ]
    valid = [
        Example(
            """
            rows = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
            for i in nl.affine_range(4):
                rows[i] = nl.load(a[i * 128 : (i + 1) * 128, 0:512])
            for i in nl.affine_range(4):
                nl.store(output[i * 128 : (i + 1) * 128, 0:512], value=rows[i])
            """
        ),
        Example(
            """
            total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(4):
                total += nl.matmul(w, x)
            nl.store(output[0:128, 0:512], value=total)
            """
        ),
        Example(
            """
            tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            for i in nl.sequential_range(4):
                tile[...] = nl.load(a[i * 128 : (i + 1) * 128, 0:512])
                nl.store(output[i * 128 : (i + 1) * 128, 0:512], value=tile)
            """
        ),
    ]
