"""Tensors: a storage and a view of it, indexed as both dialects do, and read and written by operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.memory import HBM, PSUM
from nkilint_rules.words.tiles import Tile
from reference_sim.machine.dtypes import HOST, Array, cast, sentinel
from reference_sim.machine.geometry import locate
from reference_sim.machine.memory import PlacedTile, Storage
from reference_sim.machine.program import running
from reference_sim.operations import operators
from reference_sim.operations.methods import judged
from reference_sim.report.errors import CannotSimulate

from . import subscripts as indexing
from . import views
from .access import DynamicAccess, GridAccess, outside, runtime_index_error
from .deferred import KINDS, Part, Pending, Sum, look, settle
from .deferred_sums import pay
from .grids import Where

if TYPE_CHECKING:
    from .indirection import Indirection

BANK = 2048  # bytes in each partition of the smallest PSUM bank
Shape = tuple[int, ...]
Access = GridAccess | DynamicAccess | Pending


class View(Tile):
    """A tensor as the rulebook sees it."""

    __slots__ = ("dtype", "memory", "partition_step", "shape", "start_partition", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.shape = tensor.sizes[tensor.blocks :]
        self.dtype: DType = tensor.element
        self.memory = tensor.storage.memory
        self.start_partition = tensor.start
        self.partition_step = tensor.partition_step()

    @property
    def indirect(self) -> bool:
        return isinstance(self.tensor.access, DynamicAccess)

    @property
    def span(self) -> tuple[int, int] | None:
        return self.tensor.span()

    @property
    def row(self) -> int:
        storage = self.tensor.storage
        return storage.free_elements() * storage.element.itemsize // max(1, self.dtype.itemsize)


class Sizes(tuple[int, ...]):
    """A shape as kernels see it, which equals the list of its sizes too."""

    __slots__ = ()
    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other


class Tensor:
    """A tensor in HBM, SBUF or PSUM, or a view of one."""

    __slots__ = (
        "_array", "access", "blocks", "element", "indirection", "mesh", "part", "sizes", "start", "storage", "tile",
    )  # fmt: skip
    __array_priority__ = 1000
    __hash__ = object.__hash__

    def __init__(
        self,
        array: Array | None,
        storage: Storage,
        element: DType,
        blocks: int = 0,
        start: int = 0,
        access: Access | None = None,
        shape: Shape | None = None,
    ) -> None:
        self._array, self.storage, self.element = array, storage, element
        self.blocks, self.start, self.access = blocks, start, access
        self.sizes: Shape = array.shape if array is not None else shape or ()
        self.indirection: Indirection | None = None
        self.mesh = False  # whether it was taken from a tile with `nl.mgrid`
        self.tile: PlacedTile | None = None  # the block of a directly placed tensor that this is a view of
        self.part: Part | None = None  # what of which array it is, where plain slices chose that

    # What kernels read

    @property
    def array(self) -> Array:
        """The elements as a strided view; in HBM, what is still owed to the tensor is not there: `read` pays that."""
        if self._array is None:
            if self.access is None:
                raise ValueError("a tensor whose blocks are placed one by one is accessed through its block index")
            return read(self, None)
        return self._array

    @property
    def shape(self) -> Sizes:
        return Sizes(self.sizes)

    @property
    def dtype(self) -> Any:
        return HOST[self.element]

    @property
    def itemsize(self) -> int:
        return self.element.itemsize

    @property
    def ndim(self) -> int:
        return len(self.sizes)

    @property
    def size(self) -> int:
        total = 1
        for extent in self.sizes:
            total *= extent
        return total

    @property
    def name(self) -> str:
        return self.storage.name

    @property
    def buffer(self) -> Any:
        return views.buffer_of(self)

    @property
    def strides(self) -> Shape:
        return views.element_strides(self)

    @property
    def offset(self) -> int:
        return views.element_offset(self)

    # Where it is

    def raw(self) -> Array:
        """The bytes behind the view, flat and contiguous."""
        return views.raw_bytes(self)

    def byte_offset(self) -> int:
        """Bytes from the start of `raw()` to the first element of the view."""
        pointer = self.array.__array_interface__["data"][0]
        return int(pointer - self.raw().__array_interface__["data"][0])

    def derive(self, array: Array, blocks: int | None = None, start: int | None = None) -> Tensor:
        """Another view of the same storage and type."""
        self.storage.viewed = True
        found = Tensor(
            array,
            self.storage,
            self.element,
            self.blocks if blocks is None else blocks,
            self.start if start is None else start,
        )
        found.tile = self.tile
        return found

    def deferred(self, access: GridAccess | DynamicAccess) -> Tensor:
        """A view that is resolved when an operation uses it."""
        found = Tensor(None, self.storage, self.element, 0, self.start, access, access.shape)
        found.tile = self.tile
        return found

    def partition_step(self) -> int:
        """Distance between consecutive partitions of an on-chip view."""
        if self.storage.memory == HBM or self._array is None or self._array.ndim <= self.blocks:
            return 1
        return views.partition_step(self)

    def signature(self) -> tuple[Any, ...]:
        """What the rulebook can tell apart about this tensor, hashable."""
        array = self._array
        step = array.strides[self.blocks] if array is not None and array.ndim > self.blocks else 0
        storage = self.storage
        more = type(self.access) is DynamicAccess, self.span() if storage.memory == PSUM else None
        return (self.sizes, self.blocks, self.element.name, storage.memory, storage.kind, self.start, step, more)

    def span(self) -> tuple[int, int] | None:
        """The first and the last element in a partition, of a view of a tensor that takes several PSUM banks."""
        storage, array = self.storage, self._array
        row = storage.free_elements()
        if row * storage.element.itemsize <= BANK or array is None:
            return None
        found = locate(storage, array, self.tile)
        if found is None:
            return None
        offset, strides = found
        first = offset % row
        steps = zip(strides[self.blocks + 1 :], self.sizes[self.blocks + 1 :], strict=True)
        return first, first + sum(stride * (size - 1) for stride, size in steps)

    # What kernels do

    def __getitem__(self, key: Any) -> Tensor:
        return indexing.get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        operators.assign(indexing.get(self, key), value)

    def __repr__(self) -> str:
        return f"<{self.storage.memory} tensor {self.name or ''}{list(self.sizes)} {self.element}>"

    def __str__(self) -> str:
        """What a kernel's own `print` shows: the elements too."""
        return f"{self!r}\n{operators.to_host(self)}"

    def __len__(self) -> int:
        return self.sizes[0]

    def __bool__(self) -> bool:
        return operators.truth(self)

    def __int__(self) -> int:
        return operators.as_index(self)

    __index__ = __int__

    def __iter__(self) -> Any:
        return (self[i] for i in range(self.sizes[0]))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return operators.to_host(self, dtype)

    def mask_values(self) -> Array:
        """The truth of each element, for a tile used as a mask."""
        return np.asarray(read(self, None)) != 0

    __add__, __radd__, __iadd__ = operators.forms("add")
    __sub__, __rsub__, __isub__ = operators.forms("subtract")
    __mul__, __rmul__, __imul__ = operators.forms("multiply")
    __truediv__, __rtruediv__, __itruediv__ = operators.forms("divide")
    __mod__, __rmod__, __imod__ = operators.forms("mod")
    __pow__, __rpow__, __ipow__ = operators.forms("power")
    __and__, __rand__, __iand__ = operators.forms("bitwise_and")
    __or__, __ror__, __ior__ = operators.forms("bitwise_or")
    __xor__, __rxor__, __ixor__ = operators.forms("bitwise_xor")
    __lshift__, __rlshift__, __ilshift__ = operators.forms("left_shift")
    __rshift__, __rrshift__, __irshift__ = operators.forms("right_shift")
    __lt__, __le__ = operators.comparison("less"), operators.comparison("less_equal")
    __gt__, __ge__ = operators.comparison("greater"), operators.comparison("greater_equal")
    __eq__ = operators.comparison("equal")
    __ne__ = operators.comparison("not_equal")
    __neg__ = operators.unary("negative")
    __invert__ = operators.unary("invert")
    __abs__ = operators.unary("abs")

    assert_shape = views.assert_shape
    astype = operators.astype
    broadcast_to = judged(views.broadcast_to)
    expand_dims = judged(views.expand_dims)
    reshape = judged(views.reshape)
    view = judged(views.reinterpret, "view")
    reinterpret_cast = judged(views.reinterpret, "reinterpret_cast")
    is_contiguous = views.is_contiguous
    get_pattern = views.get_pattern
    is_indirect = views.is_indirect
    is_identity = views.is_identity
    permute = judged(views.permute)
    broadcast = judged(views.broadcast)
    expand_dim = judged(views.expand_dim)
    squeeze_dim = judged(views.squeeze_dim)
    reshape_dim = judged(views.reshape_dim)
    flatten_dims = judged(views.flatten_dims)
    rearrange = judged(views.rearrange)
    slice = views.slice_dim
    select = views.select
    vector_select = views.vector_select
    ap = judged(views.ap)
    indirect = views.indirect


