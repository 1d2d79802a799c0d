"""Accumulation in PSUM: which elements a matmul adds to and which it replaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.operation import PSUM

from .geometry import project

if TYPE_CHECKING:
    from .context import Program
    from .grids import Where
    from .tensor import Tensor


class Written:
    """Which elements of a PSUM storage have been written: none, all, or those marked."""

    __slots__ = ("all", "marks")

    def __init__(self) -> None:
        self.all = False
        self.marks: Any = None


def _covers(target: Tensor) -> bool:
    total = 1
    for size in target.storage.shape:
        total *= size
    array = target._array
    return array is not None and array.size == total and target.element is target.storage.element


def wrote(target: Tensor, where: Where) -> None:
    """Note that something wrote these elements."""
    storage = target.storage
    if storage.memory != PSUM:
        return
    state = storage.psum
    if state is None:
        state = storage.psum = Written()
    if state.all:
        return
    if where is None and _covers(target):
        state.all, state.marks = True, None
        return
    if state.marks is None:
        state.marks = np.zeros(storage.shape, bool)
    view = project(target, state.marks)
    if view is None:
        state.all = True
    elif where is None:
        view[...] = True
    elif isinstance(where, tuple):
        view[where] = True
    else:
        view |= where


def begin(target: Tensor, accumulate: Any, current: Program) -> Any:
    """What a matmul does to what is in `target`: None replaces it, True adds to it, an array says so by element."""
    if accumulate is not None:
        return True if accumulate else None
    state = target.storage.psum
    if state is None:
        return None
    if state.all:
        return True
    view = project(target, state.marks)
    if view is None or view.all():
        return True
    return np.array(view) if view.any() else None
