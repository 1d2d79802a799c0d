"""Dtypes that nothing specifies: whether what is taken for granted of them leaves any, and which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from nkilint.evaluator.state.trace import Obligation, Site, Trace
from nkilint.evaluator.values.dtypes import holds_of, sources_of
from nkilint.symbolic.conditions import And, Cond, Opaque, Or, opaque_parts
from nkilint.symbolic.work import charge
from nkilint_rules.words.dtypes import DTYPES, DType

_NOT_IN = re.compile(r"not (\S+) in\b")
MOST = 5000  # combinations that are looked at

Chosen = Mapping[str, DType]


def settle_dtypes(trace: Trace) -> None:
    """State as violated what no dtype meets that meets what is asked before it; write down what is left of dtypes
    where what is taken for granted, a condition at a time, does not say it."""
    everywhere = {o.goal.key: o for o in reversed(trace.granted) if not o.chosen and _is_on_all_paths(o.site)}
    for goals in _related(list(reversed(everywhere.values()))):
        _settle(trace, goals)


def _is_on_all_paths(site: Site) -> bool:
    facts = site.facts
    while facts is not None and facts.origin != "path":
        facts = facts.below
    return facts is None


def _related(obligations: Iterable[Obligation]) -> Iterator[list[Obligation]]:
    """Those together that speak of the same dtypes, in their order."""
    groups: list[tuple[set[str], list[Obligation]]] = []
    for obligation in obligations:
        own = set(_sources(obligation.goal))
        met = [group for group in groups if not own.isdisjoint(group[0])]
        merged = own.union(*(sources for sources, _ in met)), [o for _, them in met for o in them]
        groups = [group for group in groups if group not in met]
        groups.append((merged[0], [*merged[1], obligation]))
    for _, found in groups:
        yield found


def _sources(goal: Cond) -> Iterator[str]:
    for fact in opaque_parts(goal):
        if fact.kind == "dtype":
            yield from sources_of(fact.name)


def _settle(trace: Trace, obligations: Sequence[Obligation]) -> None:
    sources = sorted({source for o in obligations for source in _sources(o.goal)})
    if len(DTYPES) ** len(sources) > MOST:
        return
    left = _combined({source: DTYPES.values() for source in sources})
    for obligation in obligations:
        charge(len(left))
        kept = [chosen for chosen in left if _holds(obligation.goal, chosen) is not False]
        if not kept:
            trace.obligations.append(replace(obligation, goal=False))
            if isinstance(obligation.goal, Opaque):
                trace.assumptions.pop(obligation.goal.name, None)
            return
        left = kept
    _write_down(trace, sources, obligations, left)


def _combined(dtypes: Mapping[str, Iterable[DType]]) -> list[Chosen]:
    return [dict(zip(dtypes, chosen, strict=True)) for chosen in product(*dtypes.values())]


def _write_down(
    trace: Trace, sources: Sequence[str], obligations: Sequence[Obligation], left: Sequence[Chosen]
) -> None:
    """Say which dtypes are left of each source, in place of what admits more, and what they share."""
    goals = [o.goal for o in obligations]
    ways: dict[str, list[DType]] = {}
    for source in sources:
        said = [g for g in goals if isinstance(g, Opaque) and not g.negated and sources_of(g.name) == (source,)]
        names = sorted({chosen[source].name for chosen in left})
        ways[source] = [DTYPES[name] for name in names]
        if any(all(_holds(goal, {source: d}) for goal in said) for d in DTYPES.values() if d not in ways[source]):
            for goal in said:
                trace.assumptions.pop(goal.name, None)
            told = f"{source} in ({', '.join(names)})" if len(names) > 1 else f"{source} == {names[0]}"
            trace.assumptions[told] = None
    apart = _combined(ways)
    for goal in goals:
        if len(set(_sources(goal))) > 1 and any(_holds(goal, chosen) is False for chosen in apart):
            trace.assumptions.setdefault(_NOT_IN.sub(r"\1 not in", str(goal)), None)


def _holds(goal: Any, chosen: Chosen) -> bool | None:
    """Whether a condition is true where these are the dtypes; None where that hangs on other things, too."""
    if isinstance(goal, (And, Or)):
        parts = [_holds(part, chosen) for part in goal.parts]
        ends = isinstance(goal, Or)
        return ends if ends in parts else None if None in parts else not ends
    if not isinstance(goal, Opaque) or goal.kind != "dtype":
        return goal if isinstance(goal, bool) else None
    found = holds_of(goal.name, chosen)
    return None if found is None else found != goal.negated
