"""Joining the states at the end of two branches."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nkilint.symbolic.atoms import Int
from nkilint.symbolic.conditions import Compare, Cond
from nkilint.symbolic.evaluation import has_more_nodes, variables
from nkilint.symbolic.integers import Sym, choose, is_integer, key_of
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, negation
from nkilint_rules.words.dtypes import DType

from ..values.axes import axes_moved, axis
from ..values.cells import MISSING, Attributes
from ..values.choices import Either, Unbound, among, as_one, settled
from ..values.containers import DictValue, ListValue
from ..values.dtypes import ChosenDType
from ..values.grids import Grid
from ..values.grown import GrownItems, LongTuple, appended_where
from ..values.inheritance import in_words
from ..values.inputs import TUPLES, Counted, InputTensor, as_used
from ..values.keys import Key
from ..values.numbers import REAL, Real
from ..values.pairs import Pairs
from ..values.table import Table
from ..values.tensors import Bound, Declaration, View, in_bound, whole_view
from .sides import Changes, Sides

if TYPE_CHECKING:
    from .machine import Machine

MAX_CASES = 8  # values that one name may stand for
MAX_NODES = 40  # atoms in two numbers of which it is asked whether they are the same


def join_states(machine: Machine, condition: Any, sides: Sides) -> None:
    """The state after either of two branches; both changes were undone and start from the same state."""
    then, otherwise = sides.then, sides.otherwise
    _note_orders(then, otherwise)
    for place in {**then, **otherwise}:
        cell, key, before, _ = then.get(place) or otherwise[place]
        a = then[place][3] if place in then else before
        b = otherwise[place][3] if place in otherwise else before
        try:
            joined = join(machine, condition, a, b, str(key), sides)
        except IsUnknown as unknown:
            joined = Unknown(unknown.reason)
        if joined is MISSING:
            machine.forget(cell, key)
        else:
            machine.set(cell, key, joined)


def _note_orders(then: Changes, otherwise: Changes) -> None:
    """Note which objects got the same attributes on both sides of a branch, but in another order."""
    orders = [
        [
            place
            for place, (cell, _, before, _) in one.items()
            if type(cell) is Attributes and place in other and before is other[place][2] is MISSING
        ]
        for one, other in ((then, otherwise), (otherwise, then))
    ]
    for first, second in zip(*orders, strict=True):
        cell = then[first][0]
        if first != second and isinstance(cell, Attributes):
            cell.is_mixed = True


def join(machine: Machine, condition: Any, a: Any, b: Any, name: str, sides: Sides | None = None) -> Any:
    """The value that is `a` where `condition` holds and `b` elsewhere. What can be changed stays what it is: only what
    `sides` made each for itself becomes one."""
    a, b = as_used(a), as_used(b)
    if same(a, b):
        return a
    if a is MISSING or b is MISSING:
        bound = b if a is MISSING else a
        defined = negation(condition) if a is MISSING else condition
        if isinstance(bound, Unbound):
            return Unbound(bound.defined & defined, bound.value, bound.why)
        return Unbound(defined, bound, "branch")
    if isinstance(a, Unbound) or isinstance(b, Unbound):
        da = a.defined if isinstance(a, Unbound) else True
        db = b.defined if isinstance(b, Unbound) else True
        defined = da if key_of(da) == key_of(db) else (condition & da) | (negation(condition) & db)
        value = join(machine, condition, settled(a), settled(b), name, sides)
        return value if defined is True else Unbound(defined, value, "branch")
    if (unknown := _unknown(a, b)) is not None:
        return unknown
    joined = common_forms.entry(type(a))(machine, condition, a, b, name, sides)
    if joined is not None:
        return joined
    return _one_of_both(machine, condition, a, b, name)


def _unknown(a: Any, b: Any) -> Unknown | None:
    """What one of two values is where one of them is not known."""
    unknown = next((side for side in (a, b) if isinstance(side, Unknown) and not isinstance(side, Either)), None)
    return None if unknown is None else among(unknown.reason, a, b)


def _one_of_both(machine: Machine, condition: Any, a: Any, b: Any, name: str) -> Any:
    """The choice between two values without a common form; one of them where the other one is that, too, where it is
    meant. Choices by one condition stay one choice by it."""
    opposite = negation(condition)
    here, there = _where(machine, condition, a), _where(machine, opposite, b)
    for both in (b, there):
        if isinstance(both, Either) and same(here, _where(machine, condition, both)):
            return both
    for both in (a, here):
        if isinstance(both, Either) and same(there, _where(machine, opposite, both)):
            return both
    if isinstance(here, Either) and isinstance(there, Either) and same(here.condition, there.condition):
        parts = (here.then, there.then), (here.otherwise, there.otherwise)
        then, otherwise = (join(machine, condition, one, other, name) for one, other in parts)
        return _choice(here.condition, then, otherwise, name)
    return _choice(condition, here, there, name)


def _where(machine: Machine, condition: Any, value: Any) -> Any:
    """A value where a condition holds, which may decide between cases of it."""
    if not (isinstance(value, Either) and isinstance(value.condition, Cond) and isinstance(condition, Cond)):
        return value
    decided = machine.implied(value.condition, [condition])
    if decided is not None:
        return _where(machine, condition, value.then if decided else value.otherwise)
    then, otherwise = _where(machine, condition, value.then), _where(machine, condition, value.otherwise)
    if then is value.then and otherwise is value.otherwise:
        return value
    return then if same(then, otherwise) else Either(value.condition, then, otherwise, value.reason, value.cases)


def _choice(condition: Any, a: Any, b: Any, name: str) -> Any:
    """One of two values; all that is said of more than a few is that they may be it."""
    if same(a, b):
        return a
    if (unknown := _unknown(a, b)) is not None:
        return unknown
    why = f"{in_words(name)} differs between branches on `{condition}`"
    cases = sum(side.cases if isinstance(side, Either) else 1 for side in (a, b))
    return Either(condition, a, b, why, cases) if cases <= MAX_CASES else among(why, a, b)


common_forms = Table(lambda machine, condition, a, b, name, sides: None)
"""What is `a` where a condition holds and `b` elsewhere, by the type of `a`; None where they have no form in common."""


def _join_parts(
    machine: Machine, condition: Any, a: Iterable[Any], b: Iterable[Any], name: str, sides: Sides | None
) -> tuple[Any, ...]:
    items = [as_one(join(machine, condition, x, y, name, sides)) for x, y in zip(a, b, strict=True)]
    return Counted(items) if isinstance(a, Counted) and isinstance(b, Counted) else tuple(items)


@common_forms.of(int, float, Real, Sym, Cond)
def _join_numbers(machine: Machine, condition: Any, a: Any, b: Any, name: str, sides: Sides | None) -> Any:
    if _is_truth(a) and _is_truth(b):
        return (condition & a) | (negation(condition) & b)
    if is_integer(a) and is_integer(b):
        one = _one_for_both(machine, condition, a, b)
        return choose(condition, a, b) if one is None else one
    return REAL if isinstance(a, (float, Real)) and isinstance(b, (float, Real)) else None


def _one_for_both(machine: Machine, condition: Any, a: Int, b: Int) -> Int | None:
    """The one of two numbers that equals the other where that is meant, as the ranges of its variables may tell."""
    if not isinstance(condition, Compare):
        return None
    deciding = variables(condition)
    for one, other, case in ((a, b, negation(condition)), (b, a, condition)):
        related = isinstance(one, Sym) and not deciding.keys().isdisjoint(variables(one, through_bounds=True))
        equal: Any = one == other
        small = not isinstance(equal, Cond) or not has_more_nodes(equal, MAX_NODES)
        if related and small and machine.implied(equal, [case]):
            return one
    return None


@common_forms.of(tuple)
def _join_tuples(machine: Machine, condition: Any, a: tuple[Any, ...], b: Any, name: str, sides: Sides | None) -> Any:
    alike = isinstance(b, tuple) and len(a) == len(b)
    return _join_parts(machine, condition, a, b, name, sides) if alike else None


@common_forms.of(ListValue)
def _join_lists(machine: Machine, condition: Any, a: ListValue, b: Any, name: str, sides: Sides | None) -> Any:
    alike = isinstance(b, ListValue) and (a.kind, a.limit) == (b.kind, b.limit)
    if sides is None or not alike or not sides.made_each_its_own(a, b):
        return None
    one, other = sides.content(a, sides.then), sides.content(b, sides.otherwise)
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return ListValue(_join_parts(machine, condition, one, other, name, sides), a.kind, a.limit)
    if same(one, other) and same(one, a.cell["items"]):
        return a
    if a.limit is not None or not isinstance(one, _ITEMS) or not isinstance(other, _ITEMS):
        return None
    return ListValue(join(machine, condition, one, other, "items"), a.kind)


_ITEMS = (tuple, GrownItems, Either)


@common_forms.of(GrownItems)
def _join_grown(machine: Machine, condition: Any, a: GrownItems, b: Any, name: str, sides: Sides | None) -> Any:
    return appended_where(condition, a, b) if isinstance(b, GrownItems) else None


@common_forms.of(dict)
def _join_contents(machine: Machine, condition: Any, a: dict[Any, Any], b: Any, name: str, sides: Sides | None) -> Any:
    """What is in one dict, or in two of which one is made; keys keep their order."""
    if not isinstance(b, dict) or not same(tuple(a), tuple(b)):
        return None
    return dict(zip(a, _join_parts(machine, condition, a.values(), b.values(), name, sides), strict=True))


@common_forms.of(DictValue)
def _join_dicts(machine: Machine, condition: Any, a: DictValue, b: Any, name: str, sides: Sides | None) -> Any:
    alike = type(a) is type(b) is DictValue and (a.kind, a.factory) == (b.kind, b.factory)
    if sides is None or not alike or not sides.made_each_its_own(a, b):
        return None
    one, other = sides.content(a, sides.then), sides.content(b, sides.otherwise)
    content = _join_contents(machine, condition, one, other, name, sides) if isinstance(one, dict) else None
    return None if content is None else a.like(content)


@common_forms.of(slice)
def _join_slices(machine: Machine, condition: Any, a: slice, b: Any, name: str, sides: Sides | None) -> Any:
    if not isinstance(b, slice):
        return None
    return slice(*_join_parts(machine, condition, (a.start, a.stop, a.step), (b.start, b.stop, b.step), name, sides))


@common_forms.of(Grid)
def _join_grids(machine: Machine, condition: Any, a: Grid, b: Any, name: str, sides: Sides | None) -> Any:
    if not isinstance(b, Grid) or not same(a.shape, b.shape):
        return None
    return Grid(join(machine, condition, a.value, b.value, name), a.shape, a.dynamic + b.dynamic)


def apply(machine: Machine, either: Either, function: Callable[[Any], Any]) -> Any:
    """What a function that changes nothing gives for either of two values."""
    return join(machine, either.condition, function(either.then), function(either.otherwise), "the result")


@common_forms.of(View)
def _join_views(machine: Machine, condition: Any, a: View, b: Any, name: str, sides: Sides | None) -> Any:
    b = as_tensor(b)
    if not isinstance(b, View):
        return None
    if a.base is b.base and same(a.shape, b.shape) and same(a.layout, b.layout):
        index = tuple(
            choose(condition, x, y) if is_integer(x) and is_integer(y) else Unknown("index")
            for x, y in zip(a.index, b.index, strict=True)
        )
        if not any(isinstance(i, Unknown) for i in index):
            return a.with_(index=index, bounds=_either_bounds(condition, a, b, a.shape))
    if len(a.shape) != len(b.shape) or a.memory != b.memory:
        return None
    if a.base is b.base and is_reshaped(a) and is_reshaped(b) and same(a.dtype, b.dtype):
        shape = tuple(join(machine, condition, x, y, name) for x, y in zip(a.shape, b.shape, strict=True))
        index = tuple(axis(len(shape) - 1 - at, size) for at, size in enumerate(shape))
        return a.with_(shape=shape, layout=shape, index=index, bounds=_either_bounds(condition, a, b, shape))
    return one_of(machine, (a, b), (condition, negation(condition)), name)


@common_forms.of(InputTensor)
def _join_inputs(machine: Machine, condition: Any, a: InputTensor, b: Any, name: str, sides: Sides | None) -> Any:
    known = as_tensor(a)
    return _join_views(machine, condition, known, b, name, sides) if isinstance(known, View) else None


def as_tensor(value: Any) -> Any:
    """The tensor that a parameter is, where that is known."""
    return value.view if isinstance(value, InputTensor) else value


def is_reshaped(view: View) -> bool:
    """Whether it is all of its tensor in another shape, or in its own."""
    plain = view.mask is True and view.when is True and not view.indirect and not view.problem
    return plain and view.instance is None and view.whole


def _either_bounds(condition: Any, a: View, b: View, shape: tuple[Any, ...]) -> tuple[Bound, ...]:
    if a.bounds is b.bounds:
        return a.bounds
    return (*_bounds(a, shape, condition), *_bounds(b, shape, negation(condition)))


def one_of(machine: Machine, sources: Sequence[View], choices: tuple[Any, ...], name: str) -> Any:
    """What stands for one of several tensors, each under a condition of its own, one of which holds; a name for it
    belongs to the iteration that chose."""
    first = sources[0]
    if any(len(s.shape) != len(first.shape) or s.memory != first.memory for s in sources):
        return Unknown(f"`{name}` is a different tensor depending on `{choices[0]}`")
    shape = sources[-1].shape
    for source, choice in list(zip(sources, choices, strict=True))[-2::-1]:
        shape = tuple(choose(choice, x, y) for x, y in zip(source.shape, shape, strict=True))
    dtype = first.dtype
    if not all(same(dtype, s.dtype) for s in sources):
        dtype = ChosenDType(f"the dtype of `{name}`", zip(choices, (s.dtype for s in sources), strict=True))
    blocks = first.base.blocks if all(s.whole and s.base.blocks == first.base.blocks for s in sources) else 0
    merged = Declaration(
        name, shape, dtype, first.memory, first.base.at, "merged", blocks, machine.loops, first.base.region,
        mutable=all(s.base.mutable for s in sources), sources=tuple(sources), choices=choices,
    )  # fmt: skip
    bounds = [
        bound for source, choice in zip(sources, choices, strict=True) for bound in _bounds(source, shape, choice)
    ]
    return whole_view(merged).with_(bounds=tuple(bounds))


def _bounds(view: View, shape: tuple[Any, ...], choice: Any) -> Iterator[Bound]:
    """The subscripts of one of several tensors, over the axes of all, where it is that one."""
    moved = axes_moved(view.shape, shape)
    for bound in view.bounds:
        bound = in_bound(bound, moved)
        yield replace(bound, when=all_of((bound.when, choice)))


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same in every respect that matters."""
    if a is b:
        return True
    if type(a) is not type(b) and not (type(a) in TUPLES and type(b) in TUPLES):
        return False
    return bool(samenesses.entry(type(a))(a, b))


