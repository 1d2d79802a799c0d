"""Joining the states at the end of two branches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym, choose, key_of
from nkilint_rules.words.conditions import IsUnknown, Unknown, negation
from nkilint_rules.words.dtypes import DType

from ..state.machine import Machine, settled
from .tensors import TUPLES, Declaration, Grid, SymbolicDType, View, whole_view
from .values import MISSING, REAL, DictValue, Either, ListValue, Real, Unbound, as_one

MAX_CASES = 8  # values that one name may stand for

Changes = Mapping[tuple[int, Any], tuple[dict[Any, Any], Any, Any, Any]]


def join_states(machine: Machine, condition: Any, then: Changes, otherwise: Changes) -> None:
    """The state after either of two branches; both changes were undone and start from the same state."""
    for place in {**then, **otherwise}:
        cell, key, before, _ = then.get(place) or otherwise[place]
        a = then[place][3] if place in then else before
        b = otherwise[place][3] if place in otherwise else before
        try:
            joined = join(machine, condition, a, b, str(key))
        except IsUnknown as unknown:
            joined = Unknown(unknown.reason)
        if joined is MISSING:
            machine.forget(cell, key)
        else:
            machine.set(cell, key, joined)


def join(machine: Machine, condition: Any, a: Any, b: Any, name: str) -> Any:
    """The value that is `a` where `condition` holds and `b` elsewhere."""
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
        defined = (condition & da) | (negation(condition) & db)
        value = join(machine, condition, settled(a), settled(b), name)
        return value if defined is True else Unbound(defined, value, "branch")
    if isinstance(a, Unknown) and not isinstance(a, Either):
        return a
    if isinstance(b, Unknown) and not isinstance(b, Either):
        return b
    if _is_truth(a) and _is_truth(b):
        return (condition & a) | (negation(condition) & b)
    if _is_int(a) and _is_int(b):
        return choose(condition, a, b)
    if isinstance(a, (int, float, Real, Sym)) and isinstance(b, (int, float, Real, Sym)):
        return REAL
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(as_one(join(machine, condition, x, y, name)) for x, y in zip(a, b, strict=True))
    if isinstance(a, ListValue) and isinstance(b, ListValue) and len(a.items) == len(b.items):
        return ListValue(as_one(join(machine, condition, x, y, name)) for x, y in zip(a.items, b.items, strict=True))
    if isinstance(a, dict) and isinstance(b, dict) and list(a) == list(b):
        return {k: as_one(join(machine, condition, v, b[k], name)) for k, v in a.items()}
    if isinstance(a, DictValue) and isinstance(b, DictValue) and a.items.keys() == b.items.keys():
        return DictValue({k: as_one(join(machine, condition, v, b.items[k], name)) for k, v in a.items.items()}, a.kind)
    if isinstance(a, slice) and isinstance(b, slice):
        parts = [
            as_one(join(machine, condition, getattr(a, p), getattr(b, p), name)) for p in ("start", "stop", "step")
        ]
        return slice(*parts)
    if isinstance(a, View) and isinstance(b, View):
        return join_views(machine, condition, a, b, name)
    if isinstance(a, Grid) and isinstance(b, Grid) and same(a.shape, b.shape):
        return Grid(join(machine, condition, a.value, b.value, name), a.shape, a.dynamic + b.dynamic)
    why = f"`{name}` differs between branches on `{condition}`"
    cases = sum(side.cases if isinstance(side, Either) else 1 for side in (a, b))
    return Either(condition, a, b, why, cases) if cases <= MAX_CASES else Unknown(why)


def apply(machine: Machine, either: Either, function: Callable[[Any], Any]) -> Any:
    """What a function that changes nothing gives for either of two values."""
    return join(machine, either.condition, function(either.then), function(either.otherwise), "the result")


def join_views(machine: Machine, condition: Any, a: View, b: View, name: str) -> Any:
    if a.base is b.base and same(a.shape, b.shape) and same(a.layout, b.layout):
        index = tuple(
            choose(condition, x, y) if _is_int(x) and _is_int(y) else Unknown("index")
            for x, y in zip(a.index, b.index, strict=True)
        )
        if not any(isinstance(i, Unknown) for i in index):
            return a.with_(index=index)
    return one_of(machine, (a, b), (condition, negation(condition)), name)


def one_of(machine: Machine, sources: Sequence[View], choices: tuple[Any, ...], name: str) -> Any:
    """What stands for one of several tensors, each under a condition of its own, one of which holds; a name for it
    belongs to the iteration that chose."""
    first = sources[0]
    if any(len(s.shape) != len(first.shape) or s.memory != first.memory for s in sources):
        return Unknown(f"`{name}` is a different tensor depending on `{choices[0]}`")
    shape = sources[-1].shape
    for source, choice in list(zip(sources, choices, strict=True))[-2::-1]:
        shape = tuple(choose(choice, x, y) for x, y in zip(source.shape, shape, strict=True))
    dtype = first.dtype if all(same(first.dtype, s.dtype) for s in sources) else SymbolicDType(f"the dtype of `{name}`")
    blocks = first.base.blocks if all(s.whole and s.base.blocks == first.base.blocks for s in sources) else 0
    merged = Declaration(
        name, shape, dtype, first.memory, first.base.at, "merged", blocks, machine.loops, first.base.region,
        mutable=all(s.base.mutable for s in sources), sources=tuple(sources), choices=choices,
    )  # fmt: skip
    return whole_view(merged)


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same in every respect that matters."""
    if a is b:
        return True
    if type(a) is not type(b) and not (type(a) in TUPLES and type(b) in TUPLES):
        return False
    if isinstance(a, (Sym, Cond)):
        return bool(key_of(a) == key_of(b))
    if isinstance(a, (int, float, str, bool, bytes, DType)) or a is None:
        return bool(a == b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, slice):
        return same((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    if isinstance(a, View):
        return a.base is b.base and same(a.index, b.index) and same(a.shape, b.shape) and same(a.dtype, b.dtype)
    if isinstance(a, Grid):
        return same(a.value, b.value) and same(a.shape, b.shape)
    return hasattr(a, "__dataclass_fields__") and a.__hash__ is not None and not isinstance(a, Unbound) and a == b


def _is_truth(value: Any) -> bool:
    return isinstance(value, (bool, Cond))


def _is_int(value: Any) -> bool:
    return isinstance(value, (int, Sym)) and not isinstance(value, bool)
