"""What the rulebook has against assignments and methods, which are operations without a call of their own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from nkilint_rules.operands.partition_mismatch import PartitionMismatch
from nkilint_rules.operations import load_operations
from nkilint_rules.operations.assigned import ASSIGNMENT
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import HBM, ON_CHIP, PSUM
from reference_sim.machine.program import Program, running
from reference_sim.report.wording import complain
from reference_sim.tensors.tensor import Tensor

from .entries import Entry


@cache
def _entry(name: str, dialect: str) -> Entry | None:
    operation = load_operations().get(name)
    if operation is None or operation.signature(dialect) is None:
        return None
    return Entry(operation, dialect, lambda operands: None, True)


@cache
def _assignment() -> Entry:
    return Entry(ASSIGNMENT, BETA1, lambda operands: None, True)


def check(name: str, arguments: tuple[Any, ...], named: Mapping[str, Any], current: Program) -> None:
    """Report what the rulebook has against a call of a method, before the method runs."""
    entry = _entry(name, current.dialect)
    if entry is not None:
        entry.planned(arguments, named, current)


def check_assignment(target: Tensor, value: Any, current: Program) -> None:
    """Report what it has against `target[...] = value`; a load writes to where it is assigned to by itself, and how
    numbers get onto the chip is the compiler's."""
    free = not isinstance(value, Tensor) or (value.storage.loaded and value.sizes == value.storage.shape)
    if current.checks and current.dialect == BETA1 and (not free or target.storage.memory == HBM):
        _assignment().planned((target, value), {}, current)


def check_update(target: Tensor, other: Any, name: str, current: Program) -> None:
    """Report what it has against `target op= other`; a product is made where it is added to."""
    if not current.checks or current.dialect != BETA1:
        return
    storage = target.storage
    if name == "add" and storage.memory == PSUM and isinstance(other, Tensor) and other.storage.memory == PSUM:
        if target.start or target.sizes != storage.shape:  # an engine writes whole tiles
            _assignment().planned((target, 0.0), {}, current)
    else:
        check(f"language.{name}", (target, other), {}, current)


def check_operator(name: str, left: Any, right: Any) -> None:
    """Report operands of an operator that share no partitions, although `nki.language` would broadcast them."""
    current = running()
    if current is None or not current.checks or current.dialect != BETA1:
        return
    tiles = [tile for tile in (left, right) if isinstance(tile, Tensor) and tile.storage.memory in ON_CHIP]
    if len(tiles) == 2 and tiles[0].sizes[0] != tiles[1].sizes[0]:
        for need in PartitionMismatch().of_operator(name, tiles[0].sizes, tiles[1].sizes):
            complain(need.message)
