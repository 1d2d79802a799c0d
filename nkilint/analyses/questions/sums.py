"""Accumulations, whose iterations may come in any order: `t op= x`, and the same written as `t[...] = t[...] op x`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nkilint.evaluator.state.trace import Access, Event, over_ranges
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import key_of
from nkilint_rules.operations.effects import RESULT
from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.reductions import family

from .accesses import WRITES, Touch, Touches

Sums = Mapping[int, str]
"""By id of an access that only accumulates: what it does, as `reductions.family` names it."""


def sums_of(touches: Touches) -> Sums:
    """The accesses of accumulations."""
    found: dict[int, str] = {}
    for position, event in enumerate(touches.trace.events):
        if event.kind != "operation":
            continue
        for access in event.accesses:
            if access.role in ("accumulate", "update"):
                name = _in_place(event, access)
                if name is not None:
                    found[id(access)] = name
        found.update(_written_out(touches, event, position))
    return found


def _in_place(event: Event, access: Access) -> str | None:
    if access.role == "accumulate":
        return "sum"
    written = event.effects.writes.get(access.operand) if event.effects is not None else None
    if written is None or written.combines is None:
        return None
    operator, left, _ = written.combines
    return family(operator, access.operand == left)


def _written_out(touches: Touches, event: Event, position: int) -> Sums:
    """The read and the write of `t[...] = t[...] op x`, where nothing else sees the result of `op` and nothing else
    writes to `t` in between."""
    if event.operation is None or event.operation.name != "language.copy" or len(event.accesses) != 2:
        return {}
    write, source = event.accesses
    if write.role != "write" or source.role != "read" or source.view.base.kind != "result":
        return {}
    makers, readers = touches.writes_of(source.view.base), touches.reads_of(source.view.base)
    if len(makers) != 1 or len(readers) != 1:
        return {}
    maker = makers[0].event
    unrolled = [over_ranges(e.site.unrolled) for e in (maker, event)]
    if maker.site.loops != event.site.loops or unrolled[0] != unrolled[1]:
        return {}
    before = range(makers[0].position + 1, position)
    if any(t.position in before for t in touches.writes_of(write.view.base)):
        return {}
    return _operand(maker, write)


def _operand(maker: Event, write: Access) -> Sums:
    """The accesses to `t`, where just one operand of what made the value is the part of `t` that it is assigned to."""
    written = maker.effects.writes.get(RESULT) if maker.effects is not None else None
    found = None if written is None else written.combines
    reads = [a for a in maker.accesses if a.role not in WRITES and a.view.base is write.view.base]
    if found is None or len(reads) != 1 or not _same_part(reads[0], write):
        return {}
    operator, left, right = found
    if reads[0].operand not in (left, right):
        return {}
    name = family(operator, reads[0].operand == left)
    return {} if name is None else {id(reads[0]): name, id(write): name}


def _same_part(a: Access, b: Access) -> bool:
    if any(x.view.problem or x.view.dynamic or isinstance(x.mask, Unknown) for x in (a, b)):
        return False
    return _keys(a) == _keys(b)


def _keys(access: Access) -> list[Any]:
    view, mask = access.view, access.mask
    return [*map(key_of, view.shape), *map(key_of, view.index), mask.key if isinstance(mask, Cond) else mask]


def sum_of(sums: Sums, touch: Touch) -> str | None:
    """What a touch accumulates, so that its order does not matter among others of its kind."""
    return sums.get(id(touch.access))
