"""Subscripts of tensors, basic and by index grids."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from nkilint.base import ir
from nkilint.symbolic.atoms import Int
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym, is_one, key_of
from nkilint_rules.indexing.mixed_indexing import MixedIndexing
from nkilint_rules.indexing.one_dimensional_arange import OneDimensionalArange
from nkilint_rules.indexing.out_of_bounds import OutOfBounds
from nkilint_rules.language.non_integer_size import NonIntegerSize
from nkilint_rules.limits.rank_limit import RankLimit
from nkilint_rules.operands.shape_mismatch import ShapeMismatch
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, negation
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.memory import HBM
from nkilint_rules.words.records import dataclass

from ..state.machine import Explained, Machine, explained
from ..state.trace import AtWitness
from ..values.axes import axis, fit_axes, move_axes, replace_in
from ..values.grids import Grid, broadcast_grids
from ..values.inputs import InputTensor
from ..values.numbers import Real
from ..values.tensors import Bound, Lookup, View, in_bound
from .held_indices import bounds_of, bounds_within, held_index
from .inputs import as_number, as_tensor, no_length, no_rank, settled_number
from .ranges import integers_of
from .requirements import judged_when_made, state_non_integer


@dataclass(frozen=True, slots=True)
class _Part:
    """One subscript of a tensor: `at` is where it is written."""

    value: Any
    at: ir.Span
    node: ir.Expr | None = None


def _parts(key: Any, node: ir.Index, rank: int) -> list[_Part]:
    """The subscripts, one per dimension, with `...` filled in by whole slices."""
    items = key if isinstance(key, tuple) else (key,)
    nodes = node.key.items if isinstance(node.key, ir.Sequence) and isinstance(key, tuple) else (node.key,)
    spans = [n.at for n in nodes] if len(nodes) == len(items) else [node.key.at] * len(items)
    written = nodes if len(nodes) == len(items) else (None,) * len(items)
    parts = [_Part(v, at, n) for v, at, n in zip(items, spans, written, strict=True)]
    given = sum(1 for p in parts if p.value is not None and p.value is not Ellipsis)
    whole = slice(None, None, None)
    for position, part in enumerate(parts):
        if part.value is Ellipsis:
            filler = [_Part(whole, part.at)] * max(0, rank - given)
            return parts[:position] + filler + [p for p in parts[position + 1 :] if p.value is not Ellipsis]
    return parts + [_Part(whole, node.key.at)] * max(0, rank - given)


def tensor_subscript(machine: Machine, value: Any, key: Any, node: ir.Index) -> Any:
    if isinstance(value, InputTensor):
        if value.is_tuple:
            return Unknown(no_length(machine, value))
        items = key if isinstance(key, tuple) else (key,)
        count = sum(1 for i in items if i is not None and i is not Ellipsis)
        single = value.view is None and any(isinstance(i, (int, Sym)) for i in items)
        if value.is_open and single and value.name not in machine.supposed:
            return Unknown(no_rank(machine, value.name))
        value = as_tensor(machine, value, None if any(i is Ellipsis for i in items) else count)
    view: View = value
    items = key if isinstance(key, tuple) else (key,)
    for item in items:
        if isinstance(item, Unknown):
            return item
    if len(items) == 1 and (isinstance(items[0], (bool, Cond)) or (isinstance(items[0], Grid) and items[0].is_mask)):
        return _masked(view, items[0])
    advanced = any(isinstance(i, (Grid, View)) for i in items)
    parts = _parts(key, node, len(view.shape))
    count = sum(1 for p in parts if p.value is not None)
    if count > len(view.shape) and view.base.kind == "input" and isinstance(value, View) and view.base.guessed:
        return Unknown(no_rank(machine, view.base.name))
    if count > len(view.shape):
        machine.need(RankLimit.subscript(given=count, rank=len(view.shape)), False, node.at)
        return explained("a tensor with more subscripts than dimensions")
    if count and _may_be_element(machine, view):
        machine.doubt("a subscript of what may be a single element")
    return _advanced(machine, view, parts, node) if advanced else _basic(machine, view, parts, node)


def _may_be_element(machine: Machine, view: View) -> bool:
    """Whether a part of a tensor in HBM may be one that integers alone select, of no dimension in 0.x."""
    single = len(view.shape) == 1 and is_one(view.shape[0])
    return machine.dialect != BETA1 and view.memory == HBM and single and not any(map(is_one, view.layout))


def _masked(view: View, mask: Any) -> View:
    """`tensor[predicate]`: the elements for which it holds."""
    if isinstance(mask, Grid):
        mask = fit_axes(mask.value, mask.shape, view.shape) if len(mask.shape) <= len(view.shape) else mask.value
    return view.with_(mask=all_of((view.mask, mask)), selected=all_of((view.selected, mask)))


def _basic(machine: Machine, view: View, parts: list[_Part], node: ir.Index) -> Any:
    """Integers, slices and new axes."""

    fixed: dict[int, Any] = {}
    sizes: list[Any] = []
    sources: list[tuple[int, Any, Any] | None] = []
    numbers: set[int] = set()
    dimension = 0
    for part in parts:
        if part.value is None:
            if machine.dialect != BETA1:
                machine.need(
                    NonIntegerSize.other(expression=part.at, kind="a new axis", use="an index"), False, part.at
                )
            sizes.append(1)
            sources.append(None)
            continue
        size = view.shape[dimension]
        if isinstance(part.value, slice):
            start, count, step = _slice_of(machine, part.value, size, part)
            sizes.append(count)
            sources.append((dimension, start, step))
        else:
            where = _position(machine, part.value, size)
            if isinstance(where, Unknown):
                return where
            if _keeps_dimension(machine, view, dimension):
                sizes.append(1)
                sources.append((dimension, where, 1))
            else:
                fixed[dimension] = where
            numbers.add(dimension)
        dimension += 1
    while len(sizes) < _least_rank(machine, view):
        sizes.append(1)
        sources.append(None)
    return _reindexed(view, sizes, sources, fixed, numbers, parts, node, machine)


def _keeps_dimension(machine: Machine, view: View, dimension: int) -> bool:
    """On chip an integer leaves the partition dimension in place, with one partition."""
    return view.memory != HBM and dimension == _partition_axis(view)


def _partition_axis(view: View) -> int:
    """Where the partition dimension stands among the view's axes."""
    return max(0, len(view.shape) - (len(view.base.shape) - view.base.blocks))


