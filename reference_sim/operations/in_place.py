"""In-place operators: `t += x` writes into `t`, and on PSUM it is how Beta 1 accumulates matmuls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nkilint_rules.words.memory import PSUM
from reference_sim.machine.program import Program, program
from reference_sim.observers import accumulation as psum
from reference_sim.observers import undefined as shadow
from reference_sim.tensors.deferred import KINDS, Product, look, summed
from reference_sim.tensors.deferred_sums import pay
from reference_sim.tensors.tensor import Tensor, read

from . import calls
from .numerics.alu import binary
from .results import kept


def in_place(target: Tensor, other: Any, name: str, language: Callable[..., Any]) -> Tensor:
    """`target op= other`: the result has the type and place of the target."""
    current = program(f"language.{name}")
    current.updated = target
    put_off = name == "add" and isinstance(other, Tensor) and type(other.access) is Product
    if put_off and _put_off(target, other, current):
        return target
    for tile in (target, other):
        if isinstance(tile, Tensor):
            if isinstance(tile.access, KINDS):
                look(tile)
            if tile.storage.owed is not None:
                pay(tile.storage)
    array = target._array
    source: Any = other._array if isinstance(other, Tensor) else other
    if array is None or (isinstance(other, Tensor) and source is None):
        value = language(target, other)
        calls.assign(target, read(value), None, current)
        return target
    where = kept(other, target)
    if current.checks:
        shadow.before_in_place(target, other, name, current, where)
    summing = name == "add" and target.storage.memory == PSUM
    written = psum.begin(target, None, current) if summing else True
    taint, origin = shadow.taint_in_place(target, other, written, where) if current.checks else (None, None)
    if written is not True:
        # What nothing has written yet is replaced: the first matmul of a group starts the sum.
        value = source if written is None else np.where(written, binary(name, array, source), source)
        calls.assign(target, value, where, current, taint=taint, origin=origin, matmul=True)
        return target
    plain = isinstance(source, np.ndarray) and source.dtype == array.dtype == np.float32 and source.shape == array.shape
    if plain and name == "add" and target.storage.lent is None and where is None:
        np.add(array, source, out=array)
        if target.storage.memory == PSUM:
            psum.wrote(target, None, current, True)
        if current.checks:
            shadow.wrote(target, None, current, taint, origin)
        return target
    calls.assign(target, binary(name, array, source), where, current, taint=taint, origin=origin)
    return target


def _put_off(target: Tensor, product: Tensor, current: Program) -> bool:
    """Leave a sum in PSUM to be computed when something looks at it."""
    storage = target.storage
    if storage.memory != PSUM:
        return False
    known = psum.known(storage)
    if known is None or known == psum.READ_OUT or not (known == psum.FRESH or shadow.is_defined(storage)):
        return False
    if not summed(target, product, known == psum.FRESH):
        return False
    if current.checks:
        shadow.before_in_place(target, product, "add", current)
    psum.wrote(target, None, current, True)
    if current.checks:
        shadow.wrote(target, None, current)
    return True
