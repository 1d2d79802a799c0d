"""Accumulation in PSUM: what a matmul adds to and what it replaces, and whether the sums it makes are sound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from nkilint_rules.words.dialects import NKI
from nkilint_rules.words.memory import PSUM
from reference_sim.machine.dtypes import Array
from reference_sim.machine.geometry import element_at, project
from reference_sim.report.sites import Site, here
from reference_sim.report.wording import complain, complain_unwritten, name_of
from reference_sim.tensors.tensor import touched

if TYPE_CHECKING:
    from reference_sim.machine.memory import PlacedTile, Storage
    from reference_sim.machine.program import Program
    from reference_sim.tensors.grids import Where
    from reference_sim.tensors.tensor import Tensor

FRESH, MATMUL, OTHER, READ_OUT = 0, 1, 2, 3


class Written:
    """What each element of a PSUM storage holds: nothing, a sum of matmuls, something else, a sum already read out.

    One value stands for all elements as long as they agree.
    """

    __slots__ = ("marks", "reader", "state", "writer")

    def __init__(self, state: int | None = FRESH) -> None:
        self.state: int | None = state
        self.marks: Any = None
        self.writer: tuple[str, Site] = ("a write", None)  # what last wrote something else than a matmul
        self.reader: Site = None

    def at(self, storage: Storage, view: Array | None, positions: Array | None, tile: PlacedTile | None = None) -> Any:
        """The states of some elements: a number when they agree throughout the storage."""
        if self.state is not None:
            return self.state
        if view is None:
            return self.marks.reshape(-1)[positions]
        found = project(storage, view, self.marks, tile)
        return OTHER if found is None else found

    def put(
        self, storage: Storage, view: Array | None, positions: Array | None, state: int, tile: PlacedTile | None = None
    ) -> None:
        """Give some elements a state."""
        if self.state == state:
            return
        if view is not None and view.size == _size(storage):
            self.state, self.marks = state, None
            return
        if self.marks is None:
            self.marks = np.full(storage.shape, self.state, np.uint8)
            self.state = None
        if view is None:
            self.marks.reshape(-1)[positions] = state
            return
        found = project(storage, view, self.marks, tile)
        if found is None:
            self.state, self.marks = state, None
        else:
            found[...] = state


def known(storage: Storage) -> int | None:
    """The state that all elements of a storage share; None where they differ."""
    if storage.psum is not None:
        return cast("Written", storage.psum).state
    return OTHER if storage.kind in ("result", "matmul") else FRESH


def _size(storage: Storage) -> int:
    total = 1
    for size in storage.shape:
        total *= size
    return total


def wrote(target: Tensor, where: Where, current: Program, matmul: bool = False) -> None:
    """Note that something wrote these elements."""
    storage = target.storage
    if storage.memory == PSUM:
        held, state = storage.psum, MATMUL if matmul else OTHER
        if held is None:
            held = storage.psum = Written(known(storage))
        if held.state != state:
            view, positions = touched(target, where)
            held.put(storage, view, positions, state, target.tile)
        if not matmul and current.checks:
            held.writer = current.operation, here()


def read_out(source: Tensor, where: Where) -> None:
    """Note that something other than a matmul read these elements."""
    state = source.storage.psum
    if state is None or (state.state is not None and state.state != MATMUL):
        return
    view, positions = touched(source, where)
    found = state.at(source.storage, view, positions, source.tile)
    if np.any(np.equal(found, MATMUL)):
        state.put(source.storage, view, positions, READ_OUT, source.tile)
        state.reader = here()


def begin(target: Tensor, accumulate: Any, current: Program) -> Any:
    """What a matmul does to what is in `target`: None replaces it, True adds to it, an array says so by element."""
    if accumulate is False:
        return None
    found: Any = known(target.storage)
    if found == MATMUL:
        return True
    if found == FRESH and accumulate is None:
        return None
    if found is None:
        view, positions = touched(target)
        found = target.storage.psum.at(target.storage, view, positions, target.tile)
    if current.checks:
        _judge(target, found, accumulate, current)
    if accumulate:
        return True
    written = np.not_equal(found, FRESH)
    if np.all(written):
        return True
    return np.array(written) if np.any(written) else None


def _judge(target: Tensor, found: Any, accumulate: Any, current: Program) -> None:
    storage = target.storage
    state = storage.psum or Written()
    allocated = ("allocated here", storage.site)
    if np.any(np.equal(found, READ_OUT)):
        complain("NKI504", None, None, [("read out here", state.reader), allocated], tensor=name_of(storage))
    old_device = current.launch.target.generation < 4
    if accumulate and current.dialect == NKI and old_device and np.any(np.equal(found, OTHER)):
        complain("NKI505", None, None, [("written here", state.writer[1]), allocated], tensor=name_of(storage),
                 operation=state.writer[0], target=current.launch.target)  # fmt: skip
    if accumulate and np.any(np.equal(found, FRESH)):
        view, positions = touched(target)
        first = int(np.argmax(np.broadcast_to(np.equal(found, FRESH), target.shape)))
        element = element_at(storage, view, positions, first, target.tile)
        complain_unwritten(storage, storage.site, element, None, ())
