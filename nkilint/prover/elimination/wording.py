"""What a long condition may say in fewer words: one of its parts, one without quotients, or that something is a
multiple."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nkilint.symbolic.atoms import FloorDiv, Int
from nkilint.symbolic.conditions import And, Compare, Cond, Or, at_least_zero, equal_zero
from nkilint.symbolic.evaluation import atoms_in, variables
from nkilint.symbolic.integers import Sym, itself

from .cases import has_few_values, in_values

LONG = 40  # characters of a condition that are worth it
GUESSES = 6
DEPTH = 3  # quotients of quotients that are taken away


def in_fewer_words(condition: Cond, implies: Callable[[Cond, Cond], bool]) -> Cond:
    """The condition, or the same as shortly as it is found to be said. `implies` says whether one shows another."""
    same = (one for one in _guesses(condition) if implies(one, condition) and implies(condition, one))
    return in_values(next(same, condition))


def _guesses(condition: Cond) -> Iterator[Cond]:
    """Conditions that may mean the same as a long one, shortest first."""
    if len(str(condition)) < LONG:
        yield from _of_a_larger_divisor(condition)
        return
    found = {part.key: part for part in _parts(condition)}
    for part in list(found.values()):
        found.update((one.key, one) for one in _without_quotients(part))
    for atom in atoms_in([condition]):
        if not isinstance(atom, FloorDiv) or not any(has_few_values(v) for v in variables(*atom.operands)):
            continue
        for dividend, divisor in _quotients(atom):
            multiple = equal_zero(dividend % divisor)
            if isinstance(multiple, Cond):
                found[multiple.key] = multiple
    shorter = [one for one in found.values() if len(str(one)) < len(str(condition))]
    yield from sorted(shorter, key=lambda one: (len(str(one)), str(one)))[:GUESSES]


def _of_a_larger_divisor(condition: Cond) -> Iterator[Cond]:
    """`1 // n == 0` as `n >= 2`."""
    if isinstance(condition, Compare) and condition.relation == "==" and isinstance(condition.left, Sym):
        atom = condition.left.as_atom
        if isinstance(atom, FloorDiv) and isinstance(atom.divisor, Sym):
            larger = at_least_zero(atom.divisor - 1 - atom.dividend)
            if isinstance(larger, Cond):
                yield larger


def _without_quotients(condition: Cond, depth: int = DEPTH) -> Iterator[Cond]:
    """A comparison of a quotient as one of what is divided: `n // 5 <= k` says `n <= 5*k + 4`."""
    if not isinstance(condition, Compare) or condition.relation != ">=" or not depth:
        return
    for mono, weight in condition.left.terms.items():
        atom = mono[0]
        if (
            len(mono) != 1
            or weight not in (1, -1)
            or not isinstance(atom, FloorDiv)
            or not isinstance(atom.divisor, int)
        ):
            continue
        rest = (condition.left - weight * itself(atom)) * atom.divisor
        turned = at_least_zero(rest + atom.dividend if weight == 1 else rest + atom.divisor - 1 - atom.dividend)
        if isinstance(turned, Cond):
            yield turned
            yield from _without_quotients(turned, depth - 1)


def _parts(condition: Cond) -> Iterator[Cond]:
    """What a condition is made of, down to comparisons."""
    if not isinstance(condition, (And, Or)):
        yield condition
        return
    for part in condition.parts:
        yield from _parts(part)


def _quotients(atom: FloorDiv) -> Iterator[tuple[Sym, Int]]:
    """What is divided and by what; `a // n // 128` divides `a` by `128*n`, too."""
    yield atom.dividend, atom.divisor
    inner = atom.dividend.as_atom
    if isinstance(inner, FloorDiv):
        yield inner.dividend, inner.divisor * atom.divisor
