from collections.abc import Iterator

from ..needs import on_chip
from ..operations.form import Call
from ..operations.tensor_methods import misses_axis
from ..rule import Example, Need, Rule, wording
from ..words.dialects import NKI
from ..words.memory import MEMORY_NAMES
from ..words.shapes import as_shape, axes_of

_FIRST_AXIS = {
    "tensor.permute": "dims",
    "tensor.expand_dim": "dim",
    "tensor.squeeze_dim": "dim",
    "tensor.reshape_dim": "dim",
    "tensor.flatten_dims": "start_dim",
    "tensor.rearrange": "dst_pattern",
}


class PartitionNotFirst(Rule):
    """The first dimension of a tile is not its partition dimension.

    ## What it does
    In Beta 1, reports a tensor with block dimensions that is handed to an operation as a whole, and index grids that
    put another dimension before the partition dimension. In 0.x, reports views that would move, split, merge or remove
    the partition dimension of a tile in SBUF or PSUM.

    ## Why is this bad?
    The partition dimension says which lane of the engine an element meets. It is always the first dimension of a tile,
    and no view can change the partition that an element lies in. The compiler stops with an error.

    ## How to fix
    Index the block dimensions with integers or loop variables first. To bring another dimension onto the partitions,
    transpose the tile: `nisa.nc_transpose`, `nisa.dma_transpose`.

    ## Source
    Beta 1: `api/nki.errors.rst` (`err_failed_to_infer_tile_from_local_tensor`,
    `err_leading_dimension_of_tensor_must_be_partition`), `programming_model.rst` (Tile-based operations).
    0.x: `get-started/nki-language-guide.rst` (View primitives), `api/nki/language` (`NkiTensor`).
    """

    code = "NKI107"

    @wording
    def message(self, tensor: object, axis: object, operation: object) -> str:
        return f"the partition dimension of `{tensor}` is axis {axis}; `{operation}` takes it first"

    @wording
    def view(self, operation: object, memory: object) -> str:
        return f"`{operation}` changes the partition dimension of a tile in {memory}, where it stays first"

    @wording
    def access(self, tensor: object) -> str:
        return f"the first dimension of the access to `{tensor}` is not its partition dimension"

    help = "index the dimensions before it, or transpose the tile"
    aws = ("err_failed_to_infer_tile_from_local_tensor", "err_leading_dimension_of_tensor_must_be_partition")
    dynamic = True
    judges_calls = True
    ops = tuple(_FIRST_AXIS)
    before = ("NKI101", "NKI203", "NKI204", "NKI213", "NKI410")
    invalid = [
        Example(
            """
            t = nl.zeros((4, nl.par_dim(8), 8), dtype=nl.float32, buffer=nl.sbuf)
            r = nl.add(⟦t⟧, 32)
            """,
            message="the partition dimension of `t` is axis 1; `add` takes it first",
        ),
        Example(
            """
            t = nl.ndarray((128, 4, 8), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(dst=t, value=0.0)
            q = ⟦t.permute((1, 0, 2))⟧
            """,
            message="`permute` changes the partition dimension of a tile in SBUF, where it stays first",
            dialect=NKI,
        ),
        Example(
            """
            t = nl.ndarray((128, 4, 8), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(dst=t, value=0.0)
            q = ⟦t.flatten_dims(0, 1)⟧
            """,
            message="`flatten_dims` changes the partition dimension of a tile in SBUF, where it stays first",
            dialect=NKI,
        ),
    ]
    valid = [
        Example(
            """
            t = nl.zeros((4, nl.par_dim(8), 8), dtype=nl.float32, buffer=nl.sbuf)
            for k in nl.affine_range(4):
                t[k] = nl.add(t[k], 32)
            """
        ),
        Example(
            """
            t = nl.ndarray((128, 4, 8), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(dst=t, value=0.0)
            q = t.permute((0, 2, 1)).reshape_dim(1, (2, 4))
            """,
            dialect=NKI,
        ),
        Example("q = a.permute((1, 0))", dialect=NKI),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        if on_chip(call.self) and misses_axis(call) is None:
            yield Need(
                _keeps_partition_first(call),
                None,
                self.view(operation=call.operation.leaf, memory=MEMORY_NAMES[call.self.memory]),
            )


def _keeps_partition_first(call: Call) -> bool:
    leaf, argument = call.operation.leaf, call.get(_FIRST_AXIS[call.operation.name])
    if leaf == "rearrange":
        return bool(as_shape(call.src_pattern)[0] == as_shape(argument)[0])
    if leaf == "permute":
        return axes_of(as_shape(argument)[0], call.self.rank) == (0,)
    if leaf == "reshape_dim" and len(as_shape(call.shape)) == 1:
        return True
    rank = call.self.rank + (leaf == "expand_dim")
    return axes_of(argument, rank) != (0,)
