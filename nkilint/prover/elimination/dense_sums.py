"""Sums of iterations and elements that leave no integer out, as `128*i + p` with `0 <= p < 128`.

Such a sum runs through an interval, so that facts about the same sum (masks) only cut that interval, and what a
comparison needs is known at its ends. Sizes of tiles may be symbolic. Variables that occur in no fact take the worst
end of their range; variables that occur in facts alone take the end that serves the facts best.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from math import gcd
from typing import Any

from nkilint.symbolic import Compare, Cond, Max, Min, Sym, Var
from nkilint.symbolic.atoms import QUANTIFIED, Int
from nkilint.symbolic.conditions import at_least_zero, conjunction, disjunction
from nkilint.symbolic.division import split_remainders
from nkilint.symbolic.evaluation import coefficient, over_inputs, variables
from nkilint.symbolic.integers import itself
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.records import dataclass

from .forms import sides, weighted
from .view import View

Ends = tuple[Int, Int]


def condition(goal: Compare, view: View) -> Cond | bool | None:
    """The exact condition on the inputs under which `goal` holds for all iterations and elements, if it can be had."""
    known = _Surroundings.of(_quantified(goal), view)
    if known is None:
        return None
    if goal.relation == ">=":
        return known.never_negative(goal.left)
    if goal.relation == "!=":
        return known.never_zero(goal.left)
    found = [known.never_negative(goal.left), known.never_negative(-goal.left)]
    if any(part is None for part in found):
        return known.always_divisible(goal.left)
    whole: Cond | bool = conjunction(found)
    return whole


def _quantified(*conditions: Cond | Sym) -> list[Var]:
    return [v for v in variables(*conditions) if v.kind != "input"]


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The facts (all `>=`) that cut the ranges of some variables, and those ranges, over the inputs."""

    view: View
    facts: tuple[Compare, ...]
    ends: dict[Var, Ends]

    @staticmethod
    def of(names: Sequence[Var], view: View) -> _Surroundings | None:
        """What is known about `names`, other variables eliminated from the facts; None where that is too involved."""
        domain: set[Any] = set()
        facts: list[Any] = []
        for fact in view.bearing_on(names):
            if isinstance(fact, Cond) and not over_inputs(fact):
                facts.append(fact)
        everything = dict.fromkeys([*names, *_quantified(*facts)])
        if any(v.kind not in QUANTIFIED for v in everything):
            return None
        domain = {c.key for c in view.domain(everything) if isinstance(c, Cond)}
        facts = [fact for fact in facts if fact.key not in domain]
        ends: dict[Var, Ends] = {}
        for variable in everything:
            own = _own_ends(variable, view, facts)
            if own is None:
                return None
            ends[variable] = own
        facts = [fact for fact in facts if not isinstance(fact, bool)]
        if any(not isinstance(fact, Compare) or fact.relation != ">=" for fact in facts):
            return None
        helpful = _without_others(facts, names, ends, view)
        return None if helpful is None else _Surroundings(view, tuple(helpful), {v: ends[v] for v in names})

    def never_negative(self, value: Sym) -> Cond | bool | None:
        """When `value >= 0` throughout."""
        cut = set(_quantified(*self.facts))
        for variable in _quantified(value):
            if variable not in cut:
                end = _end(value, variable, self.ends[variable], self.view, lowest=True)
                if end is None:
                    return None
                value = substitute(value, {variable: end})
                if not isinstance(value, Sym):
                    return at_least_zero(value)
        found = self._form(value)
        if found is None:
            return at_least_zero(value) if over_inputs(value) else None
        form, lows, highs = found
        worst = lows if form.step > 0 else highs
        return disjunction(at_least_zero(form.rest + end * form.step) for end in worst)  # type: ignore[no-any-return]

    def never_zero(self, value: Sym) -> Cond | bool | None:
        """When `value != 0` throughout; only for sums that pass every integer."""
        found = self._form(value)
        if found is None or abs(found[0].step) != 1:
            return None
        form, lows, highs = found
        rest: Any = form.rest
        least, most = (lows, highs) if form.step > 0 else (highs, lows)
        above = [at_least_zero(rest + end * form.step - 1) for end in least]
        below = [at_least_zero(-rest - end * form.step - 1) for end in most]
        return disjunction([*above, *below])  # type: ignore[no-any-return]

    def always_divisible(self, value: Sym) -> Cond | bool | None:
        """When a remainder `a % b` is zero throughout although `a` changes: there is but one value of it."""
        moduli, rest = split_remainders(value)
        if len(moduli) != 1 or isinstance(rest, Sym) or rest != 0:
            return None
        division = moduli[0][1]
        found = self._form(division.dividend) if isinstance(division.divisor, int) else None
        if found is None:
            return None
        form, lows, highs = found
        if len(lows) > 1 or form.step % division.divisor == 0:
            return None
        single = disjunction(at_least_zero(lows[0] - high) for high in highs)
        aligned = (form.rest + lows[0] * form.step) % division.divisor == 0
        return conjunction([single, aligned])  # type: ignore[no-any-return]

    def _form(self, value: Sym) -> tuple[_Form, list[Int], list[Int]] | None:
        """`value` as a dense sum, with the largest of its lower and the least of its upper ends."""
        form = _Form.of(value, _quantified(value))
        if form is None or not form.weights or not _is_dense(form, self.ends, self.view):
            return None
        lows, highs = [_end_of_sum(form, self.ends, self.view, 0)], [_end_of_sum(form, self.ends, self.view, 1)]
        for fact in self.facts:
            limit = _limit(fact, form)
            if limit is None:
                return None
            (lows if limit[0] > 0 else highs).append(limit[1])
        return form, _strongest(lows, self.view, 1), _strongest(highs, self.view, -1)


