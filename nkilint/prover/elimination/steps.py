"""Steps that use up an equation: each says whether it applied."""

from __future__ import annotations

from nkilint.symbolic.conditions import equal_zero
from nkilint.symbolic.division import floor_div, split_remainders
from nkilint.symbolic.evaluation import coefficient
from nkilint.symbolic.integers import Sym, itself, sym

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
