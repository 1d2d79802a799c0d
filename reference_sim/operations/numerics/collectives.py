"""Collectives of a group of a single rank, which one device suffices for: everybody receives what it sends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reference_sim.report.errors import CannotSimulate
from reference_sim.tensors.elements import read

from ..results import assign
from .registry import effect

if TYPE_CHECKING:
    from ..operands import Operands


def _alone(group: Any) -> bool:
    groups = getattr(group, "groups", None)
    sizes = [len(ranks) for ranks in group or ()] if groups is None else [size for size, _ in groups]
    return all(size <= 1 for size in sizes)


@effect("collectives.all_reduce", "collectives.all_gather", "collectives.reduce_scatter", "collectives.all_to_all")
def exchange(operands: Operands) -> None:
    if not _alone(operands.replica_group):
        name = operands.entry.operation.name
        raise CannotSimulate(f"`{name}`", "it takes several devices, and this is a model of one")
    for source, target in zip(operands.srcs, operands.dsts, strict=True):
        assign(target, read(source), None, operands.program, False, operands)
