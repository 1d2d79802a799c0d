"""The preconditions of a kernel as a person reads them: merged, without what follows from the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from nkilint.symbolic import Compare, Cond, Var
from nkilint.symbolic.absorption import implies, quantity
from nkilint.symbolic.conditions import Or, equal_zero, leaves
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import itself
from nkilint.symbolic.work import charge
from nkilint_rules.words.conditions import any_of, negation

from .context import Context, linked

Implied = Callable[[Cond, Sequence[Cond | bool]], bool]


def merged(preconditions: Iterable[Cond], facts: Sequence[Cond | bool], implied: Implied) -> list[Cond]:
    """The conjuncts of `preconditions` that neither the facts nor the others imply, nicest first. A dimension that they
    leave one value is stated by that value, two bounds that meet by an equation."""
    wanted = without_weaker({c.key: c for c in leaves(preconditions) if isinstance(c, Cond)})
    pending = list(wanted.values())
    having: dict[Any, list[Or]] = {}  # alternatives, by what one of them is
    for condition in pending:
        _index(condition, having)
    while pending:
        more = {c.key: c for c in _without_cases(pending.pop(), having) if c.key not in wanted}
        wanted |= more
        pending += more.values()
        for condition in more.values():
            _index(condition, having)
    kept = sorted([*_equations(list(wanted.values()), facts), *wanted.values()], key=_plainness)
    kept = list({c.key: c for c in kept}.values())
    for condition in reversed(list(kept)):
        others = [other for other in kept if other is not condition]
        if implied(condition, [*facts, *_related(condition, others, facts)]):
            kept = others
    for index, condition in enumerate(kept):  # one after the other, so that no two lean on each other
        others = [*kept[:index], *kept[index + 1 :]]
        kept[index] = _shortened(condition, [*facts, *_related(condition, others, facts)])
    return sorted(kept, key=_plainness)


def without_weaker(wanted: dict[Any, Cond]) -> dict[Any, Cond]:
    """What is left of alternatives that differ in one comparison, where one of them is the strictest."""
    alike: dict[Any, list[tuple[Any, Cond]]] = {}
    for key, condition in wanted.items():
        parts = condition.parts if isinstance(condition, Or) else (condition,)
        charge(len(parts))
        for part in parts:
            if isinstance(part, Compare):
                rest = frozenset(other.key for other in parts if other is not part)
                alike.setdefault((rest, quantity(part)), []).append((key, part))
    weaker: set[Any] = set()
    for group in alike.values():
        for key, part in group:
            if any(k not in weaker and k != key and implies(other, part) for k, other in group):
                weaker.add(key)
    return {key: condition for key, condition in wanted.items() if key not in weaker}


def _index(condition: Cond, having: dict[Any, list[Or]]) -> None:
    if isinstance(condition, Or):
        for part in condition.parts:
            having.setdefault(part.key, []).append(condition)


def _without_cases(condition: Cond, having: Mapping[Any, Sequence[Or]]) -> Iterator[Cond]:
    """What `condition` says regardless of a case, where another one says the same of the opposite case."""
    if not isinstance(condition, Or):
        return
    opposites = [negation(part) for part in condition.parts]
    others = {o.key: o for part in opposites if isinstance(part, Cond) for o in having.get(part.key, ())}
    for other in others.values():
        charge(1 + len(condition.parts))
        if len(other.parts) != len(condition.parts):
            continue
        own = [part for part in condition.parts if all(part.key != theirs.key for theirs in other.parts)]
        theirs = [part for part in other.parts if all(part.key != mine.key for mine in condition.parts)]
        if len(own) == len(theirs) == 1 and negation(own[0]).key == theirs[0].key:
            rest = any_of(part for part in condition.parts if part is not own[0])
            if isinstance(rest, Cond):
                yield rest


def _related(condition: Cond, others: Sequence[Cond], facts: Sequence[Cond | bool]) -> list[Cond]:
    """Those of `others` that are linked to `condition` by common variables, directly or through others or facts."""
    charge(len(others) + len(facts))
    links = [*others, *(fact for fact in facts if isinstance(fact, Cond))]
    related = {id(link) for link in linked(variables(condition), links, lambda names: iter(()))}
    return [other for other in others if id(other) in related]


def _shortened(condition: Cond, facts: Sequence[Cond | bool]) -> Cond:
    """What `condition` still says once `facts` are known, if that is shorter."""
    context = Context(facts)
    shorter = context.in_source_terms(context.rewrite_condition(condition))
    return shorter if isinstance(shorter, Cond) and len(str(shorter)) < len(str(condition)) else condition


def _equations(conditions: Sequence[Cond], facts: Sequence[Cond | bool]) -> list[Cond]:
    """What the conditions come down to for single dimensions and for pairs of bounds that meet."""
    context = Context([*facts, *conditions])
    known = Context(facts)
    found: list[Any] = []
    if context.contradictory:
        return []
    for variable in variables(*conditions):
        own = itself(variable)
        low, high = context.ranges.of(context.rewrite(own))
        least, most = known.ranges.of(known.rewrite(own))
        if low == high and least != most:
            found.append(equal_zero(own - int(low)))
    bounds = {c.left.key for c in conditions if isinstance(c, Compare) and c.relation == ">="}
    for condition in conditions:
        if isinstance(condition, Compare) and condition.relation == ">=" and (-condition.left).key in bounds:
            found.append(equal_zero(condition.left))
    return [c for c in found if isinstance(c, Cond)]


def _plainness(condition: Cond) -> tuple[Any, ...]:
    """Comparisons before combinations, few variables before many, in order of appearance, equations first."""
    names: list[Var] = sorted(variables(condition))
    relation = condition.relation if isinstance(condition, Compare) else ""
    text = str(condition)
    return (
        not isinstance(condition, Compare),
        len(names),
        [v.uid for v in names],
        ("==", ">=", "!=", "").index(relation),
        len(text),
        text,
    )
