"""Views of tensors: reshaping, reordering, selecting, reinterpreting and raw access patterns, without copying."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.indexing.indirect_index import IndirectIndex
from nkilint_rules.indexing.out_of_bounds import OutOfBounds
from nkilint_rules.operands.shape_mismatch import ShapeMismatch
from nkilint_rules.words.memory import HBM, PSUM, SBUF
from nkilint_rules.words.shapes import block_rank
from reference_sim.machine.buffers import MemoryRegion
from reference_sim.machine.dtypes import HOST, Array, element_type
from reference_sim.machine.geometry import locate
from reference_sim.machine.memory import Storage
from reference_sim.machine.program import running
from reference_sim.machine.sizes import shape_of
from reference_sim.report import wording
from reference_sim.report.errors import CannotSimulate
from reference_sim.report.wording import complain, name_of

from . import indirection, patterns
from .deferred import KINDS
from .keys import is_dynamic

if TYPE_CHECKING:
    from .tensor import Tensor

Shape = tuple[int, ...]


def buffer_of(tensor: Tensor) -> MemoryRegion:
    """The buffer that the tensor was created in."""
    if tensor.storage.memory == SBUF:
        return MemoryRegion.sbuf
    if tensor.storage.memory == PSUM:
        return MemoryRegion.psum
    return MemoryRegion.shared_hbm if tensor.storage.kind == "shared" else MemoryRegion.private_hbm


def raw_bytes(tensor: Tensor) -> Array:
    """The bytes behind a tensor, flat."""
    return tensor.storage.raw()


def _row_bytes(tensor: Tensor) -> int:
    """Bytes between the partitions of the storage."""
    storage = tensor.storage
    if storage.placed:
        return int(next(iter(storage.tiles.values())).array.strides[0])
    free = storage.free_elements() * storage.element.itemsize // max(1, tensor.element.itemsize)
    return int(free * tensor.array.itemsize)


def partition_step(tensor: Tensor) -> int:
    """Distance between consecutive partitions of the view, in partitions."""
    array = tensor.array
    if array.shape[tensor.blocks] == 1:
        return 1
    row = _row_bytes(tensor)
    # A broadcast over partitions (stride 0) is made by the compiler: the engine sees consecutive ones.
    return int(array.strides[tensor.blocks] // row) or 1 if row else 1


def _located(tensor: Tensor) -> tuple[int, Shape]:
    array, storage = tensor.array, tensor.storage
    if array.dtype.itemsize == storage.stored.itemsize or not storage.placed:
        found = locate(storage, array) if array.dtype.itemsize == storage.stored.itemsize else None
        if found is not None:
            return found
        return tensor.byte_offset() // array.itemsize, tuple(stride // array.itemsize for stride in array.strides)
    raise CannotSimulate("this view", "it reinterprets a directly placed tensor")


def element_strides(tensor: Tensor) -> Shape:
    """Strides in elements of the storage's own shape."""
    return _located(tensor)[1]


def element_offset(tensor: Tensor) -> int:
    """Elements from the start of the storage to the first one of the view."""
    return _located(tensor)[0]


def _reshaped(array: Array, shape: Shape) -> Array:
    """The array under another shape without copying."""
    result = array.view()
    try:
        return result.reshape(shape, copy=False)
    except TypeError:  # before numpy 2.1
        result.shape = shape
        return result
    except ValueError:
        reason = f"the layout of a {list(array.shape)} view has no view as {list(shape)}"
        raise CannotSimulate("reshape", reason) from None


def reshape(tensor: Tensor, shape: Any, *more: Any) -> Tensor:
    """The same elements under another shape."""
    wanted = (shape, *more) if more else shape
    sizes = shape_of(wanted)
    total = 1
    for size in sizes:
        total *= size
    if -1 not in sizes and total != tensor.size:
        complain(ShapeMismatch.reshape(shape=list(sizes), elements=total, expected=tensor.size))
    blocks = block_rank(wanted)
    return tensor.derive(_reshaped(tensor.array, sizes), blocks=blocks)


def assert_shape(tensor: Tensor, shape: Any) -> Tensor:
    """The tensor itself, which has this shape."""
    assert tensor.sizes == shape_of(shape), f"shape is {tensor.sizes}, not {shape_of(shape)}"
    return tensor


def broadcast_to(tensor: Tensor, shape: Any) -> Tensor:
    """The tensor stretched by numpy's rule."""
    return tensor.derive(np.broadcast_to(tensor.array, shape_of(shape)))


