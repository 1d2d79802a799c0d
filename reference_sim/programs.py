"""Programs of a launch grid that touch the same elements of shared HBM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .context import report
from .dtypes import Array
from .errors import finding_at
from .geometry import project
from .tensor import Tensor, touched

if TYPE_CHECKING:
    from .context import Program
    from .grids import Where

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


def _name(tensor: Tensor) -> str:
    return f"`{tensor.storage.name}`" if tensor.storage.name else "a shared tensor"


def wrote(tensor: Tensor, where: Where, current: Program) -> None:
    """Report an element that another program wrote or read."""
    if len(current.launch.grid) == 0 or all(size == 1 for size in current.launch.grid):
        return
    owners = _owners(tensor, current)
    me = current.number
    with current.launch.lock:
        found, put = _seen(tensor, where, owners.writers)
        if found is None:
            return
        if np.any((found != _NOBODY) & (found != me)):
            other = int(np.asarray(found)[(found != _NOBODY) & (found != me)].reshape(-1)[0])
            report(finding_at("NKI603", f"programs {other} and {me} write the same element of {_name(tensor)}"))
        put(me)
        if owners.readers is not None:
            read_by, _ = _seen(tensor, where, owners.readers)
            if read_by is not None and np.any((read_by != _NOBODY) & (read_by != me)):
                report(finding_at("NKI603", f"program {me} writes an element of {_name(tensor)} that another reads"))


def read(tensor: Tensor, where: Where, current: Program) -> None:
    """Report an element that another program wrote."""
    if all(size == 1 for size in current.launch.grid):
        return
    owners = _owners(tensor, current)
    me = current.number
    with current.launch.lock:
        found, _ = _seen(tensor, where, owners.writers)
        if found is not None and np.any((found != _NOBODY) & (found != me)):
            report(finding_at("NKI603", f"program {me} reads an element of {_name(tensor)} that another writes"))
        if owners.readers is None:
            owners.readers = np.full(tensor.storage.shape, _NOBODY, np.int16)
        read_by, put = _seen(tensor, where, owners.readers)
        if read_by is not None:
            put(np.where((read_by == _NOBODY) | (read_by == me), me, _SEVERAL))


def synchronised(current: Program) -> None:
    """After a barrier every core sees what the others wrote."""
    with current.launch.lock:
        for key in [k for k in current.launch.shared if isinstance(k, tuple) and k[0] == "owners"]:
            del current.launch.shared[key]
