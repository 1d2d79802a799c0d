"""Subscripts: of sequences and dicts, of index grids, and of tensors in both styles of indexing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nkilint_rules.conditions import IsUnknown, Unknown, all_of, negation
from nkilint_rules.operation import BETA1, HBM

from .. import ir
from ..symbolic.conditions import Cond
from ..symbolic.evaluation import variables
from ..symbolic.integers import Sym, key_of
from . import joining
from .inputs import settled_number
from .machine import Explained, Machine, explained
from .operators import member_number
from .substitution import in_bound
from .tensors import (
    Bound,
    Grid,
    InputTensor,
    Lookup,
    ShapeOf,
    View,
    axis,
    broadcast_grids,
    fit_axes,
    grid_index,
    replace_in,
)
from .values import (
    Api,
    ClassValue,
    DictValue,
    External,
    FunctionValue,
    GrowingItems,
    GrownItems,
    Instance,
    ListValue,
    RangeValue,
    Real,
)

MAX_CHOICES = 64


def subscript(machine: Machine, value: Any, key: Any, node: ir.Index) -> Any:
    """`value[key]`."""
    key = tuple(map(member_number, key)) if type(key) is tuple else member_number(key)
    if isinstance(value, Unknown):
        return value
    if isinstance(value, (View, InputTensor)):
        return tensor_subscript(machine, value, key, node)
    if isinstance(value, Grid):
        parts = key if isinstance(key, tuple) else (key,)
        return grid_index(value, parts)
    if isinstance(key, Unknown):
        return key
    if isinstance(value, (tuple, ListValue, str)):
        return _element(machine, value, key, node)
    if isinstance(value, DictValue):
        return _lookup(machine, value, key)
    if isinstance(value, ShapeOf):
        from .inputs import size_of

        return size_of(machine, value.tensor, key)
    if isinstance(value, RangeValue):
        return value.start + key * value.step if isinstance(key, (int, Sym)) else Unknown("slice of a range")
    if isinstance(value, Api):
        from .api import api_subscript

        return api_subscript(machine, value, key, node)
    if isinstance(value, External):
        from .external import external_subscript

        return external_subscript(machine, value, key)
    if isinstance(value, Instance):
        method = value.cls.lookup("__getitem__")
        if isinstance(method, FunctionValue):
            from .calls import call_function

            return call_function(machine, method, [value, key], {})
        if value.cls.kind == "namedtuple" and isinstance(key, int):
            return value.attrs[value.cls.fields[key][0]]
    if isinstance(value, ClassValue):
        if value.kind == "enum" and isinstance(key, str):
            return value.attrs.get(key, Unknown(f"`{value.name}` has no `{key}`"))
        return value
    from .host import HostArray, host_subscript
    from .launch import Launcher, with_grid

    if isinstance(value, HostArray):
        return host_subscript(machine, value, key)
    if isinstance(value, (FunctionValue, Launcher)):
        return with_grid(machine, value, key, node)
    return Unknown(f"subscript of {type(value).__name__}")


def _element(machine: Machine, value: Any, key: Any, node: ir.Index) -> Any:
    if isinstance(value, ListValue) and isinstance(value.cell["items"], GrownItems):
        items = value.cell["items"]
        if isinstance(key, slice):
            raise IsUnknown("a slice of a list of symbolic length")
        _check_position(machine, key, items.length, node)
        if isinstance(key, int) and key < 0:
            key = items.length + key
        found = items.at(key)
        if isinstance(found, Unknown) and isinstance(key, Sym):
            machine.selecting.update(variables(key))
        return found
    if isinstance(value, ListValue) and isinstance(value.cell["items"], GrowingItems):
        added = value.cell["items"].added
        if isinstance(key, int) and isinstance(added, tuple) and -len(added) <= key < 0:
            return added[key]
    sequence = value.items if isinstance(value, ListValue) else value
    if isinstance(key, slice):
        if not all(p is None or isinstance(p, int) for p in (key.start, key.stop, key.step)):
            return Unknown("a slice of a sequence with symbolic bounds")
        part = sequence[key]
        return ListValue(part) if isinstance(value, ListValue) else part
    if isinstance(key, bool) or not isinstance(key, (int, Sym)):
        return Unknown("a subscript that is no integer")
    if isinstance(value, ListValue):
        _check_position(machine, key, len(sequence), node)
    if isinstance(key, int):
        if not -len(sequence) <= key < len(sequence):
            why = f"subscript {key} of a sequence of {len(sequence)}"
            return explained(why) if isinstance(value, ListValue) else Unknown(why)
        return sequence[key]
    return _chosen(machine, sequence, key)


def _check_position(machine: Machine, key: Any, length: Any, node: ir.Index) -> None:
    """Lists have no item past their last, nor before their first."""
    if isinstance(key, (int, Sym)) and not isinstance(key, bool):
        goal = all_of((key >= -length, key < length))
        machine.need("NKI301", goal, node.at, "item", index=node.key.at, reach=key, tensor=node.value.at, size=length)


def _chosen(machine: Machine, items: Any, key: Sym) -> Any:
    """The element at a symbolic position."""
    if items and all(joining.same(items[0], item) for item in items[1:]):
        return items[0]
    if len(items) > MAX_CHOICES or any(isinstance(item, (View, ListValue)) for item in items):
        machine.selecting.update(variables(key))
    if not items or len(items) > MAX_CHOICES:
        return Unknown("a symbolic position in a long sequence")
    low, high = key.bounds
    first = max(0, int(low)) if low != float("-inf") else 0
    last = min(len(items) - 1, int(high)) if high != float("inf") else len(items) - 1
    if last < first:
        return Unknown("a position outside the sequence")
    chosen = items[first : last + 1]
    bases = {id(item.base) for item in chosen if isinstance(item, View)}
    if 1 < len(bases) == len(chosen):
        choices = [key == position for position in range(first, last + 1)]
        if not (first <= low and high <= last):
            choices[-1] = all_of(negation(choice) for choice in choices[:-1])
        return joining.one_of(machine, chosen, tuple(choices), "the element")
    result = items[last]
    for position in range(last - 1, first - 1, -1):
        result = joining.join(machine, key == position, items[position], result, "the element")
    return result


def _lookup(machine: Machine, value: DictValue, key: Any) -> Any:
    from .expressions import hashable

    key = hashable(key)
    if key in value.items:
        return value.items[key]
    return Unknown(f"key {key!r} of a dict" if isinstance(key, (str, int)) else "a key of a dict")


# --- tensors ---


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
        from .inputs import as_tensor, no_rank

        items = key if isinstance(key, tuple) else (key,)
        count = sum(1 for i in items if i is not None and i is not Ellipsis)
        if value.is_open and any(isinstance(i, (int, Sym)) for i in items):
            return Unknown(no_rank(value.name))
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
        from .inputs import no_rank

        return Unknown(no_rank(view.base.name))
    if count > len(view.shape):
        machine.need("NKI105", False, node.at, template="subscript", given=count, rank=len(view.shape))
        return explained("a tensor with more subscripts than dimensions")
    return _advanced(machine, view, parts, node) if advanced else _basic(machine, view, parts, node)


def _masked(view: View, mask: Any) -> View:
    """`tensor[predicate]`: the elements for which it holds."""
    if isinstance(mask, Grid):
        mask = fit_axes(mask.value, mask.shape, view.shape) if len(mask.shape) <= len(view.shape) else mask.value
    return view.with_(mask=all_of((view.mask, mask)))


def _basic(machine: Machine, view: View, parts: list[_Part], node: ir.Index) -> Any:
    """Integers, slices and new axes."""

    fixed: dict[int, Any] = {}
    sizes: list[Any] = []
    sources: list[tuple[int, Any, Any] | None] = []
    checks: list[tuple[Any, Any, int, ir.Span]] = []
    dimension = 0
    for part in parts:
        if part.value is None:
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
            checks.append((where, size, dimension, part.at))
        dimension += 1
    while len(sizes) < _least_rank(machine, view):
        sizes.append(1)
        sources.append(None)
    return _reindexed(view, sizes, sources, fixed, checks, parts, node, machine)


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
                wording = None if isinstance(bound, float) else "symbolic"
                machine.need(
                    "NKI811", False, at, wording, expression=at, type="float", value=repr(bound), use="an index"
                )
                raise IsUnknown(Explained("a slice whose bound is no integer"))
            raise IsUnknown("a slice whose bound is no integer")
    step = 1 if part.step is None else part.step
    start = 0 if part.start is None else part.start
    stop = size if part.stop is None else part.stop
    if isinstance(start, int) and start < 0:
        start = size + start
    if isinstance(stop, int) and stop < 0:
        stop = size + stop
    if isinstance(step, int) and step < 1:
        raise IsUnknown("a slice whose step is not positive")
    length = stop - start
    return start, length if isinstance(step, int) and step == 1 else -((-length) // step), step


def _position(machine: Machine, value: Any, size: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, Sym)):
        if isinstance(value, InputTensor):
            from .inputs import as_number

            return _position(machine, as_number(machine, value), size)
        return Unknown("a subscript that is no integer")
    return size + value if isinstance(value, int) and value < 0 else value


def _reindexed(
    view: View,
    sizes: list[Any],
    sources: list[tuple[int, Any, Any] | None],
    fixed: dict[int, Any],
    checks: list[tuple[Any, Any, int, ir.Span]],
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
            machine.need("NKI301", True)
        else:
            bounds.append(Bound(reach, view.shape[dimension], dimension, spans[dimension], node.value.at, node.at))
    for dimension, where in fixed.items():
        before = axis(old_rank - 1 - dimension, view.shape[dimension])
        if isinstance(before, Sym):
            mapping[before.variable] = where
        if _within(where, 1, 1, view.shape[dimension]) is True:
            machine.need("NKI301", True)
        else:
            bounds.append(Bound(where, view.shape[dimension], dimension, spans[dimension], node.value.at, node.at))
    return view.with_(
        shape=tuple(sizes),
        index=tuple(replace_in(i, mapping) for i in view.index),
        mask=replace_in(view.mask, mapping),
        bounds=(*(in_bound(b, mapping) for b in view.bounds), *bounds),
    )


def _within(start: Any, count: Any, step: Any, size: Any) -> Any:
    if isinstance(step, int) and step == 1:
        return all_of((start >= 0, start + count <= size))
    return all_of((start >= 0, start + (count - 1) * step < size))


def _advanced(machine: Machine, view: View, parts: list[_Part], node: ir.Index) -> Any:
    """Index grids, integers, and tensors that hold indices."""
    for part in parts:
        if isinstance(part.value, slice):
            machine.need("NKI303", False, node.at, tensor=node.value.at)
            return explained("index grids and slices in one subscript")
        if isinstance(part.value, Grid) and part.value.is_mask:
            return Unknown("a mask as a subscript")
        if isinstance(part.value, Grid) and len(part.value.shape) < 2 and machine.dialect == BETA1:
            machine.need("NKI302", False, node.at, tensor=node.value.at, index=part.at)
            return explained("an index grid of one dimension as a subscript")
    old_rank = len(view.shape)
    rank = max(len(p.value.shape) for p in parts if isinstance(p.value, (Grid, View)))
    shapes = [_index_shape(p.value, rank) for p in parts if isinstance(p.value, (Grid, View))]
    shape, needs = broadcast_grids(shapes)
    for need in needs:
        machine.need("NKI204", need, node.at, template="index grids of {left} and {right} do not broadcast",
                     left=list(shapes[0]), right=list(shapes[-1]))  # fmt: skip
        machine.assume(need, "granted")
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
            if part.value.dynamic:
                lookups.append(Lookup(part.at, node.at, False, False))
        elif isinstance(part.value, View):
            where = machine.fresh_sym("index", "runtime", None, None, "an index held in a tensor")
            dynamic.append(part.value)
            spread = negation(all_of(n == 1 for n in part.value.shape[1:]))
            many = not (isinstance(part.value.shape[0], int) and part.value.shape[0] == 1)
            lookups.append(Lookup(part.at, node.at, spread, part.value.mesh and many))
        else:
            where = _position(machine, part.value, size)
        if isinstance(where, Unknown):
            problem = where.reason
            where = machine.fresh_sym("index", "runtime", None, None, problem)
        before = axis(old_rank - 1 - dimension, size)
        if isinstance(before, Sym):
            mapping[before.variable] = where
        if isinstance(part.value, View) or (isinstance(part.value, Grid) and part.value.dynamic):
            machine.trust(part.at)
            continue
        if all_of((where >= 0, where < size)) is True:
            machine.need("NKI301", True)
        else:
            bounds.append(Bound(where, size, dimension, part.at, node.value.at, node.at))
    return view.with_(
        shape=shape,
        index=tuple(replace_in(i, mapping) for i in view.index),
        mask=True if view.mask is True else replace_in(view.mask, mapping),
        bounds=(*(in_bound(b, mapping) for b in view.bounds), *bounds),
        dynamic=tuple(dynamic),
        lookups=tuple(lookups),
        mesh=mesh,
        problem=problem,
    )


def _index_shape(value: Grid | View, rank: int) -> tuple[Any, ...]:
    """A tile of indices, one in each partition, stands along the first axis."""
    if isinstance(value, View) and len(value.shape) == 2 and isinstance(value.shape[1], int) and value.shape[1] == 1:
        return (value.shape[0], *(1,) * (rank - 1))
    return value.shape


# --- assignment ---


def store(machine: Machine, container: Any, key: Any, value: Any, target: ir.Index) -> None:
    """`container[key] = value`."""
    if isinstance(container, (View, InputTensor)):
        from .updates import assign_elements

        view = tensor_subscript(machine, container, key, target)
        if isinstance(view, Unknown):
            from .updates import write_somewhere

            machine.unknown("NKI003", view.reason, target.at)
            write_somewhere(machine, container, view.reason, target.at)
        else:
            assign_elements(machine, view, value, target)
    elif isinstance(container, ListValue):
        machine.contain(value)
        _store_item(machine, container, key, value)
    elif isinstance(container, DictValue):
        from .expressions import hashable

        machine.contain(value)
        try:
            items: Any = {**container.items, hashable(key): value}
        except IsUnknown as unknown:
            items = Unknown(unknown.reason)
        machine.set(container.cell, "items", items)
    elif isinstance(container, Grid):
        machine.need("NKI305", False, target.at, index=target.value.at)
    elif isinstance(container, Instance):
        method = container.cls.lookup("__setitem__")
        if isinstance(method, FunctionValue):
            from .calls import call_function

            call_function(machine, method, [container, key, value], {})


def _store_item(machine: Machine, container: ListValue, key: Any, value: Any) -> None:
    if not isinstance(container.cell["items"], tuple):
        machine.set(container.cell, "items", Unknown("an assignment into a list of symbolic length"))
        return
    items = list(container.items)
    if isinstance(key, int) and not isinstance(key, bool):
        if -len(items) <= key < len(items):
            items[key] = value
    elif isinstance(key, Sym) and len(items) <= MAX_CHOICES:
        items = [
            joining.join(machine, key == position, value, item, "the element")
            if (key == position) is not False
            else item
            for position, item in enumerate(items)
        ]
    else:
        items = [Unknown("a list changed at an unknown position")] * len(items)
    machine.set(container.cell, "items", tuple(items))


def update(machine: Machine, before: Any, op: str, value: Any, node: ir.AugAssign) -> None:
    """`tensor op= value` on elements."""
    from .inputs import as_tensor
    from .updates import update_elements

    view = as_tensor(machine, before) if isinstance(before, InputTensor) else before
    update_elements(machine, view, op, value, node)
