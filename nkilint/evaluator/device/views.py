"""Views made by the methods of tensors: how the axes of the result stand for elements of the base."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from nkilint.base.ir import Span
from nkilint.symbolic.atoms import Int
from nkilint.symbolic.integers import Sym, is_one, key_of
from nkilint_rules.indexing.indirect_index import IndirectIndex
from nkilint_rules.operations.form import Call, Result
from nkilint_rules.words.conditions import Unknown, product
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.memory import HBM
from nkilint_rules.words.shapes import as_shape, axes_of, size_groups, sizes_of_names

from ..state.machine import Machine
from ..values.axes import axis, linear_offset, replace_in
from ..values.tensors import GATHERED, PARTS, Bound, View, in_bound
from .held_indices import bounds_of, held_index
from .inputs import is_traced
from .requirements import check_bounds, judged_when_made

BEYOND = 40  # where the parts of an element are counted: further from the right than any axis of a tensor

Spans = Mapping[str, Span]  # where the arguments are written, the tensor under "self"


def rearrange(machine: Machine, view: View, name: str, call: Call, result: Result, at: Span, spans: Spans) -> Any:
    """The view that method `name` gives, of the shape in `result`."""
    handler = _HANDLERS.get(name)
    shape = tuple(result.shape)
    if handler is None or view.problem:
        problem = "" if view.problem == PARTS else view.problem
        problem = problem or (GATHERED if name == "indirect" else f"`{name}` is not followed")
        return view.with_(shape=shape, dtype=result.dtype, problem=problem, bounds=())
    return handler(machine, view, call, shape, result, at, spans)


def _moved(view: View, shape: tuple[Any, ...], old_axes: list[Any], **changes: Any) -> View:
    """`view` with each of its axes replaced by an expression over the axes of `shape`."""
    mapping = {}
    for variable, expression in zip(view.axes(), old_axes, strict=True):
        if isinstance(variable, Sym) and key_of(variable) != key_of(expression):
            mapping[variable.variable] = expression
    return view.with_(
        shape=shape,
        index=tuple(replace_in(i, mapping) for i in view.index),
        mask=replace_in(view.mask, mapping),
        selected=replace_in(view.selected, mapping),
        bounds=tuple(in_bound(b, mapping) for b in view.bounds),
        **changes,
    )


def _new_axes(shape: tuple[Any, ...]) -> list[Any]:
    return [axis(len(shape) - 1 - d, n) for d, n in enumerate(shape)]


def _reshape(machine: Machine, view: View, call: Call, shape: Any, result: Result, at: Span, spans: Spans) -> Any:
    new = _new_axes(shape)
    if view.whole and not view.base.blocks:
        return _of(view, shape, tuple(new), view.dtype, shape, bounds=view.bounds, dynamic=view.dynamic)
    old_axes: list[Any] = []
    for old, group in size_groups(view.shape, shape):
        flat = linear_offset(tuple(new[d] for d in group), tuple(shape[d] for d in group)) if group else 0
        for position, dimension in enumerate(old):
            below = product(view.shape[d] for d in old[position + 1 :])
            step = flat // below
            old_axes.append(step if position == 0 else step % view.shape[dimension])
    for step in old_axes:
        if isinstance(step, Unknown):
            return view.with_(shape=shape, problem=step.reason, bounds=())
    return _moved(view, shape, old_axes)


def _broadcast_to(machine: Machine, view: View, call: Call, shape: Any, result: Result, at: Span, spans: Spans) -> Any:
    extra = len(shape) - len(view.shape)
    new = _new_axes(shape)
    old_axes = [0 if is_one(size) else new[extra + d] for d, size in enumerate(view.shape)]
    return _moved(view, shape, old_axes)


def _permute(machine: Machine, view: View, call: Call, shape: Any, result: Result, at: Span, spans: Spans) -> Any:
    new = _new_axes(shape)
    order = [axes_of(d, len(shape))[0] for d in call.dims]
    return _moved(view, shape, [new[order.index(d)] for d in range(len(shape))])


def _by_names(machine: Machine, view: View, call: Call, shape: Any, result: Result, at: Span, spans: Spans) -> Any:
    """Dimensions taken apart, put in another order and made one again."""
    source, target = as_shape(call.src_pattern), as_shape(call.dst_pattern)
    sizes = sizes_of_names(view.shape, source, call.fixed_sizes)
    names = [name for pattern in source for name in as_shape(pattern)]
    order = [names.index(name) for pattern in target for name in as_shape(pattern)]
    apart = _reshape(machine, view, call, tuple(sizes.values()), result, at, spans)
    if apart.problem or sorted(order) != list(range(len(names))):
        return view.with_(shape=shape, problem=apart.problem or "`rearrange` leaves names out", bounds=())
    ordered = tuple(apart.shape[d] for d in order)
    new = _new_axes(ordered)
    turned = _moved(apart, ordered, [new[order.index(d)] for d in range(len(order))])
    return _reshape(machine, turned, call, shape, result, at, spans)


def _inserted(machine: Machine, view: View, call: Call, shape: Any, result: Result, at: Span, spans: Spans) -> Any:
    """Axes of size one put in or taken out."""
    where = call.get("axis") if "axis" in call.arguments else call.get("dim")
    new = _new_axes(shape)
    if len(shape) > len(view.shape):
        inserted = axes_of(where, len(shape))
        return _moved(view, shape, [n for d, n in enumerate(new) if d not in inserted])
    removed = axes_of(where, len(view.shape))
    rest = iter(new)
    return _moved(view, shape, [0 if d in removed else next(rest) for d in range(len(view.shape))])


def _broadcast_dim(machine: Machine, view: View, call: Call, shape: Any, result: Result, at: Span, spans: Spans) -> Any:
    new = _new_axes(shape)
    return _moved(view, shape, [0 if is_one(n) else new[d] for d, n in enumerate(view.shape)])


def _slice(machine: Machine, view: View, call: Call, shape: Any, result: Result, at: Span, spans: Spans) -> Any:
    dimension = axes_of(call.dim, len(view.shape))[0]
    new = _new_axes(shape)
    reach = new[dimension] * call.step + call.start
    old_axes = [reach if d == dimension else n for d, n in enumerate(new)]
    moved = _moved(view, shape, old_axes)
    start, tensor = spans.get("start", at), spans.get("self", at)
    bound = Bound(reach, view.shape[dimension], dimension, start, tensor, at)
    return moved.with_(bounds=(*moved.bounds, bound))


def _select(machine: Machine, view: View, call: Call, shape: Any, result: Result, at: Span, spans: Spans) -> Any:
    dimension = axes_of(call.dim, len(view.shape))[0]
    new = _new_axes(shape)
    if isinstance(call.index, View):
        where: Any = held_index(machine, view.shape[dimension])
    else:
        where = call.index
        if isinstance(where, int) and where < 0:  # as a subscript: a number that is known counts from the end
            where = view.shape[dimension] + where
    if not isinstance(where, (int, Sym)):
        return view.with_(shape=shape, problem="a selection at an index that is not known", bounds=())
    kept = len(shape) == len(view.shape)
    rest = iter(new)
    old_axes = []
    for d in range(len(view.shape)):
        if d == dimension:
            old_axes.append(where)
            if kept:
                next(rest)
        else:
            old_axes.append(next(rest))
    moved = _moved(view, shape, old_axes)
    if isinstance(call.index, View) and view.memory != HBM and dimension == 0:
        index, operation = spans.get("index", at), call.operation.leaf
        machine.need(IndirectIndex.message(index=index, operation=operation, where="a free axis"), False, at)
    if isinstance(call.index, View):
        bounds = _selected(machine, view, call, at, spans, dimension, call.index)
        return moved.with_(dynamic=(*moved.dynamic, call.index), bounds=(*moved.bounds, *bounds))
    index, tensor = spans.get("index", at), spans.get("self", at)
    bound = Bound(where, view.shape[dimension], dimension, index, tensor, at)
    return moved.with_(bounds=(*moved.bounds, *judged_when_made(machine, (bound,))))


def _flattened(machine: Machine, view: View, call: Call, shape: Any, result: Result, at: Span, spans: Spans) -> Any:
    return _reshape(machine, view, call, shape, result, at, spans)


def _reinterpreted(machine: Machine, view: View, call: Call, shape: Any, result: Result, at: Span, spans: Spans) -> Any:
    """The same bytes as another type. An element of a wider one is several of the tensor's, which are counted along an
    axis of their own; an element of a narrower one is a part of one."""
    if key_of(shape[-1]) == key_of(view.shape[-1]):
        return view.with_(dtype=result.dtype)
    before, after = (getattr(one, "itemsize", None) for one in (view.dtype, result.dtype))
    new = _new_axes(shape)
    if isinstance(before, int) and isinstance(after, int):
        part = axis(len(shape) + BEYOND, max(after // before, 1))
        last = new[-1] * (after // before) + part if after > before else new[-1] // (before // after)
        return _moved(view, shape, [*new[:-1], last]).with_(dtype=result.dtype)
    if view.base.kind == "input" and view.whole:
        return _of(view, shape, tuple(new), result.dtype, shape, dynamic=view.dynamic)
    return view.with_(shape=shape, dtype=result.dtype, problem="a tensor seen as a dtype of unknown size", bounds=())


def _access_pattern(
    machine: Machine, view: View, call: Call, shape: Any, result: Result, at: Span, spans: Spans
) -> Any:
    """`.ap([[step, count], ...], offset)`: positions in the row-major order of the whole tensor."""
    new = _new_axes(shape)
    total = product(view.base.shape)
    offset = call.offset
    if offset is None:
        offset = linear_offset(view.index, view.layout) if view.whole else _origin(view)
        if view.whole:
            offset = 0
    if isinstance(offset, Unknown):
        return view.with_(shape=shape, problem=offset.reason, bounds=())
    reach: Any = offset
    for variable, pair in zip(new, call.pattern, strict=True):
        reach = reach + variable * pair[0]
    dynamic = tuple(v for v in (call.scalar_offset, call.vector_offset) if isinstance(v, View))
    pattern, tensor = spans.get("pattern", at), spans.get("self", at)
    if call.scalar_offset is not None or call.vector_offset is not None:
        casts = call.dtype is not None and _differ(result.dtype, view.dtype)
        size = _seen_as(view, result.dtype, total) if casts else total
        bound = Bound(reach, size, 0, pattern, tensor, at, pattern=True, added=True)
        leading = new[0] * call.pattern[0][0]
        bounds = _with_offset(machine, view, call, casts, bound, leading, at, spans)
        where = _at_offset(machine, view, call, casts, reach if call.vector_offset is None else reach - leading)
        dynamic = (*view.dynamic, *dynamic)
        return _of(view, shape, (where,), result.dtype, (total,), bounds=bounds, dynamic=dynamic)
    place, problem = reach, ""
    if view.is_cast or _differ(result.dtype, view.dtype):
        problem = "a pattern over another dtype"
        if not (isinstance(result.dtype, DType) and isinstance(view.dtype, DType) and view.whole):
            machine.trace.assumptions.setdefault(f"the pattern over another dtype on line {at.row} is in bounds", None)
            return _of(view, shape, (reach,), result.dtype, (total,), problem=problem)
        parts, rest = divmod(view.dtype.itemsize, result.dtype.itemsize)
        total = _seen_as(view, result.dtype, total)
        if parts and not rest and view.dtype is view.base.dtype:
            place, problem = reach // parts, PARTS
    bounds = (Bound(reach, total, 0, pattern, tensor, at, pattern=True),)
    if view.memory != HBM and len(view.base.shape) > 1 and not isinstance(total, Unknown):
        row = total // view.base.shape[0]
        within = offset % row + reach - new[0] * call.pattern[0][0] - offset
        bounds = (*bounds, replace(bounds[0], reach=within, size=row, axis=1))
    bounds = judged_when_made(machine, bounds, any(n == 0 for n in shape if isinstance(n, int)))
    layout = (product(view.base.shape) if problem is PARTS else total,)
    return _of(view, shape, (place,), result.dtype, layout, bounds=bounds, dynamic=view.dynamic, problem=problem)


def _differ(dtype: Any, other: Any) -> bool:
    if dtype is other:
        return False
    return isinstance(dtype, Unknown) or isinstance(other, Unknown) or bool(dtype != other)


def _seen_as(view: View, dtype: Any, total: Any) -> Any:
    """How many elements of another dtype a whole tensor holds."""
    if isinstance(dtype, DType) and isinstance(view.dtype, DType) and view.whole and not view.is_cast:
        return total * view.dtype.itemsize // dtype.itemsize
    return Unknown("the number of elements of a dtype that is not known")


def _of(view: View, shape: Any, index: tuple[Any, ...], dtype: Any, layout: Any, **more: Any) -> View:
    """Other elements of the tensor that a view is of, and of the same one where loops made several."""
    return View(view.base, shape, index, dtype, layout, instance=view.instance, **more)


def _at_offset(machine: Machine, view: View, call: Call, casts: bool, static: Any) -> Any:
    """Where a pattern reaches with an offset that a tile holds."""
    dim = call.indirect_dim
    if not isinstance(dim, int) or not 0 <= dim < len(view.shape) or casts:
        return held_index(machine, None)
    where = held_index(machine, view.shape[dim])
    reached = static + where * product(view.shape[dim + 1 :])
    return reached if isinstance(reached, Sym) else where


def _with_offset(
    machine: Machine, view: View, call: Call, casts: bool, static: Bound, leading: Any, at: Span, spans: Spans
) -> tuple[Bound, ...]:
    """What a pattern has to satisfy whose offset, one for all or one for each step of the first pair, stands in a tile:
    `static` where that is 0, and at the ends of what it may be where both are known to be among its values."""
    offset, dim = call.scalar_offset, call.indirect_dim
    if call.vector_offset is not None:
        offset, static = call.vector_offset, replace(static, reach=static.reach - leading)
    if call.vector_offset is not None and isinstance(dim, int) and dim != 0:
        index = spans.get("vector_offset", at)
        machine.need(IndirectIndex.message(index=index, operation="ap", where="axis 0"), False, at)
    if isinstance(offset, View):
        check_bounds(machine, offset, True)
    if isinstance(static.size, Unknown):
        machine.trust(at)
    if not isinstance(dim, int) or isinstance(static.reach, Unknown) or isinstance(static.size, Unknown):
        return ()
    step = product(view.shape[dim + 1 :])

    def bound(end: Int) -> Bound:
        return replace(static, reach=static.reach + end * step, added=False)

    if is_traced(offset) and not casts:
        return (bound(offset),)
    if not isinstance(offset, View) or casts:  # a register of which nothing is known, or other steps
        machine.trust(at)
        return (static,)
    return tuple(bounds_of(machine, offset, at, bound, _is_used_whole(call, offset))) or (static,)


def _is_used_whole(call: Call, offset: View) -> bool:
    count = call.pattern[0][1] if call.vector_offset is not None else 1
    return bool(key_of(product(offset.shape)) == key_of(count))


def _selected(machine: Machine, view: View, call: Call, at: Span, spans: Spans, dim: int, index: View) -> list[Bound]:
    """What an index in a tile has to satisfy, at the ends of what it may be."""
    check_bounds(machine, index, True)
    place, tensor = spans.get("index", spans.get("vector_offset", at)), spans.get("self", at)
    return bounds_of(machine, index, at, lambda end: Bound(end, view.shape[dim], dim, place, tensor, at), True)


def _vector_select(machine: Machine, view: View, call: Call, shape: Any, result: Result, at: Span, spans: Spans) -> Any:
    """For each partition of the result, a row of its own."""
    if not isinstance(call.vector_offset, View) or axes_of(call.dim, len(view.shape)) != (0,):
        return view.with_(shape=shape, problem="a selection at indices that are not known", bounds=())
    where = held_index(machine, view.shape[0])
    bounds = _selected(machine, view, call, at, spans, 0, call.vector_offset)
    moved = _moved(view, shape, [where, *_new_axes(shape)[1:]], dynamic=(*view.dynamic, call.vector_offset))
    return moved.with_(bounds=(*moved.bounds, *bounds))


def _origin(view: View) -> Any:
    mapping = {v.variable: 0 for v in view.axes() if isinstance(v, Sym)}
    return replace_in(linear_offset(view.index, view.layout), mapping)


def _same(machine: Machine, view: View, call: Call, shape: Any, result: Result, at: Span, spans: Spans) -> Any:
    return view


_HANDLERS: dict[str, Callable[..., Any]] = {
    "reshape": _reshape,
    "broadcast_to": _broadcast_to,
    "broadcast": _broadcast_dim,
    "permute": _permute,
    "rearrange": _by_names,
    "expand_dims": _inserted,
    "expand_dim": _inserted,
    "squeeze_dim": _inserted,
    "reshape_dim": _flattened,
    "flatten_dims": _flattened,
    "slice": _slice,
    "select": _select,
    "vector_select": _vector_select,
    "view": _reinterpreted,
    "reinterpret_cast": _reinterpreted,
    "ap": _access_pattern,
    "assert_shape": _same,
}
