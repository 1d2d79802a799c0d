from ..operations.form import Operation
from ..rule import Example, Need, Rule, wording
from ..words.dialects import BETA1


class PlacementInitialValue(Rule):
    """A directly allocated tensor is created with an initial value.

    ## What it does
    Looks for `nl.zeros`, `nl.ones`, `nl.full` and their like with `buffer=` an allocator of `nki.compiler`.

    ## Why is this bad?
    The compiler stops with `err_tensor_creation_on_scratchpad_with_init_value_not_supported`.

    ## How to fix
    Create the tensor with `nl.ndarray` and assign the value: `t[...] = 0`.

    ## Source
    `nki.errors.rst` (`err_tensor_creation_on_scratchpad_with_init_value_not_supported`).
    """

    code = "NKI408"
    dialects = (BETA1,)

    @wording
    def message(self, operation: object) -> str:
        return f"`{operation}` gives an initial value to a tensor that is placed directly"

    help = "create it with `nl.ndarray`, then assign the value to its elements"
    aws = ("err_tensor_creation_on_scratchpad_with_init_value_not_supported",)
    dynamic = True
    invalid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = ⟦nl.zeros((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))⟧
                nl.store(output, value=tile)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 512), dtype=np.float32))
            """,
            message="`zeros` gives an initial value to a tensor that is placed directly",
        ),
    ]
    valid = [
        Example(
            """
            # nkilint: source: float32[128, 512]
            @nki.jit
            def kernel(source):
                output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
                tile[...] = 0.0
                nl.store(output, value=tile)
                return output

            if __name__ == "__main__":
                kernel(np.zeros((128, 512), dtype=np.float32))
            """
        ),
    ]

    def check_creation(self, creation: Operation) -> Need:
        """A creation that is placed directly gives no initial value."""
        return Need(not creation.fills, None, self.message(operation=creation.leaf))
