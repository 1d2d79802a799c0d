"""What is known on a path through a function: which names are bound, and which tests came out how."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from weakref import WeakValueDictionary

from nkilint_rules.words.records import dataclass

from .bindings import names_in


class Fact:
    """A test, as its syntax tree is written, and whether it is true; `names` are those in it.

    Of each there is one at a time: what is known of a path is compared very often.
    """

    __slots__ = ("__weakref__", "names", "opposite", "test", "truth")
    opposite: Fact

    def __init__(self, test: str, truth: bool, names: frozenset[str]) -> None:
        self.test, self.truth, self.names = test, truth, names

    @staticmethod
    def of(test: str, truth: bool, names: frozenset[str]) -> Fact:
        known = _FACTS.get(test)
        if known is None:
            known, other = Fact(test, True, names), Fact(test, False, names)
            known.opposite, other.opposite = other, known
            _FACTS[test] = known
        return known if truth else known.opposite


_FACTS: WeakValueDictionary[str, Fact] = WeakValueDictionary()  # those that are true


@dataclass(frozen=True, slots=True)
class State:
    """Names that may be bound, that may be where all loops around are in their first iteration, and that certainly are;
    what is known, and for names that may be bound the facts that each imply it."""

    may: frozenset[str] = frozenset()
    early: frozenset[str] = frozenset()
    must: frozenset[str] = frozenset()
    facts: frozenset[Fact] = frozenset()
    under: Mapping[str, frozenset[Fact]] = field(default_factory=dict)

    def bind(self, *names: str) -> State:
        new = frozenset(names)
        old = new & self.may
        state = self.forget(old) if old else self
        if len(old) == len(new) and new <= self.must and new <= self.early:
            return state
        return State(state.may | new, state.early | new, state.must | new, state.facts, state.under)

    def unbind(self, name: str) -> State:
        return State(self.may - {name}, self.early - {name}, self.must - {name}, self.facts, self.under)

    def forget(self, names: frozenset[str]) -> State:
        """Without what is known by way of these names."""
        facts = _without(self.facts, names)
        under = self.under
        if any(not names.isdisjoint(fact.names) for implying in under.values() for fact in implying):
            under = {n: kept for n, implying in under.items() if (kept := _without(implying, names))}
        if facts is self.facts and under is self.under:
            return self
        return State(self.may, self.early, self.must, facts, under)

    def know(self, facts: Iterable[Fact]) -> State:
        known = self.facts | frozenset(facts)
        bound = frozenset(name for name, implying in self.under.items() if implying & known)
        return State(self.may, self.early, self.must | bound, known, self.under)


Path = State | None


@dataclass(slots=True)
class Loop:
    """A loop that is being passed: the names it binds, those of elements that nothing counts, the state before it."""

    binds: frozenset[str]
    elements: frozenset[str]
    before: State
    ways: dict[type, list[Path]] = field(default_factory=lambda: {ast.Break: [], ast.Continue: []})


def _without(facts: frozenset[Fact], names: frozenset[str]) -> frozenset[Fact]:
    if all(names.isdisjoint(fact.names) for fact in facts):
        return facts
    return frozenset(fact for fact in facts if names.isdisjoint(fact.names))


def join(*paths: Path) -> Path:
    states = list({id(path): path for path in paths if path is not None}.values())
    if len(states) < 2:
        return states[0] if states else None
    may = frozenset().union(*(s.may for s in states))
    must = frozenset.intersection(*(s.must for s in states))
    early = frozenset().union(*(s.early for s in states))
    facts = frozenset.intersection(*(s.facts for s in states))
    if not any(s.facts or s.under for s in states):
        return State(may, early, must, facts)
    bound = frozenset[str]().union(*(s.must for s in states))
    perhaps = bound.union(*(s.under for s in states)) & (may - must)
    if not perhaps:
        return State(may, early, must, facts)
    first, *others = (s.under for s in states)
    under = {  # as it was where the paths part
        name: before
        for name, before in first.items()
        if name in perhaps and name not in bound and all(each.get(name) is before for each in others)
    }
    if perhaps != under.keys():
        under.update(_implied(perhaps - under.keys(), states))
    return State(may, early, must, facts, under)


def _implied(names: frozenset[str], states: Sequence[State]) -> Iterator[tuple[str, frozenset[Fact]]]:
    """Which of these names are bound where states meet if one of some facts holds."""
    excluded = [frozenset([fact.opposite for fact in s.facts]) for s in states]
    for name in names:
        # a fact implies the name if each path binds it, knows the opposite, or implies it by the same fact
        ways = [
            facts | s.under.get(name, _NONE) for s, facts in zip(states, excluded, strict=True) if name not in s.must
        ]
        if all(ways):
            given = (s.facts if name in s.must else s.under.get(name, _NONE) for s in states)
            implying = frozenset.intersection(*ways) & _NONE.union(*given)
            if implying:
                yield name, implying


_NONE: frozenset[Fact] = frozenset()


def facts_of(test: ast.expr, truth: bool) -> Iterator[Fact]:
    """What is known where a test has come out true, or false."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from facts_of(test.operand, not truth)
        return
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is truth:
        for value in test.values:
            yield from facts_of(value, truth)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        opposite = _OPPOSITE.get(type(test.ops[0]))
        if opposite is not None:
            test, truth = ast.Compare(test.left, [opposite()], test.comparators), not truth
    yield Fact.of(ast.dump(test), truth, frozenset(names_in(test)))


_OPPOSITE: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In, ast.GtE: ast.Lt, ast.Gt: ast.LtE,
}  # fmt: skip