def _least_rank(machine: Machine, view: View) -> int:
    return 2 if view.memory != HBM else 1


def _slice_of(machine: Machine, part: slice, size: Any, written: _Part) -> tuple[Any, Any, Any]:
    """Start, number of elements and step."""
    node = written.node if isinstance(written.node, ir.SliceExpr) else None
    ends = (node.start, node.stop, node.step) if node is not None else (None, None, None)
    part = slice(*(settled_number(machine, b) for b in (part.start, part.stop, part.step)))
    for bound, end in zip((part.start, part.stop, part.step), ends, strict=True):
        if isinstance(bound, Unknown):
            raise IsUnknown(bound.reason)
        if bound is not None and not isinstance(bound, (int, Sym)):
            if isinstance(bound, (float, Real)):
                at = end.at if end is not None else written.at
                state_non_integer(machine, at, "float", "an index", repr(bound) if isinstance(bound, float) else "")
                raise IsUnknown(Explained("a slice whose bound is no integer"))
            raise IsUnknown("a slice whose bound is no integer")
    step = 1 if part.step is None else part.step
    start = 0 if part.start is None else part.start
    stop = size if part.stop is None else part.stop
    start = _from_the_end(machine, start, size, ends[0])
    stop = _from_the_end(machine, stop, size, ends[1])
    if isinstance(step, int) and step < 1:
        raise IsUnknown("a slice whose step is not positive")
    length = stop - start
    if (forwards := length >= 0) is not True:
        backwards = OutOfBounds.backwards(index=written.at, begins=AtWitness(start), ends=AtWitness(stop))
        machine.need(backwards, forwards, written.at)
        machine.assume(forwards, "granted")
    return start, length if is_one(step) else -((-length) // step), step


def _from_the_end(machine: Machine, bound: Any, size: Any, written: ir.Expr | None) -> Any:
    """A bound of a slice counted from the start; where its sign is not known, what is written with a minus is unknown
    and the rest is not taken to be negative, for a slice that ends before its start is reported."""
    if isinstance(bound, int):
        return size + bound if bound < 0 else bound
    if isinstance(written, ir.Unary) and written.op == "-":
        before = machine.truth(bound < 0)
        if before is None:
            raise IsUnknown("a slice that may count from the end")
        return size + bound if before else bound
    return bound


def _position(machine: Machine, value: Any, size: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, Sym)):
        if isinstance(value, InputTensor):
            return _position(machine, as_number(machine, value), size)
        return Unknown("a subscript that is no integer")
    return size + value if isinstance(value, int) and value < 0 else value


