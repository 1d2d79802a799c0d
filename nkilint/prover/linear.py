"""The linear rung: a lower bound of an expression is driven up until it is a number.

The variable that troubles most is replaced by a bound of it: its symbolic end, a fact, the definition of a floor
division, a side of a minimum. Each step keeps `new >= 0` implying `old >= 0`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import gcd, inf

from nkilint.symbolic import Atom, FloorDiv, Ite, Max, Min, Power, Sym, Var
from nkilint.symbolic.atoms import Int
from nkilint.symbolic.division import without
from nkilint.symbolic.integers import itself, power
from nkilint.symbolic.substitution import substitute
from nkilint.symbolic.work import charge

from .context import Context

Mono = tuple[Atom, ...]
STEPS = 20  # expressions looked at for one goal
MORE = 30  # of which it is looked at when these are spent whether their ranges do
TERMS = 16  # in an expression that is looked at
_KINDS = {"carried": 0, "runtime": 0, "axis": 3, "loop": 2, "program": 2, "input": 1}


class Linear:
    """Proves `value >= 0` in one context; finds nothing wrong, ever."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._facts_by_mono: dict[Mono, list[Sym]] = {}
        for fact in context.inequalities:
            settled = self._settled(fact)
            if isinstance(settled, Sym):
                for mono in settled.terms:
                    self._facts_by_mono.setdefault(mono, []).append(settled)
        self._divisions = {a: None for m in self._facts_by_mono for a in m if isinstance(a, FloorDiv)}
        self._fixed: dict[Mono, bool] = {}
        self._degree = 1
        self._troubles: dict[Atom, tuple[int, bool, int]] = {}

    def at_least_zero(self, value: Int) -> bool:
        """Whether `value >= 0` could be shown."""
        return self._search(self._settled(value), [STEPS], set())

    def _settled(self, value: Int) -> Int:
        """`value` with the minima, maxima and choices that can have but one value replaced by it."""
        found: dict[Atom, Int] = {}
        for atom in value.atoms() if isinstance(value, Sym) else ():
            if isinstance(atom, (Min, Max, Ite)):
                low, high = self.context.ranges.atom(atom)
                if -inf < low == high < inf:
                    found[atom] = int(low)
        settled: Int = substitute(value, found) if found else value
        return settled

    def _search(self, value: Int, steps: list[int], seen: set[object]) -> bool:
        if isinstance(value, int) or not value.terms:
            return (value if isinstance(value, int) else value.const) >= 0
        if self.context.ranges.of(value)[0] >= 0:
            return True
        steps[0] -= 1
        if steps[0] < 0 or value.key in seen:
            return False
        charge(10 + len(value.terms))
        seen.add(value.key)
        value = self._without_fixed(value)
        if isinstance(value, int):
            return value >= 0
        mono = max(value.terms, key=self._trouble)
        c = value.terms[mono]
        for cases in self._moves(value, mono, c):
            if all(self._search(case, steps, seen) for case in cases):
                return True
            if steps[0] < -MORE:
                return False
        low, high = self.context.ranges.product(mono)
        floor = c * low if c > 0 else c * high
        if floor == inf:  # a range without numbers: the facts contradict each other
            return True
        return floor > -inf and self._search(value - Sym({mono: c}, 0) + int(floor), steps, seen)

    def _without_fixed(self, value: Sym) -> Int:
        """`value` with the elements and iterations about which only numbers are known replaced by their ends."""
        least: Int = value
        for mono, c in value.terms.items():
            if self._is_fixed(mono):
                low, high = self.context.ranges.product(mono)
                floor = c * low if c > 0 else c * high
                if -inf < floor < inf:
                    least = least - Sym({mono: c}, 0) + int(floor)
        return least

    def _is_fixed(self, mono: Mono) -> bool:
        known = self._fixed.get(mono)
        if known is None:
            known = self._fixed[mono] = mono not in self._facts_by_mono and not any(
                not isinstance(a, Var)
                or a.kind == "input"  # which the bounds of others may bring in again
                or isinstance(a.low, Sym)
                or isinstance(a.high, Sym)
                or (a,) in self._facts_by_mono
                for a in mono
            )
        return known

    def _trouble(self, mono: Mono) -> tuple[int, bool, int]:
        """Elements before iterations before inputs, what is built on them first, and the youngest of each first."""
        return max(self._atom_trouble(a) for a in mono)

    def _atom_trouble(self, atom: Atom) -> tuple[int, bool, int]:
        known = self._troubles.get(atom)
        if known is None:
            if isinstance(atom, Var):
                known = (_KINDS[atom.kind], False, atom.uid)
            else:
                inner = [self._atom_trouble(a)[0] for child in atom.children() for a in child.atoms()]
                known = (max(inner, default=_KINDS["input"]), True, atom.uid)
            self._troubles[atom] = known
        return known

    def _moves(self, value: Sym, mono: Mono, c: int) -> Iterator[tuple[Int, ...]]:
        """Replacements of `c * mono` in `value`; all expressions of one move have to be shown."""
        for index in sorted(range(len(mono)), key=lambda i: self._atom_trouble(mono[i]), reverse=True):
            atom, cofactor = mono[index], mono[:index] + mono[index + 1 :]
            low, high = self.context.ranges.product(cofactor)
            if low < 0 < high:
                continue
            yield from self._atom_moves(value, mono, c, atom, cofactor, upper=(c > 0) != (low >= 0))
        for fact in self._facts(mono, c):
            yield (_eliminated(value, fact, mono),)

    def _atom_moves(
        self, value: Sym, mono: Mono, c: int, atom: Atom, cofactor: Mono, upper: bool
    ) -> Iterator[tuple[Int, ...]]:
        def replaced(bound: Int, scale: int = 1) -> Int:
            """`value * scale`, where `atom` in this term is `bound / scale`."""
            rest = (value - Sym({mono: c}, 0)) * scale
            term: Int = bound * (Sym({cofactor: c}, 0) if cofactor else c)
            total: Int = term + rest
            return total

        if isinstance(atom, Var):
            end = self.context.high(atom) if upper else self.context.low(atom)
            if isinstance(end, Sym) or (cofactor and isinstance(end, int)):
                yield (replaced(end),)
        elif isinstance(atom, FloorDiv):
            yield from self._division_moves(value, mono, c, atom, cofactor, upper)
        elif isinstance(atom, (Min, Max)):
            if upper == isinstance(atom, Min):
                yield (replaced(atom.left),)
                yield (replaced(atom.right),)
            else:
                yield (replaced(atom.left), replaced(atom.right))
        elif isinstance(atom, Ite):
            yield (replaced(atom.then), replaced(atom.otherwise))
        elif isinstance(atom, Power):
            for (variable, *others), factor in atom.exponent.terms.items():
                if isinstance(variable, Var) and not others:
                    highest = upper == (factor > 0)
                    end = self.context.high(variable) if highest else self.context.low(variable)
                    if isinstance(end, (int, Sym)):
                        yield (replaced(power(atom.exponent + (end - itself(variable)) * factor)),)
                elif isinstance(variable, (Min, Max)) and not others and factor == 1:
                    rest = atom.exponent - itself(variable)
                    sides = [(replaced(power(rest + side)),) for side in (variable.left, variable.right)]
                    yield from sides if upper == isinstance(variable, Min) else [(*sides[0], *sides[1])]

    def _division_moves(
        self, value: Sym, mono: Mono, c: int, atom: FloorDiv, cofactor: Mono, upper: bool
    ) -> Iterator[tuple[Int, ...]]:
        """`d * (a // d)` lies between `a - d + 1` and `a`."""
        divisor = atom.divisor
        if self.context.ranges.of(divisor)[0] < 1:
            return
        end = atom.dividend if upper else atom.dividend - divisor + 1
        rest = value - Sym({mono: c}, 0)
        if not cofactor and isinstance(divisor, int):
            for scale, least, most in _relations([*value.atoms(), *self._divisions], atom, divisor):
                common = gcd(c, scale)
                yield ((most if upper else least) * (c // common) + rest * (scale // common),)
        if isinstance(divisor, int):
            common = gcd(c, divisor)
            yield (end * _product(cofactor, c // common) + rest * (divisor // common),)
            return
        if len(divisor.terms) == 1 and divisor.const == 0:
            ((inner, factor),) = divisor.terms.items()
            left = without(cofactor, inner)
            if left is not None and c % factor == 0:
                yield (end * _product(left, c // factor) + rest,)
                return
        if len(mono) <= 2:
            yield (end * _product(cofactor, c) + rest * divisor,)

    def _facts(self, mono: Mono, c: int) -> Iterator[Sym]:
        """Inequalities, or multiples of them by a factor that is not negative, in which `mono` has the sign of `c`."""
        for fact in self._facts_by_mono.get(mono, ()):
            if fact.terms[mono] * c > 0:
                yield fact
        if len(mono) > 1:
            for index, atom in enumerate(mono):
                factor = mono[:index] + mono[index + 1 :]
                for fact in self._facts_by_mono.get((atom,), ()):
                    signs_agree = fact.terms[(atom,)] * c > 0 and self.context.ranges.product(factor)[0] >= 0
                    multiple = fact * Sym({factor: 1}, 0) if signs_agree and _degree(fact) == 1 else 0
                    if isinstance(multiple, Sym) and mono in multiple.terms:
                        yield multiple


def _degree(value: Sym) -> int:
    return max(map(len, value.terms))


def _relations(atoms: Iterable[Atom], atom: FloorDiv, divisor: int) -> Iterator[tuple[int, Sym, Sym]]:
    """What other divisions of the same dividend say about `atom`: (scale, least, most) of `scale * atom`. Where e
    divides d and r = d / e, `r * (a // d)` lies between `a // e - r + 1` and `a // e`; for ceilings, between `a / e`
    and `a / e + r - 1`."""
    for other in dict.fromkeys(atoms):
        if not isinstance(other, FloorDiv) or other is atom or not isinstance(other.divisor, int):
            continue
        ceiling = _is_ceiling(other) and (other.dividend - other.divisor).key == (atom.dividend - divisor).key
        if not ceiling and other.dividend.key != atom.dividend.key:
            continue
        own = itself(other)
        if divisor % other.divisor == 0:
            slack = divisor // other.divisor - 1
            yield slack + 1, own if ceiling else own - slack, own + slack if ceiling else own
        elif other.divisor % divisor == 0:
            whole, slack = own * (other.divisor // divisor), other.divisor // divisor - 1
            yield 1, whole - slack if ceiling else whole, whole if ceiling else whole + slack


def _is_ceiling(atom: FloorDiv) -> bool:
    return isinstance(atom.divisor, int) and atom.dividend.const == atom.divisor - 1


def _product(mono: Mono, c: int) -> Int:
    return Sym({mono: c}, 0) if mono else c


def _eliminated(value: Sym, fact: Sym, mono: Mono) -> Int:
    """A positive multiple of `value` less one of `fact`, without `mono`."""
    a, b = abs(value.terms[mono]), abs(fact.terms[mono])
    common = gcd(a, b)
    result: Int = value * (b // common) - fact * (a // common)
    return result
