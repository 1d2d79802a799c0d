"""The memory map of a kernel as the page draws it: tensors of one declaration and shape together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from nkilint.base.findings import MemoryMap, Resident
from nkilint.base.ir import Span
from nkilint.symbolic.formulas import names

from ..memory import condensed
from ..places import assignments

MOST_STEPS = 400  # steps that are drawn; of more, neighbours are drawn together

At = Callable[[Span], Any]


def memory(whole: MemoryMap, at: At, number: Callable[[str], int]) -> dict[str, Any]:
    """The map; `at` notes a place and says how it is written, `number` the same of a file."""
    drawn = condensed(whole, MOST_STEPS)
    groups: dict[Any, list[Resident]] = {}
    for resident in drawn.residents:
        key = resident.name, resident.at, resident.memory, resident.bytes, resident.size, bool(resident.places)
        groups.setdefault(key, []).append(resident)
    known = {**whole.sizes, **whole.itemsizes}
    return {
        "target": whole.target,
        "inputs": assignments({name: v for name, v in whole.inputs.items() if name not in whole.itemsizes}),
        "capacity": dict(whole.capacity),
        "bank": whole.bank_bytes,
        "steps": [[step.row, list(step.loops), number(step.file)] for step in drawn.steps],
        "groups": [_group(members, at) for members in groups.values()],
        "sizes": dict(whole.sizes),
        "itemsizes": dict(whole.itemsizes),
        "admitted": [[text, found] for text, found in whole.admitted if set(names(found)) <= set(known)],
    }


def _group(members: Sequence[Resident], at: At) -> dict[str, Any]:
    """Tensors that differ in nothing but where they stand and when."""
    first = members[0]
    return {
        "name": first.name or "a tensor",
        "at": at(first.at),
        "memory": first.memory,
        "tiles": first.tiles,
        "bytes": first.bytes * first.tiles,
        "size": first.size,
        "members": [[runs(m.marks), m.spots or [list(p) for p in m.places], m.spots is None] for m in members],
    }


def runs(marks: str) -> list[list[Any]]:
    """The marks of a tensor, as pieces: a mark and for how many steps it stands."""
    return [[mark, len(list(same))] for mark, same in groupby(marks)]
