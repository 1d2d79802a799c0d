"""What a loop carries from one iteration to the next: stand-ins for it at a symbolic iteration, and closed forms.

A *place* is a variable, an attribute, or the content of a list or dict. Integers in it become symbols, which `solve`
turns into `before + index * step` or into the value of the iteration before; tensors become ones of the same shape;
what has no such form is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from nkilint.symbolic.atoms import Max, Min
from nkilint.symbolic.evaluation import atoms_in
from nkilint.symbolic.integers import Sym, choose, is_integer, itself
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import Unknown, all_of, any_of
from nkilint_rules.words.records import dataclass

from ..state import joining
from ..state.machine import Machine
from ..values import substitution
from ..values.cells import MISSING, Attributes, Missing
from ..values.choices import Either, Unbound, among, settled
from ..values.containers import DictValue, ListValue
from ..values.grown import GrowingItems, GrownItems, Held, count_of
from ..values.inputs import TUPLES
from ..values.numbers import NUMERIC, REAL, is_numeric
from ..values.pairs import Pairs, as_pairs
from ..values.substitution import Rewriting
from ..values.tensors import View
from .bound_by_some import bound_by_one, defined_in, differs, is_deleted, left_bound, taken_away
from .carried_items import begins_with, gets_keys, grown
from .carried_tensors import alike, alike_but_for_dtype, describes, merged, reshaped
from .iteration import Iteration, changing, depends, in_the_one_before
from .rotations import is_another_constant, returning, rotating
from .types.long_dicts import distinct

MAX_BACK = 16  # iterations that a closed form may look back, as in lists that are shifted


@dataclass(slots=True, eq=False)
class Carried:
    """What is kept at `cell[key]`: `before` the loop, and its stand-in at the `start` of the symbolic iteration."""

    cell: dict[Any, Any]
    key: Any
    before: Any
    start: Any
    is_open: bool = False  # `start` was made knowing what an iteration leaves there
    bound: Any = None  # where nothing stood there and `before` is of a class instead: when an iteration binds it
    has: Any = False  # when something stood there in that case
    later: Any = False  # when an iteration has bound it, where nothing may have stood there `before`
    next: Any = None  # what an iteration has to leave there, where tensors take turns

    @property
    def name(self) -> str:
        return str(self.key)

    @property
    def may_lack(self) -> bool:
        """Whether it is a variable that may not be bound before the loop."""
        return isinstance(self.before, Unbound) and self.bound is None and not isinstance(self.cell, Attributes)

    def at_start(self, loop: Iteration) -> Any:
        """What stands there at the start of the iteration."""
        if not self.may_lack or isinstance(self.start, Unbound):
            return self.start
        bound = any_of((defined_in(self.before), all_of((loop.index >= 1, self.later))))
        return Unbound(bound, self.start, self.before.why)


def assumed(machine: Machine, name: str, before: Any, loop: Iteration) -> Any:
    """The stand-in for a variable of which only its value before the loop is known."""
    plain = settled(before)
    if is_integer(plain):
        return _symbol(machine, name, plain, loop)
    if isinstance(plain, View) and plain.base.kind != "input" and not plain.base.blocks:
        return merged(plain)
    return plain


def opened(machine: Machine, place: Carried, now: Any, loop: Iteration, mentioned: dict[Any, Any]) -> Any:
    """The stand-in for a place that an iteration leaves as `now`; `mentioned` are the other stand-ins."""
    if now is MISSING:
        return taken_away(machine, place.name, [place.before], loop)
    if place.before is MISSING and isinstance(place.cell, Attributes) and is_integer(place.cell.inherited(place.key)):
        if _changes(place.cell.inherited, loop):
            return Unknown(changing(place.name, loop))
        place.before, place.bound = place.cell.inherited(place.key), now.defined if isinstance(now, Unbound) else True
    if isinstance(place.before, Unbound) and isinstance(place.cell, Attributes):
        inherited, own = place.cell.inherited(place.key), place.before
        if not is_integer(inherited) or not is_integer(own.value) or _changes(place.cell.inherited, loop):
            return taken_away(machine, place.name, [now], loop)  # where it has none of its own, it may inherit one
        place.before, place.has = choose(own.defined, own.value, inherited), own.defined
        place.bound = now.defined if isinstance(now, Unbound) else True
    if place.before is MISSING:
        plain = among(changing(place.name, loop), now) if isinstance(now, Unknown) else settled(now)
        previous = in_the_one_before(plain, loop)
        if substitution.in_value(plain, Rewriting(mentioned, loop.born)) is not plain or _is_changed(plain, loop):
            previous = among(changing(place.name, loop), plain)
        if isinstance(place.start, Unbound):
            return replace(place.start, value=previous)
        defined = all_of((loop.index >= 1, bound_by_one(machine, place.name, defined_in(now), loop)))
        return Unbound(defined, previous, f"the loop over `{loop.name}` ran before")
    taken = place.bound is None and (not isinstance(place.before, Unbound) or is_deleted(machine, place.name))
    if isinstance(now, Unbound) and taken:
        return taken_away(machine, place.name, [now, place.before], loop)
    first, plain = settled(place.before), settled(now)
    anew = gets_keys(first, plain) or (not loop.once and is_another_constant(first, plain))
    if anew and substitution.in_value(plain, Rewriting(mentioned, loop.born)) is plain:
        return Either(
            loop.index >= 1,
            in_the_one_before(plain, loop),
            first,
            changing(place.name, loop),
            1 + getattr(first, "cases", 1),
        )
    if (
        first is None
        and not loop.once
        and isinstance(plain, View)
        and plain.base.kind != "input"
        and not plain.base.blocks
    ):
        return Either(loop.index >= 1, merged(plain), first, changing(place.name, loop), 2)
    shaped = reshaped(first, plain, place.start)
    if shaped is not None:
        return Either(loop.index >= 1, shaped, first, changing(place.name, loop), 2)
    return _opened(machine, place.name, first, plain, loop)


def _changes(inherited: Any, loop: Iteration) -> bool:
    """Whether iterations change the classes that an attribute is inherited from."""
    cls = getattr(inherited, "__self__", None)
    return cls is not None and any(id(each.attrs) in loop.changed for each in cls.mro())


def _opened(machine: Machine, name: str, before: Any, now: Any, loop: Iteration) -> Any:
    if joining.same(before, now):
        return before
    if is_integer(before) and is_integer(now):
        return _symbol(machine, name, before, loop)
    if is_numeric(before) and isinstance(now, NUMERIC):
        return REAL
    if isinstance(before, View) and isinstance(now, View) and alike_but_for_dtype(before, now):
        return merged(before, None if alike(before, now) else Unknown(f"the dtype of {changing(name, loop)}"))
    if isinstance(before, GrowingItems) and isinstance(now, GrowingItems):
        return _growing(machine, name, before, now, loop)
    if type(before) in TUPLES and isinstance(now, tuple) and len(before) == len(now):
        return tuple(_opened(machine, f"{name}[{i}]", a, now[i], loop) for i, a in enumerate(before))
    if type(before) in (*TUPLES, GrownItems) and isinstance(now, (tuple, GrownItems)) and begins_with(now, before):
        return _growing(machine, name, before, now, loop)
    if isinstance(now, Pairs) and isinstance(before, (dict, Pairs)):
        items = _opened(machine, name, as_pairs(before), now.items, loop)
        old = now.items if isinstance(items, tuple) and isinstance(now.items, tuple) else None
        same_keys = old is not None and all(joining.same(a[0], b[0]) for a, b in zip(items, old, strict=True))
        held = same_keys or isinstance(items, GrowingItems)
        return Pairs(items) if held else among(changing(name, loop), before, now)
    if isinstance(before, dict) and isinstance(now, dict) and list(before) == list(now):
        return {k: _opened(machine, f"{name}[{k!r}]", v, now[k], loop) for k, v in before.items()}
    if any(_is_changed(value, loop) for value in (before, now)):
        return among(changing(name, loop), before, now)
    if isinstance(before, ListValue) and isinstance(now, ListValue) and before.kind == now.kind:
        items = _opened(machine, name, before.cell["items"], now.cell["items"], loop)
        return _in_place_of(ListValue(items, before.kind, before.limit), before, now)
    if type(before) is type(now) is DictValue and (before.kind, before.factory) == (now.kind, now.factory):
        content = _opened(machine, name, before.cell["items"], now.cell["items"], loop)
        return _in_place_of(before.like(content), before, now)
    return among(changing(name, loop), before, now)


def like(machine: Machine, name: str, before: Any, earlier: Any, loop: Iteration) -> Any:
    """A stand-in for what is `before` the loop, of the kind of an `earlier` one; MISSING where that does not fit."""
    if isinstance(earlier, Sym):
        return _symbol(machine, name, before, loop) if is_integer(before) else MISSING
    if isinstance(earlier, GrowingItems):
        items = type(before) in TUPLES or isinstance(before, (GrownItems, GrowingItems))
        return _growing(machine, name, before, before, loop) if items else MISSING
    if isinstance(earlier, View):
        return merged(before) if isinstance(before, View) and alike(before, earlier) else MISSING
    if earlier is REAL:
        return REAL if is_numeric(before) else MISSING
    if type(before) in TUPLES and isinstance(earlier, tuple) and len(before) == len(earlier):
        parts = [like(machine, f"{name}[{i}]", b, earlier[i], loop) for i, b in enumerate(before)]
        return MISSING if any(part is MISSING for part in parts) else tuple(parts)
    return before if joining.same(before, earlier) else MISSING


def _growing(machine: Machine, name: str, before: Any, now: Any, loop: Iteration) -> GrowingItems:
    """The stand-in for items behind which iterations put others."""
    return GrowingItems(_symbol(machine, f"the number of {name}", count_of(before), loop), (), Held((before, now)))


def _in_place_of(start: Any, before: Any, now: Any) -> Any:
    """A container for the one before the loop in the first iteration, and the one that iterations leave in others."""
    if isinstance(start.cell["items"], Unknown):
        return among(start.cell["items"].reason, before, now)
    start.cell.stands_for = (before, now)
    return start


def _is_changed(value: Any, loop: Iteration) -> bool:
    """Whether iterations change a container, of which one that stands in for it would not tell."""
    return isinstance(value, (ListValue, DictValue)) and id(value.cell) in loop.changed


def _symbol(machine: Machine, name: str, before: Any, loop: Iteration) -> Sym:
    made = machine.fresh_sym(name, "carried", None, None, f"`{name}` carried by the loop over `{loop.name}`")
    machine.started[made.variable] = before
    return made


def fits(start: Any, now: Any, loop: Iteration) -> bool:
    """Whether a stand-in also describes what the iteration leaves."""
    if isinstance(start, Unbound):
        return isinstance(start.value, Unknown) or joining.same(start.value, in_the_one_before(now, loop))
    if isinstance(start, Either):
        # and not by a loop around, for what was there before
        made_here = joining.same(start.condition, loop.index >= 1)
        if not made_here:
            return joining.same(start, now)
        if isinstance(start.then, View) and start.then.base.kind == "merged":
            return fits(start.then, now, loop)
        return joining.same(start.then, in_the_one_before(now, loop))
    if isinstance(start, Unknown) or joining.same(start, now):
        return True
    if is_integer(start) and isinstance(start, Sym):
        return is_integer(now) and getattr(start.as_atom, "kind", "") == "carried"
    if start is REAL:
        return is_numeric(now)
    if isinstance(start, View):
        return start.base.kind == "merged" and isinstance(now, View) and describes(start, now)
    if isinstance(start, GrowingItems):
        return isinstance(now, GrowingItems) and joining.same(start.first, now.first)
    if isinstance(start, (ListValue, DictValue)) and not start.cell.stands_for:
        return False  # the one before the loop, and not one that stands for what iterations leave
    return any(True for _ in parts(start, now)) and all(fits(a, b, loop) for a, b in parts(start, now))


def parts(start: Any, now: Any) -> Iterator[tuple[Any, Any]]:
    """The elements of two containers of the same form, pair by pair."""
    if type(start) in TUPLES and type(now) in TUPLES and len(start) == len(now):
        yield from zip(start, now, strict=True)
    elif isinstance(start, dict) and isinstance(now, dict) and list(start) == list(now):
        yield from ((v, now[k]) for k, v in start.items())
    elif isinstance(start, Pairs) and isinstance(now, (dict, Pairs)):
        yield start.items, as_pairs(now)
    elif isinstance(start, (ListValue, DictValue)) and type(start) is type(now):
        yield start.cell["items"], now.cell["items"]


def containers_in(start: Any) -> Iterator[Any]:
    """The lists and dicts of a stand-in, which are none of the program's own."""
    if isinstance(start, (ListValue, DictValue)):
        yield start
        start = start.cell["items"]
    for part in start.values() if isinstance(start, dict) else start if isinstance(start, tuple) else ():
        yield from containers_in(part)