def expand_dims(tensor: Tensor, axis: Any) -> Tensor:
    """The tensor with axes of size 1 inserted."""
    return tensor.derive(np.expand_dims(tensor.array, tuple(axis) if isinstance(axis, list) else axis))


def reinterpret(tensor: Tensor, dtype: Any) -> Tensor:
    """The same bits as another type; the last dimension takes up the difference in size."""
    element = element_type(dtype)
    array = tensor.array
    if element is tensor.element:
        return tensor
    storage = tensor.storage
    if array.dtype.itemsize != tensor.element.itemsize:
        # The fp32 mode holds no bits of narrow floats: what is seen is a copy, which nothing can write through.
        array = np.ascontiguousarray(array.astype(HOST[tensor.element]))
        storage = _copied(tensor, array)
        view = array.view(HOST[element])
        view.flags.writeable = False
    else:
        host = HOST[element] if element.name != "tfloat32" else np.dtype(np.float32)
        view = array.view(host) if array.dtype != np.dtype("V4") else array.view(np.float32)
    return type(tensor)(view, storage, element, tensor.blocks, tensor.start)


def _copied(tensor: Tensor, array: Array) -> Storage:
    storage = Storage(array, tensor.element, tensor.storage.memory, tensor.blocks, tensor.storage.given_name)
    for follower in tensor.storage.followers:
        follower.looked(tensor)
    current = running()
    if current is not None:
        for told in current.listeners.reinterpreted:
            told(tensor, storage)
    return storage


def is_contiguous(tensor: Tensor) -> bool:
    """Whether the view covers its storage densely in row-major order; partitions are exempt on chip."""
    expected = 1
    first = 0 if tensor.storage.memory == HBM else 1
    for size, stride in reversed(list(zip(tensor.sizes, tensor.strides, strict=True))[first:]):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def is_identity(tensor: Tensor) -> bool:
    """A question of 0.4 whose meaning is not documented."""
    raise CannotSimulate("`tensor.is_identity`", "the documentation does not say what it asks")


def get_pattern(tensor: Tensor) -> list[list[int]]:
    """`[[stride, count], ...]` as `ap` takes it."""
    return [[stride, size] for stride, size in zip(tensor.strides, tensor.sizes, strict=True)]


def is_indirect(tensor: Tensor) -> bool:
    """Whether the view is addressed at run time."""
    unknown = tensor._array is None and not isinstance(tensor.access, KINDS)
    return unknown or tensor.indirection is not None


def permute(tensor: Tensor, dims: Sequence[int]) -> Tensor:
    """The dimensions in another order; on chip the partition dimension stays first."""
    return tensor.derive(tensor.array.transpose(tuple(dims)))


def broadcast(tensor: Tensor, dim: int, size: int) -> Tensor:
    """A dimension of size 1 repeated."""
    shape = list(tensor.sizes)
    shape[dim] = size
    return tensor.derive(np.broadcast_to(tensor.array, shape))


def expand_dim(tensor: Tensor, dim: int) -> Tensor:
    """A new dimension of size 1."""
    return tensor.derive(np.expand_dims(tensor.array, dim))


def squeeze_dim(tensor: Tensor, dim: int) -> Tensor:
    """A dimension of size 1 removed."""
    return tensor.derive(tensor.array.squeeze(dim))


