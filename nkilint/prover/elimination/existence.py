"""For which elements an execution exists: the variables of an access eliminated from what has to hold.

Given equations (the access touches this very element) and conditions (bounds of loops and axes, masks, path
conditions), the unknowns are solved for one after the other. `128*i + p == e` with `0 <= p < 128` has the one solution
`i = e // 128`, `p = e % 128`; what is left are conditions on `e` and the inputs. An unknown in no equation exists where
each of its lower bounds is at most each of its upper ones. These steps are equivalences. Where none applies, values are
tried, and the result is only sufficient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from nkilint.symbolic.atoms import Int, Var
from nkilint.symbolic.conditions import conjunction, disjunction, equal_zero, leaves
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.work import REASON, within
from nkilint_rules.words.conditions import IsUnknown, Unknown, negation
from nkilint_rules.words.records import dataclass

from ..simplification import factored
from .cases import (
    Holds,
    Question,
    cases_of,
    decided,
    ends_at,
    has_few_values,
    plain_steps_of,
    residues_of,
    sides_of,
    values_of,
    without_maxima,
)
from .digits import fused, mirrored, overlapping, same_digits, several
from .steps import congruent, parted, plain, settled, single
from .system import System

ALTERNATIVES = 16  # disjunctions among the conditions are taken apart into so many cases at most
QUESTION = 200_000  # units of work for one question
SPLITS = 2  # things of few values that are looked at value by value, one after the other
STEPS: tuple[Callable[[System], bool], ...] = (
    settled,
    parted,
    single,
    same_digits,
    mirrored,
    several,
    fused,
    plain,
    congruent,
    overlapping,
)
"""What uses up an equation, the plainest first. The last one is no equivalence."""


@dataclass(frozen=True, slots=True)
class Existence:
    """Where `condition` holds, there is an execution; if `exact`, there is none elsewhere. `reason` says why not."""

    condition: Any
    exact: bool = True
    reason: str = ""

    def where(self, case: Any) -> Existence:
        """The same asked of `case` only: it holds wherever `case` does not."""
        return self if case is True else replace(self, condition=disjunction([negation(case), self.condition]))


def exists(unknowns: Sequence[Var], equations: Sequence[Int], conditions: Sequence[Any], holds: Holds) -> Existence:
    """Under which condition values of `unknowns`, within their bounds, meet all `equations` (each equal to zero) and
    `conditions`. `holds` says whether a condition holds wherever the question is asked."""
    try:
        found = _asked(Question(tuple(unknowns), [*equations], [*conditions]), holds, SPLITS)
    except IsUnknown as unknown:
        return Existence(False, False, unknown.reason)
    left = next((v for v in variables(found.condition) if v in unknowns), None)
    return found if left is None else Existence(False, False, f"`{left.name}` is left in a condition")


def _asked(question: Question, holds: Holds, splits: int) -> Existence:
    """The answer; where none is exact, that of each value of what has few."""
    found = within(QUESTION, partial(_exists, [question], holds), Existence(False, False, REASON))
    for ways in (plain_steps_of, sides_of, residues_of) if not found.exact else ():
        if parts := ways(question):
            one = within(QUESTION, partial(_exists, parts, holds), Existence(False, False, REASON))
            if one.exact:
                return one
    few = None if found.exact or not splits else _few_valued(question)
    if few is None:
        return found
    answers: list[Existence] = []
    try:
        for number in values_of(few):
            answers.append(_asked_at(number, few, question, holds, splits - 1))
            if not answers[-1].exact:
                return found
    except IsUnknown:  # with one of these
        return found
    return either(answers)


def _few_valued(question: Question) -> Var | None:
    """Something of few values, such as the number of programs or the position of one, on which it hangs."""
    ends = [end for u in question.unknowns for end in (u.low, u.high) if isinstance(end, Sym)]
    found = [v for v in variables(*question.equations, *question.conditions, *ends) if v.kind in ("input", "program")]
    return min((v for v in found if has_few_values(v)), default=None, key=lambda v: (v.kind != "input", v))


def _asked_at(number: int, few: Var, question: Question, holds: Holds, splits: int) -> Existence:
    """The answer where something is `number`."""
    itself = Sym({(few,): 1}, 0)
    if few in question.unknowns:
        return _asked(question.put({few: number}, *ends_at(few, number)), holds, splits)
    here = equal_zero(itself - number)
    found = _asked(question.put({few: number}), lambda c: holds(disjunction([negation(here), c])), splits)
    return replace(found, condition=conjunction([here, found.condition]))


def _exists(questions: Sequence[Question], holds: Holds) -> Existence:
    """Whether values answer one of `questions`."""
    found: list[Existence] = []
    cases = [
        (one, case)
        for question in questions
        for one in islice(decided(without_maxima(question, holds)), ALTERNATIVES + 1)
        for case in islice(cases_of(list(leaves(one.conditions)), set(one.unknowns)), ALTERNATIVES + 1)
    ]
    if len(cases) > ALTERNATIVES:
        return Existence(False, False, "a condition of too many cases")
    for one, case in cases:
        found.append(_solved(System(one.unknowns, one.equations, case, holds)))
        if found[-1].condition is True:
            return found[-1]
    return either(found)


def either(found: Sequence[Existence]) -> Existence:
    """Whether one of several kinds of execution exists."""
    condition = factored([f.condition for f in found if f.condition is not False])
    if condition is True:
        return Existence(True)
    return Existence(condition, all(f.exact for f in found), next((f.reason for f in found if f.reason), ""))


def _solved(system: System) -> Existence:
    """What is left of a system when all its unknowns are gone."""
    _solve_equations(system)
    while system.unknowns and not system.dead():
        system.by_bounds(max(system.unknowns))  # bounds mention older variables only
        _solve_equations(system)
    condition = conjunction(system.conditions)
    if isinstance(condition, Unknown):
        return Existence(False, False, condition.reason)
    return Existence(condition, system.exact or condition is True, "" if system.exact else system.reason)


def _solve_equations(system: System) -> None:
    """Use up the equations; those that cannot be solved become conditions."""
    stuck = False
    while not stuck and not system.dead():
        system.collect_equations()
        stuck = not any(step(system) for step in STEPS)
    system.conditions += [equal_zero(equation) for equation in system.equations]
    system.equations = []