def _triples(start: Any, before: Any, now: Any) -> Iterator[tuple[Any, Any, Any]]:
    """The symbols among the stand-ins, with what stood there before the loop and what the iteration leaves."""
    if isinstance(start, Sym):
        if getattr(start.as_atom, "kind", "") == "carried" and not joining.same(start, before):
            yield start.variable, before, now
        return
    if isinstance(start, GrowingItems) and isinstance(now, GrowingItems):
        yield start.first.variable, count_of(before), now.length
        return
    for (a, b), (_, c) in zip(parts(start, before), parts(start, now), strict=False):
        yield from _triples(a, b, c)


@dataclass(slots=True)
class Solution:
    """Symbols in terms of the iteration: all `forms`, the `steps` of those that change by the same each time, and the
    symbols that stay `open`; `last` puts the last iteration in their place."""

    forms: Rewriting
    steps: dict[Any, Any]
    open: set[Any]
    last: Rewriting


def solve(machine: Machine, places: list[tuple[Carried, Any]], loop: Iteration) -> Solution:
    """Closed forms of the symbols in `places`, which come with what the iteration leaves in them."""
    open_ones = {}
    for place, now in places:
        for atom, before, after in _triples(place.start, settled(place.before), settled(now)):
            open_ones[atom] = (before, after)
    last = Rewriting({loop.index.variable: loop.trips - 1}, loop.born)
    solution = Solution(Rewriting(born=loop.born), {}, set(open_ones), last)
    reach: dict[Any, int] = {}  # iterations that a form looks back
    progress = True
    while progress and solution.open:
        progress = False
        for atom, (before, after) in open_ones.items():
            if atom in solution.open and is_integer(after):
                back = 1 + max((count for other, count in reach.items() if depends(after, {other})), default=0)
                if back <= MAX_BACK and _closes(machine, atom, before, after, loop, solution):
                    solution.open.remove(atom)
                    reach[atom] = back
                    progress = True
        progress = progress or _return(open_ones, loop, solution)
    return solution


