"""In-place operators: `t += x` writes into `t`, and on PSUM it is how Beta 1 accumulates matmuls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nkilint_rules.words.memory import PSUM
from reference_sim.machine.listeners import tell_read, tell_used, tell_written
from reference_sim.machine.program import Program, program
from reference_sim.tensors import accumulation
from reference_sim.tensors.deferred import KINDS, Product, look, summed
from reference_sim.tensors.deferred_sums import carry_out
from reference_sim.tensors.elements import read
from reference_sim.tensors.grids import Where
from reference_sim.tensors.tensor import Tensor

from . import results
from .assignments import check_update
from .numerics.alu import binary
from .results import kept


def in_place(target: Tensor, other: Any, name: str, language: Callable[..., Any]) -> Tensor:
    """`target op= other`: the result has the type and place of the target."""
    current = program(f"language.{name}")
    current.updated = target
    check_update(target, other, name, current)
    put_off = name == "add" and isinstance(other, Tensor) and type(other.access) is Product
    if put_off and _put_off(target, other, current):
        return target
    for tile in (target, other):
        if isinstance(tile, Tensor):
            if isinstance(tile.access, KINDS):
                look(tile)
            if tile.storage.put_off is not None:
                carry_out(tile.storage)
    array = target._array
    source: Any = other._array if isinstance(other, Tensor) else other
    if array is None or (isinstance(other, Tensor) and source is None):
        value = language(target, other)
        results.assign(target, read(value), None, current)
        return target
    where = kept(other, target)
    current.clock += 1
    if current.checks:
        _tell_operands(target, other, where, current)
    summing = name == "add" and target.storage.memory == PSUM
    written = accumulation.begin(target, None, current) if summing else True
    _tell_update(target, other, name, written, where, current)
    if written is not True:
        # What nothing has written yet is replaced: the first matmul of a group starts the sum.
        value = source if written is None else np.where(written, binary(name, array, source), source)
        results.assign(target, value, where, current, matmul=True)
        return target
    plain = isinstance(source, np.ndarray) and source.dtype == array.dtype == np.float32 and source.shape == array.shape
    if plain and name == "add" and target.storage.lent is None and where is None:
        np.add(array, source, out=array)
        _end(target, target.storage.memory == PSUM, current)
        return target
    results.assign(target, binary(name, array, source), where, current)
    return target


def _tell_operands(target: Tensor, other: Any, where: Where, current: Program) -> None:
    """`t += x` goes on with `t` where it is, and reads `x` where it was made."""
    for told in current.listeners.began:
        told(None)
    tell_used(target, None, current)
    if isinstance(other, Tensor):
        tell_read(other, where, None, current)


def _tell_update(target: Tensor, other: Any, name: str, written: Any, where: Where, current: Program) -> None:
    for told in current.listeners.updates:
        told(target, other, written, where)
    for told in current.listeners.accumulates:
        told(target, name)


def _end(target: Tensor, summed_up: bool, current: Program) -> None:
    """The target has been written where it is."""
    target.storage.written = True
    if summed_up:
        accumulation.note_written(target, None, True)
    if current.checks:
        tell_written(target, None, None, current)


def _put_off(target: Tensor, product: Tensor, current: Program) -> bool:
    """Leave a sum in PSUM to be computed when something looks at it."""
    storage = target.storage
    if storage.memory != PSUM:
        return False
    state = accumulation.shared_state(storage)
    if state not in (accumulation.FRESH, accumulation.MATMUL, accumulation.OTHER):
        return False
    if not summed(target, product, state == accumulation.FRESH):
        return False
    current.clock += 1
    if current.checks:
        _tell_operands(target, product, None, current)
    _tell_update(target, product, "add", None if state == accumulation.FRESH else True, None, current)
    _end(target, True, current)
    return True
