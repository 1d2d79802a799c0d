"""Accumulation in PSUM: what a matmul adds to and what it replaces, and whether the sums it makes are sound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.operation import NKI, PSUM

from .context import report
from .dtypes import Array
from .errors import finding_at
from .geometry import project
from .tensor import touched

if TYPE_CHECKING:
    from .context import Program
    from .grids import Where
    from .memory import Storage
    from .tensor import Tensor

FRESH, MATMUL, OTHER, READ_OUT = 0, 1, 2, 3


class Written:
    """What each element of a PSUM storage holds: nothing, a sum of matmuls, something else, a sum already read out.

    One value stands for all elements as long as they agree.
    """

    __slots__ = ("marks", "state")

    def __init__(self, state: int = FRESH) -> None:
        self.state: int | None = state
        self.marks: Any = None

    def at(self, storage: Storage, view: Array | None, positions: Array | None) -> Any:
        """The states of some elements: a number when they agree throughout the storage."""
        if self.state is not None:
            return self.state
        if view is None:
            return self.marks.reshape(-1)[positions]
        found = project(storage, view, self.marks)
        return OTHER if found is None else found

    def put(self, storage: Storage, view: Array | None, positions: Array | None, state: int) -> None:
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
        found = project(storage, view, self.marks)
        if found is None:
            self.state, self.marks = state, None
        else:
            found[...] = state


def _size(storage: Storage) -> int:
    total = 1
    for size in storage.shape:
        total *= size
    return total


def wrote(target: Tensor, where: Where, matmul: bool = False) -> None:
    """Note that something wrote these elements."""
    storage = target.storage
    if storage.memory == PSUM:
        known, state = storage.psum, MATMUL if matmul else OTHER
        if known is None:
            known = storage.psum = Written()
        if known.state != state:
            view, positions = touched(target, where)
            known.put(storage, view, positions, state)


def read_out(source: Tensor, where: Where) -> None:
    """Note that something other than a matmul read these elements."""
    state = source.storage.psum
    if state is None or (state.state is not None and state.state != MATMUL):
        return
    view, positions = touched(source, where)
    found = state.at(source.storage, view, positions)
    if np.any(np.equal(found, MATMUL)):
        state.put(source.storage, view, positions, READ_OUT)


def begin(target: Tensor, accumulate: Any, current: Program) -> Any:
    """What a matmul does to what is in `target`: None replaces it, True adds to it, an array says so by element."""
    state = target.storage.psum
    if accumulate is False:
        return None
    known = FRESH if state is None else state.state
    if known == MATMUL:
        return True
    if known == FRESH and accumulate is None:
        return None
    found: Any = known
    if known is None:
        view, positions = touched(target)
        found = state.at(target.storage, view, positions)
    if current.checks:
        _judge(target, found, accumulate, current)
    if accumulate:
        return True
    written = np.not_equal(found, FRESH)
    if np.all(written):
        return True
    return np.array(written) if np.any(written) else None


def _judge(target: Tensor, found: Any, accumulate: Any, current: Program) -> None:
    name = f"`{target.storage.name}`" if target.storage.name else "the PSUM tile"
    if np.any(np.equal(found, READ_OUT)):
        report(
            finding_at("NKI504", f"a matmul accumulates into {name} after it was read out, so earlier sums count twice",
                       help="start a new sum: allocate the tile inside the loop, or clear it first")
        )  # fmt: skip
    old_device = current.launch.target.generation < 4
    if current.dialect == NKI and old_device and np.any(np.equal(found, OTHER)):
        report(
            finding_at("NKI505", f"a matmul accumulates into {name}, which something other than a matmul wrote; "
                                 f"{current.launch.target} leaves the result undefined")
        )  # fmt: skip
    if accumulate and np.any(np.equal(found, FRESH)):
        report(finding_at("NKI701", f"a matmul with `accumulate=True` adds to elements of {name} that nothing wrote"))
