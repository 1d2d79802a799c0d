"""Counterexamples in canonical form: the smallest values in a fixed order, inputs as multiples of tile sizes first.

A raw model differs between versions of z3; these values do not, because each is the least that is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

from nkilint.symbolic import Cond, FloorDiv, Var
from nkilint.symbolic.conditions import equal_zero
from nkilint.symbolic.evaluation import atoms_in, holds, opaques, variables
from nkilint.symbolic.integers import itself

from .context import Context
from .sampling import divisors_not_zero
from .solver import Solver

PLAUSIBLE_TILE = 128  # the largest tile size up to this is tried first, as the number of partitions
ORDER = ("input", "program", "loop", "axis")


class LazyModel(Mapping[Var, int]):
    """Values that are computed when first read. `compute` takes further conditions that they are to meet."""

    def __init__(self, compute: Callable[..., Mapping[Var, int]]) -> None:
        self._compute = compute
        self._values: Mapping[Var, int] | None = None

    def where(self, condition: Cond | bool, *best: Cond | bool) -> LazyModel:
        """The values that meet one condition more, and the `best` ones too where that is possible; the same where none
        meet it."""
        return LazyModel(
            lambda *more: self._compute(condition, *best, *more) or self._compute(condition, *more) or self
        )

    def _known(self) -> Mapping[Var, int]:
        if self._values is None:
            self._values = self._compute()
        return self._values

    def __getitem__(self, variable: Var) -> int:
        return self._known()[variable]

    def __iter__(self) -> Iterator[Var]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def __repr__(self) -> str:
        return repr(dict(self._known()))


Known = dict[Any, dict[Var, int] | None]
"""The least values that meet conditions, by those and by the variables; None where there are none."""


def smallest(
    wanted: Cond | bool, context: Context, also: Iterable[Var], solver: Callable[[], Solver], known: Known
) -> dict[Var, int]:
    """The canonical values that meet the facts and `wanted` (rewritten; the opposite of a goal), with values for
    `also`; empty if the work limit was spent. What does not bear on each other is looked at by itself, and once."""
    conditions = [c for c in (*context.everything(wanted, also=also), *_definitions(context)) if c is not True]
    tiles = _tiles([*context.facts, *conditions])
    found: dict[Var, int] = {}
    for part, names in _components(conditions, _in_order([*variables(*conditions), *also])):
        preferred = {v: tiles[v] for v in names if v in tiles}
        key = (
            frozenset(_key(c) for c in part),
            tuple(names),
            tuple((v, *divisors) for v, divisors in preferred.items()),
        )
        if key not in known:
            ends = _at_their_ends(part, names, preferred)
            known[key] = _smallest(part, names, preferred, solver()) if ends is None else ends
        values = known[key]
        if values is None:
            return {}
        found.update(values)
    quotients = {s.fresh for s in context.solutions}
    return {v: found[v] for v in _in_order(found) if v not in quotients}


def _at_their_ends(
    conditions: Sequence[Cond | bool], names: Sequence[Var], tiles: Mapping[Var, Sequence[int]]
) -> dict[Var, int] | None:
    """What `_smallest` comes to where it is the least that each variable may be by itself, found without z3."""
    if opaques(*conditions) or not set(names).issuperset(variables(*conditions)):
        return None
    found: dict[Var, int] = {}
    for variable in names:
        tile = next(iter(tiles.get(variable, ())), 1) if variable.kind == "input" else 1
        found[variable] = -(-_first(variable) // tile) * tile
        if found[variable] > variable.bounds[1]:
            return None
    try:
        met = all(holds(condition, found) for condition in (*divisors_not_zero(conditions), *conditions))
    except (ZeroDivisionError, KeyError):  # KeyError: a choice by what is opaque
        return None
    return found if met else None


def _smallest(
    conditions: Sequence[Cond | bool], names: Sequence[Var], tiles: Mapping[Var, Sequence[int]], solver: Solver
) -> dict[Var, int] | None:
    with solver.scope():
        solver.assume(conditions, names)
        if solver.check() is not True:
            return None
        for variable in names:
            if variable.kind == "input":
                _prefer_multiples(variable, tiles.get(variable, ()), solver)
        found: dict[Var, int] = {}
        for variable in names:
            found[variable] = _least(variable, solver)
            solver.add(solver.variable(variable) == found[variable])
    return found


def _key(condition: Cond | bool) -> Any:
    return condition if isinstance(condition, bool) else condition.key


def _components(conditions: Sequence[Cond | bool], names: Sequence[Var]) -> list[tuple[list[Cond | bool], list[Var]]]:
    """Conditions and variables that have nothing to do with those of another component."""
    leader: dict[Any, Any] = {}

    def find(item: Any) -> Any:
        leader.setdefault(item, item)
        while leader[item] is not item:
            leader[item] = leader[leader[item]]
            item = leader[item]
        return item

    ties = [[*variables(c), *(["opaque"] if opaques(c) else [])] or ["opaque"] for c in conditions]
    for first, *others in ties:
        for other in others:
            leader[find(other)] = find(first)
    found: dict[Any, tuple[list[Cond | bool], list[Var]]] = {}
    for name in names:
        found.setdefault(find(name), ([], []))[1].append(name)
    for condition, (first, *_) in zip(conditions, ties, strict=True):
        found.setdefault(find(first), ([], []))[0].append(condition)
    return list(found.values())


def _definitions(context: Context) -> Iterator[Any]:
    """That solved variables equal their values."""
    for atom, value in context.rewriting.items():
        if isinstance(atom, Var):
            yield equal_zero(itself(atom) - value)


def _in_order(names: Iterable[Var]) -> list[Var]:
    """Inputs first, each kind in order of appearance; what no caller chooses is left out."""
    chosen = dict.fromkeys(v for v in names if v.kind in ORDER)
    return sorted(chosen, key=lambda v: (ORDER.index(v.kind), v.uid))


def _tiles(conditions: Iterable[Cond | bool]) -> dict[Var, list[int]]:
    """By variable, the numbers that it is divided by, the most plausible tile size first."""
    divisors: dict[Var, set[int]] = {}
    for atom in atoms_in(conditions, through_bounds=True):
        if isinstance(atom, FloorDiv) and isinstance(atom.divisor, int):
            for term in atom.dividend.terms:
                if len(term) == 1 and isinstance(term[0], Var):
                    divisors.setdefault(term[0], set()).add(atom.divisor)
    return {
        variable: sorted(found, key=lambda d: (d > PLAUSIBLE_TILE, d if d > PLAUSIBLE_TILE else -d))
        for variable, found in divisors.items()
    }


def _prefer_multiples(variable: Var, tiles: Sequence[int], solver: Solver) -> None:
    own = itself(variable)
    for tile in tiles:
        wanted = solver.condition(own % tile == 0)
        if solver.check(wanted) is True:
            solver.add(wanted)
            return


def _least(variable: Var, solver: Solver) -> int:
    """The least value that is possible, or the closest to zero where there is no lower bound."""
    term = solver.variable(variable)
    low, first = variable.bounds[0], _first(variable)
    if solver.check(term == first) is True:
        return first
    if low > -inf:
        return _search(lambda limit: term <= limit, variable, 1, first + 1, solver)
    if solver.check(term >= 0) is True:
        solver.add(term >= 0)
        return _search(lambda limit: term <= limit, variable, 1, 1, solver)
    return -_search(lambda limit: term >= -limit, variable, -1, 1, solver)


def _first(variable: Var) -> int:
    """Where to begin to look for its least value."""
    low = variable.bounds[0]
    return 0 if low == -inf else int(low)


def _search(within: Callable[[int], Any], variable: Var, sign: int, low: int, solver: Solver) -> int:
    """The least number from `low` on such that some solution is `within` it, where there is one."""
    if solver.check() is not True:
        return low
    high = sign * solver.values([variable])[variable]
    guess = low
    while low < high:
        if solver.check(within(guess)) is True:
            high = min(guess, sign * solver.values([variable])[variable])
        else:
            low = guess + 1
        guess = (low + high) // 2
    return high
