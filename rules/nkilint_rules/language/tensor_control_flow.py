from ..rule import Example, Rule, wording
from ..words.dialects import NKI


class TensorControlFlow(Rule):
    """A branch or loop hangs on the value of a tensor.

    ## What it does
    Reports tensors, and comparisons of tensors, where Python asks for a truth value: in `if`, `while`, `assert`,
    conditional expressions, `and`, `or` and `not`. Left out are tensors in HBM, and in 0.x all tensors that have a
    name, but for elements of these: `if bias:` asks there whether one was given.

    In 0.x it also reports comparisons of what is in a register, the index of a `dynamic_range` loop among them, where
    Python decides by them or an operation is given one (`accumulate=i > 0`), items of lists at such an index, `min` and
    `max` of it, and loops that are unrolled as often as a register says. The body of a loop that the device runs is
    traced once: variables of Python that one iteration leaves to the next (`row += 128`) are reported there.
    `nl.dynamic_range(register)` and `while register:` run on the device, and are right.

    ## Why is this bad?
    Python control flow is decided while the kernel is traced. The values of tensors exist only when it runs.

    ## How to fix
    Compute both results and choose between them by a comparison (`nl.where`, `nisa.tensor_copy_predicated`,
    multiplication by a mask), or take the value as an argument of the host. In 0.x a loop may hang on a register that
    `nisa.register_load` fills.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_dynamic_control_flow_not_supported`). 0.x:
    `get-started/nki-language-guide.rst` (Control Flow, Dynamic Control Flow), `deep-dives/nki-dynamic-loops.rst`.
    """

    code = "NKI801"

    @wording
    def message(self, what: object) -> str:
        return f"control flow hangs on the value of {what}"

    @wording
    def kept(self, name: object, loop: object) -> str:
        return f"`{name}` changes from iteration to iteration of `{loop}`, whose body is traced once"

    help = "compute both results and choose between them with `nl.where` or a mask"
    aws = ("err_dynamic_control_flow_not_supported",)
    dynamic = True
    unseen = ("kept",)
    invalid = [
        Example(
            """
            if ⟦x⟧:
                nl.store(output[0:128, 0:512], value=y)
            """,
            message="control flow hangs on the value of `x`",
        ),
        Example(
            """
            total = nl.load(a[0:1, 0:1])
            while ⟦total < 3.0⟧:
                nl.store(output[0:128, 0:512], value=x)
            """,
            message="control flow hangs on the value of a tile",
        ),
        Example(
            """
            if ⟦x > 0.0⟧:
                nisa.memset(dst=y, value=1.0)
            """,
            message="control flow hangs on the value of a tile",
            dialect=NKI,
        ),
        Example(
            """
            count = nisa.register_alloc(3)
            if ⟦count > 2⟧:
                nisa.memset(dst=y, value=1.0)
            """,
            message="control flow hangs on the value of a register",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            positive = nl.where(x > 0.0, x, y)
            nl.store(output[0:128, 0:512], value=positive)
            """
        ),
        Example(
            """
            # nkilint: source: float32[128, 512], scales: float32[128, 512]
            @nki.jit
            def kernel(source, scales, scaled):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.load(source)
                factor = nl.load(scales) if scales else 2.0
                if scaled:
                    nl.store(output, value=nl.multiply(tile, factor))
                else:
                    nl.store(output, value=tile)
                return output
            """
        ),
        Example(
            """
            count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
            nisa.memset(dst=count, value=3)
            register = nisa.register_alloc(3)
            nisa.register_load(register, count)
            for i in nl.dynamic_range(register):
                nisa.tensor_scalar(dst=x, data=x, op0=nl.add, operand0=1.0)
            """,
            dialect=NKI,
            version="0.5",
        ),
    ]
