"""For which elements an execution exists: the variables of an access eliminated from what has to hold.

Given equations (the access touches this very element) and conditions (bounds of loops and axes, masks, path
conditions), the unknowns are solved for one after the other. `128*i + p == e` with `0 <= p < 128` has the one solution
`i = e // 128`, `p = e % 128`; what is left are conditions on `e` and the inputs. An unknown in no equation exists where
each of its lower bounds is at most each of its upper ones. These steps are equivalences. Where none applies, values are
tried, and the result is only sufficient.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations
from math import inf
from typing import Any

from nkilint.symbolic.atoms import Atom, Int, Max, Min, Var, bounds
from nkilint.symbolic.conditions import Compare, Cond, at_least_zero, conjunction, disjunction, equal_zero, leaves
from nkilint.symbolic.division import floor_div, split_remainders
from nkilint.symbolic.evaluation import coefficient, variables
from nkilint.symbolic.integers import Sym, key_of, sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import negation

from ..simplification import factored
from .cases import Question, Shown, cases_of, decided, without_maxima

ALTERNATIVES = 16  # disjunctions among the conditions are taken apart into so many cases at most


@dataclass(frozen=True, slots=True)
class Existence:
    """Where `condition` holds, there is an execution; if `exact`, there is none elsewhere. `reason` says why not."""

    condition: Any
    exact: bool = True
    reason: str = ""

    def where(self, case: Any) -> Existence:
        """The same asked of `case` only: it holds wherever `case` does not."""
        return self if case is True else replace(self, condition=disjunction([negation(case), self.condition]))


def exists(unknowns: Sequence[Var], equations: Sequence[Int], conditions: Sequence[Any], shown: Shown) -> Existence:
    """Under which condition values of `unknowns`, within their bounds, meet all `equations` (each equal to zero) and
    `conditions`. `shown` says whether a condition holds wherever the question is asked."""
    found: list[Existence] = []
    question = without_maxima(Question(tuple(unknowns), [*equations], [*conditions]), shown)
    cases = [
        (one, case)
        for one in islice(decided(question), ALTERNATIVES + 1)
        for case in islice(cases_of(list(leaves(one.conditions)), set(one.unknowns)), ALTERNATIVES + 1)
    ]
    if len(cases) > ALTERNATIVES:
        return Existence(False, False, "a condition of too many cases")
    for one, case in cases:
        found.append(_System(one.unknowns, one.equations, case, shown).solve())
        if found[-1].condition is True:
            return found[-1]
    return either(found)


def either(found: Sequence[Existence]) -> Existence:
    """Whether one of several kinds of execution exists."""
    condition = factored([f.condition for f in found if f.condition is not False])
    if condition is True:
        return Existence(True)
    return Existence(condition, all(f.exact for f in found), next((f.reason for f in found if f.reason), ""))


class _System:
    """The unknowns that are left, and what has to hold."""

    def __init__(self, unknowns: Sequence[Var], equations: Sequence[Int], conditions: list[Any], shown: Shown) -> None:
        self.shown = shown
        self.unknowns = dict.fromkeys(unknowns)
        self.equations: list[Int] = [*equations]
        self.conditions: list[Any] = []
        self.exact, self.reason = True, ""
        self.mirrored: set[Atom] = set()  # replaced once; turned back they would lead round in a circle
        self.conditions += conditions
        for unknown in unknowns:
            self._add_domain(unknown)

    def solve(self) -> Existence:
        self._solve_equations()
        while self.unknowns and not self._dead():
            self._by_bounds(max(self.unknowns))  # bounds mention older variables only
            self._solve_equations()
        condition = conjunction(self.conditions)
        return Existence(condition, self.exact or condition is True, "" if self.exact else self.reason)

    def _solve_equations(self) -> None:
        """Use up the equations; those that cannot be solved become conditions."""
        stuck = False
        while not stuck and not self._dead():
            self._collect_equations()
            stuck = not (
                self._settled()
                or self._single()
                or self._same_digits()
                or self._mirrored()
                or self._several()
                or self._fused()
                or self._plain()
                or self._congruent()
                or self._overlapping()
            )
        self.conditions += [equal_zero(equation) for equation in self.equations]
        self.equations = []

    def _collect_equations(self) -> None:
        rest = []
        for condition in self.conditions:
            if isinstance(condition, Compare) and condition.relation == "==" and self._own(condition):
                self.equations.append(condition.left)
            else:
                rest.append(condition)
        self.conditions = rest

    def _own(self, *values: Any) -> list[Var]:
        """The unknowns in `values`."""
        return [v for v in variables(*values) if v in self.unknowns]

    def _dead(self) -> bool:
        return any(c is False for c in self.conditions)

    def _not_exact(self, reason: str) -> None:
        self.exact = False
        self.reason = self.reason or reason

    def _add_domain(self, unknown: Var) -> None:
        # Not simplified: the bounds of the unknown would make them true, and be lost when it is replaced.
        itself = _itself(unknown)
        if unknown.low is not None:
            self.conditions += [Compare(">=", itself - low) for low in _sides(unknown.low, Max)]
        if unknown.high is not None:
            self.conditions += [Compare(">=", high - itself) for high in _sides(unknown.high, Min)]

    def _sign(self, factor: Int) -> int:
        low, high = bounds(factor)
        if low >= 1 or (isinstance(factor, Sym) and (self.shown(factor >= 1) or self._counted_up_to(factor))):
            return 1
        return -1 if high <= -1 or (isinstance(factor, Sym) and self.shown(factor <= -1)) else 0

    def _counted_up_to(self, factor: Sym) -> bool:
        """Whether something from 0 on stays below `factor`, which is positive then wherever there is an execution."""
        if self._own(factor):
            return False
        counts = [c for c in self.conditions if isinstance(c, Compare) and c.relation == ">=" and self._own(c)]
        found = any(bounds(factor - 1 - count.left)[0] >= 0 for count in counts)
        self.conditions += [_at_least(factor - 1)] if found else []
        return found

    # --- equations ---

    def _settled(self) -> bool:
        """Equations without unknowns are conditions."""
        for position, equation in enumerate(self.equations):
            if not self._own(equation):
                self.conditions.append(equal_zero(equation))
                del self.equations[position]
                return True
        return False

    def _single(self) -> bool:
        """An equation with one unknown."""
        for position, equation in enumerate(self.equations):
            form = self._form(equation)
            if form is None or len(form[0]) != 1:
                continue
            ((unknown, weight),) = form[0].items()
            value = -form[1]
            if self._sign(weight) < 0:
                weight, value = -weight, -value
            del self.equations[position]
            if isinstance(weight, Sym) or weight > 1:
                self.conditions.append(equal_zero(value - weight * floor_div(value, weight)))
            self._replace(unknown, value, weight)
            return True
        return False

    def _same_digits(self) -> bool:
        """Two numbers in one system of symbolic base, `128*(P*t + i) + p` and the same of others, are equal where all
        their digits are."""
        for position, equation in enumerate(self.equations):
            form = self._form(equation)
            if form is None or key_of(form[1]) != 0 or not any(isinstance(w, Sym) for w in form[0].values()):
                continue
            pairs = self._paired(form[0])
            if pairs is not None:
                self.equations[position : position + 1] = [_itself(a) - _itself(b) for a, b in pairs]
                return True
        return False

    def _paired(self, weights: dict[Var, Any]) -> list[tuple[Var, Var]] | None:
        """Digits of the same weight, on both sides of an equation; None where smaller ones may carry over."""
        left = {key_of(w): u for u, w in weights.items() if self._sign(w) > 0}
        right = {key_of(-w): u for u, w in weights.items() if self._sign(w) < 0}
        if left.keys() != right.keys() or len(left) + len(right) != len(weights):
            return None
        pairs: list[tuple[Var, Var]] = []
        below: Any = 0
        for key in sorted(left, key=lambda k: self._rank(weights[left[k]], [weights[u] for u in left.values()])):
            one, other = left[key], right[key]
            pairs.append((one, other))
            if not self._holds(weights[one] - below >= 1):
                return None
            if len(pairs) < len(left):
                most = self._most(one)
                if most is None or key_of(most) != key_of(self._most(other)) or key_of((one.low, other.low)) != (0, 0):
                    return None
                below = below + weights[one] * most
        return pairs

    def _rank(self, weight: Any, weights: Sequence[Any]) -> int:
        """How many of `weights` are surely no larger."""
        return sum(self._holds(weight - other >= 0) for other in weights)

    def _mirrored(self) -> bool:
        """Unknowns that count downwards where others count upwards are replaced by their distance from the end."""
        for equation in self.equations:
            form = self._form(equation)
            if form is None:
                continue
            signs = {u: self._sign(w) for u, w in form[0].items()}
            if -1 not in signs.values() or (1 not in signs.values()):
                continue
            for unknown in (u for u, sign in signs.items() if sign < 0):
                low, high = unknown.low, unknown.high
                if low is None or high is None or self._own(low, high) or unknown in self.mirrored:
                    continue
                distance = sym(f"{unknown.name} from the end", unknown.kind, 0, high - low)
                if isinstance(distance, Sym):
                    self._substitute(unknown, high - distance)
                    self.unknowns[distance.variable] = None  # type: ignore[index]
                    self.mirrored.add(distance.variable)
                    self._add_domain(distance.variable)  # type: ignore[arg-type]
                    return True
        return False

    def _several(self) -> bool:
        """An equation in which one unknown counts in steps larger than what the others add up to."""
        for equation in self.equations:
            form = self._positive(equation)
            if form is None:
                continue
            weights, rest = form
            for big in sorted(weights, key=lambda v: bounds(weights[v])[0], reverse=True):
                spread = self._spread(weights, big)
                if spread is not None and self._holds(weights[big] - spread[1] >= 1):
                    self._replace(big, _aligned(-rest - spread[0], spread[1], weights[big]), weights[big])
                    return True
        return False

    def _fused(self) -> bool:
        """Two unknowns that stand everywhere as `128*t + p`, with `p` below 128, are one that counts on."""
        for equation in self.equations:
            form = self._form(equation)
            if form is None or len(form[0]) < 3:
                continue
            for coarse, fine in permutations(form[0], 2):
                if fine.high is None or coarse.high is None or key_of(fine.low) != 0 or key_of(coarse.low) != 0:
                    continue
                size = next((side + 1 for side in _sides(fine.high, Min) if isinstance(side, int)), 0)
                if size > 1 and self._fuse(coarse, fine, size):
                    return True
        return False

    def _fuse(self, coarse: Var, fine: Var, size: int) -> bool:
        """Put one unknown in the place of `size * coarse + fine`, if all that is said of them can be said of it."""
        assert coarse.high is not None
        own = [_itself(coarse), coarse.high - _itself(coarse), _itself(fine), size - 1 - _itself(fine)]
        said = [c for v in own if isinstance(v, Sym) for c in (Compare(">=", v), at_least_zero(v))]
        domain = {c.key for c in said if isinstance(c, Cond)}
        conditions = [c for c in self.conditions if not isinstance(c, Cond) or c.key not in domain]
        if self._own(coarse.high) or not all(
            self._as_one(c, coarse, fine, size) for c in (*conditions, *self.equations)
        ):
            return False
        most = [size * coarse.high + size - 1, *self._limits_above(conditions, fine)]
        both = sym(f"{coarse.name} and {fine.name}", fine.kind, 0, most[-1])
        mapping: dict[Atom, Int] = {coarse: 0, fine: both}
        self.equations = [substitute(e, mapping) for e in self.equations]
        self.conditions = [substitute(c, mapping) for c in conditions]
        self.conditions += [_at_least(most[0] - both)]
        del self.unknowns[coarse], self.unknowns[fine]
        self.unknowns[both.variable] = None  # type: ignore[index]
        self._add_domain(both.variable)  # type: ignore[arg-type]
        return True

    def _as_one(self, said: Any, coarse: Var, fine: Var, size: int) -> bool:
        """Whether neither unknown stands in `said`, or both do in the one combination."""
        value = said.left if isinstance(said, Compare) else said
        if coarse not in variables(value) and fine not in variables(value):
            return True
        first, second = (coefficient(value, v) if isinstance(value, Sym) else None for v in (coarse, fine))
        return first is not None and second is not None and key_of(first) == key_of(second * size)

    def _limits_above(self, conditions: Sequence[Any], fine: Var) -> list[Int]:
        """What the combination that `fine` counts in is at most, by conditions that speak of nothing else."""
        found: list[Int] = []
        for condition in conditions:
            if isinstance(condition, Compare) and condition.relation == ">=":
                weight = coefficient(condition.left, fine)
                if isinstance(weight, int) and weight == -1 and len(self._own(condition)) == 2:
                    rest = condition.left + _itself(fine)
                    found.append(substitute(rest, dict.fromkeys(self._own(rest), 0)))
        return found

    def _plain(self) -> bool:
        """An equation that gives one unknown in terms of others."""
        for position, equation in enumerate(self.equations):
            form = self._form(equation)
            if form is None:
                continue
            ones = [u for u, w in form[0].items() if isinstance(w, int) and abs(w) == 1]
            if ones:
                unknown = max(ones)
                del self.equations[position]
                self._substitute(unknown, (equation - form[0][unknown] * _itself(unknown)) * -form[0][unknown])
                return True
        return False

    def _congruent(self) -> bool:
        """A remainder that has to be zero: the quotient is an unknown in its place."""
        for position, equation in enumerate(self.equations):
            moduli, rest = split_remainders(equation) if isinstance(equation, Sym) else ([], equation)
            if len(moduli) != 1 or not isinstance(rest, int) or rest != 0:
                continue
            ((_, division),) = moduli
            factors = {u: coefficient(division.dividend, u) for u in self._own(division.dividend)}
            ones = [u for u, factor in factors.items() if isinstance(factor, int) and abs(factor) == 1]
            if ones and isinstance(division.divisor, int):
                quotient = sym(f"{max(ones).name} / {division.divisor}", max(ones).kind)
                if quotient.variable not in self.unknowns:
                    self.unknowns[quotient.variable] = None  # type: ignore[index]
                    self.equations[position] = division.dividend - division.divisor * quotient
                    return True
        return False

    def _overlapping(self) -> bool:
        """Where steps are smaller than what the others add up to, the last step that fits is tried."""
        for equation in self.equations:
            form = self._positive(equation)
            if form is None:
                continue
            weights, rest = form
            big = max(weights, key=lambda v: bounds(weights[v])[0])
            spread = self._spread(weights, big)
            if spread is None or big.high is None or self._own(big.high):
                continue
            step = floor_div(-rest - spread[0], weights[big])
            value = step.minimum(big.high) if isinstance(step, Sym) else substitute_minimum(step, big.high)
            self._not_exact("tiles that overlap")
            self._substitute(big, value)
            return True
        return False

    def _form(self, equation: Int) -> tuple[dict[Var, Any], Any] | None:
        """Weights and rest of `sum of weight * unknown + rest`."""
        if not isinstance(equation, Sym):
            return None
        weights: dict[Var, Any] = {}
        rest: Any = equation
        for unknown in self._own(equation):
            weight = coefficient(equation, unknown)
            if weight is None or self._own(weight) or self._sign(weight) == 0:
                return None
            weights[unknown] = weight
            rest = rest - weight * _itself(unknown)
        return weights, rest

    def _positive(self, equation: Int) -> tuple[dict[Var, Any], Any] | None:
        """The form with all weights positive."""
        form = self._form(equation)
        if form is None or len(form[0]) < 2:
            return None
        weights, rest = form
        signs = {self._sign(w) for w in weights.values()}
        if len(signs) > 1:
            return None
        return (weights, rest) if signs == {1} else ({u: -w for u, w in weights.items()}, -rest)

    def _spread(self, weights: dict[Var, Any], big: Var) -> tuple[Any, Any] | None:
        """What the unknowns other than `big` add at least, and by how much more at most."""
        lowest: Any = 0
        span: Any = 0
        for unknown, weight in weights.items():
            if unknown is big:
                continue
            low, high = unknown.low, self._most(unknown)
            if low is None or high is None or self._own(low):
                return None
            lowest = lowest + weight * low
            span = span + weight * (high - low)
        return lowest, span

    def _most(self, unknown: Var) -> Int | None:
        """An upper bound of `unknown` that mentions no other."""
        sides = [] if unknown.high is None else [s for s in _sides(unknown.high, Min) if not self._own(s)]
        numbers = [s for s in sides if isinstance(s, int)]
        most = bounds(unknown.high)[1] if unknown.high is not None else inf
        if numbers or most < inf:
            return min([*numbers, *([int(most)] if most < inf else [])])
        return sides[0] if sides else None

    def _holds(self, condition: Any) -> bool:
        return condition if isinstance(condition, bool) else isinstance(condition, Cond) and self.shown(condition)

    # --- replacing ---

    def _replace(self, unknown: Var, value: Any, divisor: Any) -> None:
        """`unknown` is `value // divisor`. Comparisons with it alone are turned round, to have no division in them."""
        if isinstance(divisor, int) and divisor == 1:
            self._substitute(unknown, value)
            return
        turned: list[Any] = []
        rest: list[Any] = []
        for condition in self.conditions:
            limit = self._limit(condition, unknown) if self._own(condition) == [unknown] else None
            if limit is None:
                rest.append(condition)
            elif limit[0] > 0:
                turned.append(at_least_zero(value - divisor * limit[1]))
            else:
                turned.append(at_least_zero(divisor * limit[1] + divisor - 1 - value))
        self.conditions = rest
        self._substitute(unknown, floor_div(value, divisor))
        self.conditions += turned

    def _substitute(self, unknown: Var, value: Any) -> None:
        mapping: dict[Atom, Int] = {unknown: value}
        self.equations = [substitute(e, mapping) for e in self.equations]
        self.conditions = [substitute(c, mapping) for c in self.conditions]
        del self.unknowns[unknown]

    def _limit(self, condition: Any, unknown: Var) -> tuple[int, Any] | None:
        """What an inequality says about `unknown`: (1, least) or (-1, most)."""
        if not isinstance(condition, Compare) or condition.relation != ">=":
            return None
        weight = coefficient(condition.left, unknown)
        if weight is None or self._own(weight):
            return None
        rest = condition.left - weight * _itself(unknown)
        sign = self._sign(weight)
        if sign == 0:
            return None
        return (1, -floor_div(rest, weight)) if sign > 0 else (-1, floor_div(rest, -weight))

    # --- bounds ---

    def _by_bounds(self, unknown: Var) -> None:
        """An unknown of which only inequalities speak exists where no lower bound is above an upper one."""
        mine = [c for c in self.conditions if unknown in variables(c)]
        rest = [c for c in self.conditions if unknown not in variables(c)]
        limits = [self._limit(c, unknown) for c in mine]
        known = [limit for limit in limits if limit is not None]
        if len(known) < len(mine):
            self._try_ends(unknown, mine, rest)
            return
        lows = {key_of(end): end for side, end in known if side > 0}
        highs = {key_of(end): end for side, end in known if side < 0}
        self.conditions = [*rest, *(_at_least(high - low) for low in lows.values() for high in highs.values())]
        del self.unknowns[unknown]

    def _try_ends(self, unknown: Var, mine: list[Any], rest: list[Any]) -> None:
        """One end of the unknown's range, or the other."""
        self._not_exact(f"a condition on `{unknown.name}` that is not linear")
        ends = [end for end in (unknown.low, unknown.high) if end is not None]
        tried = [conjunction(substitute(c, {unknown: end}) for c in mine) for end in ends]
        self.conditions = [*rest, disjunction(tried)]
        del self.unknowns[unknown]


