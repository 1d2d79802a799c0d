"""Iteration and element variables eliminated from a comparison: what is left of it holds for all their values.

Two ways. *Extremes*: each variable takes the end of its range at which the comparison comes closest to failing; exact
where that point exists and meets the facts. *Dense*: `128*i + p` with `0 <= p < 128` runs through every integer of an
interval, so facts about the same sum (masks) only cut that interval; this holds for symbolic tile sizes as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd
from typing import Any

from nkilint.symbolic import Compare, Cond, Max, Min, Sym, Var
from nkilint.symbolic import substitute as substitute_integer
from nkilint.symbolic.conditions import at_least_zero, conjunction, disjunction, substitute
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Int

from .equations import QUANTIFIED
from .view import View, over_inputs


@dataclass(frozen=True, slots=True)
class Precondition:
    """`exact` says that every input that reaches the event and does not meet `condition` fails the obligation;
    otherwise `condition` is only sufficient."""

    condition: Cond | bool
    exact: bool


def eliminate(goal: Compare, view: View) -> Precondition | None:
    """The condition on the inputs under which `goal` holds for all iterations and elements."""
    found = _by_extremes(goal, view)
    if found is None or not found.exact:
        found = _by_density(goal, view) or found
    return found


# --- extremes ---


def _by_extremes(goal: Compare, view: View) -> Precondition | None:
    if goal.relation == "!=":
        return None
    signed = [goal.left, -goal.left] if goal.relation == "==" else [goal.left]
    ends = [end for value in signed for end in [_least(value, view)] if end is not None]
    if len(ends) < len(signed):
        return None
    return Precondition(conjunction(at_least_zero(value) for value, _ in ends), all(exact for _, exact in ends))


def _least(value: Sym, view: View) -> tuple[Int, bool] | None:
    """The least that `value` can be, over the inputs, and whether it really comes down to that."""
    least: Any = value
    chosen: list[tuple[Var, Int]] = []
    while True:
        pending = [v for v in variables(least) if v.kind != "input"]
        if not pending:
            return least, _attained(chosen, view)
        assert isinstance(least, Sym)
        variable = max(pending)  # bounds mention only older variables
        end = _end(least, variable, view) if variable.kind in QUANTIFIED else None
        if end is None:
            return None
        chosen.append((variable, end))
        least = substitute_integer(least, {variable: end})


def _end(value: Sym, variable: Var, view: View) -> Int | None:
    """The end of the variable's range at which `value` is least, where that is clear."""
    split = coefficient(value, variable)
    if split is None:
        return None
    low, high = view.range_of(split)
    if low >= 0:
        return view.low(variable)
    return view.high(variable) if high <= 0 else None


def coefficient(value: Sym, variable: Var) -> Int | None:
    """What `variable` is multiplied by in `value`; None where it occurs in any other way."""
    total: Any = 0
    for mono, c in value.terms.items():
        if variable in mono:
            rest = tuple(a for a in mono if a is not variable)
            if len(rest) < len(mono) - 1:
                return None
            total = total + (Sym({rest: c}, 0) if rest else c)
        if variable in variables(*(child for a in mono if not isinstance(a, Var) for child in a.children())):
            return None
    result: Int = total
    return result


def _attained(chosen: Sequence[tuple[Var, Int]], view: View) -> bool:
    """Whether the chosen ends lie within their ranges all at once and meet the facts, for each input that reaches the
    event."""
    point: dict[Any, Int] = {}
    for variable, end in reversed(chosen):
        point[variable] = substitute_integer(end, point)
    needed: list[Any] = []
    for variable in point:
        low, high = view.low(variable), view.high(variable)
        needed += [at_least_zero(point[variable] - substitute_integer(low, point))] if low is not None else []
        needed += [at_least_zero(substitute_integer(high, point) - point[variable])] if high is not None else []
    facts = [fact for fact in view.bearing_on(point) if not isinstance(fact, bool) and not over_inputs(fact)]
    needed += [substitute(fact, point) for fact in facts]
    return all(view.shown(condition) for condition in needed)


# --- density ---


