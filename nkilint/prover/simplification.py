"""Conditions in the form a person would write: without what is known, choices taken apart where that is shorter, what
alternatives share in front."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import Any

from nkilint.symbolic import And, Atom, Compare, Cond, FloorDiv, Ite, Max, Min, Or, Sym
from nkilint.symbolic.absorption import implies
from nkilint.symbolic.atoms import Int, bounds
from nkilint.symbolic.conditions import conjunction, disjunction, leaves
from nkilint.symbolic.integers import itself, key_of
from nkilint.symbolic.substitution import substitute
from nkilint.symbolic.work import charge
from nkilint_rules.words.conditions import IsUnknown, Unknown

from .context import Context
from .ladder import Ladder

DEPTH = 3  # of choices within choices
CHOICES = 2  # in one comparison; with more the cases read no better than the choices


def simplified(condition: Any, context: Context, depth: int = DEPTH) -> Any:
    """What `condition` still says where the facts of `context` hold."""
    if isinstance(condition, And):
        return conjunction(_parts(condition, context, depth, conjunctive=True))
    if isinstance(condition, Or):
        return disjunction(_parts(condition, context, depth, conjunctive=False))
    if not isinstance(condition, Cond):
        return condition
    ladder = Ladder(context)
    rewritten = context.rewrite_condition(condition)
    if ladder.rung_of(rewritten) is not None:
        return True
    if ladder.refuted(rewritten) is not None:
        return False
    return _by_cases(condition, context, ladder, depth) if isinstance(condition, Compare) and depth else condition


def without_choices(condition: Any, context: Context, ladder: Ladder) -> Any:
    """`condition` with the minima, maxima and choices of which the facts say which side they are replaced by that."""
    if not isinstance(condition, Cond):
        return condition
    found: dict[Atom, Int] = {}
    for atom in dict.fromkeys(atom for value in condition.expressions() for atom in _choices(value)):
        test, then, otherwise = _sides(atom)
        if _holds(test, context, ladder):
            found[atom] = then
        elif _holds(_other_way(atom, test), context, ladder):
            found[atom] = otherwise
    try:
        settled = substitute(condition, found) if found else condition
    except IsUnknown:  # it divides by zero
        return condition
    return condition if isinstance(settled, Unknown) else settled


def _parts(condition: And | Or, context: Context, depth: int, conjunctive: bool) -> list[Any]:
    """The parts, each simplified by the others: in a conjunction they hold, in a disjunction they fail."""
    left: list[Any] = sorted(condition.parts, key=lambda part: len(str(part)))
    done: list[Any] = []
    while left:
        part = left.pop()
        known = [other if conjunctive else ~other for other in (*left, *done) if isinstance(other, Cond)]
        result = simplified(part, Context([k for k in known if k is not True], context), depth)
        if not isinstance(result, bool) or result is not conjunctive:
            done.append(result)
    return [part for part in condition.parts if any(part is d for d in done)] + [
        d for d in done if not any(d is part for part in condition.parts)
    ]


def _by_cases(condition: Compare, context: Context, ladder: Ladder, depth: int) -> Any:
    """`condition` with a minimum, maximum or choice taken apart, if that reads shorter."""
    atoms = dict.fromkeys(_choices(condition.left))
    if not 0 < len(atoms) <= CHOICES:
        return condition
    atom = next(iter(atoms))
    test, then, otherwise = _sides(atom)
    try:
        sides = [substitute(condition, {atom: side}) for side in (then, otherwise)]
    except IsUnknown:  # one of them divides by zero
        return condition
    if any(isinstance(side, Unknown) for side in sides):
        return condition
    if _holds(test, context, ladder):
        return simplified(sides[0], context, depth)
    if _holds(_other_way(atom, test), context, ladder):
        return simplified(sides[1], context, depth)
    opposite = ~test
    first = _case(sides[0], test, context, depth)
    second = _case(sides[1], opposite, context, depth)
    if isinstance(first, Unknown) or isinstance(second, Unknown):  # it divides by zero there
        return condition
    if isinstance(first, bool) or isinstance(second, bool):
        if first is False:
            whole = conjunction([opposite, second])
        elif second is False:
            whole = conjunction([test, first])
        else:
            whole = disjunction([test if first is True else first, opposite if second is True else second])
    elif first.key == second.key:
        whole = first
    else:
        whole = disjunction([conjunction([test, first]), conjunction([opposite, second])])
    return whole if len(str(whole)) < len(str(condition)) else condition


def _holds(test: Any, context: Context, ladder: Ladder) -> bool:
    return ladder.rung_of(context.rewrite_condition(test)) is not None


def _other_way(atom: Min | Max | Ite, test: Any) -> Any:
    """When it is the second value: of two that are the same, it is either."""
    if isinstance(atom, Ite):
        return ~test
    left: Any = atom.left
    return left >= atom.right if isinstance(atom, Min) else left <= atom.right


def _case(condition: Any, test: Cond, context: Context, depth: int) -> Any:
    known = Context([test], context)
    return True if known.contradictory else simplified(_settled(condition, known), known, depth - 1)


def _settled(condition: Any, context: Context) -> Any:
    """`condition` with divisions that can have but one value replaced by it."""
    if not isinstance(condition, Cond):
        return condition
    values: dict[Atom, Int] = {}
    for expression in condition.expressions():
        for atom in expression.atoms():
            if isinstance(atom, FloorDiv):
                low, high = context.ranges.of(context.rewrite(itself(atom)))
                if low == high:
                    values[atom] = int(low)
    return substitute(condition, values)


def _choices(value: Sym) -> Iterator[Min | Max | Ite]:
    """The minima, maxima and choices in `value`, outer ones first."""
    for atom in value.atoms():
        if isinstance(atom, (Min, Max, Ite)):
            yield atom
        elif isinstance(atom, FloorDiv):
            for child in atom.children():
                yield from _choices(child)


def _sides(atom: Min | Max | Ite) -> tuple[Any, Int, Int]:
    """The condition under which it is the first of two values, and the values."""
    if isinstance(atom, Ite):
        return atom.condition, atom.then, atom.otherwise
    left: Any = atom.left
    if isinstance(atom, Min):
        return left <= atom.right, atom.left, atom.right
    return left >= atom.right, atom.left, atom.right


PAIRS = 8  # that are compared for a unit of work


def factored(alternatives: Sequence[Any]) -> Any:
    """The disjunction of `alternatives`, with what all of them ask for in front of it."""
    if any(a is True for a in alternatives):
        return True
    parts = [{p.key: p for p in leaves([a])} for a in alternatives if a is not False]
    charge(len(parts) ** 2 // PAIRS)
    numbered = list(enumerate(parts))
    parts = [one for n, one in numbered if not any(_says_more(other, one, m < n) for m, other in numbered)]
    if not parts:
        return False
    candidates = {key: p for one in parts for key, p in one.items()}
    shared = {key: p for key, p in candidates.items() if all(key in one or _implied(p, one) for one in parts)}
    rest = _united([[p for key, p in one.items() if key not in shared] for one in parts])
    return conjunction([*shared.values(), rest])


def _implied(part: Any, alternative: dict[Any, Any]) -> bool:
    return any(implies(one, part) for one in alternative.values())


def _says_more(other: dict[Any, Any], one: dict[Any, Any], first: bool) -> bool:
    """Whether the alternative `other` holds wherever `one` does."""
    return other is not one and other.keys() <= one.keys() and (first or other.keys() != one.keys())


def _united(alternatives: list[list[Any]]) -> Any:
    """The disjunction of `alternatives`; ranges of one value that follow one another become one range."""
    ranges = [_range(one) for one in alternatives]
    found = [r for r in ranges if r is not None]
    if len(found) == len(ranges) and len({key_of(value) for value, _, _ in found}) == 1:
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
