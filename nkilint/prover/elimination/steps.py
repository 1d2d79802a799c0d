"""Steps that use up an equation: each says whether it applied."""

from __future__ import annotations

from typing import Any

from nkilint.symbolic.atoms import FloorDiv, Int, Var
from nkilint.symbolic.conditions import Compare, equal_zero
from nkilint.symbolic.division import floor_div, split_remainders
from nkilint.symbolic.evaluation import atoms_in, coefficient
from nkilint.symbolic.integers import Sym, itself, key_of, sym
from nkilint.symbolic.substitution import Substitution

from .system import System


def settled(system: System) -> bool:
    """Equations without unknowns are conditions."""
    for position, equation in enumerate(system.equations):
        if not system.own(equation):
            system.conditions.append(equal_zero(equation))
            del system.equations[position]
            return True
    return False


def single(system: System) -> bool:
    """An equation with one unknown."""
    for position, equation in enumerate(system.equations):
        form = system.form(equation)
        if form is None or len(form[0]) != 1:
            continue
        ((unknown, weight),) = form[0].items()
        value = -form[1]
        if system.sign(weight) < 0:
            weight, value = -weight, -value
        del system.equations[position]
        if isinstance(weight, Sym) or weight > 1:
            system.conditions.append(equal_zero(value - weight * floor_div(value, weight)))
        system.replace(unknown, value, weight)
        return True
    return False


def plain(system: System) -> bool:
    """An equation that gives one unknown in terms of others."""
    for position, equation in enumerate(system.equations):
        form = system.form(equation)
        if form is None:
            continue
        ones = [u for u, w in form[0].items() if isinstance(w, int) and abs(w) == 1]
        if ones:
            unknown = max(ones)
            del system.equations[position]
            system.substitute(unknown, (equation - form[0][unknown] * itself(unknown)) * -form[0][unknown])
            return True
    return False


def parted(system: System) -> bool:
    """An unknown of which quotient and remainder stand in an equation, `i // g` and `i % g`, is these two numbers."""
    for atom in atoms_in(system.equations):
        if not isinstance(atom, FloorDiv) or system.own(atom.divisor):
            continue
        unknown = next((u for u in system.own(atom.dividend) if key_of(itself(u)) == key_of(atom.dividend)), None)
        if unknown is None or key_of(unknown.low) != 0 or unknown.high is None or system.own(unknown.high):
            continue
        if system.sign(atom.divisor) <= 0:
            continue
        _part(system, unknown, unknown.high, atom)
        return True
    return False


def _part(system: System, unknown: Var, high: Int, division: FloorDiv) -> None:
    """Put quotient and remainder in the place of an unknown from 0 to `high`; where that is a whole number of times,
    neither hangs on the other."""
    divisor = division.divisor
    times: Any = floor_div(high + 1, divisor)
    left, rest = high + 1 - times * divisor, sym(f"{unknown.name} % {divisor}", unknown.kind, 0, divisor - 1)
    whole = system.holds(left == 0)
    count = sym(f"{unknown.name} // {divisor}", unknown.kind, 0, times - 1 if whole else floor_div(high, divisor))
    if whole:
        ends = {key_of(itself(unknown)), key_of(high - itself(unknown))}
        said = [
            c for c in system.conditions if isinstance(c, Compare) and c.relation == ">=" and key_of(c.left) in ends
        ]
        system.conditions = [c for c in system.conditions if c not in said]
    replaced = Substitution({division: count})
    system.equations = [replaced.of(e) for e in system.equations]
    system.conditions = [replaced.of(c) for c in system.conditions]
    system.substitute(unknown, divisor * count + rest)
    for new in (count, rest):
        if isinstance(new, Sym):
            system.unknowns[new.variable] = None  # type: ignore[index]
            system.add_domain(new.variable)  # type: ignore[arg-type]


def congruent(system: System) -> bool:
    """A remainder that has to be zero: the quotient is an unknown in its place."""
    for position, equation in enumerate(system.equations):
        moduli, rest = split_remainders(equation) if isinstance(equation, Sym) else ([], equation)
        if len(moduli) != 1 or not isinstance(rest, int) or rest != 0:
            continue
        ((_, division),) = moduli
        factors = {u: coefficient(division.dividend, u) for u in system.own(division.dividend)}
        ones = [u for u, factor in factors.items() if isinstance(factor, int) and abs(factor) == 1]
        if ones and isinstance(division.divisor, int):
            quotient = sym(f"{max(ones).name} / {division.divisor}", max(ones).kind)
            if quotient.variable not in system.unknowns:
                system.unknowns[quotient.variable] = None  # type: ignore[index]
                system.equations[position] = division.dividend - division.divisor * quotient
                return True
    return False