def _own_ends(variable: Var, view: View, facts: list[Any]) -> Ends | None:
    """The ends of the variable's range over the inputs; ends that depend on other variables become facts."""
    lows = list(sides(view.low(variable), Max))
    highs = list(sides(view.high(variable), Min))
    own = itself(variable)
    facts += [own >= low for low in lows if not over_inputs(low)]
    facts += [own <= high for high in highs if not over_inputs(high)]
    fixed_lows = _strongest([end for end in lows if over_inputs(end)], view, 1)
    fixed_highs = _strongest([end for end in highs if over_inputs(end)], view, -1)
    if len(fixed_lows) != 1 or len(fixed_highs) != 1:
        return None
    return fixed_lows[0], fixed_highs[0]


def _without_others(
    facts: Iterable[Compare], names: Sequence[Var], ends: dict[Var, Ends], view: View
) -> list[Compare] | None:
    """`facts` after all other variables took the end that serves each of them best; None where they disagree."""
    left: list[Any] = list(facts)
    for variable in [v for v in ends if v not in names]:
        chosen = {
            side
            for fact in left
            if variable in variables(fact)
            for side in [_side(fact.left, variable, view, lowest=False)]
        }
        if len(chosen) > 1 or None in chosen:
            return None
        if chosen:
            end = ends[variable][chosen.pop() or 0]
            left = [fact for fact in (substitute(f, {variable: end}) for f in left) if not isinstance(fact, bool)]
    found = [fact for fact in left if not over_inputs(fact)]
    return found if all(isinstance(fact, Compare) and fact.relation == ">=" for fact in found) else None


def _side(value: Sym, variable: Var, view: View, lowest: bool) -> int | None:
    """At which end of the variable's range, 0 or 1, `value` is lowest (or highest)."""
    weight = coefficient(value, variable)
    if weight is None:
        return None
    low, high = view.range_of(weight)
    if low >= 0:
        return 0 if lowest else 1
    return (1 if lowest else 0) if high <= 0 else None


def _end(value: Sym, variable: Var, ends: Ends, view: View, lowest: bool) -> Int | None:
    side = _side(value, variable, view, lowest)
    return None if side is None else ends[side]


@dataclass(frozen=True, slots=True)
class _Form:
    """A value as `step * (sum of weight * variable) + rest`, the rest over inputs; the weights have no common factor
    and the first is positive where it is a number."""

    weights: dict[Var, Int]
    step: int
    rest: Int

    @staticmethod
    def of(value: Sym, names: Sequence[Var]) -> _Form | None:
        found = weighted(value, names, over_inputs)
        if found is None:
            return None
        weights, rest = found
        if not over_inputs(rest):
            return None
        numbers = [c for w in weights.values() for c in ([w] if isinstance(w, int) else [*w.terms.values(), w.const])]
        step = reduce(gcd, numbers, 0)
        signs = [w for w in weights.values() if isinstance(w, int)]
        if signs and signs[0] < 0:
            step = -step
        return _Form({v: _divided(w, step) for v, w in weights.items()}, step, rest)


def _divided(weight: Any, step: int) -> Int:
    if isinstance(weight, int):
        return weight // step
    return Sym({m: c // step for m, c in weight.terms.items()}, weight.const // step)


def _is_dense(form: _Form, ends: dict[Var, Ends], view: View) -> bool:
    """Whether the sum skips no integer: each weight is at most one more than what the smaller ones span."""
    span: Any = 0
    left = sorted(form.weights, reverse=True)
    while left:
        for variable in left:
            weight: Any = form.weights[variable]
            low, high = view.range_of(weight)
            if low < 0 < high:
                return False
            size = weight if low >= 0 else -weight
            if view.holds(at_least_zero(span + 1 - size)):
                span = span + size * (ends[variable][1] - ends[variable][0])
                left.remove(variable)
                break
        else:
            return False
    return True


def _end_of_sum(form: _Form, ends: dict[Var, Ends], view: View, side: int) -> Int:
    total: Any = 0
    for variable, weight in form.weights.items():
        rising = view.range_of(weight)[0] >= 0
        total = total + weight * ends[variable][side if rising else 1 - side]
    result: Int = total
    return result


def _limit(fact: Compare, form: _Form) -> tuple[int, Int] | None:
    """What `fact` says about the sum: (1, least) or (-1, most)."""
    names = _quantified(fact)
    other = _Form.of(fact.left, names)
    if other is None or other.weights.keys() != form.weights.keys():
        return None
    if _same(other.weights, form.weights, 1):
        step = other.step
    elif _same(other.weights, form.weights, -1):
        step = -other.step
    else:
        return None
    rest: Any = other.rest
    # step * sum + rest >= 0
    return (1, -(rest // step)) if step > 0 else (-1, rest // -step)


def _same(a: dict[Var, Int], b: dict[Var, Int], sign: int) -> bool:
    return all(not isinstance(difference, Sym) and difference == 0 for difference in (a[v] - b[v] * sign for v in a))


def _strongest(ends: Sequence[Int], view: View, sign: int) -> list[Int]:
    """`ends` without those that another is shown to pass: the largest for `sign` 1, the least for -1."""
    kept: list[Int] = []
    for end in ends:
        if any(view.holds(at_least_zero((other - end) * sign)) for other in kept):
            continue
        kept = [other for other in kept if not view.holds(at_least_zero((end - other) * sign))]
        kept.append(end)
    return kept