def read(tensor: Tensor, where: Where = None) -> Array:
    """The elements of a tensor. Elements that `where` leaves out hold what unwritten memory holds."""
    array, storage = tensor._array, tensor.storage
    if storage.rewritten is not None:
        watched(tensor)
    if storage.owed is not None:
        pay(storage)
    if array is not None:
        return array
    access = tensor.access
    if isinstance(access, GridAccess):
        resolved = access.resolve(where)
        if resolved.positions is not None:
            values = _flat(tensor)[resolved.positions]
            values[~resolved.where] = sentinel(values.dtype)
            return values
        if resolved.where is None:
            return resolved.base
        full = np.full(tensor.sizes, sentinel(resolved.base.dtype), resolved.base.dtype)
        full[resolved.where] = resolved.base
        return full
    if isinstance(access, KINDS):
        return look(tensor)
    return _gather(tensor, where, skip=False)


def watched(tensor: Tensor) -> None:
    """Something looks at a tensor that statements in loops write to."""
    from reference_sim.observers import lost_writes as rewriting

    current = running()
    if current is not None:
        rewriting.read(tensor.storage, current.clock, None)


def gather(tensor: Tensor, default: Array) -> Array:
    """The elements at dynamic positions; those out of bounds keep `default`."""
    if tensor._array is not None or not isinstance(tensor.access, DynamicAccess):
        return read(tensor)
    if tensor.storage.owed is not None:
        pay(tensor.storage)
    found = _gather(tensor, None, skip=True)
    bad = _bad_positions(tensor)
    return found if bad is None else np.where(bad, default, found)