def _reindexed(
    view: View,
    sizes: list[Any],
    sources: list[tuple[int, Any, Any] | None],
    fixed: dict[int, Any],
    numbers: set[int],
    parts: list[_Part],
    node: ir.Index,
    machine: Machine,
) -> View:
    rank, old_rank = len(sizes), len(view.shape)
    mapping: dict[Any, Any] = {}
    bounds: list[Bound] = []
    spans = [p.at for p in parts if p.value is not None]
    for new, source in enumerate(sources):
        if source is None:
            continue
        dimension, start, step = source
        variable = axis(rank - 1 - new, sizes[new])
        reach = variable * step + start
        before = axis(old_rank - 1 - dimension, view.shape[dimension])
        if isinstance(before, Sym) and key_of(before) != key_of(reach):
            mapping[before.variable] = reach
        whole = _within(start, sizes[new], step, view.shape[dimension])
        if whole is True:
            machine.holds(OutOfBounds)
        else:
            bound = Bound(reach, view.shape[dimension], dimension, spans[dimension], node.value.at, node.at)
            bounds += judged_when_made(machine, (bound,)) if dimension in numbers else (bound,)
    for dimension, where in fixed.items():
        before = axis(old_rank - 1 - dimension, view.shape[dimension])
        if isinstance(before, Sym):
            mapping[before.variable] = where
        if _within(where, 1, 1, view.shape[dimension]) is True:
            machine.holds(OutOfBounds)
        else:
            bound = Bound(where, view.shape[dimension], dimension, spans[dimension], node.value.at, node.at)
            bounds += judged_when_made(machine, (bound,))
    return view.with_(
        shape=tuple(sizes),
        index=tuple(replace_in(i, mapping) for i in view.index),
        mask=replace_in(view.mask, mapping),
        selected=replace_in(view.selected, mapping),
        bounds=(*(in_bound(b, mapping) for b in view.bounds), *bounds),
    )


def _within(start: Any, count: Any, step: Any, size: Any) -> Any:
    if is_one(step):
        return all_of((start >= 0, start + count <= size))
    return all_of((start >= 0, start + (count - 1) * step < size))


def _advanced(machine: Machine, view: View, parts: list[_Part], node: ir.Index) -> Any:
    """Index grids, integers, and tensors that hold indices."""
    unusable = _unusable(machine, parts, node)
    if unusable is not None:
        return unusable
    old_rank = len(view.shape)
    shape = _shape_of_grids(machine, [p.value for p in parts if isinstance(p.value, (Grid, View))], node)
    mapping: dict[Any, Any] = {}
    bounds: list[Bound] = []
    dynamic = list(view.dynamic)
    lookups = list(view.lookups)
    mesh = any(isinstance(p.value, Grid) and p.value.mesh for p in parts)
    problem = view.problem
    for dimension, part in enumerate(parts):
        size = view.shape[dimension]
        if isinstance(part.value, Grid):
            where = fit_axes(part.value.value, part.value.shape, shape)
            dynamic += part.value.dynamic
        elif isinstance(part.value, View):
            where = held_index(machine, size)
            dynamic.append(part.value)
        else:
            where = _position(machine, part.value, size)
        lookups += _lookups(part, node)
        if isinstance(where, Unknown):
            problem = where.reason
            where = machine.fresh_sym("index", "runtime", None, None, problem)
        before = axis(old_rank - 1 - dimension, size)
        if isinstance(before, Sym):
            mapping[before.variable] = where
        if isinstance(part.value, View) or (isinstance(part.value, Grid) and part.value.dynamic):
            bounds += [*_own_bounds(part.value, shape), *_held(machine, view, dimension, part, node)]
            continue
        if all_of((where >= 0, where < size)) is True:
            machine.holds(OutOfBounds)
        else:
            bounds.append(Bound(where, size, dimension, part.at, node.value.at, node.at))
    return view.with_(
        shape=shape,
        index=tuple(replace_in(i, mapping) for i in view.index),
        mask=True if view.mask is True else replace_in(view.mask, mapping),
        selected=True if view.selected is True else replace_in(view.selected, mapping),
        bounds=(*(in_bound(b, mapping) for b in view.bounds), *bounds),
        dynamic=tuple(dynamic),
        lookups=tuple(lookups),
        mesh=mesh,
        problem=problem,
    )