def _by_density(goal: Compare, view: View) -> Precondition | None:
    left = goal.left
    names = [v for v in variables(left) if v.kind != "input"]
    if any(v.kind not in QUANTIFIED for v in names):
        return None
    form = _Form.of(left, names)
    if form is None:
        return None
    interval = _interval(form, view)
    if interval is None:
        return None
    lows, highs = interval
    step, rest = form.step, form.rest
    never_below = disjunction(at_least_zero(rest + low * step) for low in lows)  # for step > 0
    never_above = disjunction(at_least_zero(-rest - high * step) for high in highs)
    if step < 0:
        never_below = disjunction(at_least_zero(rest + high * step) for high in highs)
        never_above = disjunction(at_least_zero(-rest - low * step) for low in lows)
    if goal.relation == ">=":
        return Precondition(never_below, True)
    if goal.relation == "==":
        return Precondition(conjunction([never_below, never_above]), True)
    if abs(step) != 1:
        return None
    above = disjunction(at_least_zero(rest - 1 + (low if step > 0 else -high)) for low in lows for high in highs)
    below = disjunction(at_least_zero(-rest - 1 - (high if step > 0 else -low)) for low in lows for high in highs)
    return Precondition(disjunction([above, below]), True)


@dataclass(frozen=True, slots=True)
class _Form:
    """A value as `step * (sum of coefficient * variable) + rest`, the rest over inputs; the coefficients have no common
    factor and the first is positive where it is a number."""

    weights: dict[Var, Int]
    step: int
    rest: Int

    @staticmethod
    def of(value: Sym, names: Sequence[Var]) -> _Form | None:
        weights: dict[Var, Any] = {}
        rest: Any = value
        for variable in names:
            weight = coefficient(value, variable)
            if weight is None or not over_inputs(weight):
                return None
            weights[variable] = weight
            rest = rest - weight * Sym({(variable,): 1}, 0)
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


def _interval(form: _Form, view: View) -> tuple[list[Int], list[Int]] | None:
    """The ends of the interval that the sum runs through without a gap: the largest of the first, the least of the
    second."""
    own: dict[Var, tuple[Int, Int]] = {}
    facts: list[Any] = [f for f in view.bearing_on(form.weights) if not isinstance(f, bool) and not over_inputs(f)]
    bounding = {c.key for c in view.domain(form.weights) if isinstance(c, Cond)}
    facts = [f for f in facts if f.key not in bounding]
    for variable in form.weights:
        lows = list(_sides(view.low(variable), Max))
        highs = list(_sides(view.high(variable), Min))
        itself = Sym({(variable,): 1}, 0)
        facts += [itself >= low for low in lows if not over_inputs(low)]
        facts += [itself <= high for high in highs if not over_inputs(high)]
        fixed = [x for x in lows if over_inputs(x)], [x for x in highs if over_inputs(x)]
        if not fixed[0] or not fixed[1]:
            return None
        own[variable] = _strongest(fixed[0], view, 1)[0], _strongest(fixed[1], view, -1)[0]
        if len(fixed[0]) + len(fixed[1]) > 2:
            return None
    if not _dense(form, own, view):
        return None
    lows = [_end_of_sum(form, own, view, 0)]
    highs = [_end_of_sum(form, own, view, 1)]
    for fact in facts:
        limit = _limit(fact, form)
        if limit is None:
            return None
        (lows if limit[0] > 0 else highs).append(limit[1])
    return _strongest(lows, view, 1), _strongest(highs, view, -1)


def _sides(end: Int | None, kind: type[Min] | type[Max]) -> Iterator[Int]:
    """The parts of a minimum (of an upper end) or maximum (of a lower end)."""
    if isinstance(end, Sym):
        for mono, c in end.terms.items():
            atom = mono[0]
            if c == 1 and len(mono) == 1 and isinstance(atom, kind):
                rest = end - Sym({mono: 1}, 0)
                yield from _sides(rest + atom.left, kind)
                yield from _sides(rest + atom.right, kind)
                return
    if end is not None:
        yield end


def _end_of_sum(form: _Form, own: dict[Var, tuple[Int, Int]], view: View, side: int) -> Int:
    total: Any = 0
    for variable, weight in form.weights.items():
        rising = view.range_of(weight)[0] >= 0
        total = total + weight * own[variable][side if rising else 1 - side]
    result: Int = total
    return result


def _dense(form: _Form, own: dict[Var, tuple[Int, Int]], view: View) -> bool:
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
            if view.shown(span + 1 >= size if isinstance(span, Sym) else size <= span + 1):
                span = span + size * (own[variable][1] - own[variable][0])
                left.remove(variable)
                break
        else:
            return False
    return True


def _limit(fact: Any, form: _Form) -> tuple[int, Int] | None:
    """What `fact` says about the sum: (1, least) or (-1, most)."""
    if not isinstance(fact, Compare) or fact.relation != ">=":
        return None
    names = [v for v in variables(fact) if v.kind != "input"]
    if any(v not in form.weights for v in names):
        return None
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
        if any(view.shown(at_least_zero((other - end) * sign)) for other in kept):
            continue
        kept = [other for other in kept if not view.shown(at_least_zero((end - other) * sign))]
        kept.append(end)
    return kept
