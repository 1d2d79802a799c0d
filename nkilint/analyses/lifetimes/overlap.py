"""When two accesses of directly allocated tensors meet at the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from nkilint.evaluator.device.placement.place import Placement, block_variables, position
from nkilint.prover import Prover
from nkilint.symbolic.atoms import Int, bounds
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, is_one, key_of, sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import Unknown, any_of
from nkilint_rules.words.records import dataclass

from ..questions.accesses import Occurrence, same_layout

MAX_NESTING = 4  # rounds of replacing variables in the bounds of variables


@dataclass(frozen=True, slots=True)
class Spot:
    """What an execution touches: the tile (its block index), and partition and offset of the element within it.

    `inner` is the index of the element in its partition, into `tail`.
    """

    place: Placement
    block: tuple[Any, ...]
    partition: Any
    offset: Any
    instance: tuple[Any, ...]
    itemsize: Any
    inner: tuple[Any, ...]
    tail: tuple[Any, ...]

    @property
    def address(self) -> tuple[Any, Any]:
        """Partition and first byte on the chip."""
        partition, byte = self.place.at(self.block, self.instance)
        return partition + self.partition, byte + self.offset * self.itemsize


def spot(execution: Occurrence, place: Placement) -> Spot:
    """Where an execution touches its tensor."""
    view = execution.touch.view
    block, partition, offset = position(execution.element, execution.layout, place.base)
    inner, tail = (offset,), (place.elements,)
    ahead = place.base.blocks + 1
    if same_layout(execution.layout[:ahead], place.base.shape[:ahead]):
        inner, tail = execution.element[ahead:], execution.layout[ahead:]
    return Spot(place, block, partition, offset, execution.instance, view.dtype.itemsize, inner, tail)


def other_tile(a: Spot, b: Spot) -> Any:
    """Whether two executions touch different logical tiles."""
    if a.place.base is not b.place.base:
        return True
    pairs = [*zip(a.block, b.block, strict=True), *zip(a.instance, b.instance, strict=True)]
    return any_of(x != y for x, y in pairs if key_of(x) != key_of(y))


def overlap(a: Spot, b: Spot, exact: bool = True) -> list[Any]:
    """The conditions under which both touch a common byte. Unless `exact`, two tiles that rotate through a symbolic
    number of places are taken to meet whenever they are at least that far apart, which is easier to decide."""
    rotating = _rotating(a, b)
    if rotating:
        found = [*_same_turn(a, b, exact), _equal(a.partition, b.partition)]
        if key_of(a.itemsize) != key_of(b.itemsize):
            found += _same_bytes(a.offset * a.itemsize, a.itemsize, b.offset * b.itemsize, b.itemsize)
        elif same_layout(a.tail, b.tail):
            found += [_equal(x, y) for x, y in zip(a.inner, b.inner, strict=True)]
        else:
            found.append(_equal(a.offset, b.offset))
        return [c for c in found if c is not True]
    (row, first), (other_row, other_first) = a.address, b.address
    found = [_equal(row, other_row), *_same_bytes(first, a.itemsize, other_first, b.itemsize)]
    return [c for c in found if c is not True]


def _rotating(a: Spot, b: Spot) -> bool:
    """Whether the tiles of one tensor are placed by counting, so that they coincide or are apart."""
    return a.place.base is b.place.base and a.place.periods is not None and not a.place.moves


def _same_turn(a: Spot, b: Spot, exact: bool) -> list[Any]:
    """Whether both tiles have the same remainder in each block dimension."""
    found: list[Any] = []
    for x, y, periods in zip(a.block, b.block, a.place.periods or (), strict=True):
        apart = x - y
        if isinstance(apart, int) and apart == 0:
            continue
        for period in periods:
            if is_one(period):
                continue
            if isinstance(period, int) or exact:
                found.append(apart % period == 0)
            else:
                found.append(any_of((apart == 0, apart >= period, apart <= -period)))
    return found


def _equal(x: Any, y: Any) -> Any:
    return True if key_of(x) == key_of(y) else x == y


def _same_bytes(first: Any, size: Any, other: Any, other_size: Any) -> list[Any]:
    if key_of(size) == key_of(other_size) and key_of(first) == key_of(other):
        return [True]
    return [first < other + other_size, other < first + size]


# --- whole tensors ---


def apart(a: Placement, b: Placement, prover: Prover, facts: Sequence[Cond]) -> bool:
    """Whether no tile of one tensor shares a byte with a tile of another."""
    if a.base.memory != b.base.memory:
        return True
    (row, first), (other_row, other_first) = _general(a, ""), _general(b, '"')
    size, other_size = a.bytes, b.bytes
    choices = [
        first + size <= other_first,
        other_first + other_size <= first,
        row + a.partitions <= other_row,
        other_row + b.partitions <= row,
    ]
    if any(isinstance(c, Unknown) for c in choices):
        return False
    if any(c is True for c in choices) or _far(first, size, other_first) or _far(other_first, other_size, first):
        return True
    goal = any_of(choices)
    if isinstance(goal, bool):
        return goal
    return prover.shows(goal, list(facts), deep=True)


def extent(place: Placement) -> tuple[float, float]:
    """Between which bytes all tiles of the tensor lie, by numbers alone."""
    _, first = _general(place, "")
    end = first + place.bytes
    if isinstance(first, Unknown) or isinstance(end, Unknown):
        return -inf, inf
    return bounds(first)[0], bounds(end)[1]


def _far(first: Any, size: Any, other: Any) -> bool:
    return bounds(first + size - other)[1] <= 0


def _general(place: Placement, mark: str) -> tuple[Any, Any]:
    """First partition and byte of any tile of the tensor, over variables that carry `mark`."""
    blocks = [_renamed(block, mark) for block in block_variables(place.base)]
    iterations = [_renamed(loop.index, mark) for loop in place.base.loops]
    return place.at(blocks, iterations)


def _renamed(value: Int, mark: str) -> Int:
    if not isinstance(value, Sym) or not mark:
        return value
    atom = value.variable
    name, kind, low, high = (getattr(atom, n) for n in ("name", "kind", "low", "high"))
    return sym(name + mark, kind, low, high)


def tiles_apart(place: Placement, prover: Prover, facts: Sequence[Cond]) -> bool:
    """Whether different tiles of one tensor, of one instance of it, never share a byte."""
    blocks = [b for b in block_variables(place.base) if isinstance(b, Sym)]
    if not blocks:
        return True
    if place.periods is not None and not place.moves:
        sizes = place.base.shape[: place.base.blocks]
        return all(
            any(_at_most(size, period, prover, facts) for period in periods)
            for size, periods in zip(sizes, place.periods, strict=True)
        )
    return False


def _at_most(size: Any, period: Any, prover: Prover, facts: Sequence[Cond]) -> bool:
    if is_one(period):
        return is_one(size)
    fits = size <= period
    return fits if isinstance(fits, bool) else prover.shows(fits, list(facts), deep=True)


def numbers(value: Any, model: Any) -> Any:
    """A symbolic value under a model; iterations and elements that it leaves open are the first ones."""
    for _ in range(MAX_NESTING):
        if not isinstance(value, Sym):
            break
        known = dict(model.items())
        open_ones = [v for v in variables(value) if v.kind in ("loop", "axis", "program") and v not in known]
        value = substitute(value, {**known, **{v: v.low for v in open_ones if v.low is not None}})
    return value
