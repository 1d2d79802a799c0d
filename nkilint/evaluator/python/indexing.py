"""Subscripts of all values, read and assigned to; those of tensors are in `slicing`."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym
from nkilint_rules.indexing.index_assignment import IndexAssignment
from nkilint_rules.indexing.out_of_bounds import OutOfBounds
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, negation

from ..device.slicing import tensor_subscript
from ..state.machine import Machine, explained
from ..state.trace import AtWitness, Reach
from ..values import joining
from ..values.tensors import Grid, InputTensor, ShapeOf, View, grid_index
from ..values.values import (
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
    as_one,
)
from .operators import member_number

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
        from ..device.inputs import size_of

        return size_of(machine, value.tensor, key)
    if isinstance(value, RangeValue):
        return value.start + key * value.step if isinstance(key, (int, Sym)) else Unknown("slice of a range")
    if isinstance(value, Api):
        from ..device.api import api_subscript

        return api_subscript(machine, value, key, node)
    if isinstance(value, External):
        from .library.external import external_subscript

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
    from ..kernels.launch import Launcher, with_grid
    from ..values.host import HostArray, host_subscript

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
        machine.need(
            OutOfBounds.item(
                index=node.key.at, reach=Reach(key, masked=False), tensor=node.value.at, size=AtWitness(length)
            ),
            goal,
            node.at,
        )


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
        result = as_one(joining.join(machine, key == position, items[position], result, "the element"))
    return result


def _lookup(machine: Machine, value: DictValue, key: Any) -> Any:
    from .expressions import hashable

    key = hashable(key)
    if key in value.items:
        return value.items[key]
    return Unknown(f"key {key!r} of a dict" if isinstance(key, (str, int)) else "a key of a dict")


def store(machine: Machine, container: Any, key: Any, value: Any, target: ir.Index) -> None:
    """`container[key] = value`."""
    if isinstance(container, (View, InputTensor)):
        from ..device.updates import assign_elements

        view = tensor_subscript(machine, container, key, target)
        if isinstance(view, Unknown):
            from ..device.updates import write_somewhere

            machine.unknown(IncompleteAnalysis, view.reason, target.at)
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
        machine.need(IndexAssignment.message(index=target.value.at), False, target.at)
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
            as_one(joining.join(machine, key == position, value, item, "the element"))
            if (key == position) is not False
            else item
            for position, item in enumerate(items)
        ]
    else:
        items = [Unknown("a list changed at an unknown position")] * len(items)
    machine.set(container.cell, "items", tuple(items))


def update(machine: Machine, before: Any, op: str, value: Any, node: ir.AugAssign) -> None:
    """`tensor op= value` on elements."""
    from ..device.inputs import as_tensor
    from ..device.updates import update_elements

    view = as_tensor(machine, before) if isinstance(before, InputTensor) else before
    update_elements(machine, view, op, value, node)
