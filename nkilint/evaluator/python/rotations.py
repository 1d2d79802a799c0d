"""Closed forms of numbers that go round and round, `head = (head + 1) % slots`, `turn ^= 1`, and of flags."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from nkilint.symbolic.atoms import Ite
from nkilint.symbolic.conditions import Compare, Cond
from nkilint.symbolic.division import split_remainders
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, choose, is_integer, key_of
from nkilint.symbolic.substitution import substitute

from ..state.joining import MAX_CASES
from ..state.machine import Machine
from ..values.choices import Either
from ..values.numbers import NUMERIC, is_numeric

Steady = Callable[[Any], bool]
_CONSTANTS = (*NUMERIC, str, Cond, type(None))
MOST_TURNS = 8  # iterations after which numbers are again what they were


def rotating(machine: Machine, own: Sym, before: Any, after: Any, index: Any, steady: Steady) -> Any:
    """What a number is at iteration `index` that is `before` at first, and `after` once an iteration began with `own`;
    None where it does not go round. What is `steady` is the same in each iteration."""
    if not isinstance(after, Sym) or not steady(before):
        return None
    turned = after + own
    if steady(turned):
        return choose(index % 2 == 0, before, turned - before)
    found = _of_remainder(own, after)
    step, size = found or _of_reset(own, after) or (None, None)
    if size is None:
        return None
    if not steady(step) or not steady(size) or machine.truth(size >= 1) is not True:
        return None
    later = (before + index * step) % size
    if machine.truth(before >= 0) is True and machine.truth(before < size) is True:
        return later
    return choose(index >= 1, later, before) if found else None


def returning(numbers: Mapping[Any, tuple[Any, Any]], index: Any, steady: Steady) -> dict[Any, Any]:
    """What some numbers are at iteration `index` that are all again what they were at first after a few iterations, as
    in `turn ^= 1`, `turn = 1 if turn == 0 else 0`, `now, other = other, now`; `numbers` are what each is before the
    loop and what an iteration leaves."""
    for atom in numbers:
        turns = _turns({each: numbers[each] for each in _made_of(atom, numbers)}, steady)
        if turns:
            return {each: _in_turn([turn[each] for turn in turns], index) for each in turns[0]}
    return {}


def _made_of(atom: Any, numbers: Mapping[Any, tuple[Any, Any]]) -> list[Any]:
    """A number and those that iterations make it of, unless these are many."""
    group = [atom]
    for each in group:
        after = numbers[each][1]
        group += [other for other in variables(after) if other in numbers and other not in group]
        if len(group) > MOST_TURNS or not is_integer(after):
            return []
    return group


def _turns(group: Mapping[Any, tuple[Any, Any]], steady: Steady) -> list[dict[Any, Any]]:
    """What the numbers are in one iteration after the other until they are what they were; none if that is not told."""
    turns = [{each: before for each, (before, _) in group.items()}]
    while (
        group and len(turns) <= MOST_TURNS and all(is_integer(value) and steady(value) for value in turns[-1].values())
    ):
        following = {each: substitute(after, turns[-1]) for each, (_, after) in group.items()}
        if all(is_integer(now) and key_of(now) == key_of(turns[0][each]) for each, now in following.items()):
            return turns
        turns.append(following)
    return []


def _in_turn(values: list[Any], index: Any) -> Any:
    found = values[-1]
    for turn, value in reversed(list(enumerate(values[:-1]))):
        found = choose(index % len(values) == turn, value, found)
    return found


def _of_remainder(own: Sym, after: Sym) -> tuple[Any, Any] | None:
    """`step` and `size` of `(own + step) % size`."""
    moduli, rest = split_remainders(after)
    if len(moduli) != 1 or key_of(rest) != key_of(0):
        return None
    scale, quotient = moduli[0]
    return (quotient.dividend - own, quotient.divisor) if scale == 1 else None


def _of_reset(own: Sym, after: Sym) -> tuple[Any, Any] | None:
    """The same of a number that grows by one and begins at 0 where it has come to `size`."""
    atom = after.as_atom
    if not isinstance(atom, Ite) or not isinstance(atom.condition, Compare):
        return None
    then, otherwise = (key_of(part) for part in (atom.then, atom.otherwise))
    grown, begun = key_of(own + 1), key_of(0)
    if (then, otherwise) not in ((grown, begun), (begun, grown)):
        return None
    left, relation = atom.condition.left, atom.condition.relation
    begins = then == begun  # where the condition holds
    above, below = left - own, left + own  # steady for `own - last`, and for `last - own`
    equal = below if _has(above, own) else -above
    ends = {("==", True): equal, ("!=", False): equal, (">=", True): -above, (">=", False): below + 1}
    last = ends.get((relation, begins))
    return None if last is None or _has(last, own) else (1, last + 1)


def _has(value: Any, own: Sym) -> bool:
    return isinstance(value, Sym) and own.as_atom in set(value.atoms())


def is_another_constant(before: Any, now: Any) -> bool:
    """Whether iterations put something of another kind than a number in the place of a number, a text, a truth or None,
    or the other way round: `None` that becomes the iteration, a flag that is true in the first one."""
    sides = [*_sides(before), *_sides(now)]
    if not all(isinstance(value, _CONSTANTS) for value in sides) or len(sides) > MAX_CASES:
        return False
    return not all(map(is_numeric, sides))


def _sides(value: Any) -> Iterator[Any]:
    """What a value may be, of those that conditions choose between."""
    if isinstance(value, Either):
        yield from _sides(value.then)
        yield from _sides(value.otherwise)
    else:
        yield value
