"""What is copied and stays where it was, or goes where it comes from."""

from __future__ import annotations

from nkilint.evaluator.state.trace import Event
from nkilint.evaluator.values.tensors import View
from nkilint.symbolic.integers import key_of
from nkilint_rules.dataflow.lost_write import LostWrite
from nkilint_rules.words.memory import HBM

from .accesses import Touches, is_its_own, real_views


def is_read_elsewhere(touches: Touches, event: Event) -> bool:
    """Whether an event only copies a tile which something else reads too, or one that was copied from such a tile."""
    seen: set[int] = set()
    while event.operation is not None and event.operation.name in LostWrite.copies and id(event) not in seen:
        seen.add(id(event))
        sources = [view for access in event.accesses if access.role == "read" for view, _ in real_views(access.view)]
        if len(sources) != 1 or sources[0].memory == HBM:
            return False
        base = sources[0].base
        uses = [read for read in touches.reads_of(base) if read.role == "read" and not is_its_own(read)]
        if any(not _is_same_statement(read.event, event) for read in uses):
            return True
        writes = touches.writes_of(base)
        if len(writes) != 1:
            return False
        event = writes[0].event
    return False


def stays_the_same(event: Event) -> bool:
    """Whether an event only copies elements of a tensor onto themselves."""
    if event.operation is None or event.operation.name not in LostWrite.copies:
        return False
    if sorted(access.role for access in event.accesses) != ["read", "write"]:
        return False
    a, b = (access.view for access in event.accesses)
    if a.problem or b.problem or a.indirect or b.indirect or a.base is not b.base:
        return False
    return a.dtype is b.dtype and _place(a) == _place(b)


def _place(view: View) -> list[object]:
    return [tuple(map(key_of, part)) for part in (view.index, view.layout, view.instance or ())]


def _is_same_statement(a: Event, b: Event) -> bool:
    return (a.site.at, a.site.callers) == (b.site.at, b.site.callers)
