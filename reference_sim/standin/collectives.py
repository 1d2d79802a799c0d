"""`nki.collectives`: what one device suffices for, which is every group of a single rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint_rules.words.dialects import NKI
from reference_sim.machine.listeners import tell_read
from reference_sim.machine.program import program
from reference_sim.operations.results import assign
from reference_sim.report.errors import CannotSimulate
from reference_sim.tensors.elements import read

from .operations import operations


class ReplicaGroup:
    """Groups of ranks that communicate."""

    def __init__(self, groups: Any = (), **kwargs: Any) -> None:
        self.groups = [list(group) for group in (groups or kwargs.get("ranks") or ())]


def _alone(group: Any) -> bool:
    return all(len(ranks) <= 1 for ranks in getattr(group, "groups", group) or ())


def _copying(name: str) -> Callable[..., None]:
    def collective(srcs: Any, dsts: Any, replica_group: Any, *args: Any, **kwargs: Any) -> None:
        current = program(f"collectives.{name}")
        if not _alone(replica_group):
            raise CannotSimulate(f"`collectives.{name}`", "it takes several devices, and this is a model of one")
        for source, target in zip(srcs, dsts, strict=True):
            for told in current.listeners.began:
                told(None)
            tell_read(source, None, None, current)
            assign(target, read(source), None, current)

    collective.__name__ = name
    return collective


def contents() -> dict[str, Any]:
    """What the module holds, by name."""
    found = operations(NKI, "collectives")
    for name in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"):
        found[name] = _copying(name)
    found["ReplicaGroup"] = ReplicaGroup
    found["rank_id"] = lambda *args, **kwargs: 0
    return found
