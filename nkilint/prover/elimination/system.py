"""Unknowns, what has to hold of them, and the steps that make one unknown less."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from nkilint.symbolic.atoms import Atom, Int, Max, Min, Var, bounds
from nkilint.symbolic.conditions import Compare, Cond, at_least_zero, conjunction, disjunction
from nkilint.symbolic.division import floor_div
from nkilint.symbolic.evaluation import coefficient, variables
from nkilint.symbolic.integers import Sym, is_one, itself, key_of
from nkilint.symbolic.substitution import Substitution
from nkilint_rules.words.conditions import negation

from .cases import Holds
from .forms import sides, weighted

GIVEN = 4  # conditions without unknowns that what has to hold is asked under


class System:
    """The unknowns that are left, the equations (each equal to zero) and the conditions on them. Every step is an
    equivalence unless it says that the system is no longer `exact`, and for what `reason`."""

    def __init__(self, unknowns: Sequence[Var], equations: Sequence[Int], conditions: list[Any], holds: Holds) -> None:
        self.holds_everywhere = holds
        self.unknowns = dict.fromkeys(unknowns)
        self.equations: list[Int] = [*equations]
        self.conditions: list[Any] = []
        self.exact, self.reason = True, ""
        self.mirrored: set[Atom] = set()  # replaced once; turned back they would lead round in a circle
        self.conditions += conditions
        # The answer says them as well, so it matters only where they hold.
        self.given = [c for c in conditions if isinstance(c, Cond) and not self.own(c)][:GIVEN]
        for unknown in unknowns:
            self.add_domain(unknown)

    def own(self, *values: Any) -> list[Var]:
        """The unknowns in `values`."""
        return [v for v in variables(*values) if v in self.unknowns]

    def dead(self) -> bool:
        return any(c is False for c in self.conditions)

    def not_exact(self, reason: str) -> None:
        self.exact = False
        self.reason = self.reason or reason

    def add_domain(self, unknown: Var) -> None:
        # Not simplified: the bounds of the unknown would make them true, and be lost when it is replaced.
        own = itself(unknown)
        if unknown.low is not None:
            self.conditions += [Compare(">=", own - low) for low in sides(unknown.low, Max)]
        if unknown.high is not None:
            self.conditions += [Compare(">=", high - own) for high in sides(unknown.high, Min)]

    def collect_equations(self) -> None:
        rest = []
        for condition in self.conditions:
            if isinstance(condition, Compare) and condition.relation == "==" and self.own(condition):
                self.equations.append(condition.left)
            else:
                rest.append(condition)
        self.conditions = rest

    def sign(self, factor: Int) -> int:
        low, high = bounds(factor)
        if low >= 1 or (isinstance(factor, Sym) and self._is_positive(factor)):
            return 1
        return -1 if high <= -1 or (isinstance(factor, Sym) and self._is_negative(factor)) else 0

    def _is_positive(self, factor: Sym) -> bool:
        if self._is_shown(factor >= 1) or self._counted_up_to(factor):
            return True
        count, parts = _product(factor)
        return count > 0 and all(self.sign(part) > 0 for part in parts)

    def _is_negative(self, factor: Sym) -> bool:
        if self._is_shown(factor <= -1):
            return True
        count, parts = _product(factor)
        return count < 0 and all(self.sign(part) > 0 for part in parts)

    def _counted_up_to(self, factor: Sym) -> bool:
        """Whether something from 0 on stays below `factor`, which is positive then wherever there is an execution."""
        if self.own(factor):
            return False
        counts = [c for c in self.conditions if isinstance(c, Compare) and c.relation == ">=" and self.own(c)]
        found = any(bounds(factor - 1 - count.left)[0] >= 0 for count in counts)
        self.conditions += [at_least_zero(factor - 1)] if found else []
        return found

    def holds(self, condition: Any) -> bool:
        return isinstance(condition, (bool, Cond)) and self._is_shown(condition)

    def _is_shown(self, condition: Any) -> bool:
        if isinstance(condition, bool):
            return condition
        if self.holds_everywhere(condition):
            return True
        return bool(self.given) and self.holds_everywhere(disjunction([*map(negation, self.given), condition]))

    def form(self, equation: Int) -> tuple[dict[Var, Any], Any] | None:
        """Weights and rest of `sum of weight * unknown + rest`."""
        if not isinstance(equation, Sym):
            return None
        return weighted(equation, self.own(equation), lambda w: not self.own(w) and self.sign(w) != 0)

    def most(self, unknown: Var) -> Int | None:
        """An upper bound of `unknown` that mentions no other."""
        ends = [end for end in sides(unknown.high, Min) if not self.own(end)]
        numbers = [end for end in ends if isinstance(end, int)]
        most = bounds(unknown.high)[1] if unknown.high is not None else inf
        if numbers or most < inf:
            return min([*numbers, *([int(most)] if most < inf else [])])
        return ends[0] if ends else None

    def replace(self, unknown: Var, value: Any, divisor: Any) -> None:
        """`unknown` is `value // divisor`. Comparisons with it alone are turned round, to have no division in them."""
        if is_one(divisor):
            self.substitute(unknown, value)
            return
        turned: list[Any] = []
        rest: list[Any] = []
        for condition in self.conditions:
            limit = self.limit(condition, unknown) if self.own(condition) == [unknown] else None
            if limit is None:
                rest.append(condition)
            elif limit[0] > 0:
                turned.append(at_least_zero(value - divisor * limit[1]))
            else:
                turned.append(at_least_zero(divisor * limit[1] + divisor - 1 - value))
        self.conditions = rest
        self.substitute(unknown, floor_div(value, divisor))
        self.conditions += turned

    def substitute(self, unknown: Var, value: Any) -> None:
        replaced = Substitution({unknown: value})
        self.equations = [replaced.of(e) for e in self.equations]
        self.conditions = [replaced.of(c) for c in self.conditions]
        del self.unknowns[unknown]

    def limit(self, condition: Any, unknown: Var) -> tuple[int, Any] | None:
        """What an inequality says about `unknown`: (1, least) or (-1, most)."""
        if not isinstance(condition, Compare) or condition.relation != ">=":
            return None
        weight = coefficient(condition.left, unknown)
        if weight is None or self.own(weight):
            return None
        rest = condition.left - weight * itself(unknown)
        sign = self.sign(weight)
        if sign == 0:
            return None
        return (1, -floor_div(rest, weight)) if sign > 0 else (-1, floor_div(rest, -weight))

    def by_bounds(self, unknown: Var) -> None:
        """An unknown of which only inequalities speak exists where no lower bound is above an upper one."""
        mine = [c for c in self.conditions if unknown in variables(c)]
        rest = [c for c in self.conditions if unknown not in variables(c)]
        limits = [self.limit(c, unknown) for c in mine]
        known = [limit for limit in limits if limit is not None]
        if len(known) < len(mine):
            self._try_ends(unknown, mine, rest)
            return
        lows = {key_of(end): end for side, end in known if side > 0}
        highs = {key_of(end): end for side, end in known if side < 0}
        self.conditions = [*rest, *(at_least_zero(high - low) for low in lows.values() for high in highs.values())]
        del self.unknowns[unknown]

    def _try_ends(self, unknown: Var, mine: list[Any], rest: list[Any]) -> None:
        """One end of the unknown's range, or the other."""
        self.not_exact(f"a condition on {_in_words(unknown)} that is not linear")
        ends = [end for end in (unknown.low, unknown.high) if end is not None]
        tried = [conjunction(map(Substitution({unknown: end}).of, mine)) for end in ends]
        self.conditions = [*rest, disjunction(tried)]
        del self.unknowns[unknown]


def _product(value: Sym) -> tuple[int, list[Sym]]:
    """The number and the other factors of what is a product of several, else zero."""
    products = list(value.terms.items())
    if len(products) != 1 or value.const or len(products[0][0]) < 2:
        return 0, []
    ((atoms, count),) = products
    return count, [itself(atom) for atom in dict.fromkeys(atoms)]


def _in_words(unknown: Var) -> str:
    """What a reason calls a variable; those of elements have no names of the kernel's."""
    return "the elements of an access" if unknown.kind == "axis" else f"`{unknown.name}`"