def _return(numbers: dict[Any, tuple[Any, Any]], loop: Iteration, solution: Solution) -> bool:
    """Whether there are forms of numbers that are again what they were after a few iterations."""
    changing_ones = {*solution.open, loop.index.variable, *loop.own}
    open_ones = [(atom, sides) for atom, sides in numbers.items() if atom in solution.open]
    left = {atom: (before, substitute(after, solution.forms)) for atom, (before, after) in open_ones}
    found = returning(left, loop.index, lambda v: not depends(v, changing_ones))
    solution.open -= found.keys()
    for atom, form in found.items():
        solution.forms[atom] = form
    return bool(found)


def _closes(machine: Machine, atom: Any, before: Any, after: Any, loop: Iteration, solution: Solution) -> bool:
    after = substitute(after, solution.forms)
    step = after - Sym({(atom,): 1}, 0)
    own = loop.own.keys()
    if not isinstance(step, Unknown) and not depends(step, {*solution.open, loop.index.variable, *own}):
        solution.steps[atom] = step
        solution.forms[atom] = before + loop.index * step
        return True
    if not depends(after, {*solution.open, *own}):
        previous = substitute(after, {loop.index.variable: loop.index - 1})
        solution.forms[atom] = choose(loop.index >= 1, previous, before)
        return True
    if not isinstance(step, Unknown) and not depends(step, {*solution.open, *own}):
        steady = _before_the_last(machine, step, loop)
        if not depends(steady, {loop.index.variable}):
            solution.forms[atom] = before + loop.index * steady
            return True
    return _rotates(machine, atom, before, after, loop, solution)


