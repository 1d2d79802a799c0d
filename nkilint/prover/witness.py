"""Counterexamples in canonical form: the smallest values in a fixed order, inputs as multiples of tile sizes first.

A raw model differs between versions of z3; these values do not, because each is the least that is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

from nkilint.symbolic import Atom, Cond, FloorDiv, Sym, Var
from nkilint.symbolic.conditions import equal_zero
from nkilint.symbolic.evaluation import variables

from .context import Context
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


def smallest(wanted: Cond | bool, context: Context, also: Iterable[Var], solver: Solver) -> dict[Var, int]:
    """The canonical values that meet the facts and `wanted` (rewritten; the opposite of a goal), with values for
    `also`; empty if the work limit was spent."""
    conditions = [*context.everything(wanted, also=also), *_definitions(context)]
    names = _in_order([*variables(*conditions), *also])
    with solver.scope():
        solver.assume((c for c in conditions if c is not True), names)
        if solver.check() is not True:
            return {}
        for variable in names:
            if variable.kind == "input":
                _prefer_multiples(variable, _tiles(variable, [*context.facts, *conditions]), solver)
        found: dict[Var, int] = {}
        for variable in names:
            found[variable] = _least(variable, solver)
            solver.add(solver.variable(variable) == found[variable])
    quotients = {s.fresh for s in context.solutions}
    return {v: n for v, n in found.items() if v not in quotients}


def _definitions(context: Context) -> Iterator[Any]:
    """That solved variables equal their values."""
    for atom, value in context.rewriting.items():
        if isinstance(atom, Var):
            yield equal_zero(Sym({(atom,): 1}, 0) - value)


def _in_order(names: Iterable[Var]) -> list[Var]:
    """Inputs first, each kind in order of appearance; what no caller chooses is left out."""
    chosen = dict.fromkeys(v for v in names if v.kind in ORDER)
    return sorted(chosen, key=lambda v: (ORDER.index(v.kind), v.uid))


def _tiles(variable: Var, conditions: Iterable[Cond | bool]) -> list[int]:
    """The numbers that `variable` is divided by, the most plausible tile size first."""
    divisors: dict[int, None] = {}
    seen: set[Atom] = set()
    pending = [e for c in conditions if isinstance(c, Cond) for e in c.expressions()]
    while pending:
        for atom in pending.pop().atoms():
            if atom not in seen:
                seen.add(atom)
                pending += atom.children()
                if isinstance(atom, FloorDiv) and isinstance(atom.divisor, int) and (variable,) in atom.dividend.terms:
                    divisors[atom.divisor] = None
    return sorted(divisors, key=lambda d: (d > PLAUSIBLE_TILE, d if d > PLAUSIBLE_TILE else -d))


def _prefer_multiples(variable: Var, tiles: Sequence[int], solver: Solver) -> None:
    itself = Sym({(variable,): 1}, 0)
    for tile in tiles:
        wanted = solver.condition(itself % tile == 0)
        if solver.check(wanted) is True:
            solver.add(wanted)
            return


def _least(variable: Var, solver: Solver) -> int:
    """The least value that is possible, or the closest to zero where there is no lower bound."""
    term = solver.variable(variable)
    low = variable.bounds[0]
    first = 0 if low == -inf else int(low)
    if solver.check(term == first) is True:
        return first
    if low > -inf:
        return _search(lambda limit: term <= limit, variable, 1, first + 1, solver)
    if solver.check(term >= 0) is True:
        solver.add(term >= 0)
        return _search(lambda limit: term <= limit, variable, 1, 1, solver)
    return -_search(lambda limit: term >= -limit, variable, -1, 1, solver)


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