def inside(tensor: Tensor) -> Array:
    """Of each element of an access, whether its position is one of the tensor's."""
    dynamic = tensor._array is None and isinstance(tensor.access, DynamicAccess)
    bad = _bad_positions(tensor) if dynamic else None
    return np.ones(tensor.sizes, bool) if bad is None else ~bad


def _flat(tensor: Tensor) -> Array:
    storage = tensor.storage
    if storage.array is None or storage.placed:
        raise CannotSimulate("a dynamic access", "the tensor is placed at an address of its own")
    if tensor.element is storage.element:
        return storage.array.reshape(-1)
    return storage.raw().view(HOST[tensor.element])


def _positions(tensor: Tensor) -> Array:
    access = tensor.access
    assert isinstance(access, DynamicAccess)
    return access.positions()


def _bad_positions(tensor: Tensor) -> Array | None:
    return outside(_positions(tensor), _flat(tensor).size)


def _gather(tensor: Tensor, where: Where, skip: bool) -> Array:
    access = tensor.access
    assert isinstance(access, DynamicAccess)
    if access.view is not None:
        view = access.view()
        if view is not None:
            return view
    positions, flat = _positions(tensor), _flat(tensor)
    bad = outside(positions, flat.size)
    if bad is not None:
        kept = _kept(where, positions.shape)
        wrong = bad if kept is None else bad & kept
        if wrong.any() and not skip:
            runtime_index_error(int(positions[wrong][0]), flat.size)
        positions = np.where(bad, 0, positions)
    return np.asarray(flat[positions])


