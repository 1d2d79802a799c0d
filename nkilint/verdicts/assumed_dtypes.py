"""Dtypes that nothing specifies: whether what is taken for granted of them leaves any, and which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any

from nkilint.evaluator.state.trace import Facts, Trace
from nkilint.evaluator.values.dtypes import met_by, sources_of, under
from nkilint.symbolic.conditions import And, Cond, Opaque, Or, opaque_parts, with_leaves
from nkilint.symbolic.work import charge
from nkilint_rules.words.conditions import all_of, any_of, negation
from nkilint_rules.words.dtypes import DTYPES, DType

_NOT_EQUAL = re.compile(r"not (\S+) == (\w+)")
_NOT_IN = re.compile(r"not (\S+) in\b")
MOST = 5000  # combinations that are looked at
NAMED = 6  # dtypes that conditions leave to an input where they name each

Chosen = Mapping[str, DType]


def settle_dtypes(trace: Trace) -> None:
    """State as violated what no dtype meets that gets there and meets what is asked on the way. Write down what is left
    of dtypes in place of what is taken for granted of them, a condition at a time, on all paths or on those that dtypes
    decide about."""
    asked: dict[int, dict[Any, Cond]] = {}  # by the facts it is asked under
    answers: dict[Any, bool] = {}
    conditions: dict[Any, Cond] = {}
    said: set[str] = set()
    for obligation in trace.granted:
        goal, facts = obligation.goal, list(_chain(obligation.site.facts))
        here = asked.setdefault(id(obligation.site.facts), {})
        if obligation.chosen or goal.key in here:
            continue
        before = {c.key: c for f in facts if isinstance(c := f.condition, Cond) and any(_sources(c))}
        for place in (None, *facts):
            before.update(asked.get(id(place), {}))
        key = goal.key, frozenset(before)
        if key not in answers:
            answers[key] = _leaves_none(goal, before)
        if answers[key]:
            trace.obligations.append(replace(obligation, goal=False))
            trace.assumptions.pop(goal.name if isinstance(goal, Opaque) else "", None)
            continue
        own = {each: [f.condition for f in facts if f.origin == each] for each in ("asserted", "path")}
        wanted = _of_named(goal, (*own["asserted"], *own["path"]), own["asserted"])
        if wanted is not True:
            trace.obligations.append(replace(obligation, goal=wanted))
            trace.assumptions.pop(goal.name if isinstance(goal, Opaque) else "", None)
            continue
        here[goal.key] = goal
        path = [fact.condition for fact in facts if fact.origin == "path"]
        if all(isinstance(c, bool) or _is_of_dtypes(c) for c in path):
            condition = any_of([*map(negation, path), goal])
            conditions.update({condition.key: condition} if isinstance(condition, Cond) else {})
            said.update([goal.name] if isinstance(goal, Opaque) and len(sources_of(goal.name)) == 1 else [])
    while conditions:
        _write_down(trace, _related(conditions.pop(next(iter(conditions))), conditions), said)


def _is_of_dtypes(condition: Any) -> bool:
    """Whether a condition speaks of dtypes alone."""
    if isinstance(condition, (And, Or)):
        return all(map(_is_of_dtypes, condition.parts))
    return isinstance(condition, Opaque) and condition.kind == "dtype"


def _leaves_none(goal: Cond, before: Mapping[Any, Cond]) -> bool:
    """Whether no dtype meets a condition that meets those before it, and some meets these."""
    _, *others = _related(goal, dict(before))
    left = _left(others, _sources_of([goal, *others]))
    return bool(left) and all(met_by(goal, chosen) is False for chosen in left)


def _of_named(goal: Cond, own: Iterable[Any], stated: Iterable[Any]) -> Any:
    """What a condition still asks where the kernel's own conditions leave one dtype to each that it speaks of, or name
    a few: which of these they get, the caller chooses. Two that have to agree may be meant to, unless what is `stated`
    names dtypes of both."""
    sources = _sources_of([goal])
    _, *related = _related(goal, {c.key: c for c in own if isinstance(c, Cond)})
    left = _left(related, _sources_of([goal, *related])) if related else []
    if len(left) == 1:
        return any_of((*(negation(under(c, left[0])) for c in related), under(goal, left[0])))
    names = {source: _names(left, source) for source in sources}
    if not all(0 < len(named) <= NAMED for named in names.values()):
        return True if _is_of_dtypes(goal) else _of_inputs(goal)
    (source, *others) = sources
    if not _is_of_dtypes(goal) and not others:
        there = {name: Opaque(_told(source, [name]), "input") for name in names[source]}
        return all_of(any_of((negation(is_it), under(goal, {source: DTYPES[n]}))) for n, is_it in there.items())
    met = [met_by(goal, chosen) for chosen in left]
    if _is_of_dtypes(goal) and (None in met or all(met) or not any(met)):
        return True
    if others and _is_of_dtypes(goal):
        alike = [len({chosen[source] for source in sources}) == 1 for chosen in left]
        of_both = len(others) == 1 and set(sources) <= set(_sources_of(c for c in stated if isinstance(c, Cond)))
        return Opaque(" == ".join(reversed(sources)), "input") if of_both and met == alike else True
    if others:
        return _of_inputs(goal)
    fitting = sorted({chosen[source].name for chosen, good in zip(left, met, strict=True) if good})
    return Opaque(_told(source, fitting), "input")


def _of_inputs(goal: Any) -> Any:
    """A condition on more than dtypes, which nothing can be taken for granted of."""

    def chosen(fact: Any) -> Any:
        is_one = isinstance(fact, Opaque) and fact.kind == "dtype"
        return Opaque(fact.name, "input", fact.negated) if is_one else fact

    return with_leaves(goal, chosen)


def _told(source: str, names: Sequence[str]) -> str:
    return f"{source} in ({', '.join(names)})" if len(names) > 1 else f"{source} == {names[0]}"


def _names(chosen: Iterable[Chosen], source: str) -> list[str]:
    return sorted({each[source].name for each in chosen})


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
    """The dtypes that meet conditions; nothing where more would have to be looked at than can be."""
    each = {
        source: [d for d in DTYPES.values() if all(met_by(c, {source: d}) is not False for c in conditions)]
        for source in sources
    }
    if prod(map(len, each.values())) > MOST:
        return []
    ways = _combined(each)
    charge(len(ways))
    return [chosen for chosen in ways if all(met_by(c, chosen) is not False for c in conditions)]


def _combined(dtypes: Mapping[str, Iterable[DType]]) -> list[Chosen]:
    return [dict(zip(dtypes, chosen, strict=True)) for chosen in product(*dtypes.values())]


def _write_down(trace: Trace, goals: Sequence[Cond], said: Iterable[str]) -> None:
    """Say which dtypes meet conditions, in place of what is `said`, and what they share."""
    sources = _sources_of(goals)
    left = _left(goals, sources)
    if not left:
        return
    for text in said:
        if sources_of(text)[0] in sources:
            trace.assumptions.pop(text, None)
    ways: dict[str, list[DType]] = {}
    for source in sources:
        names = _names(left, source)
        ways[source] = [DTYPES[name] for name in names]
        if len(names) < len(DTYPES):
            trace.assumptions.setdefault(_told(source, names), None)
    apart = _combined(ways)
    for goal in goals:
        if len(set(_sources(goal))) > 1 and any(met_by(goal, chosen) is False for chosen in apart):
            trace.assumptions.setdefault(_NOT_IN.sub(r"\1 not in", _NOT_EQUAL.sub(r"\1 != \2", str(goal))), None)
