"""What is known on a path through a function: which names are bound, and which tests came out how."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from nkilint_rules.words.records import dataclass

from .bindings import names_in


@dataclass(frozen=True, slots=True)
class Fact:
    """A test, as its syntax tree is written, and whether it is true; `names` are those in it."""

    test: str
    truth: bool
    names: frozenset[str] = field(compare=False)

    @property
    def opposite(self) -> Fact:
        return Fact(self.test, not self.truth, self.names)


@dataclass(frozen=True, slots=True)
class State:
    """Names that may be bound, that may be where all loops around are in their first iteration, and that certainly are;
    what is known, and for names that may be bound the facts that each imply it."""

    may: frozenset[str] = frozenset()
    early: frozenset[str] = frozenset()
    must: frozenset[str] = frozenset()
    facts: frozenset[Fact] = frozenset()
    under: Mapping[str, frozenset[Fact]] = field(default_factory=dict)

    def bind(self, name: str) -> State:
        new = {name}
        state = self.forget(frozenset(new)) if name in self.may else self
        return State(state.may | new, state.early | new, state.must | new, state.facts, state.under)

    def unbind(self, name: str) -> State:
        return State(self.may - {name}, self.early - {name}, self.must - {name}, self.facts, self.under)

    def forget(self, names: frozenset[str]) -> State:
        """Without what is known by way of these names."""
        facts = _without(self.facts, names)
        under = {n: kept for n, implying in self.under.items() if (kept := _without(implying, names))}
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
    return frozenset(fact for fact in facts if names.isdisjoint(fact.names)) if facts else facts


def join(*paths: Path) -> Path:
    states = [path for path in paths if path is not None]
    if len(states) < 2:
        return states[0] if states else None
    may = frozenset().union(*(s.may for s in states))
    must = frozenset.intersection(*(s.must for s in states))
    under = {}
    perhaps = frozenset[str]().union(*(s.must for s in states), *(s.under for s in states)) & (may - must)
    for name in perhaps if any(s.facts or s.under for s in states) else ():
        # a fact implies the name if each path binds it, knows the opposite, or implies it by the same fact
        candidates = frozenset().union(*(s.facts if name in s.must else s.under.get(name, frozenset()) for s in states))
        implying = frozenset(
            fact
            for fact in candidates
            if all(name in s.must or fact.opposite in s.facts or fact in s.under.get(name, ()) for s in states)
        )
        if implying:
            under[name] = implying
    early = frozenset().union(*(s.early for s in states))
    return State(may, early, must, frozenset.intersection(*(s.facts for s in states)), under)


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
    yield Fact(ast.dump(test), truth, frozenset(names_in(test)))


_OPPOSITE: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In, ast.GtE: ast.Lt, ast.Gt: ast.LtE,
}  # fmt: skip