def _kept(where: Where, shape: Shape) -> Array | None:
    if where is None:
        return None
    if isinstance(where, tuple):
        kept = np.zeros(shape, bool)
        kept[where] = True
        return kept
    return np.asarray(where)


def write(tensor: Tensor, values: Any, where: Where = None, precise: bool = True, skip: bool = False) -> None:
    """Write values, cast to the tensor's type, into the elements that `where` leaves."""
    array = tensor._array
    if tensor.storage.lent is not None:
        settle(tensor.storage)
    if tensor.storage.owed is not None:
        pay(tensor.storage)
    if array is None and isinstance(tensor.access, KINDS):
        array = look(tensor)
    if array is not None and where is None:
        array[...] = cast(values, tensor.element, array.dtype, precise)
        return
    values = np.asarray(values)
    if array is not None:
        cast_values = cast(values, tensor.element, array.dtype, precise)
        if isinstance(where, tuple):
            array[where] = np.broadcast_to(cast_values, array.shape)[where]
        else:
            np.copyto(array, cast_values, where=where)
        return
    access = tensor.access
    if isinstance(access, GridAccess):
        resolved = access.resolve(where)
        cast_values = np.broadcast_to(cast(values, tensor.element, resolved.base.dtype, precise), tensor.sizes)
        if resolved.positions is not None:
            _flat(tensor)[resolved.positions[resolved.where]] = cast_values[resolved.where]
        elif resolved.base.size:
            resolved.base[...] = cast_values if resolved.where is None else cast_values[resolved.where]
        return
    _scatter(tensor, values, where, precise, skip)


def _scatter(tensor: Tensor, values: Array, where: Where, precise: bool, skip: bool) -> None:
    access = tensor.access
    assert isinstance(access, DynamicAccess)
    view = access.view() if access.view is not None else None
    if view is not None and where is None:
        view[...] = cast(values, tensor.element, view.dtype, precise)
        return
    positions, flat = _positions(tensor), _flat(tensor)
    kept = _kept(where, positions.shape)
    bad = outside(positions, flat.size)
    if bad is not None:
        wrong = bad if kept is None else bad & kept
        if wrong.any() and not skip:
            runtime_index_error(int(positions[wrong][0]), flat.size)
        kept = ~bad if kept is None else kept & ~bad
    cast_values = np.broadcast_to(cast(values, tensor.element, flat.dtype, precise), positions.shape)
    if kept is None:
        flat[positions] = cast_values
    else:
        flat[positions[kept]] = cast_values[kept]


def touched(tensor: Tensor, where: Where = None) -> tuple[Array | None, Array | None]:
    """What an access touches under a mask: a strided view of the storage, or flat positions in it."""
    array, access = tensor._array, tensor.access
    if array is None and isinstance(access, KINDS):
        array = access.place() if isinstance(access, Sum) else look(tensor)
    if array is None and isinstance(access, GridAccess):
        resolved = access.resolve(where)
        if resolved.positions is not None:
            return None, resolved.positions[resolved.where]
        return resolved.base, None
    if array is None:
        assert isinstance(access, DynamicAccess)
        positions = access.positions()
        kept = _kept(where, positions.shape)
        bad = outside(positions, _flat(tensor).size)
        if bad is not None:
            kept = ~bad if kept is None else kept & ~bad
        return None, positions.reshape(-1) if kept is None else positions[kept]
    if where is None or isinstance(where, tuple):
        return array if where is None else array[where], None
    offset, strides = tensor.offset, tensor.strides
    lattice = np.indices(array.shape, sparse=True)
    total = offset + sum(index * stride for index, stride in zip(lattice, strides, strict=True))
    return None, np.broadcast_to(total, array.shape)[where]