def reshape_dim(tensor: Tensor, dim: int, shape: Sequence[int]) -> Tensor:
    """One dimension split into several."""
    dim %= len(tensor.sizes)
    rest = 1
    for size in shape:
        rest *= size if size != -1 else 1
    sizes = tuple(tensor.sizes[dim] // rest if size == -1 else int(size) for size in shape)
    return reshape(tensor, (*tensor.sizes[:dim], *sizes, *tensor.sizes[dim + 1 :]))


def flatten_dims(tensor: Tensor, start_dim: int, end_dim: int) -> Tensor:
    """Neighbouring dimensions merged into one."""
    start, end = (dim % len(tensor.sizes) for dim in (start_dim, end_dim))
    total = 1
    for size in tensor.sizes[start : end + 1]:
        total *= size
    return reshape(tensor, (*tensor.sizes[:start], total, *tensor.sizes[end + 1 :]))


def rearrange(
    tensor: Tensor, src_pattern: Sequence[Any], dst_pattern: Sequence[Any], fixed_sizes: Mapping[str, int] | None = None
) -> Tensor:
    """Dimensions split, reordered and merged by name."""
    sizes = dict(fixed_sizes or {})
    names: list[str] = []
    for group, size in zip(src_pattern, tensor.sizes, strict=True):
        members = (group,) if isinstance(group, str) else tuple(group)
        unknown = [name for name in members if name not in sizes]
        known = 1
        for name in members:
            known *= sizes.get(name, 1)
        if len(unknown) == 1:
            sizes[unknown[0]] = size // known
        names += members
    split = reshape(tensor, tuple(sizes[name] for name in names))
    groups = [(group,) if isinstance(group, str) else tuple(group) for group in dst_pattern]
    order = [names.index(name) for group in groups for name in group]
    reordered = permute(split, order)
    merged = []
    for group in groups:
        total = 1
        for name in group:
            total *= sizes[name]
        merged.append(total)
    return reshape(reordered, tuple(merged))


def slice_dim(tensor: Tensor, dim: int, start: int, end: int, step: int = 1) -> Tensor:
    """Elements from `start` to `end` of one dimension."""
    key = [slice(None)] * len(tensor.sizes)
    key[dim] = slice(start, end, step)
    return tensor[tuple(key)]


def select(tensor: Tensor, dim: int, index: Any) -> Tensor:
    """One element of a dimension, which goes away."""
    if is_dynamic(index):
        if hasattr(index, "storage") and tensor.storage.memory != HBM and dim == 0:
            index_name = name_of(index.storage)
            complain(IndirectIndex.message(index=index_name, operation="select", where="a free axis"))
        return indirection.select(tensor, dim, index)
    key: list[Any] = [slice(None)] * len(tensor.sizes)
    key[dim] = index
    return tensor[tuple(key)]


def vector_select(tensor: Tensor, dim: int, vector_offset: Tensor) -> Tensor:
    """For each partition its own element of the first dimension."""
    return indirection.vector_select(tensor, vector_offset)


def ap(
    tensor: Tensor,
    pattern: Sequence[Sequence[int]],
    offset: int | None = None,
    scalar_offset: Any = None,
    vector_offset: Any = None,
    indirect_dim: int = 0,
    dtype: Any = None,
) -> Tensor:
    """A view of the storage by an explicit access pattern; shape and strides of the tensor do not matter."""
    base = tensor if dtype is None else reinterpret(patterns.whole(tensor), dtype)
    array = base.array
    first = element_offset(tensor) * tensor.element.itemsize // base.element.itemsize if offset is None else offset
    wording.whole_numbers([n for pair in pattern for n in pair])
    steps = [int(step) for step, _ in pattern]
    counts = tuple(int(count) for _, count in pattern)
    if vector_offset is not None and indirect_dim != 0:
        complain(IndirectIndex.message(index=name_of(vector_offset.storage), operation="ap", where="axis 0"))
    if scalar_offset is not None or vector_offset is not None:
        ratio = tensor.element.itemsize / base.element.itemsize
        scale = int(element_strides(tensor)[indirect_dim] * ratio)
        return indirection.pattern(base, first, steps, counts, scalar_offset, vector_offset, scale)
    if 0 in counts:  # no element, wherever it would begin
        first, steps = 0, [0] * len(steps)
    highest = first + sum(max(0, s * (n - 1)) for s, n in zip(steps, counts, strict=True))
    lowest = first + sum(min(0, s * (n - 1)) for s, n in zip(steps, counts, strict=True))
    total = patterns.storage_elements(base)
    if lowest < 0 or highest >= total:
        index, reach = [list(pair) for pair in pattern], highest if lowest >= 0 else lowest
        complain(OutOfBounds.pattern(index=index, reach=reach, tensor=name_of(base.storage), size=total))
        first, steps = 0, [0] * len(steps)  # a run that goes on sees the first element everywhere
    elif base.storage.memory != HBM and len(base.storage.shape) > 1:
        row = total // base.storage.shape[0]
        within = first % row + sum(max(0, s * (n - 1)) for s, n in zip(steps[1:], counts[1:], strict=True))
        if row <= within:
            index = [list(pair) for pair in pattern]
            complain(OutOfBounds.row(index=index, reach=within, tensor=name_of(base.storage), size=row))
    start, view = patterns.patterned(base, array, first, steps, counts)
    return type(tensor)(view, base.storage, base.element, 0, start)


def indirect(tensor: Tensor, index: Tensor, num_elem: int | None = None) -> Tensor:
    """A view whose columns are chosen by offsets in SBUF, as tensor indirection does."""
    return indirection.columns(tensor, index, num_elem)
