"""Tensors: a storage and a view of it, indexed as both dialects do, and read and written by operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.memory import HBM, PSUM
from nkilint_rules.words.shapes import Sizes
from nkilint_rules.words.tiles import Tile
from reference_sim.machine.dtypes import HOST, Array
from reference_sim.machine.geometry import locate
from reference_sim.machine.memory import PlacedTile, Storage

from . import python, subscripts, views
from .access import DynamicAccess, GridAccess
from .deferred import Keys, Part, Pending
from .elements import read

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
    def gathered(self) -> bool:
        return self.tensor.indirection is not None

    @property
    def span(self) -> tuple[int, int] | None:
        return self.tensor.span()

    @property
    def steps(self) -> tuple[int, ...] | None:
        tensor = self.tensor
        array = tensor._array
        return None if array is None else tuple(step // array.itemsize for step in array.strides[tensor.blocks :])

    @property
    def row(self) -> int:
        storage = self.tensor.storage
        return storage.free_elements() * storage.element.itemsize // max(1, self.dtype.itemsize)


class Cut(NamedTuple):
    """What `operand[mask]` leaves of a tensor: a box of it."""

    whole: Tensor
    box: tuple[slice, ...]


class Tensor:
    """A tensor in HBM, SBUF or PSUM, or a view of one."""

    __slots__ = (
        "_array", "access", "blocks", "cut", "element", "indirection", "mesh", "part", "sizes", "start", "storage",
        "tile",
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
        self.cut: Cut | None = None  # the tensor that a mask made this one of, for operations that take masks there
        self.part: Part | None = None  # what of which array it is, where plain slices chose that

    # What kernels read

    @property
    def array(self) -> Array:
        """The elements as a strided view; in HBM, products that are put off are not there yet: `read` sees to that."""
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

    @property
    def keys(self) -> Keys | None:
        """The index or slice on each axis of the storage that chose this view; None where something else did."""
        part = self.part
        return part[1] if part is not None and part[0] is self.storage.array else None

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

    def cut_to(self, array: Array, box: tuple[slice, ...]) -> Tensor:
        """The part of it that a mask leaves."""
        found = self.derive(array)
        found.cut = Cut(self, box)
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
        array, storage, blocks = self._array, self.storage, self.blocks
        memory = storage.memory
        steps = () if array is None else array.strides
        more: Any = type(self.access) is DynamicAccess
        if memory == PSUM:
            more = more, self.span()
        return (self.sizes, blocks, self.element.name, memory, storage.kind, self.start, steps, more)

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
        return subscripts.get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        python.assign(subscripts.get(self, key), value)

    def __repr__(self) -> str:
        return f"<{self.storage.memory} tensor {self.name or ''}{list(self.sizes)} {self.element}>"

    def __str__(self) -> str:
        """What a kernel's own `print` shows: the elements too."""
        return f"{self!r}\n{python.to_host(self)}"

    def __len__(self) -> int:
        return self.sizes[0]

    def __bool__(self) -> bool:
        return python.truth(self)

    def __index__(self) -> int:
        return python.as_index(self)

    __int__ = __float__ = python.no_number

    def __iter__(self) -> Any:
        return (self[i] for i in range(self.sizes[0]))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return python.to_host(self, dtype)

    def mask_values(self) -> Array:
        """The truth of each element, for a tile used as a mask."""
        return np.asarray(read(self, None)) != 0

    __add__, __radd__, __iadd__ = python.forms("add")
    __sub__, __rsub__, __isub__ = python.forms("subtract")
    __mul__, __rmul__, __imul__ = python.forms("multiply")
    __truediv__, __rtruediv__, __itruediv__ = python.forms("divide")
    __mod__, __rmod__, __imod__ = python.forms("mod")
    __pow__, __rpow__, __ipow__ = python.forms("power")
    __and__, __rand__, __iand__ = python.forms("bitwise_and")
    __or__, __ror__, __ior__ = python.forms("bitwise_or")
    __xor__, __rxor__, __ixor__ = python.forms("bitwise_xor")
    __lshift__, __rlshift__, __ilshift__ = python.forms("left_shift")
    __rshift__, __rrshift__, __irshift__ = python.forms("right_shift")
    __lt__, __le__ = python.comparison("less"), python.comparison("less_equal")
    __gt__, __ge__ = python.comparison("greater"), python.comparison("greater_equal")
    __eq__ = python.comparison("equal")
    __ne__ = python.comparison("not_equal")
    __neg__ = python.unary("negative")
    __invert__ = python.unary("invert")
    __abs__ = python.unary("abs")

    assert_shape = views.assert_shape
    astype = python.astype
    broadcast_to = python.checked(views.broadcast_to)
    expand_dims = python.checked(views.expand_dims)
    reshape = python.checked(views.reshape)
    view = python.checked(views.reinterpret, "view")
    reinterpret_cast = python.checked(views.reinterpret, "reinterpret_cast")
    is_contiguous = views.is_contiguous
    get_pattern = views.get_pattern
    is_indirect = views.is_indirect
    is_identity = views.is_identity
    permute = python.checked(views.permute)
    broadcast = python.checked(views.broadcast)
    expand_dim = python.checked(views.expand_dim)
    squeeze_dim = python.checked(views.squeeze_dim)
    reshape_dim = python.checked(views.reshape_dim)
    flatten_dims = python.checked(views.flatten_dims)
    rearrange = python.checked(views.rearrange)
    slice = python.checked(views.slice_dim, "slice")
    select = python.checked(views.select)
    vector_select = python.checked(views.vector_select)
    ap = python.checked(views.ap)
    indirect = views.indirect
