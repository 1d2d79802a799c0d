"""Methods of tensors: `nki.tensor` in Beta 1, `nki.language.NkiTensor` in 0.x. All but `astype` give views.

The receiver is the argument `self`. `ATTRIBUTES` are the members that are read and not called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..words.conditions import IsUnknown, Unknown, all_of
from ..words.dialects import BETA1, NKI
from ..words.memory import ANYWHERE, HBM, ON_CHIP, SBUF
from ..words.promotion import INTEGERS, as_dtype, dtype_argument
from ..words.shapes import (
    Shape,
    as_shape,
    axes_of,
    expanded,
    flattened,
    on_chip_shape,
    permuted,
    rearranged,
    reshaped,
    sliced,
    split,
    squeezed,
)
from .effects import ALIGNED
from .form import Call, Operand, Result, operation, reads
from .language_results import nothing, tile
from .particular import Requirement, in_memory, is_tile

PAGES = {BETA1: "api/generated/nki.tensor", NKI: "api/generated/nki.language.NkiTensor"}
ATTRIBUTES: Mapping[str, frozenset[str]] = {
    BETA1: frozenset({"dtype", "itemsize", "ndim", "shape"}),
    NKI: frozenset({"buffer", "dtype", "name", "ndim", "offset", "shape", "size", "strides"}),
}
VIEWS = {"astype"}
"""Methods that use nothing of what is in a tensor: all of these here."""
AXES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("broadcast", "squeeze_dim", "expand_dim", "reshape_dim", "slice", "select"), ("dim",)),
    "permute": ("dims",),
    "flatten_dims": ("start_dim", "end_dim"),
}
"""The arguments of methods in 0.x that number dimensions of the tensor."""


def view(
    name: str,
    *,
    beta1: str | None = None,
    nki: str | None = None,
    since: str = "",
    until: str = "",
    targets: tuple[str, ...] = (),
    parameter_versions: dict[str, str] | None = None,
    receiver: Operand | None = None,
    **operands: Any,
) -> Callable[[Callable[[Call], Shape]], Callable[[Call], Shape]]:
    """Define a method whose result is a view of the receiver, of the shape that the function gives."""

    VIEWS.add(name)

    def define(shape: Callable[[Call], Shape]) -> Callable[[Call], Shape]:
        @operation(
            f"tensor.{name}",
            beta1=None if beta1 is None else f"self, {beta1}",
            nki=None if nki is None else f"self, {nki}",
            kind="method",
            since=since,
            until=until,
            targets=targets,
            page=PAGES[BETA1] if nki is None else PAGES[NKI],
            parameter_versions=parameter_versions,
            self=receiver or reads(ANYWHERE),
            **operands,
        )
        def result(call: Call) -> Result:
            source = tile(call.self)
            if misses_axis(call) is not None:
                return Result((Unknown("an axis that is not there"),), source.dtype, source.memory)
            return Result(shape(call), dtype_argument(call.get("dtype"), source.dtype), source.memory)

        return shape

    return define


def misses_axis(call: Call) -> str | None:
    """The argument of a method that numbers dimensions that the tensor does not have, or leaves some out or in disorder
    where it takes all of them."""
    leaf = call.operation.leaf
    if call.dialect == BETA1 or leaf not in AXES:
        return None
    rank = call.self.rank + (leaf == "expand_dim")
    given = {name: axes_of(call.get(name), rank) for name in AXES[leaf]}
    for name, axes in given.items():
        if not all(0 <= axis < rank for axis in axes):
            return name
    if leaf == "permute" and not len(given["dims"]) == len(as_shape(call.dims)) == rank:
        return "dims"
    return "end_dim" if leaf == "flatten_dims" and given["end_dim"] < given["start_dim"] else None


def kept_partition(call: Call, shape: Shape) -> Shape:
    """The shape of an access: on chip it keeps at least two dimensions."""
    return shape if call.self.memory == HBM else on_chip_shape(shape)


# --- both dialects ---


@view("reshape", beta1="shape", nki="shape")
def reshape(call: Call) -> Shape:
    return reshaped(call.self.shape, call.shape)


def _plain(call: Call) -> bool:
    """Whether the tensor is not chosen by what a tile holds."""
    return call.dialect == BETA1 or not is_tile(call.get("self")) or not call.get("self").indirect


_NO_CAST = Requirement("NKI205", "self", _plain, "a view chosen by what a tile holds is not seen as another dtype")


@view("view", beta1="dtype", nki="dtype", requirements=(_NO_CAST,))
def reinterpreted(call: Call) -> Shape:
    """Scales the last dimension by the ratio of the sizes of the two dtypes."""
    *rest, last = call.self.shape
    old, new = call.self.dtype.itemsize, as_dtype(call.dtype).itemsize
    return (*rest, last if (old == new) is True else last * old // new)


# --- Beta 1 ---


@view("assert_shape", beta1="shape")
def assert_shape(call: Call) -> Shape:
    return tuple(call.self.shape)


@view("broadcast_to", beta1="shape")
def broadcast_to(call: Call) -> Shape:
    return as_shape(call.shape)


@view("expand_dims", beta1="axis")
def expand_dims(call: Call) -> Shape:
    return expanded(call.self.shape, call.axis)


@operation("tensor.astype", beta1="self, dtype", page=PAGES[BETA1], self=reads(ON_CHIP), depends=ALIGNED)
def astype(call: Call) -> Result:
    """Copies, unlike the other methods."""
    return Result(tile(call.self).shape, as_dtype(call.dtype), SBUF)


# --- 0.x ---


@view("permute", nki="dims", since="0.5")
def permute(call: Call) -> Shape:
    return permuted(call.self.shape, call.dims)


_SIZED = Requirement("NKI109", "size", lambda call: call.size >= 0, "`size` is {size}, less than no elements")


@view("broadcast", nki="dim, size", since="0.5", requirements=(_SIZED,))
def broadcast(call: Call) -> Shape:
    axes = axes_of(call.dim, call.self.rank)
    return tuple(call.size if axis in axes else size for axis, size in enumerate(call.self.shape))


@view("expand_dim", nki="dim", since="0.5")
def expand_dim(call: Call) -> Shape:
    return expanded(call.self.shape, call.dim)


@view("squeeze_dim", nki="dim", since="0.5")
def squeeze_dim(call: Call) -> Shape:
    return squeezed(call.self.shape, call.dim)


@view("reshape_dim", nki="dim, shape", since="0.5")
def reshape_dim(call: Call) -> Shape:
    return split(call.self.shape, call.dim, call.shape)


@view("flatten_dims", nki="start_dim, end_dim", since="0.5")
def flatten_dims(call: Call) -> Shape:
    return flattened(call.self.shape, call.start_dim, call.end_dim)


@view("rearrange", nki="src_pattern, dst_pattern, fixed_sizes=None", since="0.5")
def rearrange(call: Call) -> Shape:
    if isinstance(call.fixed_sizes, Unknown):
        raise IsUnknown(call.fixed_sizes.reason)
    return rearranged(call.self.shape, as_shape(call.src_pattern), as_shape(call.dst_pattern), call.fixed_sizes)


def _given(call: Call, name: str) -> bool:
    """Whether an argument is not None; unknown where it may be."""
    value = call.get(name)
    if isinstance(value, Unknown):
        raise IsUnknown(value.reason)
    return value is not None


def _rows(call: Call) -> Any:
    """How many rows an access pattern has."""
    return as_shape(as_shape(call.pattern)[0])[1]


_ENDS = Requirement("NKI109", "end", lambda call: call.start < call.end, "the slice ends at {end}, where it begins")
_AP = (
    Requirement(
        "NKI109",
        "pattern",
        lambda call: all_of(as_shape(pair)[1] >= 0 for pair in as_shape(call.pattern)),
        "a pair of `pattern` counts less than no elements",
    ),
    Requirement(
        "NKI205",
        "vector_offset",
        lambda call: not (_given(call, "vector_offset") and _given(call, "scalar_offset")),
        "`vector_offset` and `scalar_offset` exclude one another",
    ),
    Requirement(
        "NKI201",
        "self",
        lambda call: in_memory(call.get("self"), HBM) if _given(call, "vector_offset") else True,
        "`vector_offset` chooses rows of a tensor in HBM; this one is on chip",
    ),
    Requirement(
        "NKI204",
        "vector_offset",
        lambda call: call.vector_offset.size >= _rows(call) if is_tile(call.get("vector_offset")) else True,
        "`vector_offset` has {indices} elements; `pattern` takes one for each of its {rows} rows",
        lambda call: {"indices": call.vector_offset.size, "rows": _rows(call)},
    ),
)


@view("slice", nki="dim, start, end, step=1", since="0.5", requirements=(_ENDS,))
def sliced_view(call: Call) -> Shape:
    return sliced(call.self.shape, call.dim, call.start, call.end, call.step)


def _one_element(name: str) -> Requirement:
    """An index that a tile holds is one number."""
    return Requirement(
        "NKI205",
        name,
        lambda call: not is_tile(call.get(name)) or call.get(name).size == 1,
        f"`{name}` has {{elements}} elements; it is one number",
        lambda call: {"elements": call.get(name).size},
    )


@view(
    "select",
    nki="dim, index",
    since="0.5",
    index=reads(SBUF, INTEGERS, scalar=True),
    requirements=(_one_element("index"),),
)
def select(call: Call) -> Shape:
    """Drops the dimension, save the partition dimension, which stays with size 1 on chip."""
    axes = axes_of(call.dim, call.self.rank)
    if call.self.memory != HBM and axes == (0,):
        return (1, *call.self.shape[1:])
    return kept_partition(call, squeezed(call.self.shape, call.dim))


@view(
    "vector_select",
    nki="dim, vector_offset",
    since="0.5",
    receiver=reads(HBM),
    vector_offset=reads(SBUF, INTEGERS),
    requirements=(
        Requirement(
            "NKI205",
            "vector_offset",
            lambda call: call.vector_offset.free == 1,
            "`vector_offset` has {vector_offset.free} elements in each partition; it has one index for each row",
        ),
    ),
)
def vector_select(call: Call) -> Shape:
    return (tile(call.vector_offset).partitions, *call.self.shape[1:])


@view(
    "ap",
    nki="pattern, offset=None, scalar_offset=None, vector_offset=None, indirect_dim=0, dtype=None",
    scalar_offset=reads(SBUF, INTEGERS, scalar=True),
    vector_offset=reads(SBUF, INTEGERS),
    requirements=(_one_element("scalar_offset"), *_AP),
)
def access_pattern(call: Call) -> Shape:
    return tuple(as_shape(pair)[1] for pair in as_shape(call.pattern))


@view("reinterpret_cast", nki="dtype", since="0.5", requirements=(_NO_CAST,))
def reinterpret_cast(call: Call) -> Shape:
    return reinterpreted(call)


@view("indirect", nki="index, num_elem=None", since="0.5", targets=("trn3",), index=reads(SBUF, INTEGERS))
def indirect(call: Call) -> Shape:
    return (call.self.partitions, tile(call.index).size if call.num_elem is None else call.num_elem)


def _query(name: str, since: str, until: str = "", result: Callable[[Call], Any] = nothing) -> None:
    operation(
        f"tensor.{name}",
        nki="self",
        kind="host",
        since=since,
        until=until,
        page=PAGES[NKI],
        self=reads(ANYWHERE),
    )(result)


_query("is_contiguous", "0.5")
_query("is_indirect", "0.5")
_query("get_pattern", "0.4")
_query("is_identity", "0.4", until="0.5")
