"""Intervals of symbolic integers where some atoms are known more closely than everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import inf
from typing import Any

from nkilint.symbolic import Atom, FloorDiv, Ite, Power, Sym, Var
from nkilint.symbolic.atoms import Int
from nkilint.symbolic.division import ends_by_remainders
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import itself
from nkilint.symbolic.operators import OPERATORS, Interval
from nkilint.symbolic.substitution import substitute
from nkilint.symbolic.work import charge

_multiply = OPERATORS["*"].intervals


class Ranges:
    """Intervals under the narrowings made so far; the bounds of variables are read through `rewriting`."""

    def __init__(self, rewriting: Mapping[Atom, Int]) -> None:
        self.rewriting = rewriting
        self._narrowed: dict[Atom, Interval] = {}
        self._known: dict[Atom, Interval] = {}
        self._products: dict[tuple[Atom, ...], Interval] = {}
        self._reaches: dict[Var, frozenset[Var]] = {}
        self._learned: dict[Any, Int] = {}
        self._moved: set[Var] = set()  # whose ranges changed since they were last looked through

    def copy(self) -> Ranges:
        """The same ranges, to be narrowed further."""
        charge(len(self._learned) // 16)
        other = Ranges(self.rewriting)
        other._narrowed, other._known = dict(self._narrowed), dict(self._known)
        other._products, other._learned = dict(self._products), dict(self._learned)
        other._reaches = self._reaches
        return other

    def learn_all(self, values: Iterable[Sym], rounds: int) -> None:
        """Take over that all `values` are at least zero, and what then follows from each other, in so many rounds."""
        fresh = {value.key: value for value in values if value.key not in self._learned}
        self._learned.update(fresh)
        pending: Iterable[Int] = fresh.values()
        for _ in range(rounds):
            self._moved = set()
            for value in pending:
                self.learn(value)
            if not self._moved:
                break
            moved = self._moved
            charge(len(self._learned) // 4)
            pending = [value for value in self._learned.values() if not moved.isdisjoint(self._reach(value))]

    def _reach(self, value: Int) -> Iterator[Var]:
        """The variables that the interval of `value` hangs on."""
        for variable in variables(value):
            known = self._reaches.get(variable)
            if known is None:
                ends = [substitute(end, self.rewriting) for end in (variable.low, variable.high)]
                known = frozenset([variable, *(v for end in ends for v in self._reach(end))])
                self._reaches[variable] = known
            yield from known

    def of(self, value: Int) -> Interval:
        if isinstance(value, int):
            return value, value
        if not self._narrowed:
            low, high = value.bounds
            if low > -inf and high < inf:
                return low, high
        try:
            low, high = self._sum(value)
        except OverflowError:  # numbers that floats do not reach
            return -inf, inf
        if low < 0 and any(type(mono[-1]) is FloorDiv for mono in value.terms):
            ends = ends_by_remainders(value)
            if ends is not None:
                low, high = max(low, self.of(ends[0])[0]), min(high, self.of(ends[1])[1])
        return low, high

    def _sum(self, value: Sym) -> Interval:
        low: float = value.const
        high: float = value.const
        for mono, c in value.terms.items():
            a, b = self.product(mono)
            if c < 0:
                a, b = b, a
            low += c * a if a else 0
            high += c * b if b else 0
        return low, high

    def product(self, mono: tuple[Atom, ...]) -> Interval:
        """The interval of a product of atoms; (1, 1) of none."""
        if len(mono) == 1:
            return self.atom(mono[0])
        known = self._products.get(mono)
        if known is None:
            known = (1, 1)
            for atom in mono:
                known = _multiply(known, self.atom(atom))
            self._products[mono] = known
        return known

    def atom(self, atom: Atom) -> Interval:
        known = self._known.get(atom)
        if known is None:
            known = self._compute(atom)
            self._known[atom] = known
        return known

    def _compute(self, atom: Atom) -> Interval:
        low, high = atom.bounds
        if isinstance(atom, Var):
            if isinstance(atom.low, Sym):
                low = max(low, self.of(substitute(atom.low, self.rewriting))[0])
            if isinstance(atom.high, Sym):
                high = min(high, self.of(substitute(atom.high, self.rewriting))[1])
        elif isinstance(atom, Ite):
            then, otherwise = self.of(atom.then), self.of(atom.otherwise)
            low, high = max(low, min(then[0], otherwise[0])), min(high, max(then[1], otherwise[1]))
        elif isinstance(atom, Power):
            least, most = atom.interval(self.of(atom.exponent))
            low, high = max(low, least), min(high, most)
        else:
            left, right = atom.operands
            least, most = OPERATORS[atom.operator].intervals(self.of(left), self.of(right))
            low, high = max(low, least), min(high, most)
        narrowed = self._narrowed.get(atom)
        if narrowed is not None:
            low, high = max(low, narrowed[0]), min(high, narrowed[1])
        return low, high

    def narrow(self, atom: Atom, low: float, high: float) -> bool:
        """Take over that `low <= atom <= high`; whether that was news."""
        old = self.atom(atom)
        if low <= old[0] and high >= old[1]:
            return False
        known = self._narrowed.get(atom, (-inf, inf))
        self._narrowed[atom] = (max(low, known[0]), min(high, known[1]))
        self._moved.update(variables(itself(atom)))
        self._known.clear()
        self._products.clear()
        return True

    def learn(self, value: Int) -> bool:
        """Take over that `value >= 0`; whether that narrowed anything."""
        if isinstance(value, int):
            return False
        charge(1 + len(value.terms) ** 2)
        news = False
        for mono, c in value.terms.items():
            if len(mono) > 1:
                continue
            others = [_multiply((d, d), self.product(o))[1] for o, d in value.terms.items() if o is not mono]
            if any(most in (inf, -inf) for most in others):
                continue
            rest = value.const + sum(others)
            limit = -rest
            if c > 0:
                news |= self.narrow(mono[0], -((-limit) // c), inf)
            else:
                news |= self.narrow(mono[0], -inf, (-limit) // -c)
        return news
