"""For which elements an execution exists: the variables of an access eliminated from what has to hold.

Given equations (the access touches this very element) and conditions (bounds of loops and axes, masks, path
conditions), the unknowns are solved for one after the other. `128*i + p == e` with `0 <= p < 128` has the one solution
`i = e // 128`, `p = e % 128`; what is left are conditions on `e` and the inputs. An unknown in no equation exists where
each of its lower bounds is at most each of its upper ones. These steps are equivalences. Where none applies, values are
tried, and the result is only sufficient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf
from typing import Any

from ..symbolic.conditions import And, Compare, Cond, Or, at_least_zero, conjunction, disjunction, equal_zero
from ..symbolic.conditions import substitute as substitute_condition
from ..symbolic.evaluation import coefficient, variables
from ..symbolic.integers import Atom, Int, Ite, Max, Min, Sym, Var, bounds, floor_div, substitute, sym

FEW = 4  # values of an unknown that are tried one by one
ALTERNATIVES = 16  # disjunctions among the conditions are taken apart into so many cases at most

Shown = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Existence:
    """Where `condition` holds, there is an execution; if `exact`, there is none elsewhere. `reason` says why not."""

    condition: Any
    exact: bool = True
    reason: str = ""


def exists(unknowns: Sequence[Var], equations: Sequence[Int], conditions: Sequence[Any], shown: Shown) -> Existence:
    """Under which condition values of `unknowns`, within their bounds, meet all `equations` (each equal to zero) and
    `conditions`. `shown` says whether a condition holds wherever the question is asked."""
    found: list[Existence] = []
    question = _without_maxima(_Question(tuple(unknowns), [*equations], [*conditions]), shown)
    cases = [
        (decided, case)
        for decided in islice(_decided(question), ALTERNATIVES + 1)
        for case in islice(_cases(_leaves(decided.conditions), set(decided.unknowns)), ALTERNATIVES + 1)
    ]
    if len(cases) > ALTERNATIVES:
        return Existence(False, False, "a condition of too many cases")
    for decided, case in cases:
        found.append(_System(decided.unknowns, decided.equations, case, shown).solve())
        if found[-1].condition is True:
            return found[-1]
    return either(found)


def _without_maxima(question: _Question, shown: Shown) -> _Question:
    """The question with maxima such as `max(n, 0)` replaced where it is known which side is larger."""
    ends = [e for u in question.unknowns for e in (u.low, u.high)]
    found = {atom for value in (*question.equations, *ends) if isinstance(value, Sym) for atom in value.atoms()}
    mapping: dict[Atom, Int] = {}
    for atom in sorted(a for a in found if isinstance(a, Max)):
        if _is_shown(atom.left - atom.right, shown):
            mapping[atom] = atom.left
        elif _is_shown(atom.right - atom.left, shown):
            mapping[atom] = atom.right
    return question.put(mapping) if mapping else question


@dataclass(frozen=True)
class _Question:
    """Unknowns, equations and conditions, as `exists` is given them."""

    unknowns: tuple[Var, ...]
    equations: list[Int]
    conditions: list[Any]

    def put(self, values: dict[Atom, Int], *more: Any) -> _Question:
        """The question with `values` for unknowns or parts of it, under `more` conditions."""
        mapping = dict(values)
        left = [u for u in self.unknowns if u not in values]
        for unknown in sorted(left):  # bounds mention older variables only
            low, high = (None if end is None else substitute(end, mapping) for end in (unknown.low, unknown.high))
            if low is not unknown.low or high is not unknown.high:
                mapping[unknown] = sym(unknown.name, unknown.kind, low, high, unknown.source)
        unknowns = tuple(getattr(mapping.get(u), "variable", u) for u in left)
        conditions = [substitute_condition(c, mapping) for c in (*more, *self.conditions)]
        return _Question(unknowns, [substitute(e, mapping) for e in self.equations], conditions)


def _decided(question: _Question) -> Iterator[_Question]:
    """The question for each outcome of the choices that the unknowns make, and for each number that unknowns of few
    values may be where steps of symbolic size would lead to divisions by them."""
    ends = [end for u in question.unknowns for end in (u.low, u.high) if isinstance(end, Sym)]
    values = [
        *question.equations,
        *ends,
        *(e for c in question.conditions if isinstance(c, Cond) for e in c.expressions()),
    ]
    for choice in (c for value in values if isinstance(value, Sym) for c in _choices(value)):
        if not set(question.unknowns).isdisjoint(variables(choice.condition)):
            yield from _decided(question.put({choice: choice.then}, choice.condition))
            yield from _decided(question.put({choice: choice.otherwise}, ~choice.condition))
            return
    few = [u for u in question.unknowns if _is_few(u) and any(_has_symbolic_step(e, u) for e in question.equations)]
    for number in _numbers(few[0]) if few else ():
        yield from _decided(question.put({few[0]: number}))
    if not few:
        yield question


def _choices(value: Sym) -> Iterator[Ite]:
    """The innermost choices in `value` first."""
    for atom in (atom for mono in value.terms for atom in mono):
        if not isinstance(atom, Var):
            for child in atom.children():
                yield from _choices(child)
        if isinstance(atom, Ite):
            yield atom


def _is_shown(difference: Int, shown: Shown) -> bool:
    at_least = difference >= 0
    return at_least if isinstance(at_least, bool) else shown(at_least)


def _is_few(unknown: Var) -> bool:
    low, high = unknown.bounds
    return isinstance(unknown.low, int) and isinstance(unknown.high, int) and high - low < FEW


def _has_symbolic_step(equation: Int, unknown: Var) -> bool:
    return isinstance(equation, Sym) and isinstance(coefficient(equation, unknown), Sym)


def _numbers(unknown: Var) -> range:
    return range(int(unknown.bounds[0]), int(unknown.bounds[1]) + 1)


def simplified(condition: Any, shown: Shown) -> Any:
    """`condition` without the parts that hold, or fail, wherever the question is asked."""
    if isinstance(condition, And):
        parts = [simplified(part, shown) for part in condition.parts]
        keys = {part.key for part in parts if isinstance(part, Cond)}
        if any(isinstance(part, Compare) and getattr(~part, "key", None) in keys for part in parts):
            return False
        return conjunction(parts)
    if isinstance(condition, Or):
        return True if shown(condition) else factored([simplified(part, shown) for part in condition.parts])
    if isinstance(condition, Cond):
        if shown(condition):
            return True
        if shown(~condition):
            return False
    return condition


def either(found: Sequence[Existence]) -> Existence:
    """Whether one of several kinds of execution exists."""
    condition = factored([f.condition for f in found if f.condition is not False])
    if condition is True:
        return Existence(True)
    return Existence(condition, all(f.exact for f in found), next((f.reason for f in found if f.reason), ""))


def factored(alternatives: Sequence[Any]) -> Any:
    """The disjunction of `alternatives`, with what all of them ask for in front of it."""
    if any(a is True for a in alternatives):
        return True
    parts = [{p.key: p for p in _leaves([a])} for a in alternatives if a is not False]
    numbered = list(enumerate(parts))
    parts = [one for n, one in numbered if not any(_says_more(other, one, m < n) for m, other in numbered)]
    if not parts:
        return False
    shared = [key for key in parts[0] if all(key in other for other in parts[1:])]
    rest = _united([[p for key, p in one.items() if key not in shared] for one in parts])
    return conjunction([*(parts[0][key] for key in shared), rest])


def _says_more(other: dict[Any, Any], one: dict[Any, Any], first: bool) -> bool:
    """Whether the alternative `other` holds wherever `one` does."""
    return other is not one and other.keys() <= one.keys() and (first or other.keys() != one.keys())


def _united(alternatives: list[list[Any]]) -> Any:
    """The disjunction of `alternatives`; ranges of one value that follow one another become one range."""
    ranges = [_range(one) for one in alternatives]
    found = [r for r in ranges if r is not None]
    if len(found) == len(ranges) and len({_key(value) for value, _, _ in found}) == 1:
        value = found[0][0]
        ends: list[tuple[float, float]] = []
        for _, low, high in sorted(found, key=lambda r: r[1:]):
            if ends and low <= ends[-1][1] + 1:
                ends[-1] = ends[-1][0], max(ends[-1][1], high)
            else:
                ends.append((low, high))
        return disjunction(conjunction(_within(value, low, high)) for low, high in ends)
    return disjunction(conjunction(one) for one in alternatives)


def _range(parts: list[Any]) -> tuple[Sym, float, float] | None:
    """The value of which `parts` give the range, with its ends."""
    value: Sym | None = None
    low, high = -inf, inf
    for part in parts:
        if not isinstance(part, Compare) or part.relation != ">=":
            return None
        up = next(iter(part.left.terms.values())) > 0
        this = Sym(part.left.terms if up else {m: -c for m, c in part.left.terms.items()}, 0)
        if value is not None and value.key != this.key:
            return None
        value = this
        low, high = (max(low, -part.left.const), high) if up else (low, min(high, part.left.const))
    if value is None:
        return None
    first, last = bounds(value)
    return value, max(low, first), min(high, last)


def _within(value: Sym, low: float, high: float) -> Iterator[Any]:
    if low > -inf:
        yield value >= int(low)
    if high < inf:
        yield value <= int(high)


def _leaves(conditions: Sequence[Any]) -> list[Any]:
    flat: list[Any] = []
    for condition in conditions:
        flat += _leaves(condition.parts) if isinstance(condition, And) else [condition]
    return flat


def _cases(flat: list[Any], unknowns: set[Var]) -> Iterator[list[Any]]:
    """The conditions with disjunctions about unknowns taken apart."""
    for position, condition in enumerate(flat):
        parts = _choice(condition, unknowns)
        if parts:
            rest = [*flat[:position], *flat[position + 1 :]]
            for part in parts:
                yield from _cases([*_leaves([part]), *rest], unknowns)
            return
    yield flat


def _choice(condition: Any, unknowns: set[Var]) -> tuple[Any, ...]:
    if not isinstance(condition, (Or, Compare)) or unknowns.isdisjoint(variables(condition)):
        return ()
    if isinstance(condition, Or):
        return condition.parts
    if condition.relation == "!=":  # not simplified: for remainders that would lead back to `!=`
        return Compare(">=", condition.left - 1), Compare(">=", -condition.left - 1)
    return ()


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
                or self._mirrored()
                or self._several()
                or self._plain()
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
        if low >= 1 or (isinstance(factor, Sym) and self.shown(factor >= 1)):
            return 1
        return -1 if high <= -1 or (isinstance(factor, Sym) and self.shown(factor <= -1)) else 0

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
        self.conditions = [substitute_condition(c, mapping) for c in self.conditions]
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
        lows = {_key(end): end for side, end in known if side > 0}
        highs = {_key(end): end for side, end in known if side < 0}
        self.conditions = [*rest, *(_at_least(high - low) for low in lows.values() for high in highs.values())]
        del self.unknowns[unknown]

    def _try_ends(self, unknown: Var, mine: list[Any], rest: list[Any]) -> None:
        """One end of the unknown's range, or the other."""
        self._not_exact(f"a condition on `{unknown.name}` that is not linear")
        ends = [end for end in (unknown.low, unknown.high) if end is not None]
        tried = [conjunction(substitute_condition(c, {unknown: end}) for c in mine) for end in ends]
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


def _key(value: Any) -> Any:
    return value.key if isinstance(value, Sym) else value


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
