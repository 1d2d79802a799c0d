"""Substitution of index variables in values and in what was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from operator import is_
from typing import Any

from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym, key_of
from nkilint.symbolic.substitution import substitute
from nkilint_rules.rule import Message

from ..state.trace import Access, AtWitness, Event, Facts, Obligation, Reach, Site, Trace
from .tensors import Bound, Declaration, Grid, Sizes, View, axis
from .values import DictValue, Either, GrownItems, Instance, ListValue, RangeValue, Unbound

_CONSTANT = frozenset((int, str, bool, float, type(None), type(Ellipsis)))


def in_value(value: Any, mapping: Mapping[Any, Any]) -> Any:
    """`value` with variables replaced; containers are rebuilt only where something changes."""
    kind = type(value)
    if kind in _CONSTANT:
        return value
    if kind is Sym:
        return substitute(value, mapping)
    if isinstance(value, tuple):
        items = [in_value(item, mapping) for item in value]
        if all(map(is_, items, value)):
            return value
        return Sizes(items) if kind is Sizes else tuple(items)
    if isinstance(value, Cond):
        return substitute(value, mapping)
    if isinstance(value, View):
        shape = in_value(value.shape, mapping)
        if shape is not value.shape:
            mapping = {**mapping, **_axes_moved(value.shape, shape)}
        index, mask = in_value((value.index, value.mask), mapping)
        instance = _instance(value, mapping)
        base = value.base if not value.base.choices else _chosen(value.base, mapping)
        unchanged = index is value.index and shape is value.shape and mask is value.mask and base is value.base
        if unchanged and instance is value.instance:
            return value
        bounds = tuple(in_bound(b, mapping) for b in value.bounds)
        return value.with_(base=base, index=index, shape=shape, mask=mask, bounds=bounds, instance=instance)
    if isinstance(value, Grid):
        shape = in_value(value.shape, mapping)
        return Grid(in_value(value.value, {**mapping, **_axes_moved(value.shape, shape)}), shape, value.dynamic)
    if isinstance(value, slice):
        return slice(*(in_value(part, mapping) for part in (value.start, value.stop, value.step)))
    if isinstance(value, RangeValue):
        start, stop, step = in_value((value.start, value.stop, value.step), mapping)
        return RangeValue(start, stop, step, value.kind)
    if isinstance(value, Unbound):
        return Unbound(in_value(value.defined, mapping), in_value(value.value, mapping), value.why)
    if isinstance(value, Either):
        condition, then, otherwise = in_value((value.condition, value.then, value.otherwise), mapping)
        return Either(condition, then, otherwise, value.reason, value.cases)
    if isinstance(value, ListValue) and isinstance(value.cell["items"], tuple):
        items = in_value(value.cell["items"], mapping)
        return value if items is value.cell["items"] else ListValue(items)
    if isinstance(value, ListValue) and isinstance(value.cell["items"], GrownItems):
        grown = _in_grown(value.cell["items"], mapping)
        return value if grown is value.cell["items"] else ListValue(grown)
    if isinstance(value, GrownItems):
        return _in_grown(value, mapping)
    if isinstance(value, Instance):
        return _in_instance(value, mapping)
    if isinstance(value, DictValue) and isinstance(value.cell["items"], dict):
        pairs = {k: in_value(v, mapping) for k, v in value.items.items()}
        return value if all(pairs[k] is v for k, v in value.items.items()) else DictValue(pairs, value.kind)
    return value


def _in_grown(items: GrownItems, mapping: Mapping[Any, Any]) -> GrownItems:
    parts = items.before, items.added, items.trips
    before, added, trips = in_value(parts, mapping)
    if before is items.before and added is items.added and trips is items.trips:
        return items
    return GrownItems(before, added, items.index, trips)


def _in_instance(value: Instance, mapping: Mapping[Any, Any]) -> Instance:
    """An object made in an iteration, as another iteration makes it; one that refers to itself stays."""
    if id(value) in _ENTERED:
        return value
    _ENTERED.add(id(value))
    try:
        attrs = {name: in_value(each, mapping) for name, each in value.attrs.items()}
    finally:
        _ENTERED.discard(id(value))
    return value if all(attrs[name] is each for name, each in value.attrs.items()) else Instance(value.cls, attrs)


_ENTERED: set[int] = set()  # objects being rewritten


def _chosen(base: Declaration, mapping: Mapping[Any, Any]) -> Declaration:
    """What stands for one of two tensors, with the choice and the tensors as they are there."""
    sources, choices = in_value((base.sources, base.choices), mapping)
    known = sources is base.sources and choices is base.choices
    return base if known else replace(base, sources=sources, choices=choices)


def _axes_moved(before: tuple[Any, ...], after: tuple[Any, ...]) -> dict[Any, Any]:
    """The variables of axes whose size is written otherwise now; they are named by their size, too."""
    if before is after:
        return {}
    moved = {}
    for position, (old, new) in enumerate(zip(reversed(before), reversed(after), strict=True)):
        variable = axis(position, old)
        if isinstance(variable, Sym) and key_of(old) != key_of(new):
            moved[variable.variable] = axis(position, new)
    return moved


def _instance(view: View, mapping: Mapping[Any, Any]) -> tuple[Any, ...] | None:
    """Which of the tensors that its loops made the view is of."""
    before = view.instance
    if before is None:
        before = tuple(loop.index for loop in view.base.loops)
    if not before:
        return view.instance
    after = tuple([substitute(i, mapping) for i in before])
    return view.instance if all(map(is_, after, before)) else after


def in_bound(bound: Bound, mapping: Mapping[Any, Any]) -> Bound:
    """A subscript's bound with variables replaced."""
    reach, size = in_value((bound.reach, bound.size), mapping)
    return replace(bound, reach=reach, size=size)


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
        moved = _axes_moved(access.view.shape, view.shape)
        return Access(access.role, view, in_value(access.mask, {**self.mapping, **moved}), access.operand)

    def event(self, event: Event) -> Event:
        accesses = tuple(self.access(access) for access in event.accesses)
        arguments = {k: in_value(v, self.mapping) for k, v in event.arguments.items()}
        return replace(event, site=self.site(event.site), accesses=accesses, arguments=arguments)
