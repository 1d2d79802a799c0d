"""Simpler values that are at least zero where a comparison holds."""

from __future__ import annotations

from typing import Any

from .atoms import FloorDiv, Max, Min, bounds
from .integers import Sym, key_of


def without_extremum(value: Sym) -> Any:
    """What says the same as `value >= 0` where one side of a minimum or maximum decides: `n - i - 1` for
    `max(n, 0) - i - 1` with `i >= 0`."""
    for mono, c in value.terms.items():
        atom = mono[0]
        if len(mono) == 1 and isinstance(atom, (Min, Max)):
            rest: Any = value - Sym({mono: c}, 0)
            sides = [rest + atom.left * c, rest + atom.right * c]
            both = (c > 0) == isinstance(atom, Min)  # both sides have to hold, or only one
            for side, other in (sides, sides[::-1]):
                if bounds(side)[0] >= 0 if both else bounds(side)[1] < 0:
                    return other
    return None


def undivided(value: Sym) -> Any:
    """What says the same as `value >= 0` without a division: `a - 128*n` for `a // 128 - n`, `512 - a` for
    `4 - ceil(a / 128)`."""
    divisions = [(m, c) for m, c in value.terms.items() if type(m[-1]) is FloorDiv]
    if len(divisions) != 1:
        return None
    ((mono, c),) = divisions
    division = mono[0]
    if not isinstance(division, FloorDiv) or len(mono) > 1 or abs(c) != 1 or not isinstance(division.divisor, int):
        return None
    divisor = division.divisor
    rest: Any = value - Sym({mono: c}, 0)
    if c > 0:
        found = division.dividend + rest * divisor
    else:
        found = rest * divisor + (divisor - 1) - division.dividend
    return found if isinstance(rest, int) or division.dividend.const == (0 if c > 0 else divisor - 1) else None


def of_one_remainder(value: Sym) -> Any:
    """What says the same as `value >= 0` where two divisions differ by one at most: `-(n % 64)` for
    `n // 64 - ceil(n / 64)`, `n % 64 - 1` for `ceil(n / 64) - n // 64 - 1`."""
    parts = sorted((c, m[0]) for m, c in value.terms.items() if len(m) == 1 and isinstance(m[0], FloorDiv))
    if len(value.terms) != 2 or [c for c, _ in parts] != [-1, 1]:
        return None
    less, more = (atom for _, atom in parts)
    assert isinstance(less, FloorDiv)
    assert isinstance(more, FloorDiv)
    divisor, step = more.divisor, less.dividend - more.dividend
    if not isinstance(step, int) or not isinstance(divisor, int) or key_of(less.divisor) != divisor:
        return None
    if 0 < step < divisor and value.const == 0:
        return divisor - 1 - step - (more.dividend - divisor * Sym({(more,): 1}, 0))
    if 0 < -step < divisor and value.const == -1:
        return less.dividend - divisor * Sym({(less,): 1}, 0) - step - divisor
    return None


def of_two_sides(value: Sym) -> Any:
    """What is at least zero where `value == 0` says which side of a minimum or maximum decides: `n - a` for
    `a == min(n, a)`."""
    for mono, c in value.terms.items():
        atom = mono[0]
        if len(mono) == 1 and abs(c) == 1 and isinstance(atom, (Min, Max)):
            extremum = Sym({mono: 1}, 0)
            rest = key_of(extremum - value if c == 1 else value + extremum)
            for side, other in (atom.operands, atom.operands[::-1]):
                if key_of(side) == rest:
                    return other - side if isinstance(atom, Min) else side - other
    return None
