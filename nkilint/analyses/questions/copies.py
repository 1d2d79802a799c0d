"""What is copied and stays where it was."""

from __future__ import annotations

from nkilint.evaluator.state.trace import Event
from nkilint_rules.dataflow.lost_write import LostWrite
from nkilint_rules.words.memory import HBM

from .accesses import Touches, real_views


def is_read_elsewhere(touches: Touches, event: Event) -> bool:
    """Whether an event only copies a tile which something else reads too, or one that was copied from such a tile."""
    seen: set[int] = set()
    while event.operation is not None and event.operation.name in LostWrite.copies and id(event) not in seen:
        seen.add(id(event))
        sources = [view for access in event.accesses if access.role == "read" for view, _ in real_views(access.view)]
        if len(sources) != 1 or sources[0].memory == HBM:
            return False
        base = sources[0].base
        if any(read.role == "read" and not _is_same_statement(read.event, event) for read in touches.reads_of(base)):
            return True
        writes = touches.writes_of(base)
        if len(writes) != 1:
            return False
        event = writes[0].event
    return False


def _is_same_statement(a: Event, b: Event) -> bool:
    return (a.site.at, a.site.callers) == (b.site.at, b.site.callers)
