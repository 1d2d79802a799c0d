from collections.abc import Iterator

from ..needs import new_tiles
from ..operations.form import Call
from ..rule import Example, Need, Rule, wording
from ..words.dialects import BETA1
from ..words.memory import HBM


class HbmInitialValue(Rule):
    """A tensor in HBM is created with an initial value.

    ## What it does
    Reports `nl.zeros`, `nl.ones`, `nl.full`, `nl.rand` and `nl.zeros_like` with a buffer in HBM. 0.x documents them as
    allowed.

    ## Why is this bad?
    No engine fills HBM while a tensor is created. The compiler stops with an error.

    ## How to fix
    Create the tensor with `nl.ndarray` and write the value with `nl.store`.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_hbm_tensor_with_init_value_not_supported`).
    """

    code = "NKI209"
    dialects = (BETA1,)

    @wording
    def message(self, operation: object) -> str:
        return f"`{operation}` creates a tensor in HBM with an initial value; only `ndarray` creates tensors there"

    help = "create the tensor with `nl.ndarray` and write the value with `nl.store`"
    aws = ("err_hbm_tensor_with_init_value_not_supported",)
    dynamic = True
    judges_calls = True
    ops = ("language.zeros", "language.ones", "language.full", "language.rand", "language.zeros_like")
    invalid = [
        Example(
            "t = ⟦nl.full((3, 128, 512), fill_value=1.0, dtype=nl.float32, buffer=nl.shared_hbm)⟧",
            message="`full` creates a tensor in HBM with an initial value; only `ndarray` creates tensors there",
        ),
        Example(
            "t = ⟦nl.zeros((128, 512), dtype=nl.float32, buffer=nl.hbm)⟧",
            message="`zeros` creates a tensor in HBM with an initial value; only `ndarray` creates tensors there",
        ),
    ]
    valid = [
        Example(
            """
            t = nl.ndarray((3, 128, 512), dtype=nl.float32, buffer=nl.private_hbm)
            for k in nl.affine_range(3):
                nl.store(t[k, :, :], value=1.0)
            """
        ),
        Example("t = nl.full((128, 512), fill_value=1.0, dtype=nl.float32, buffer=nl.sbuf)"),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        if any(made.memory == HBM for made in new_tiles(call)):
            yield Need(False, None, self.message(operation=call.operation.leaf))
