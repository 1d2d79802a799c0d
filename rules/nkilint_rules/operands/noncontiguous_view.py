from collections.abc import Iterator, Sequence
from typing import Any

from ..needs import on_chip
from ..operations.form import Call
from ..operations.tensor_methods import misses_axis
from ..rule import Example, Need, Rule, wording
from ..words.conditions import IsUnknown, Unknown, any_of, product
from ..words.dialects import NKI
from ..words.promotion import as_dtype
from ..words.shapes import (
    Shape,
    as_shape,
    axes_of,
    layout_conditions,
    reshape_condition,
    reshaped,
    same_size,
    sizes_of_names,
)
from ..words.tiles import Tile


class NoncontiguousView(Rule):
    """A view that the elements of the tensor do not lie for.

    ## What it does
    Follows how far apart the elements of a view lie, through slices, `permute`, `broadcast`, `.ap` and the other
    methods of tensors. Dimensions that `reshape`, `flatten_dims` or `rearrange` makes one have to follow one another in
    memory; elements that `view` takes together or apart, for a type of another size, have to be neighbours.

    ## Why is this bad?
    Views copy nothing: such a one does not exist, and the compiler stops. NumPy and PyTorch copy where it does not
    exist, so that the same line runs in a test on the host.

    ## How to fix
    Reshape before slicing or permuting, or copy the elements first, with `tensor_copy` or by DMA.

    ## Source
    0.x: `api/nki/language` (`NkiTensor`: `reshape`, `flatten_dims`, `view`).
    """

    code = "NKI215"

    @wording
    def message(self, operation: object, axis: object, after: object, step: object, expected: object) -> str:
        rows = f"rows of axis {axis} begin {step} apart; a row has {expected}"
        return f"`{operation}` makes axes {axis} and {after} one, and {rows}"

    @wording
    def parts(self, operation: object, step: object) -> str:
        return f"`{operation}` reads neighbours as another type; elements of the last axis lie {step} apart"

    help = "reshape before slicing or permuting, or copy the elements first"
    dynamic = True
    judges_calls = True
    dialects = (NKI,)
    ops = tuple(f"tensor.{name}" for name in ("reshape", "flatten_dims", "rearrange", "view", "reinterpret_cast"))
    invalid = [
        Example(
            "r = ⟦x.reshape((128, 4, 128)).permute((0, 2, 1)).reshape((128, 512))⟧",
            message="`reshape` makes axes 1 and 2 one, and rows of axis 1 begin 1 apart; a row has 512",
            dialect=NKI,
        ),
        Example(
            "r = ⟦x.reshape((128, 4, 128))[:, :, 0:64].flatten_dims(1, 2)⟧",
            message="`flatten_dims` makes axes 1 and 2 one, and rows of axis 1 begin 128 apart; a row has 64",
            dialect=NKI,
        ),
        Example(
            "r = ⟦x[:, 0:512:2].view(nl.uint8)⟧",
            message="`view` reads neighbours as another type; elements of the last axis lie 2 apart",
            dialect=NKI,
        ),
    ]
    valid = [
        Example("r = x.reshape((128, 4, 128))[:, 0:2, :].reshape((128, 256))", dialect=NKI),
        Example("r = x[:, 0:512:2].reshape_dim(1, (4, 64))", dialect=NKI),
        Example("r = x[:, 0:256].view(nl.uint8)", dialect=NKI),
    ]

    def check(self, call: Call) -> Iterator[Need]:
        leaf, tile = call.operation.leaf, call.self
        if misses_axis(call) is not None or not isinstance(tile, Tile) or not tile.rank:
            return
        first = int(on_chip(tile))  # partitions stay
        if leaf == "reshape":
            new = reshaped(tile.shape, call.shape)
            kept = not first or (new and same_size(new[0], tile.partitions))
            if kept and reshape_condition(tile.shape, new) is not False:
                axes = range(first, tile.rank)
                yield from self._merged(leaf, tile.shape[first:], _steps(tile)[first:], new[first:], axes)
        elif leaf == "flatten_dims":
            start, end = (axes_of(value, tile.rank)[0] for value in (call.start_dim, call.end_dim))
            part = slice(max(start, first), end + 1)
            sizes = tile.shape[part]
            yield from self._merged(leaf, sizes, _steps(tile)[part], (product(sizes),), range(part.start, tile.rank))
        elif leaf == "rearrange":
            yield from self._rearranged(call, first)
        elif (tile.dtype.itemsize == as_dtype(call.dtype).itemsize) is not True:
            step = _steps(tile)[-1]
            yield Need(any_of((step == 1, tile.shape[-1] == 1)), None, self.parts(operation=leaf, step=step))

    def _merged(self, leaf: str, old: Shape, steps: Shape, new: Shape, told: Sequence[object]) -> Iterator[Need]:
        """That dimensions lie as one where they become one; `told` is what to call them."""
        for axis, after, follows in layout_conditions(old, steps, new):
            step, expected = steps[axis], steps[after] * old[after]
            said = self.message(operation=leaf, axis=told[axis], after=told[after], step=step, expected=expected)
            yield Need(follows, None, said)

    def _rearranged(self, call: Call, first: int) -> Iterator[Need]:
        """The same of the groups that `rearrange` makes, of names that stand for dimensions or parts of them."""
        if isinstance(call.fixed_sizes, Unknown):
            raise IsUnknown(call.fixed_sizes.reason)
        source, target = as_shape(call.src_pattern), as_shape(call.dst_pattern)
        sizes = sizes_of_names(call.self.shape, source, call.fixed_sizes)
        steps: dict[str, Any] = {}
        for pattern, step in list(zip(source, _steps(call.self), strict=True))[first:]:
            for name in reversed(as_shape(pattern)):
                steps[name], step = step, step * sizes[name]
        for pattern in target:
            names = as_shape(pattern)
            if all(name in steps for name in names):
                old, apart = (tuple(known[name] for name in names) for known in (sizes, steps))
                yield from self._merged(call.operation.leaf, old, apart, (product(old),), names)


def _steps(tile: Tile) -> Shape:
    if tile.steps is None:
        raise IsUnknown("how the elements of a view lie")
    return tile.steps
