"""Questions of existence taken apart into cases: without choices, maxima, disjunctions and steps of symbolic size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from nkilint.symbolic.atoms import Atom, FloorDiv, Int, Ite, Max, Min, Var
from nkilint.symbolic.conditions import (
    And,
    Compare,
    Cond,
    Or,
    conjunction,
    disjunction,
    equal_zero,
    leaves,
    unequal_zero,
)
from nkilint.symbolic.evaluation import atoms_in, coefficient, opaques, variables
from nkilint.symbolic.integers import Sym, itself, sym
from nkilint.symbolic.substitution import BY_ZERO, Substitution, substitute
from nkilint.symbolic.work import charge
from nkilint_rules.words.conditions import IsUnknown

Holds = Callable[[Any], bool]

MOST_CHOICES = 4  # that are made about the steps of unknowns, one after the other
FEW = 8  # values of an unknown that are tried one by one


@dataclass(frozen=True)
class Question:
    """Unknowns, equations and conditions, as `exists` is given them."""

    unknowns: tuple[Var, ...]
    equations: list[Int]
    conditions: list[Any]

    def put(self, values: dict[Atom, Int], *more: Any) -> Question:
        """The question with `values` for unknowns or parts of it, under `more` conditions; `IsUnknown` where something
        in it has no value then, as what it divides by is zero."""
        mapping = dict(values)
        left = [u for u in self.unknowns if u not in values]
        for unknown in sorted(left):  # bounds mention older variables only
            low, high = (None if end is None else substitute(end, mapping) for end in (unknown.low, unknown.high))
            if low is not unknown.low or high is not unknown.high:
                renamed = sym(unknown.name, unknown.kind, low, high, unknown.source)
                mapping.update((atom, substitute(mapping[atom], {unknown: renamed})) for atom in values)
                mapping[unknown] = renamed
        unknowns = tuple(getattr(mapping.get(u), "variable", u) for u in left)
        replaced = Substitution(mapping)
        conditions = [replaced.of(c) for c in (*more, *self.conditions)]
        equations = [replaced.of(e) for e in self.equations]
        ends = [end for u in unknowns for end in (u.low, u.high)]
        if any(v.name == BY_ZERO for v in variables(*ends, *conditions, *equations)):
            raise IsUnknown(BY_ZERO)
        return Question(unknowns, equations, conditions)


def without_maxima(question: Question, holds: Holds) -> Question:
    """The question with maxima such as `max(n, 0)` replaced where it is known which side is larger."""
    ends = [e for u in question.unknowns for e in (u.low, u.high)]
    found = {atom for value in (*question.equations, *ends) if isinstance(value, Sym) for atom in value.atoms()}
    mapping: dict[Atom, Int] = {}
    for atom in sorted(a for a in found if isinstance(a, Max)):
        if _is_at_least_zero(atom.left - atom.right, holds):
            mapping[atom] = atom.left
        elif _is_at_least_zero(atom.right - atom.left, holds):
            mapping[atom] = atom.right
    return question.put(mapping) if mapping else question


def decided(question: Question) -> Iterator[Question]:
    """The question for each outcome of the choices that the unknowns make, and for each number that unknowns of few
    values may be where steps of symbolic size would lead to divisions by them."""
    ends = [end for u in question.unknowns for end in (u.low, u.high) if isinstance(end, Sym)]
    for atom in atoms_in([*question.equations, *ends, *question.conditions]):
        charge(1)
        if isinstance(atom, Ite) and not set(question.unknowns).isdisjoint(variables(atom.condition)):
            yield from decided(question.put({atom: atom.then}, atom.condition))
            yield from decided(question.put({atom: atom.otherwise}, ~atom.condition))
            return
    few = [
        u for u in question.unknowns if has_few_values(u) and any(_has_symbolic_step(e, u) for e in question.equations)
    ]
    for number in values_of(few[0]) if few else ():
        yield from decided(question.put({few[0]: number}, *ends_at(few[0], number)))
    if not few:
        yield question


def plain_steps_of(question: Question) -> list[Question]:
    """The question for each outcome of the choices that inputs make among the steps of unknowns, such as `min(n, 128)`;
    nothing where there are none."""
    return [] if _choice_of_step(question) is None else list(_with_plain_steps(question, MOST_CHOICES))


def _with_plain_steps(question: Question, most: int) -> Iterator[Question]:
    atom = _choice_of_step(question) if most else None
    if isinstance(atom, Ite):
        yield from _with_plain_steps(question.put({atom: atom.then}, atom.condition), most - 1)
        yield from _with_plain_steps(question.put({atom: atom.otherwise}, ~atom.condition), most - 1)
    elif isinstance(atom, Max):
        yield from _with_plain_steps(question.put({atom: atom.left}, atom.left >= atom.right), most - 1)
        yield from _with_plain_steps(question.put({atom: atom.right}, atom.left < atom.right), most - 1)
    else:
        yield question


def _choice_of_step(question: Question) -> Atom | None:
    """A choice or a maximum without unknowns that an equation multiplies one by, or that decides about one."""
    unknowns = set(question.unknowns)
    for equation in question.equations:
        for product in equation.terms if isinstance(equation, Sym) else ():
            if unknowns.isdisjoint(variables(*(Sym({(factor,): 1}, 0) for factor in product))):
                continue
            charge(len(product))
            for atom in atoms_in([Sym({(factor,): 1}, 0) for factor in product]):
                inside = (
                    [atom.condition]
                    if isinstance(atom, Ite)
                    else [atom.left - atom.right]
                    if isinstance(atom, Max)
                    else []
                )
                if inside and unknowns.isdisjoint(variables(*inside)):
                    return atom
    return None


def sides_of(question: Question) -> list[Question]:
    """The question with a minimum or maximum of unknowns in an equation, such as the place of a last tile that is moved
    back, as either of its sides; nothing where there is none."""
    unknowns = set(question.unknowns)
    for atom in atoms_in(question.equations):
        if isinstance(atom, (Min, Max)) and not unknowns.isdisjoint(variables(itself(atom))):
            difference: Any = atom.left - atom.right
            first, second = (
                (difference <= 0, difference > 0) if isinstance(atom, Min) else (difference >= 0, difference < 0)
            )
            parts = [question.put({atom: atom.left}, first), question.put({atom: atom.right}, second)]
            return [one for part in parts for one in sides_of(part) or [part]]
    return []


def residues_of(question: Question) -> list[Question]:
    """The question for each remainder of an unknown that something is counted by in turns, as in `ring[i % 3]`; nothing
    where there is none."""
    unknowns = set(question.unknowns)
    for atom in atoms_in([*question.equations, *question.conditions]):
        if not isinstance(atom, FloorDiv) or not isinstance(atom.divisor, int) or not 2 <= atom.divisor <= FEW:
            continue
        turns = [v for v in variables(atom.dividend) if v in unknowns and isinstance(v.low, int)]
        if len(turns) == 1 and turns[0].high is not None:
            return [_at_remainder(question, turns[0], atom.divisor, n) for n in range(atom.divisor)]
    return []


def _at_remainder(question: Question, unknown: Var, divisor: int, remainder: int) -> Question:
    """The question with an unknown that leaves a remainder: how often the divisor is in it is unknown instead."""
    low, high = unknown.low, unknown.high
    assert low is not None
    assert high is not None
    first = -((remainder - low) // divisor)
    turn = sym(unknown.name, unknown.kind, first, (high - remainder) // divisor, unknown.source)
    found = question.put({unknown: turn * divisor + remainder})
    new = turn.as_atom if isinstance(turn, Sym) else None
    return Question((*found.unknowns, *([new] if isinstance(new, Var) else [])), found.equations, found.conditions)


def ends_at(unknown: Var, number: int) -> Iterator[Any]:
    """What symbolic bounds of an unknown ask of the others where it is that number."""
    if isinstance(unknown.low, Sym):
        yield unknown.low <= number
    if isinstance(unknown.high, Sym):
        yield unknown.high >= number


def _is_at_least_zero(difference: Int, holds: Holds) -> bool:
    at_least = difference >= 0
    return at_least if isinstance(at_least, bool) else holds(at_least)


def has_few_values(unknown: Var) -> bool:
    """Whether its values may be tried one by one; a bound that is symbolic may exclude some of them."""
    low, high = unknown.bounds
    return high - low < FEW


def _has_symbolic_step(equation: Int, unknown: Var) -> bool:
    return isinstance(equation, Sym) and isinstance(coefficient(equation, unknown), Sym)


def values_of(unknown: Var) -> range:
    """The values of one that has few."""
    return range(int(unknown.bounds[0]), int(unknown.bounds[1]) + 1)


def in_values(condition: Cond) -> Cond:
    """A condition, with what it says of one unknown of few values as the one value that is admitted, or is not."""
    if not isinstance(condition, (And, Or)):
        found = _one_value(condition)
        return found if isinstance(found, Cond) else condition
    parts: dict[Any, list[Any]] = {}
    for part in condition.parts:
        unknowns = list(variables(part)) if isinstance(part, Cond) and not opaques(part) else []
        about = unknowns[0] if len(unknowns) == 1 and has_few_values(unknowns[0]) else part.key
        parts.setdefault(about, []).append(part)
    join = conjunction if isinstance(condition, And) else disjunction
    joined = join(_one_value(join(group)) if len(group) > 1 else in_values(group[0]) for group in parts.values())
    return joined if isinstance(joined, Cond) else condition


def _one_value(condition: Any) -> Any:
    unknowns = list(variables(condition)) if isinstance(condition, Cond) and not opaques(condition) else []
    if len(unknowns) != 1 or not has_few_values(unknowns[0]):
        return condition
    itself = Sym({(unknowns[0],): 1}, 0)
    try:
        admitted = {n: substitute(condition, {unknowns[0]: n}) for n in values_of(unknowns[0])}
    except ZeroDivisionError:  # the condition has no truth there: it divides by the unknown
        return condition
    if not all(isinstance(holds, bool) for holds in admitted.values()):
        return condition
    for answer in (True, False):
        found: list[Any] = [itself - n for n, holds in admitted.items() if holds is answer]
        if len(found) == 1:
            return equal_zero(found[0]) if answer else unequal_zero(found[0])
    return condition


def cases_of(flat: list[Any], unknowns: set[Var]) -> Iterator[list[Any]]:
    """The conditions with disjunctions about unknowns taken apart."""
    for position, condition in enumerate(flat):
        parts = _choice(condition, unknowns)
        if parts:
            rest = [*flat[:position], *flat[position + 1 :]]
            for part in parts:
                yield from cases_of([*leaves([part]), *rest], unknowns)
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