def _same_record(a: Any, b: Any) -> bool:
    """Frozen values that compare by content."""
    return hasattr(a, "__dataclass_fields__") and a.__hash__ is not None and a == b


samenesses = Table(_same_record)
samenesses.of(int, float, str, bytes, DType, type(None))(operator.eq)
samenesses.of(Sym, Cond)(lambda a, b: key_of(a) == key_of(b))
samenesses.of(Key)(lambda a, b: same(a.object, b.object))
samenesses.of(Unbound)(lambda a, b: False)
samenesses.of(slice)(lambda a, b: same((a.start, a.stop, a.step), (b.start, b.stop, b.step)))
samenesses.of(tuple)(lambda a, b: len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True)))
samenesses.of(dict)(lambda a, b: same(tuple(a), tuple(b)) and same(tuple(a.values()), tuple(b.values())))
samenesses.of(Grid)(lambda a, b: same(a.value, b.value) and same(a.shape, b.shape))


@samenesses.of(Either)
def _same_choice(a: Either, b: Either) -> bool:
    return all(same(getattr(a, part), getattr(b, part)) for part in ("condition", "then", "otherwise"))


@samenesses.of(GrownItems)
def _same_items(a: GrownItems, b: GrownItems) -> bool:
    return all(same(getattr(a, part), getattr(b, part)) for part in ("index", "trips", "added", "before"))


samenesses.of(Pairs)(lambda a, b: same(a.items, b.items))


@samenesses.of(LongTuple)
def _same_long_tuple(a: LongTuple, b: LongTuple) -> bool:
    return a.items is b.items


@samenesses.of(View)
def _same_view(a: View, b: View) -> bool:
    return a.base is b.base and same(a.index, b.index) and same(a.shape, b.shape) and same(a.dtype, b.dtype)


def _is_truth(value: Any) -> bool:
    return isinstance(value, (bool, Cond))