def _own_bounds(index: Any, shape: tuple[Any, ...]) -> Iterator[Bound]:
    """What the subscripts of the tiles have to satisfy that an index is held in."""
    for tile in (index,) if isinstance(index, View) else index.dynamic:
        for bound in tile.bounds:
            reach: Any = Unknown("an index over other axes than the tile that holds it")
            if len(tile.shape) == len(shape):
                reach = fit_axes(bound.reach, tile.shape, shape)
            elif len(_index_shape(tile, len(shape))) == len(shape):
                reach = move_axes(bound.reach, {1: (len(shape) - 1, shape[0])}, tile.shape)
            yield replace(bound, reach=reach)


def _held(machine: Machine, view: View, dimension: int, part: _Part, node: ir.Index) -> list[Bound]:
    """What a subscript has to satisfy that a tile holds, or a tile and an index grid together."""

    def bound(end: Int) -> Bound:
        return Bound(end, view.shape[dimension], dimension, part.at, node.value.at, node.at)

    if isinstance(part.value, View):
        return bounds_of(machine, part.value, part.at, bound, True)
    return bounds_within(machine, integers_of(replace(part.value, dynamic=())), part.at, bound, False)


def _unusable(machine: Machine, parts: list[_Part], node: ir.Index) -> Unknown | None:
    """What a subscript is whose parts do not go together."""
    grids = any(isinstance(part.value, Grid) for part in parts)
    for part in parts:
        if isinstance(part.value, slice) and not grids:
            return Unknown("an index held in a tensor beside slices")
        if isinstance(part.value, slice):
            machine.need(MixedIndexing.message(tensor=node.value.at), False, node.at)
            return explained("index grids and slices in one subscript")
        if isinstance(part.value, Grid) and part.value.is_mask:
            return Unknown("a mask as a subscript")
        if isinstance(part.value, Grid) and len(part.value.shape) < 2 and machine.dialect == BETA1:
            machine.need(OneDimensionalArange.message(tensor=node.value.at, index=part.at), False, node.at)
            return explained("an index grid of one dimension as a subscript")
    return None


def _lookups(part: _Part, node: ir.Index) -> list[Lookup]:
    """The index that one part of a subscript looks up in a tensor, if it does."""
    if isinstance(part.value, View):
        spread = negation(all_of(n == 1 for n in part.value.shape[1:]))
        many = not is_one(part.value.shape[0])
        return [Lookup(part.at, node.at, spread, part.value.mesh and many)]
    held = isinstance(part.value, Grid) and part.value.dynamic
    return [Lookup(part.at, node.at, False, False)] if held else []


def _shape_of_grids(machine: Machine, grids: list[Grid | View], node: ir.Index) -> tuple[Any, ...]:
    """The shape that index grids have together."""
    rank = max(len(grid.shape) for grid in grids)
    shapes = [_index_shape(grid, rank) for grid in grids]
    shape, needs = broadcast_grids(shapes)
    for need in needs:
        machine.need(ShapeMismatch.grids(left=list(shapes[0]), right=list(shapes[-1])), need, node.at)
        machine.assume(need, "granted")
    return shape


def _index_shape(value: Grid | View, rank: int) -> tuple[Any, ...]:
    """A tile of indices, one in each partition, stands along the first axis; so does one that may be such a tile."""
    column = isinstance(value, View) and len(value.shape) == 2 and (is_one(n := value.shape[1]) or isinstance(n, Sym))
    if column:
        return (value.shape[0], *(1,) * (rank - 1))
    return value.shape
