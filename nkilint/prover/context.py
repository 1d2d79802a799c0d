"""The facts in force at an event, as the rungs use them: equations solved, inequalities listed, intervals narrowed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from math import gcd
from typing import Any

from nkilint.symbolic import And, Atom, Compare, Cond, FloorDiv, Ite, Max, Min, Opaque, Sym, Var
from nkilint.symbolic.atoms import Int, bounds
from nkilint.symbolic.conditions import (
    COMPARISONS,
    at_least_zero,
    conjunction,
    leaves,
    truth_by,
    with_leaves,
)
from nkilint.symbolic.evaluation import atoms_in, variables
from nkilint.symbolic.integers import itself
from nkilint.symbolic.substitution import Substitution, substitute
from nkilint.symbolic.work import charge
from nkilint_rules.words.conditions import Unknown

from .equations import Solution, exact_quotients, solve, whole_again
from .groups import Groups
from .ranges import Ranges

ROUNDS = 3  # of narrowing; more seldom finds more
KEPT = 16  # every so many facts, the groups that they hang together in are kept


class Context:
    """`rewriting` replaces solved atoms, `conditions` are the facts left after that and `inequalities` what they say is
    at least zero; `contradictory` says that no values meet them all, so that the event is never reached."""

    def __init__(self, facts: Sequence[Cond | bool], base: Context | None = None) -> None:
        """The facts of `base` and `facts` on top."""
        added = tuple(plain_facts(facts))
        self.base = base
        self.depth: int = 0 if base is None else base.depth + 1
        self.facts: tuple[Cond | bool, ...] = added if base is None else base.facts + added
        self.rewriting: dict[Atom, Int] = {} if base is None else base.rewriting
        self.solutions: tuple[Solution, ...] = () if base is None else base.solutions
        self._rewritten: Substitution = Substitution(self.rewriting) if base is None else base._rewritten
        self.conditions: list[Cond] = [] if base is None else base.conditions
        self._refuted: bool = base is not None and base._refuted
        self.exact: tuple[FloorDiv, ...] = ()  # quotients by what nobody chooses that leave no rest
        self._solve(list(added))
        self.exact = tuple(exact_quotients(self.conditions))

    @cached_property
    def inequalities(self) -> list[Sym]:
        found: list[Sym] = []
        for fact in self.conditions:
            if isinstance(fact, Compare) and fact.relation != "!=":
                found += [fact.left, -fact.left] if fact.relation == "==" else [fact.left]
        return found

    @cached_property
    def ranges(self) -> Ranges:
        base = self.base
        while base is not None and "ranges" not in base.__dict__ and base.rewriting is self.rewriting:
            base = base.base
        known = base is not None and "ranges" in base.__dict__ and base.rewriting is self.rewriting
        ranges = base.ranges.copy() if base is not None and known else Ranges(self.rewriting)
        ranges.learn_all(self._learned(), ROUNDS)
        return ranges

    @cached_property
    def contradictory(self) -> bool:
        if self._refuted:
            return True
        spans = [self.ranges.atom(atom) for value in self._learned() for atom in value.atoms()]
        opaque = {(c.identity, c.negated) for c in self.conditions if isinstance(c, Opaque)}
        return (
            any(low > high for low, high in spans)
            or any(self.ranges.of(value)[1] < 0 for value in self.inequalities)
            or any((name, not negated) in opaque for name, negated in opaque)
        )

    def rewrite(self, value: Any) -> Any:
        """An integer with solved atoms replaced, unless it has no value then."""
        rewritten = _or_itself(self._rewritten.of(value), value)
        return whole_again(rewritten, self.exact) if self.exact and isinstance(rewritten, Sym) else rewritten

    def rewrite_condition(self, condition: Any) -> Any:
        """A condition with solved atoms replaced, unless it has no truth then, and the sides of its choices that opaque
        facts make."""
        rewritten = _or_itself(self._rewritten.of(condition), condition)
        rewritten = mapped(rewritten, lambda left: whole_again(left, self.exact)) if self.exact else rewritten
        return mapped(rewritten, self._settled) if self._truths and isinstance(rewritten, Cond) else rewritten

    def low(self, variable: Var) -> Int | None:
        return None if variable.low is None else self._settled(self.rewrite(variable.low))

    def high(self, variable: Var) -> Int | None:
        return None if variable.high is None else self._settled(self.rewrite(variable.high))

    @cached_property
    def _truths(self) -> dict[Any, bool]:
        """What the facts say of opaque ones."""
        return {fact.identity: not fact.negated for fact in self.conditions if isinstance(fact, Opaque)}

    def _settled(self, value: Any) -> Any:
        """An integer with the sides of choices that opaque facts make."""
        while self._truths and isinstance(value, Sym):
            sides = {a: _side(a, self._truths) for a in atoms_in([value]) if isinstance(a, Ite)}
            known: dict[Atom, Int] = {atom: side for atom, side in sides.items() if side is not None}
            settled = substitute(value, known)
            if not known or isinstance(settled, Unknown):
                break
            value = settled
        return value

    def is_empty(self, variable: Var) -> bool:
        """Whether it ranges over nothing."""
        low, high = self.ranges.atom(variable)
        return low > high

    def domain(self, variables: Iterable[Var]) -> Iterator[Cond | bool]:
        """The symbolic bounds of `variables`, rewritten, and what they are not. Constant bounds belong to the variables
        themselves."""
        for variable in variables:
            own = itself(variable)
            for number in variable.never:
                yield self.rewrite_condition(own != number)
            if isinstance(variable.low, Sym):
                yield at_least_zero(own - self.low(variable))
            if isinstance(variable.high, Sym):
                yield at_least_zero(self.high(variable) - own)

    def connected(self, *conditions: Cond | bool, also: Iterable[Var] = ()) -> list[Cond | bool]:
        """`conditions` with all facts and symbolic bounds that bear on their variables or on those of `also`, directly
        or through others."""
        return [*conditions, *self.bearing_on([*variables(*conditions), *also])]

    def bearing_on(self, start: Iterable[Var]) -> list[Cond | bool]:
        """The symbolic bounds of the variables of `start`, and all facts and bounds linked to those."""
        return linked(start, self.linkable, self.domain)

    @cached_property
    def linkable(self) -> list[Cond]:
        """The facts, and the symbolic bounds of the variables in them: that a range is not empty is a fact, too."""
        facts = [c for c in self.conditions if variables(c)]
        names = [v for v in variables(*facts) if v.kind != "input"]
        bounds_of_names = [c for c in self.domain(names) if isinstance(c, Cond)]
        return list({c.key: c for c in (*facts, *bounds_of_names)}.values())

    def groups(self) -> Groups | None:
        """All facts and the symbolic bounds of their variables, in groups that hang together; None where they
        contradict each other."""
        base = self.base
        while base is not None and base.depth % KEPT and base.rewriting is self.rewriting:
            base = base.base
        same = base is not None and base.rewriting is self.rewriting
        found = Groups(base.kept_groups if base is not None and same else None)
        pending: list[Any] = [False] if self._refuted else list(self.conditions)
        charge(len(pending) // 8)
        while pending:
            if any(condition is False for condition in pending):
                return None
            pending = [c for c in self.domain(found.add(pending)) if c is not True]
        return found

    @cached_property
    def kept_groups(self) -> Groups | None:
        """The same, for contexts with more facts to go on from."""
        return self.groups()

    def in_source_terms(self, condition: Any) -> Any:
        """`condition` without the variables that solving introduced."""
        for solution in reversed(self.solutions):
            if solution.fresh is not None:
                condition = mapped(condition, partial(_restored, solution))
        return condition

    def everything(self, *conditions: Cond | bool, also: Iterable[Var] = ()) -> list[Cond | bool]:
        """`conditions` with all facts, and with the symbolic bounds of all variables and of those of `also`."""
        found: list[Cond | bool] = [*conditions, *self.conditions]
        reached = {**variables(*found), **{v: None for v in also if v not in self.rewriting}}
        pending = list(reached)
        while pending:
            fresh = [c for c in self.domain(pending) if c is not True]
            found += fresh
            pending = [v for v in variables(*fresh) if v not in reached]
            reached.update(dict.fromkeys(pending))
        return found

    def _solve(self, added: list[Any]) -> None:
        """Take equations out until none is left that can be solved. What `base` left is looked at again only where
        something in it was solved for since."""
        pending: list[Any] = [*self.conditions, *added]
        charge(10 + len(pending))
        index = len(self.conditions)
        looked_at = [True] * index + [False] * len(added)
        while index < len(pending):
            if looked_at[index]:
                index += 1
                continue
            fact = pending[index] = self.rewrite_condition(pending[index])
            looked_at[index] = True
            solution = solve(fact.left) if isinstance(fact, Compare) and fact.relation == "==" else None
            if solution is not None:
                known = list(self._adopt(solution))
                pending[index : index + 1] = known
                looked_at[index : index + 1] = [False] * len(known)
                latest = Substitution({solution.atom: solution.value})
                looked_at = [was and latest.of(fact) is fact for was, fact in zip(looked_at, pending, strict=True)]
                index = 0
        self._keep(pending)

    def _keep(self, known: list[Any]) -> None:
        whole = conjunction(known)
        if whole is False:
            self._refuted = True
            self.conditions = []
        else:
            self.conditions = [] if whole is True else list(whole.parts) if isinstance(whole, And) else [whole]

    def _learned(self) -> list[Sym]:
        return [*self.inequalities, *_division_facts(self.inequalities)]

    def _adopt(self, solution: Solution) -> Iterator[Any]:
        """Use `solution` from now on; what was known of its atom becomes facts about its value."""
        atom, value = solution.atom, solution.value
        self.solutions = (*self.solutions, solution)
        latest = Substitution({atom: value})
        self.rewriting = {known: latest.of(old) for known, old in self.rewriting.items()}
        self.rewriting[atom] = value
        self._rewritten = Substitution(self.rewriting)
        if isinstance(atom, FloorDiv):
            dividend, divisor = self.rewrite(atom.dividend), self.rewrite(atom.divisor)
            rest = dividend - divisor * value
            yield at_least_zero(rest)
            yield at_least_zero(divisor - 1 - rest)
        if isinstance(atom, Var):
            if atom.low is not None:
                yield at_least_zero(value - self.rewrite(atom.low))
            if atom.high is not None:
                yield at_least_zero(self.rewrite(atom.high) - value)


def _side(choice: Ite, truths: Mapping[Any, bool]) -> Int | None:
    """The number that is chosen, where truths tell."""

    def known(fact: Any) -> bool | None:
        truth = truths.get(fact.identity) if isinstance(fact, Opaque) else None
        return None if truth is None else truth != fact.negated

    chosen = truth_by(choice.condition, known)
    return None if chosen is None else choice.then if chosen else choice.otherwise


def mapped(condition: Any, change: Callable[[Sym], Any]) -> Any:
    """`condition` with the left sides of its comparisons changed."""

    def changed(part: Any) -> Any:
        return COMPARISONS[part.relation](change(part.left)) if isinstance(part, Compare) else part

    return with_leaves(condition, changed)


def _restored(solution: Solution, left: Sym) -> Int:
    """A positive multiple of `left` with the solved variable back in place of its quotient, or with the division."""
    whole, fresh = solution.value, solution.fresh
    assert fresh is not None
    if isinstance(whole, Sym) and fresh in variables(left):
        ((mono, factor),) = [(m, c) for m, c in whole.terms.items() if fresh in m]
        c = left.terms.get(mono, 0)
        if c:
            scale = abs(factor) // gcd(c, factor)
            restored: Int = left * scale - (whole - itself(solution.atom)) * (c * scale // factor)
            if fresh not in variables(restored):
                return restored
    replaced: Int = substitute(left, {fresh: solution.quotient})
    return replaced


def linked(
    start: Iterable[Var],
    facts: Iterable[Cond],
    domain: Callable[[Iterable[Var]], Iterator[Cond | bool]],
    links: Callable[[Var], bool] = lambda variable: True,
) -> list[Cond | bool]:
    """The bounds, as `domain` gives them, of the variables of `start`, and all facts and bounds linked to those through
    variables that are `links`."""
    found: list[Cond | bool] = []
    reached = dict.fromkeys(start)
    pending = list(reached)
    left = [(fact, {v: None for v in variables(fact) if links(v)}) for fact in facts]
    while pending:
        fresh = [c for c in domain(pending) if c is not True]
        fresh += [c for c, used in left if not used.keys().isdisjoint(reached)]
        left = [pair for pair in left if pair[1].keys().isdisjoint(reached)]
        found += fresh
        pending = [v for v in variables(*fresh) if v not in reached and links(v)]
        reached.update(dict.fromkeys(pending))
    return found


def _or_itself(rewritten: Any, value: Any) -> Any:
    """What was rewritten, or `value` where that came to divide by zero."""
    return value if isinstance(rewritten, Unknown) else rewritten


def plain_facts(facts: Iterable[Any]) -> Iterator[Any]:
    """The conjuncts of `facts`; what is unknown becomes an opaque fact."""
    return (Opaque(f.reason, "runtime") if isinstance(f, Unknown) else f for f in leaves(facts))


def _division_facts(values: Iterable[Sym]) -> Iterator[Sym]:
    """What the floor divisions, minima and maxima in `values` say about their operands."""
    found: list[Any] = []
    for atom in {atom: None for value in values for atom in value.atoms()}:
        own = itself(atom)
        if isinstance(atom, FloorDiv) and bounds(atom.divisor)[0] >= 1:
            rest = atom.dividend - atom.divisor * own
            found += [rest, atom.divisor - 1 - rest]
        elif isinstance(atom, Min):
            found += [atom.left - own, atom.right - own]
        elif isinstance(atom, Max):
            found += [own - atom.left, own - atom.right]
    return (f for f in found if isinstance(f, Sym))
