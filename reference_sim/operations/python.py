"""Assignments, conversions and methods of tensors, which are operations of a kernel's language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reference_sim.machine.dtypes import cast, element_type, stored_type
from reference_sim.machine.listeners import tell_read
from reference_sim.machine.program import Program, program
from reference_sim.tensors.elements import read
from reference_sim.tensors.grids import Grid
from reference_sim.tensors.python import MEANINGS
from reference_sim.tensors.tensor import Tensor

from .assignments import check, check_assignment, check_operator
from .in_place import in_place
from .results import assign, copy_into, wrap


def install(language: dict[str, Callable[..., Any]]) -> None:
    """Give Python's operators on tensors the operations of Beta 1's `nki.language`, and what stands here."""
    MEANINGS.language = language
    MEANINGS.in_place, MEANINGS.assign = in_place, assigned
    MEANINGS.convert, MEANINGS.check, MEANINGS.operator = converted, check, check_operator


def assigned(target: Tensor, value: Any) -> None:
    """`t[...] = value`."""
    current = program("assignment")
    if isinstance(value, Tensor) and _is_updated(target, value, current):
        return
    check_assignment(target, value, current)
    if isinstance(value, Tensor):
        copy_into(target, value, current)
        return
    for told in current.listeners.began:
        told(None)
    assign(target, np.asarray(value.array() if isinstance(value, Grid) else value), None, current)


def _is_updated(target: Tensor, value: Tensor, current: Program) -> bool:
    """Whether this is the assignment that ends `t[i] += x`, of elements that have been written already."""
    if value.storage is not target.storage:
        return False
    if value._array is not None and target._array is not None:
        return _same_memory(value, target)
    return value is current.updated and type(value.access) is type(target.access) and value.sizes == target.sizes


def _same_memory(a: Tensor, b: Tensor) -> bool:
    x, y = a.array, b.array
    return bool(
        x.shape == y.shape
        and x.strides == y.strides
        and x.__array_interface__["data"][0] == y.__array_interface__["data"][0]
    )


def converted(tensor: Tensor, dtype: Any) -> Tensor:
    """A copy of another type."""
    current = program("astype")
    for told in current.listeners.began:
        told(None)
    tell_read(tensor, None, None, current)
    element = element_type(dtype)
    array = cast(read(tensor), element, stored_type(element, current.precise), current.precise)
    array = np.array(array) if array is tensor._array else array
    return wrap(array, element, tensor.storage.memory, current)
