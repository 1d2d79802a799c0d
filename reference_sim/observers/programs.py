"""Programs of a launch grid that touch the same elements of shared HBM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from reference_sim.machine.dtypes import Array
from reference_sim.machine.geometry import element_at, project
from reference_sim.report.wording import complain, name_of
from reference_sim.tensors.tensor import Tensor, touched

if TYPE_CHECKING:
    from reference_sim.machine.program import Program
    from reference_sim.tensors.grids import Where

_NOBODY, _SEVERAL = -1, -2


class Owners:
    """For each element of a shared tensor the program that wrote it and the one that read it."""

    __slots__ = ("readers", "writers")

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.writers = np.full(shape, _NOBODY, np.int16)
        self.readers: Any = None


def _owners(tensor: Tensor, current: Program) -> Owners:
    table = current.launch.shared
    key = ("owners", id(tensor.storage))
    found = table.get(key)
    if found is None:
        found = table[key] = Owners(tensor.storage.shape)
    owners: Owners = found
    return owners


def _seen(tensor: Tensor, where: Where, marks: Array) -> tuple[Array | None, Any]:
    """The marks of what an access touches, and how to write them back."""
    view, positions = touched(tensor, where)
    if view is None:
        flat = marks.reshape(-1)
        return flat[positions], lambda value: flat.__setitem__(positions, value)
    found = project(tensor.storage, view, marks)
    return found, (lambda value: found.__setitem__(..., value)) if found is not None else None


def _complain(tensor: Tensor, where: Where, marks: Array, me: int, variant: str | None) -> None:
    """Name the first element that another program has touched, and both programs."""
    others = np.asarray((marks != _NOBODY) & (marks != me))
    position = int(np.flatnonzero(others)[0])
    other = int(np.asarray(marks).reshape(-1)[position])
    view, positions = touched(tensor, where)
    element = element_at(tensor.storage, view, positions, position)
    first, second = sorted((other, me)) if other >= 0 else ("several", me)
    complain("NKI603", variant, first=first, second=second, element=element, tensor=name_of(tensor.storage))


def wrote(tensor: Tensor, where: Where, current: Program) -> None:
    """Report an element that another program wrote or read."""
    if len(current.launch.grid) == 0 or all(size == 1 for size in current.launch.grid):
        return
    owners = _owners(tensor, current)
    me = current.number
    found, put = _seen(tensor, where, owners.writers)
    if found is None:
        return
    if np.any((found != _NOBODY) & (found != me)):
        _complain(tensor, where, found, me, None)
    put(me)
    if owners.readers is not None:
        read_by, _ = _seen(tensor, where, owners.readers)
        if read_by is not None and np.any((read_by != _NOBODY) & (read_by != me)):
            _complain(tensor, where, read_by, me, "read")


def read(tensor: Tensor, where: Where, current: Program) -> None:
    """Report an element that another program wrote."""
    if all(size == 1 for size in current.launch.grid):
        return
    owners = _owners(tensor, current)
    me = current.number
    found, _ = _seen(tensor, where, owners.writers)
    if found is not None and np.any((found != _NOBODY) & (found != me)):
        _complain(tensor, where, found, me, "read")
    if owners.readers is None:
        owners.readers = np.full(tensor.storage.shape, _NOBODY, np.int16)
    read_by, put = _seen(tensor, where, owners.readers)
    if read_by is not None:
        put(np.where((read_by == _NOBODY) | (read_by == me), me, _SEVERAL))


def synchronised(current: Program) -> None:
    """After a barrier every core sees what the others wrote."""
    for key in [k for k in current.launch.shared if isinstance(k, tuple) and k[0] == "owners"]:
        del current.launch.shared[key]
