"""Allocating tensors: automatically, each with its own storage, or directly, at real bytes of SBUF and PSUM."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nkilint_rules.placing.direct import AUTOMATIC
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.memory import HBM
from nkilint_rules.words.shapes import block_rank
from reference_sim.machine.buffers import MemoryRegion, region
from reference_sim.machine.dtypes import Array, stored_type
from reference_sim.machine.memory import Chip, Placement, Storage, new_array, place
from reference_sim.machine.program import Program
from reference_sim.machine.sizes import shape_of
from reference_sim.report.budget import active
from reference_sim.report.sites import call_path, here

from . import placement
from .accumulation import OTHER, Written
from .tensor import Tensor

Index = tuple[int, ...]


@dataclass(frozen=True)
class Allocator:
    """What `ncc.sbuf.alloc(...)` and its like give: a buffer that says where each block goes.

    `locate(index, partitions, bytes)` gives the first partition and byte. `counts` are the numbers of physical tiles,
    where the allocator has some, with the name of the argument.
    """

    region: MemoryRegion
    locate: Callable[[Index, int, int], tuple[int, ...]]
    counts: tuple[tuple[str, Index], ...] = ()

    @property
    def memory(self) -> str:
        return self.region.memory


def create(
    current: Program,
    shape: Any,
    element: DType,
    buffer: Any,
    name: str = "",
    fill: Any = None,
    address: Any = None,
    blocks: int | None = None,
) -> Tensor:
    """A new tensor; without `fill` it holds what unwritten memory holds."""
    sizes = shape_of(shape)
    where = region(buffer)
    limits = active()
    if limits is not None:
        limits.allocate(sizes, element.itemsize, where.memory == HBM)
    count = block_rank(shape) if blocks is None else blocks
    if where.memory == HBM:
        return _in_hbm(current, sizes, element, where, name, fill)
    located = _placement(buffer, address, where.memory, count, current)
    if located is not None:
        return _placed(current, sizes, count, element, where, name, fill, located)
    stored = stored_type(element, current.precise)
    array = new_array(sizes, stored, fill)
    storage = Storage(array, element, where.memory, count, name)
    _register(current, storage, fill)
    return Tensor(array, storage, element, count)


def _register(current: Program, storage: Storage, fill: Any) -> None:
    current.clock += 1
    storage.birth = current.clock
    if current.checks:
        storage.site = here()
    for told in current.listeners.allocated:
        told(storage, fill is not None)
    if fill is not None and storage.memory != HBM:
        storage.psum = Written(OTHER)


def _in_hbm(current: Program, sizes: Index, element: DType, where: MemoryRegion, name: str, fill: Any) -> Tensor:
    key = ("hbm", *current.occurrence(here()))
    shared = where is MemoryRegion.shared_hbm
    if shared and key in current.launch.shared:
        storage: Storage = current.launch.shared[key]
        return Tensor(storage.array, storage, storage.element)
    array = new_array(sizes, stored_type(element, current.precise), fill)
    storage = Storage(array, element, HBM, 0, name, "shared" if shared else "private")
    _register(current, storage, fill)
    if shared:
        storage.birth = 0
        current.launch.shared[key] = storage
    current.launch.storages.append(storage)
    return Tensor(array, storage, element)


def constant(current: Program, array: Array, element: DType, where: MemoryRegion) -> Tensor:
    """A tensor of constant data."""
    storage = Storage(array, element, where.memory, 0, "", "constant")
    current.clock += 1
    storage.birth = current.clock
    return Tensor(array, storage, element)


def _placement(buffer: Any, address: Any, memory: str, blocks: int, current: Program) -> Placement | None:
    if isinstance(buffer, Allocator):
        if current.launch.allocation == AUTOMATIC:
            return None
        return placement.of_allocator(_as_first_traced(buffer, current), blocks, current)
    if address is not None:
        partition, byte = (int(part) for part in address)
        return placement.of_address(partition, byte, memory, current)
    return None


def _as_first_traced(allocator: Allocator, current: Program) -> Allocator:
    """The allocator that this statement had in the first iteration of the loops around it.

    Beta 1 traces a loop body once, so an address that Python computes there is the same in every iteration, although
    the body runs again and again here.
    """
    key = (call_path(), tuple(current.unrolled))
    known: list[Any] | None = current.placements.get(key)
    if known is None:
        known = current.placements[key] = [current.iteration, 0, current.iteration, []]
    first, position, last, allocators = known
    position = position + 1 if last == current.iteration and allocators else 0
    if first == current.iteration or position >= len(allocators):
        allocators.append(allocator)
        position = len(allocators) - 1
    known[1], known[2] = position, current.iteration
    found: Allocator = allocators[position]
    return found


def _placed(
    current: Program,
    sizes: Index,
    blocks: int,
    element: DType,
    where: MemoryRegion,
    name: str,
    fill: Any,
    at: Placement,
) -> Tensor:
    chip = current.chips.get(where.memory)
    if chip is None:
        chip = current.chips[where.memory] = Chip(where.memory, current.launch.target)
    storage = Storage(None, element, where.memory, blocks, name, "placed")
    storage.site = here() if current.checks else None
    place(chip, storage, sizes, element, at, current.precise)
    _register(current, storage, fill)
    tensor = Tensor(storage.array, storage, element, blocks, 0, None, sizes)
    if fill is not None:
        for tile in storage.tiles.values():
            tile.array[...] = fill
    return tensor
