"""Substitution of index variables in what was recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nkilint.symbolic.substitution import substitute
from nkilint_rules.rule import Message

from ..values.axes import axes_moved
from ..values.substitution import in_value
from .trace import Access, AtWitness, Event, Facts, Obligation, Reach, Site, Trace


def in_trace(trace: Trace, mapping: dict[Any, Any], start: tuple[int, int]) -> None:
    """Rewrite all that was recorded since there were `start` events and obligations."""
    rewriter = _Rewriter(mapping)
    trace.events[start[0] :] = [rewriter.event(e) for e in trace.events[start[0] :]]
    trace.obligations[start[1] :] = [rewriter.obligation(o) for o in trace.obligations[start[1] :]]


class _Rewriter:
    """Rewrites sites once each, since many events share one."""

    def __init__(self, mapping: dict[Any, Any]) -> None:
        self.mapping = mapping
        self.facts: dict[int, Facts | None] = {}
        self.keep: list[Any] = []  # what the ids in `facts` stand for, kept alive

    def rewrite_facts(self, facts: Facts | None) -> Facts | None:
        chain: list[Facts] = []
        here = facts
        while here is not None and id(here) not in self.facts:
            chain.append(here)
            here = here.below
        below = None if here is None else self.facts[id(here)]
        for link in reversed(chain):
            condition = substitute(link.condition, self.mapping)
            below = (
                link if condition is link.condition and below is link.below else Facts(condition, below, link.origin)
            )
            self.facts[id(link)] = below
            self.keep.append(link)
        return below

    def site(self, site: Site) -> Site:
        facts = self.rewrite_facts(site.facts)
        return site if facts is site.facts else replace(site, facts=facts)

    def obligation(self, o: Obligation) -> Obligation:
        about = o.about.map(self.said) if isinstance(o.about, Message) else o.about
        return replace(o, goal=substitute(o.goal, self.mapping), site=self.site(o.site), about=about)

    def said(self, value: Any) -> Any:
        """A value of a message."""
        if isinstance(value, (AtWitness, Reach)):
            return replace(value, value=in_value(value.value, self.mapping))
        return in_value(value, self.mapping)

    def access(self, access: Access) -> Access:
        view = in_value(access.view, self.mapping)
        if view is access.view and access.mask is True:
            return access
        moved = axes_moved(access.view.shape, view.shape)
        return Access(access.role, view, in_value(access.mask, {**self.mapping, **moved}), access.operand)

    def event(self, event: Event) -> Event:
        accesses = tuple(self.access(access) for access in event.accesses)
        arguments = {k: in_value(v, self.mapping) for k, v in event.arguments.items()}
        return replace(event, site=self.site(event.site), accesses=accesses, arguments=arguments)