def _aligned(value: Any, span: Any, weight: Any) -> Any:
    """`value`, or one above it by less than what is left of a step beyond `span`, whose constant is a whole number of
    steps: the quotient is the same where some value between `value - span` and `value` is a multiple of `weight`."""
    if isinstance(value, Sym) and isinstance(span, int) and isinstance(weight, int):
        missing = -value.const % weight
        if missing + span < weight:
            return value + missing
    return value


def substitute_minimum(step: int, high: Int) -> Int:
    """The smaller of a number and another value."""
    return min(step, high) if isinstance(high, int) else high.minimum(step)


def _itself(variable: Var) -> Sym:
    return Sym({(variable,): 1}, 0)


def _at_least(value: Int) -> Any:
    return value >= 0 if isinstance(value, int) else at_least_zero(value)


def _sides(end: Int, kind: type[Min] | type[Max]) -> Iterator[Int]:
    """The parts of a minimum (of an upper end) or of a maximum (of a lower end)."""
    if isinstance(end, Sym):
        for mono, c in end.terms.items():
            atom = mono[0]
            if c > 0 and len(mono) == 1 and isinstance(atom, kind):
                rest = end - Sym({mono: c}, 0)
                yield from _sides(rest + c * atom.left, kind)
                yield from _sides(rest + c * atom.right, kind)
                return
    yield end
