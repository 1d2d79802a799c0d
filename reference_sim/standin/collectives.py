"""`nki.collectives`: its operations, groups of ranks, and the one rank that there is."""

from __future__ import annotations

from typing import Any

from nkilint_rules.words.dialects import NKI

from .operations import operations


class ReplicaGroup:
    """Groups of ranks that communicate."""

    def __init__(self, groups: Any = (), **kwargs: Any) -> None:
        lists = [list(group) for group in (groups or kwargs.get("ranks") or ())]
        self.groups = tuple((len(ranks), tuple(ranks)) for ranks in lists)  # how many, and which


def contents() -> dict[str, Any]:
    """What the module holds, by name."""
    found = operations(NKI, "collectives")
    found["ReplicaGroup"] = ReplicaGroup
    found["rank_id"] = lambda *args, **kwargs: 0
    return found
