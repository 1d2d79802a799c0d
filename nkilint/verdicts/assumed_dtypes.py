"""Dtypes that nothing specifies: whether what is taken for granted of them leaves any, and which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from nkilint.evaluator.state.trace import Facts, Obligation, Trace
from nkilint.evaluator.values.dtypes import holds_of, sources_of
from nkilint.symbolic.conditions import And, Cond, Opaque, Or, opaque_parts
from nkilint.symbolic.work import charge
from nkilint_rules.words.dtypes import DTYPES, DType

_NOT_IN = re.compile(r"not (\S+) in\b")
MOST = 5000  # combinations that are looked at

Chosen = Mapping[str, DType]


def settle_dtypes(trace: Trace) -> None:
    """State as violated what no dtype meets that gets there and meets what is asked on the way; write down what is left
    of dtypes where what is taken for granted, a condition at a time, does not say it."""
    kept: list[Obligation] = []
    for obligation in trace.granted:
        if obligation.chosen or any(o.goal is obligation.goal and o.site.facts is obligation.site.facts for o in kept):
            continue
        if _leaves_none(obligation, kept):
            trace.obligations.append(replace(obligation, goal=False))
            if isinstance(obligation.goal, Opaque):
                trace.assumptions.pop(obligation.goal.name, None)
        else:
            kept.append(obligation)
    everywhere = {o.goal.key: o.goal for o in kept if all(f.origin != "path" for f in _chain(o.site.facts))}
    while everywhere:
        _write_down(trace, _related(everywhere.pop(next(iter(everywhere))), everywhere))


def _leaves_none(obligation: Obligation, before: Iterable[Obligation]) -> bool:
    """Whether there is no dtype with which one gets there and meets it, though one gets there."""
    facts = list(_chain(obligation.site.facts))
    known = {id(fact) for fact in facts}
    asked = [fact.condition for fact in facts if isinstance(fact.condition, Cond)]
    asked += [o.goal for o in before if o.site.facts is None or id(o.site.facts) in known]
    goal, *others = _related(obligation.goal, {c.key: c for c in asked if any(_sources(c))})
    left = _left(others, _sources_of([goal, *others]))
    return bool(left) and all(_holds(goal, chosen) is False for chosen in left)


def _chain(facts: Facts | None) -> Iterator[Facts]:
    while facts is not None:
        yield facts
        facts = facts.below


def _related(goal: Cond, others: dict[Any, Cond]) -> list[Cond]:
    """A condition, and those of the others that have to do with the same dtypes, which are taken out of these."""
    found, sources = [goal], set(_sources(goal))
    while key := next((key for key, c in others.items() if not sources.isdisjoint(_sources(c))), None):
        found.append(others.pop(key))
        sources.update(_sources(found[-1]))
    return found


def _sources(condition: Cond) -> Iterator[str]:
    for fact in opaque_parts(condition):
        if fact.kind == "dtype":
            yield from sources_of(fact.name)


def _sources_of(conditions: Iterable[Cond]) -> list[str]:
    return sorted({source for condition in conditions for source in _sources(condition)})


def _left(conditions: Sequence[Cond], sources: Sequence[str]) -> list[Chosen]:
    """The dtypes that meet conditions; nothing of more than can be looked at."""
    if len(DTYPES) ** len(sources) > MOST:
        return []
    ways = _combined(dict.fromkeys(sources, DTYPES.values()))
    charge(len(ways))
    return [chosen for chosen in ways if all(_holds(c, chosen) is not False for c in conditions)]


def _combined(dtypes: Mapping[str, Iterable[DType]]) -> list[Chosen]:
    return [dict(zip(dtypes, chosen, strict=True)) for chosen in product(*dtypes.values())]


def _write_down(trace: Trace, goals: Sequence[Cond]) -> None:
    """Say which dtypes meet conditions, in place of what admits more, and what they share."""
    sources = _sources_of(goals)
    left = _left(goals, sources)
    ways: dict[str, list[DType]] = {}
    for source in sources if left else ():
        said = [g for g in goals if isinstance(g, Opaque) and not g.negated and sources_of(g.name) == (source,)]
        names = sorted({chosen[source].name for chosen in left})
        ways[source] = [DTYPES[name] for name in names]
        if any(all(_holds(goal, {source: d}) for goal in said) for d in DTYPES.values() if d not in ways[source]):
            for fact in said:
                trace.assumptions.pop(fact.name, None)
            told = f"{source} in ({', '.join(names)})" if len(names) > 1 else f"{source} == {names[0]}"
            trace.assumptions[told] = None
    for goal in goals:
        if len(set(_sources(goal))) > 1 and any(_holds(goal, chosen) is False for chosen in _combined(ways)):
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
