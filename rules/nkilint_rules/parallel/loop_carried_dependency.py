from ..rule import Example, Rule, wording


class LoopCarriedDependency(Rule):
    """An iteration of an `affine_range` loop reads what another one writes.

    ## What it does
    Proves, for every `affine_range` loop and every tensor made outside it, that no iteration reads an element which
    another one writes. A read that gets what its own iteration wrote is fine, and so is accumulating in place with `+=`
    or another operator whose steps may come in any order, also where it is written out as `t[...] = t[...] + x`.
    Reading the sum in the same loop is not: it depends on the steps before. In 0.x `affine_range` is another name for
    `range`: nothing is reported.

    ## Why is this bad?
    `affine_range` promises the compiler that iterations are independent. It may run them in any order, or overlap them,
    and the read may get the value from before the loop, or from any iteration.

    ## How to fix
    Use `sequential_range`, accumulate with `+=`, or make each iteration write to a tensor of its own.

    ## Source
    Beta 1: `api/nki/language` (`affine_range`, `sequential_range`), `programming_model.rst` (loops).
    """

    code = "NKI601"
    repair = "`affine_range` becomes `sequential_range`"
    dialects = ("neuronxcc",)

    @wording
    def message(self, second: object, loop: object, element: object, tensor: object, first: object) -> str:
        return (
            f"iteration {second} of the loop over `{loop}` reads element {element} of `{tensor}`, which iteration "
            f"{first} writes"
        )

    @wording
    def written_later(self, second: object, loop: object, element: object, tensor: object, first: object) -> str:
        return (
            f"iteration {second} of the loop over `{loop}` writes element {element} of `{tensor}`, which iteration "
            f"{first} reads"
        )

    @wording
    def reordered(self, output: object) -> str:
        return f"output {output} changes when the iterations of affine_range loops run in another order"

    help = "use `sequential_range`, or accumulate in place with `+=`"
    before = ("NKI602",)
    dynamic = True
    invalid = [
        Example(
            """
            state = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            for i in nl.affine_range(4):
                tile = nl.load(a[i * 128 : (i + 1) * 128, 0:512])
                ⟦state[...]⟧ = nl.exp(state + tile)
            nl.store(output[0:128, 0:512], value=state)
            """,
        ),
        Example(
            """
            sums = nl.zeros((128, 5), dtype=nl.float32, buffer=nl.sbuf)
            for i in nl.affine_range(4):
                ⟦sums[0:128, i + 1 : i + 2]⟧ = nl.add(sums[0:128, i : i + 1], x[0:128, i : i + 1])
            nl.store(output[0:128, 0:5], value=sums)
            """,
            message="iteration 1 of the loop over `i` reads element [0, 1] of `sums`, which iteration 0 writes",
        ),
        Example(
            """
            total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            for i in nl.affine_range(4):
                ⟦total[...]⟧ = nl.load(a[i * 128 : (i + 1) * 128, 0:512]) - total[...]
            nl.store(output[0:128, 0:512], value=total)
            """,
            message="iteration 1 of the loop over `i` reads element [0, 0] of `total`, which iteration 0 writes",
        ),
    ]
    valid = [
        Example(
            """
            sums = nl.zeros((128, 5), dtype=nl.float32, buffer=nl.sbuf)
            for i in nl.sequential_range(4):
                sums[0:128, i + 1 : i + 2] = nl.add(sums[0:128, i : i + 1], x[0:128, i : i + 1])
            nl.store(output[0:128, 0:5], value=sums)
            """
        ),
        Example(
            """
            total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            for i in nl.affine_range(4):
                total += nl.load(a[i * 128 : (i + 1) * 128, 0:512])
            nl.store(output[0:128, 0:512], value=total)
            """
        ),
        Example(
            """
            total = nl.zeros((2, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
            for i in nl.affine_range(4):
                for j in nl.affine_range(2):
                    total[j, 0:128, 0:512] = total[j, 0:128, 0:512] + nl.load(a[i * 128 : (i + 1) * 128, 0:512])
            nl.store(output[0:128, 0:512], value=total[0])
            """
        ),
    ]
