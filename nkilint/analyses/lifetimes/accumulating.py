"""Matmuls that accumulate: under which condition one adds to what is in PSUM, and under which it overwrites that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nkilint.evaluator.state.trace import Access, Event, Facts, Site, Trace
from nkilint.symbolic.conditions import Cond
from nkilint_rules.words.conditions import negation

MATMUL = "matmul"


def spelled_out(trace: Trace) -> Trace:
    """The trace with each matmul that accumulates under a condition taken apart into the two that it may be."""
    if all(_conditional(event) is None for event in trace.events):
        return trace
    events: list[Event] = []
    for event in trace.events:
        flag = _conditional(event)
        if flag is None:
            events.append(event)
            continue
        events.append(_under(event, flag, "accumulate"))
        events.append(_under(event, negation(flag), "write"))
    return replace(trace, events=events)


def _conditional(event: Event) -> Any:
    """When a matmul of 0.x accumulates: a condition; None where it always does, or leaves it to the compiler."""
    flags = (event.flag(access) for access in event.accesses if access.role == "accumulate")
    return next((flag for flag in flags if flag is False or isinstance(flag, Cond)), None)


def _under(event: Event, condition: Any, role: str) -> Event:
    if condition is False:
        return replace(event, kind="skipped", accesses=())
    accesses = tuple(replace(a, role=role) if a.role == "accumulate" else a for a in event.accesses)
    return replace(event, site=_when(event.site, condition), accesses=accesses)


def _when(site: Site, condition: Any) -> Site:
    return replace(site, facts=Facts(condition, site.facts)) if isinstance(condition, Cond) else site


def is_matmul(event: Event) -> bool:
    """Whether the Tensor Engine writes the result: a matmul, or its result put into elements of a tensor."""
    if event.operation is None:
        return False
    if event.operation.kind == MATMUL or "tensor" in event.operation.engines:
        return True
    source = event.arguments.get("src")
    base = getattr(source, "base", None)
    return bool(base is not None and base.kind == "result" and base.memory == "psum" and _assigned(event))


def _assigned(event: Event) -> bool:
    return event.arguments.keys() == {"dst", "src"}


def accumulates(access: Access) -> bool:
    return access.role == "accumulate"
