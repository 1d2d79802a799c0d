"""What a condition or an event has to do with the iteration of a loop."""

from __future__ import annotations

from typing import Any

from nkilint.evaluator.state.trace import Loop
from nkilint.evaluator.values.containers import COUNTED
from nkilint.symbolic.atoms import Atom, FloorDiv, Max, Min, Var, bounds
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import over_inputs, variables
from nkilint.symbolic.integers import Sym, itself, key_of
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import any_of

STEADY = frozenset({"affine_range", "sequential_range", "static_range", "range"})
"""Loops whose iterations the text tells before they run."""


def is_counted(loop: Loop) -> bool:
    """Whether the device runs a loop whose iterations the text tells."""
    hidden = isinstance(loop.trips, Sym) and any(v.kind == "runtime" for v in variables(loop.trips))
    return loop.kind in COUNTED and not hidden


def is_bound(condition: Any, loop: Loop) -> bool:
    """Whether a condition says no more than that the iteration is one of the loop's."""
    return key_of(condition) == key_of(loop.index < loop.trips) if isinstance(condition, Cond) else False


def changes(value: Any, loop: Loop) -> Any:
    """Under which condition an integer or a condition is not the same in all iterations of a loop that has several, as
    far as that can be told: where it is not, it is taken to change."""
    index = loop.index.variable
    if not isinstance(value, (Sym, Cond)) or index not in variables(value):
        return False
    if isinstance(value, Cond):
        return True
    atoms = dict.fromkeys(atom for atom in value.atoms() if index in variables(itself(atom)))
    return any_of([_steps(atom, index, loop) for atom in atoms])


def _steps(atom: Atom, index: Atom, loop: Loop) -> Any:
    """Under which condition an atom changes: one that goes one way, such as `i // 4`, does so where it is not the same
    in the first and in the last iteration."""
    if isinstance(atom, Var) or _way(atom, index) is None:
        return True
    first, last = (substitute(itself(atom), {index: end}) for end in (0, loop.trips - 1))
    different = first != last
    return different if over_inputs(different) else True


def _way(atom: Atom, index: Atom) -> int | None:
    """1 for what never falls from an iteration to the next, -1 for what never rises, 0 for both; None where that cannot
    be told."""
    if atom is index:
        return 1
    if index not in variables(itself(atom)):
        return 0
    if isinstance(atom, FloorDiv):
        rises = bounds(atom.divisor)[0] >= 1 and index not in variables(atom.divisor)
        return _way_of_sum(atom.dividend, index) if rises else None
    if isinstance(atom, (Min, Max)):
        return _together([_way_of_sum(side, index) for side in atom.operands])
    return None


def _way_of_sum(value: Any, index: Atom) -> int | None:
    return (
        _together([_way_of_product(mono, c, index) for mono, c in value.terms.items()]) if isinstance(value, Sym) else 0
    )


def _way_of_product(factors: tuple[Atom, ...], number: int, index: Atom) -> int | None:
    """Of a product, of factors that are not negative where there are several."""
    ways = [_way(atom, index) for atom in factors]
    if len(factors) > 1 and any(atom.bounds[0] < 0 for atom in factors):
        return None
    return _together(ways if number > 0 else [None if way is None else -way for way in ways])


def _together(ways: list[int | None]) -> int | None:
    """The way that all of them go."""
    if None in ways or {1, -1} <= {*ways}:
        return None
    return sum({way for way in ways if way is not None})
