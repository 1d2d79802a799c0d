"""What arrives from another core: what the call there sends that meets this one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nkilint.evaluator.state.trace import Access, Event
from nkilint.prover.elimination import Existence
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint_rules.operations.effects import Exchanged

from .dependence import stated

Sound = Callable[[int, Event, Access], tuple[Existence, Any]]


def as_sent(
    found: Existence, event: Event, read: Access, write: Access, events: Sequence[Event], sound: Sound
) -> Existence:
    """Under which condition what arrives in `write` is sound, where `found` says so of what is sent (`read`): all cores
    run one text, so it is the same condition, unless a core's place in the grid has a part in it."""
    if not isinstance(stated(event, read, write), Exchanged):
        return found
    unknown = Existence(False, False, f"what another core sends in `{event.operation.leaf}`" if event.operation else "")
    if _of_a_core([found.condition]):
        return unknown
    if not _of_a_core(event.site.path()):
        return found
    meeting = [(at, e) for at, e in enumerate(events) if e.operation is event.operation and e is not event]
    sent = [sound(at, e, each)[0] for at, e in meeting for each in e.accesses if each.operand == read.operand]
    return found if all(each.condition is True for each in sent) else unknown


def _of_a_core(conditions: Sequence[Any]) -> bool:
    return any(v.kind == "program" for v in variables(*(c for c in conditions if isinstance(c, Cond))))
