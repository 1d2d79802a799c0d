"""What a `while` changes, nobody knows how often: how numbers go on, and whether they come to an end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from nkilint.symbolic.atoms import Var
from nkilint.symbolic.conditions import And, Compare, Cond, Or
from nkilint.symbolic.evaluation import coefficient, variables
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import Unknown

from ..state.machine import Machine
from ..state.sides import Change
from ..values.cells import Attributes, Missing
from ..values.choices import Unbound, among

LEAST = (1, 0)  # tried as what a number that counts down never falls below


@dataclass(slots=True)
class Changed:
    """What iterations change at a place: an integer `falls` or `rises` where it certainly does so in each of them, and
    is otherwise any number; all else is unknown. One that counts down is never below `least`, if the test does not let
    it. Where one `ends`, it comes to where the test is false."""

    cell: dict[Any, Any]
    key: Any
    before: Any
    now: Any
    is_number: bool
    rises: bool = True
    falls: bool = True
    least: int | None = None
    ends: bool = False

    @classmethod
    def first(cls, machine: Machine, change: Change) -> Changed:
        found = cls(*change, is_number=all(map(_is_number, change[2:])))
        found.learn(machine, found.before, found.now, None)
        return found

    def put(self, machine: Machine, reason: str) -> Any:
        """Put there what may be there after any number of iterations."""
        value: Any = among(reason, self.before, self.now)
        if self.is_number:
            value = machine.fresh_sym(str(self.key), "carried", self.least, None, reason)
            if self.rises or self.falls:
                machine.assume(value >= self.before if self.rises else value <= self.before, "known")
        elif isinstance(self.cell, Attributes) and (lacking(self.before) or lacking(self.now)):
            value = Unbound(machine.undecided(reason), value, reason)
        machine.set(self.cell, self.key, value)
        return value

    def learn(self, machine: Machine, start: Any, now: Any, test: Cond | None) -> bool:
        """Take into account what an iteration leaves of what was there at its `start`, where `test` was true; whether
        that is new."""
        was = self.is_number, self.rises, self.falls, self.least
        self.is_number, self.now = self.is_number and _is_number(now), now
        self.rises = self.is_number and self.rises and machine.truth(now >= start) is True
        self.falls = self.is_number and self.falls and machine.truth(now <= start) is True
        self.least, self.ends = None, False
        standing = start.as_atom if isinstance(start, Sym) else None
        if self.is_number and isinstance(standing, Var) and test is not None:
            self.least = self._floor(machine, standing, now - start, test)
            self.ends = self._comes_to_an_end(machine, standing, now - start, test)
        return was != (self.is_number, self.rises, self.falls, self.least)

    def _floor(self, machine: Machine, variable: Var, step: Any, test: Cond) -> int | None:
        """What it never falls below: it counts down by one, and no iteration begins with that number."""
        if isinstance(step, Sym) or step != -1:
            return None
        for number in LEAST:
            if machine.truth(self.before >= number) is True and _is_false(machine, test, variable, number):
                return number
        return None

    def _comes_to_an_end(self, machine: Machine, variable: Var, step: Any, test: Cond) -> bool:
        """Whether the loop can only have so many iterations as it takes to a bound."""
        if self.falls and machine.truth(step <= -1) is True:
            return self.least is not None or _is_bound(test, variable, 1)
        return self.rises and machine.truth(step >= 1) is True and _is_bound(test, variable, -1)


def lacking(value: Any) -> bool:
    """Whether it says that something is not there, or may not be."""
    return isinstance(value, (Missing, Unbound))


def only_counts(changed: Iterable[Changed]) -> bool:
    """Whether a loop does nothing but change numbers, and ends."""
    places = list(changed)
    return all(place.is_number for place in places) and any(place.ends for place in places)


def _is_false(machine: Machine, test: Cond, variable: Var, number: int) -> bool:
    """Whether it is false there, and does not divide by zero."""
    try:
        there = substitute(test, {variable: number})
    except ZeroDivisionError:
        return False
    return not isinstance(there, Unknown) and machine.truth(there) is False


def _is_bound(test: Any, variable: Var, sign: int) -> bool:
    """Whether a test is true only above (`sign` 1) or only below (-1) a number that iterations leave alone."""
    if isinstance(test, And):
        return any(_is_bound(part, variable, sign) for part in test.parts)
    if isinstance(test, Or):
        return all(_is_bound(part, variable, sign) for part in test.parts)
    if not isinstance(test, Compare) or test.relation not in (">=", "=="):
        return False
    factor = coefficient(test.left, variable)
    lasting = all(v is variable or v.kind in ("input", "program", "loop") for v in variables(test.left))
    upwards = isinstance(factor, int) and (factor * sign > 0 or (factor != 0 and test.relation == "=="))
    return lasting and upwards


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, Sym)) and not isinstance(value, bool)
