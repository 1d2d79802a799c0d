"""Numbers in a system of (symbolic) base, `128*(P*t + i) + p`: equations in which unknowns are their digits.

Each step says whether it applied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from nkilint.symbolic.atoms import Int, Max, Min, Var, bounds
from nkilint.symbolic.conditions import Compare, Cond, at_least_zero
from nkilint.symbolic.division import floor_div
from nkilint.symbolic.evaluation import coefficient, variables
from nkilint.symbolic.integers import Sym, is_one, itself, key_of, sym
from nkilint.symbolic.substitution import Substitution, substitute
from nkilint_rules.words.conditions import minimum

from .forms import sides
from .system import System


def same_digits(system: System) -> bool:
    """Two numbers in one system of symbolic base, `128*(P*t + i) + p` and the same of others, are equal where all
    their digits are."""
    for position, equation in enumerate(system.equations):
        form = system.form(equation)
        if form is None or key_of(form[1]) != 0 or not any(isinstance(w, Sym) for w in form[0].values()):
            continue
        pairs = _paired(system, form[0])
        if pairs is not None:
            system.equations[position : position + 1] = [itself(a) - itself(b) for a, b in pairs]
            return True
    return False


def _paired(system: System, weights: dict[Var, Any]) -> list[tuple[Var, Var]] | None:
    """Digits of the same weight, on both sides of an equation; None where smaller ones may carry over."""
    left = {key_of(w): u for u, w in weights.items() if system.sign(w) > 0}
    right = {key_of(-w): u for u, w in weights.items() if system.sign(w) < 0}
    if left.keys() != right.keys() or len(left) + len(right) != len(weights):
        return None
    pairs: list[tuple[Var, Var]] = []
    below: Any = 0
    for key in sorted(left, key=lambda k: _rank(system, weights[left[k]], [weights[u] for u in left.values()])):
        one, other = left[key], right[key]
        pairs.append((one, other))
        if not system.holds(weights[one] - below >= 1):
            return None
        if len(pairs) < len(left):
            most = system.most(one)
            if most is None or key_of(most) != key_of(system.most(other)) or key_of((one.low, other.low)) != (0, 0):
                return None
            below = below + weights[one] * most
    return pairs


def _rank(system: System, weight: Any, weights: Sequence[Any]) -> int:
    """How many of `weights` are surely no larger."""
    return sum(system.holds(weight - other >= 0) for other in weights)


def mirrored(system: System) -> bool:
    """Unknowns that count downwards where others count upwards are replaced by their distance from the end."""
    for equation in system.equations:
        form = system.form(equation)
        if form is None:
            continue
        signs = {u: system.sign(w) for u, w in form[0].items()}
        if -1 not in signs.values() or (1 not in signs.values()):
            continue
        for unknown in (u for u, sign in signs.items() if sign < 0):
            low, high = unknown.low, unknown.high
            if low is None or high is None or system.own(low, high) or unknown in system.mirrored:
                continue
            distance = sym(f"{unknown.name} from the end", unknown.kind, 0, high - low)
            if isinstance(distance, Sym):
                system.substitute(unknown, high - distance)
                system.unknowns[distance.variable] = None  # type: ignore[index]
                system.mirrored.add(distance.variable)
                system.add_domain(distance.variable)  # type: ignore[arg-type]
                return True
    return False


def several(system: System) -> bool:
    """An equation in which one unknown counts in steps larger than what the others add up to."""
    for equation in system.equations:
        form = _positive(system, equation)
        if form is None:
            continue
        weights, rest = form
        for big in sorted(weights, key=lambda v: bounds(weights[v])[0], reverse=True):
            spread = _spread(system, weights, big)
            if spread is not None and system.holds(weights[big] - spread[1] >= 1):
                system.replace(big, _aligned(-rest - spread[0], spread[1], weights[big]), weights[big])
                return True
    return False


def _positive(system: System, equation: Int) -> tuple[dict[Var, Any], Any] | None:
    """The form with all weights positive."""
    form = system.form(equation)
    if form is None or len(form[0]) < 2:
        return None
    weights, rest = form
    signs = {system.sign(w) for w in weights.values()}
    if len(signs) > 1:
        return None
    return (weights, rest) if signs == {1} else ({u: -w for u, w in weights.items()}, -rest)


def _spread(system: System, weights: dict[Var, Any], big: Var) -> tuple[Any, Any] | None:
    """What the unknowns other than `big` add at least, and by how much more at most."""
    lowest: Any = 0
    span: Any = 0
    for unknown, weight in weights.items():
        if unknown is big:
            continue
        low, high = unknown.low, system.most(unknown)
        if low is None or high is None or system.own(low):
            return None
        lowest = lowest + weight * low
        span = span + weight * (high - low)
    return lowest, span


def overlapping(system: System) -> bool:
    """Where steps are smaller than what the others add up to, the last step that fits is tried."""
    for equation in system.equations:
        form = _positive(system, equation)
        if form is None:
            continue
        weights, rest = form
        big = max(weights, key=lambda v: bounds(weights[v])[0])
        spread = _spread(system, weights, big)
        if spread is None or big.high is None or system.own(big.high):
            continue
        step = floor_div(-rest - spread[0], weights[big])
        value = minimum(step, big.high)
        if not _first_fits_best(system, equation, weights, big):
            system.not_exact("tiles that overlap")
        system.substitute(big, value)
        return True
    return False


def _first_fits_best(system: System, equation: Int, weights: dict[Var, Any], big: Var) -> bool:
    """Whether the last step is the one to try: a single unknown counts by ones from there on, and nothing is said of
    the two but where their ranges end, neither hanging on the other."""
    others = [v for v in weights if v is not big]
    if len(others) != 1 or not is_one(weights[others[0]]):
        return False
    small = others[0]
    if any(e is not equation and {big, small}.intersection(system.own(e)) for e in system.equations):
        return False
    for unknown, ends in ((big, (*sides(big.low, Max), *sides(big.high, Min))), (small, sides(small.low, Max))):
        known = {key_of(end) for end in ends}
        for condition in system.conditions:
            own = system.own(condition)
            if unknown not in own:
                continue
            limit = system.limit(condition, unknown) if own == [unknown] else None
            if limit is None or not (key_of(limit[1]) in known or (unknown is not big and limit[0] < 0)):
                return False
    return True


def fused(system: System) -> bool:
    """Two unknowns that stand everywhere as `size*t + p`, with `p` below a size that need be no number, are one that
    counts on."""
    for equation in system.equations:
        form = system.form(equation)
        if form is None or len(form[0]) < 2:
            continue
        for coarse, fine in permutations(form[0], 2):
            if fine.high is None or coarse.high is None or key_of(fine.low) != 0 or key_of(coarse.low) != 0:
                continue
            weights = form[0][coarse], form[0][fine]
            if any(_fuse(system, coarse, fine, size) for size in _sizes(system, fine.high, *weights)):
                return True
    return False


def _sizes(system: System, high: Int, coarse: Any, fine: Any) -> Iterator[Int]:
    """How many values an unknown up to `high` may have, at most, between two of a coarser one, by what both weigh."""
    yield from (side + 1 for side in sides(high, Min) if isinstance(side, int) and side > 0)
    size = coarse if is_one(fine) else -coarse
    if isinstance(size, Sym) and (is_one(fine) or is_one(-fine)):
        ends = {key_of(side) for side in sides(high, Min)}
        if all(key_of(side - 1) in ends for side in sides(size, Min)) and system.sign(size) > 0:
            yield size


def _fuse(system: System, coarse: Var, fine: Var, size: Int) -> bool:
    """Put one unknown in the place of `size * coarse + fine`, if all that is said of them can be said of it."""
    assert coarse.high is not None
    own = [
        itself(coarse),
        coarse.high - itself(coarse),
        itself(fine),
        *(s - 1 - itself(fine) for s in sides(size, Min)),
    ]
    said = [c for v in own if isinstance(v, Sym) for c in (Compare(">=", v), at_least_zero(v))]
    domain = {c.key for c in said if isinstance(c, Cond)}
    conditions = _not_implied([c for c in _sides_of(system.conditions) if key_of(c) not in domain], fine)
    if system.own(coarse.high) or not all(
        _as_one(system, c, coarse, fine, size) for c in (*conditions, *system.equations)
    ):
        return False
    most = [size * coarse.high + size - 1, *_limits_above(system, conditions, fine)]
    both = sym(f"{coarse.name} and {fine.name}", fine.kind, 0, most[-1])
    replaced = Substitution({coarse: 0, fine: both})
    system.equations = [replaced.of(e) for e in system.equations]
    system.conditions = [replaced.of(c) for c in conditions]
    system.conditions += [at_least_zero(most[0] - both)]
    del system.unknowns[coarse], system.unknowns[fine]
    system.unknowns[both.variable] = None  # type: ignore[index]
    system.add_domain(both.variable)  # type: ignore[arg-type]
    return True


def _sides_of(conditions: Sequence[Any]) -> Iterator[Any]:
    """Conditions that a minimum is large enough, as those that each of its parts is."""
    for condition in conditions:
        if _is_lower(condition):
            yield from (
                Compare(">=", side) if isinstance(side, Sym) else side >= 0 for side in sides(condition.left, Min)
            )
        else:
            yield condition


def _not_implied(conditions: Sequence[Any], fine: Var) -> list[Any]:
    """Without those that follow from one that mentions `fine`, as `512*t <= n` does from `512*t + p < n`."""
    with_fine = [c.left for c in conditions if _is_lower(c) and fine in variables(c.left)]
    return [
        c
        for c in conditions
        if not _is_lower(c) or fine in variables(c.left) or not any(bounds(c.left - w)[0] >= 0 for w in with_fine)
    ]


def _is_lower(condition: Any) -> bool:
    return isinstance(condition, Compare) and condition.relation == ">="


def _as_one(system: System, said: Any, coarse: Var, fine: Var, size: Int) -> bool:
    """Whether neither unknown stands in `said`, or both do in the one combination."""
    value = said.left if isinstance(said, Compare) else said
    if coarse not in variables(value) and fine not in variables(value):
        return True
    first, second = (coefficient(value, v) if isinstance(value, Sym) else None for v in (coarse, fine))
    return first is not None and second is not None and key_of(first) == key_of(second * size)


def _limits_above(system: System, conditions: Sequence[Any], fine: Var) -> list[Int]:
    """What the combination that `fine` counts in is at most, by conditions that speak of nothing else."""
    found: list[Int] = []
    for condition in conditions:
        if _is_lower(condition):
            weight = coefficient(condition.left, fine)
            if isinstance(weight, int) and weight == -1 and len(system.own(condition)) == 2:
                rest = condition.left + itself(fine)
                found.append(substitute(rest, dict.fromkeys(system.own(rest), 0)))
    return found


def _aligned(value: Any, span: Any, weight: Any) -> Any:
    """`value`, or one above it by less than what is left of a step beyond `span`, whose constant is a whole number of
    steps: the quotient is the same where some value between `value - span` and `value` is a multiple of `weight`."""
    if isinstance(value, Sym) and isinstance(span, int) and isinstance(weight, int):
        missing = -value.const % weight
        if missing + span < weight:
            return value + missing
    return value
