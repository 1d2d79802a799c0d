"""What PSUM holds: whether a matmul adds to an element, or is the first to write it."""

from __future__ import annotations

from typing import Any

import numpy as np

from nkilint_rules.words.memory import PSUM
from reference_sim.machine.dtypes import Array
from reference_sim.machine.geometry import project, repeats
from reference_sim.machine.memory import RESULTS, PlacedTile, Storage
from reference_sim.machine.program import Program

from .elements import accessed
from .grids import Where
from .tensor import Tensor

FRESH, MATMUL, OTHER = 0, 1, 2
"""Nothing, a sum of matmuls, something else; greater numbers are of those who note more about what is there."""


class Written:
    """The state of each element of a PSUM storage: one value stands for all as long as they agree."""

    __slots__ = ("marks", "state")

    def __init__(self, state: int | None = FRESH) -> None:
        self.state: int | None = state
        self.marks: Any = None

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
        if view is not None and view.size == _size(storage) and not repeats(view):
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


def shared_state(storage: Storage) -> int | None:
    """The state that all elements of a storage share; None where they differ."""
    held: Written | None = storage.psum
    if held is not None:
        return held.state
    return OTHER if storage.kind in RESULTS else FRESH


def _size(storage: Storage) -> int:
    total = 1
    for size in storage.shape:
        total *= size
    return total


def note_written(target: Tensor, where: Where, matmul: bool = False) -> None:
    """Something wrote these elements."""
    storage = target.storage
    if storage.memory != PSUM:
        return
    held, state = storage.psum, MATMUL if matmul else OTHER
    if held is None:
        held = storage.psum = Written(shared_state(storage))
    if held.state != state:
        view, positions = accessed(target, where)
        held.put(storage, view, positions, state, target.tile)


def states_of(target: Tensor, where: Where = None) -> Any:
    """The states of the elements of a tensor in PSUM: a number where they agree."""
    state = shared_state(target.storage)
    if state is not None:
        return state
    view, positions = accessed(target, where)
    return target.storage.psum.at(target.storage, view, positions, target.tile)


def includes(states: Any, state: int) -> bool:
    """Whether any of some elements is in a state."""
    return bool(states == state) if isinstance(states, int) else bool((states == state).any())


def begin(target: Tensor, accumulate: Any, current: Program) -> Any:
    """What a matmul does to what is in `target`: None replaces it, True adds to it, an array says so by element."""
    if accumulate is False and not current.listeners.sums:
        return None
    found = states_of(target)
    if isinstance(found, int) and found == FRESH and accumulate is None:
        return None
    for told in current.listeners.sums:
        told(target, found, accumulate)
    if accumulate is False:
        return None
    if accumulate or (isinstance(found, int) and found == MATMUL):
        return True
    if not includes(found, FRESH):
        return True
    written = np.not_equal(found, FRESH)
    return np.array(written) if written.any() else None