def _rotates(machine: Machine, atom: Any, before: Any, after: Any, loop: Iteration, solution: Solution) -> bool:
    changing_ones = {*solution.open, loop.index.variable, *loop.own}
    form = rotating(machine, itself(atom), before, after, loop.index, lambda v: not depends(v, changing_ones))
    if form is not None:
        solution.forms[atom] = form
    return form is not None


def _before_the_last(machine: Machine, step: Any, loop: Iteration) -> Any:
    """What a step is in each iteration that another one follows: `16` for `min(16, n - 16 * index)`."""
    facts = machine.facts
    machine.assume(loop.index <= loop.trips - 2)
    for atom in atoms_in([step]):
        if isinstance(atom, (Min, Max)) and depends(step, {atom}):
            first: Any = atom.left
            decided = machine.truth(first <= atom.right)
            if decided is not None:
                step = substitute(step, {atom: first if decided is isinstance(atom, Min) else atom.right})
    machine.facts = facts
    return step


def left(machine: Machine, place: Carried, now: Any, loop: Iteration, solution: Solution, runs: Any) -> Any:
    """What stands at a place after the loop: what the last iteration left, or what was there where none ran."""

    def after(start: Any, before: Any, value: Any) -> Any:
        if isinstance(start, Sym) and start.as_atom in solution.steps:
            return settled(before) + loop.trips * solution.steps[start.variable]
        if isinstance(start, GrowingItems) and isinstance(value, GrowingItems):
            return grown(before, loop.forgotten(substitution.in_value(value.added, solution.forms)), loop)
        pairs = list(zip(parts(start, before), parts(start, value), strict=False))
        if pairs and not isinstance(start, (ListValue, DictValue)):
            made = [after(a, b, c) for (a, b), (_, c) in pairs]
            if isinstance(start, Pairs):
                return distinct(machine, made[0])
            return dict(zip(start, made, strict=True)) if isinstance(start, dict) else tuple(made)
        value = substitution.in_value(substitution.in_value(settled(value), solution.forms), solution.last)
        if before is MISSING:
            return MISSING if now is MISSING else left_bound(machine, place.name, now, value, loop, runs)
        if runs is True or joining.same(before, value):
            return value
        return joining.join(machine, runs, value, before, place.name)

    taken = now is not MISSING and (isinstance(now, Unbound) or isinstance(place.start, Unbound))
    if taken and place.bound is None and not isinstance(place.before, (Missing, Unbound)):
        return taken_away(machine, place.name, [now, place.before], loop)
    value = after(place.start, place.before, now)
    if isinstance(place.before, Unbound) and place.bound is None and defined_in(now) is not True:
        if is_deleted(machine, place.name):
            return taken_away(machine, place.name, [now, place.before], loop)
        bound = all_of((runs, bound_by_one(machine, place.name, defined_in(now), loop)))
        return Unbound(any_of((defined_in(place.before), bound)), settled(value), place.before.why)
    if place.bound is None or (runs is True and place.bound is True):
        return value
    if differs(place.bound, loop):
        return among(f"an attribute that only some iterations of the loop over `{loop.name}` set", value)
    return Unbound(any_of((place.has, all_of((runs, place.bound)))), value, f"the loop over `{loop.name}` runs")
