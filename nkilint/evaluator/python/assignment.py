"""Assignment to names, attributes, subscripts and patterns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nkilint.base import ir
from nkilint.base.names import target_names
from nkilint.symbolic.integers import Sym
from nkilint_rules.operands.shape_mismatch import ShapeMismatch
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..device import updates
from ..device.inputs import as_tensor
from ..state import protocols
from ..state.left_out import leave_out
from ..state.machine import Machine
from ..state.paths import if_unraised, in_both, of_either
from ..state.protocols import items_of, set_attribute
from ..state.refusals import count_is_guessed, refused
from ..values.choices import Among, Either, among
from ..values.containers import ListValue
from ..values.grown import GrownItems
from ..values.inputs import InputTensor, ShapeOf
from ..values.iterators import IteratorValue
from ..values.objects import Api, Environment, Instance
from ..values.tensors import View
from .interpreter import alternatives, evaluate
from .types.long_lists import part_of


def assign(machine: Machine, target: ir.Expr, value: Any, env: Environment, source: ir.Expr) -> None:
    """`target = value`; `source` is the expression that gave the value."""
    if isinstance(target, ir.Name):
        if _goes_on_in_the_tile(machine, target, value, env, source):
            return
        _name_tensor(value, target.id)
        machine.assign(env, target.id, value)
        return
    doubts = machine.doubts
    if isinstance(target, ir.Sequence):
        _unpack(machine, target, value, env, source)
    elif isinstance(target, ir.Attr):
        owner = alternatives(machine, target.value, env)
        of_either(machine, owner, lambda one: set_attribute(machine, one, target.name, value))
    elif isinstance(target, ir.Index):
        container = alternatives(machine, target.value, env)
        key = evaluate(machine, target.key, env)
        of_either(machine, container, lambda one: protocols.store(machine, one, key, value, target))
    if_unraised(machine, doubts)


def _goes_on_in_the_tile(machine: Machine, target: ir.Name, value: Any, env: Environment, source: ir.Expr) -> bool:
    """`b = nl.loop_reduce(x, op, ...)`: a tile that `b` names takes part in the reduction, and keeps its place."""
    event = machine.trace.events[-1] if machine.trace.events else None
    if not isinstance(value, View) or not isinstance(source, ir.Call) or event is None:
        return False
    name = event.operation.name if event.operation is not None else ""
    if name != "language.loop_reduce" or all(
        a.role != "write" or a.view.base is not value.base for a in event.accesses
    ):
        return False
    before = env.vars.get(target.id)
    if isinstance(before, View):
        updates.assign_elements(machine, before, value, target)
    return isinstance(before, View)


def _name_tensor(value: Any, name: str) -> None:
    if isinstance(value, View) and not value.base.name:
        value.base.name = name
    elif isinstance(value, Unknown):
        return


def _unpack(machine: Machine, target: ir.Sequence, value: Any, env: Environment, source: ir.Expr) -> None:
    starred = [i for i, item in enumerate(target.items) if isinstance(item, ir.Starred)]
    if isinstance(value, Either):
        in_both(machine, value, lambda one: _unpack(machine, target, one, env, source))
        return
    if isinstance(value, Unknown):
        _unpack_unknown(machine, target, value, env, source)
        return
    if isinstance(value, ShapeOf) and not starred:
        names = {i: t.id for i, t in enumerate(target.items) if isinstance(t, ir.Name)}
        for position, name in names.items():
            if name != "_" and not name.startswith("__"):
                value.tensor.names.setdefault(position, name)
    if starred and isinstance(value, ListValue) and isinstance(value.cell["items"], GrownItems):
        parts = _long_parts(machine, value.cell["items"], starred[0], len(target.items) - starred[0] - 1)
        if parts is not None:
            _assign_each(machine, target, parts, env, source)
            return
    try:
        items = items_of(machine, value, source.at, None if starred else len(target.items))
    except IsUnknown as unknown:
        if isinstance(value, (Instance, IteratorValue)):
            protocols.escape(machine, [value], unknown.reason)
        leave_out(machine, [value], unknown.reason, source.at, every=False)
        _unpack_unknown(machine, target, among(unknown.reason, value), env, source)
        return
    if starred:
        at = starred[0]
        after = len(target.items) - at - 1
        if len(items) < len(target.items) - 1:
            raise IsUnknown("unpacking of too few values")
        end = len(items) - after
        items = [*items[:at], ListValue(items[at:end]), *items[end:]]
    if len(items) != len(target.items):
        misfit = _misfit(machine, target, value, len(items))
        _unpack_unknown(machine, target, misfit, env, source)
        return
    _assign_each(machine, target, items, env, source)


def _assign_each(
    machine: Machine, target: ir.Sequence, items: Iterable[Any], env: Environment, source: ir.Expr
) -> None:
    for item, element in zip(target.items, items, strict=True):
        assign(machine, item.value if isinstance(item, ir.Starred) else item, element, env, source)


def _long_parts(machine: Machine, items: GrownItems, before: int, after: int) -> list[Any] | None:
    """The first and the last items of a list of symbolic length, with a list of the others between them; None where it
    may have too few."""
    length = items.length
    if not isinstance(length, Sym) or machine.truth(length >= before + after) is not True:
        return None
    rest = ListValue(part_of(machine, items, slice(before, length - after)))
    return [*map(items.at, range(before)), rest, *(items.at(length - after + i) for i in range(after))]


def _misfit(machine: Machine, target: ir.Sequence, value: Any, count: int) -> Unknown:
    """What is left where so many values are unpacked into another number of targets."""
    plain = isinstance(value, (tuple, ListValue)) and not count_is_guessed(machine, value)
    if plain and machine.in_kernel and not machine.trusting:
        said = ShapeMismatch.unpacked(count=count, targets=len(target.items), target=target.at)
        return refused(machine, "ValueError", said, target.at, value)
    return Unknown(f"unpacking {count} values into {len(target.items)} names")


def _unpack_unknown(machine: Machine, target: ir.Sequence, value: Unknown, env: Environment, source: ir.Expr) -> None:
    """Each target is something that is not known."""
    machine.doubt(value.reason)
    for item in target.items:
        assign(machine, item.value if isinstance(item, ir.Starred) else item, value, env, source)


def augment(machine: Machine, node: ir.AugAssign, env: Environment) -> None:
    """`target op= value`; on tensors it changes the elements in place."""
    target = node.target
    if isinstance(target, ir.Index):
        container = alternatives(machine, target.value, env)
        key = evaluate(machine, target.key, env)
        of_either(machine, container, lambda one: _augment_item(machine, node, one, key, target, env))
    elif isinstance(target, ir.Attr):
        owner = alternatives(machine, target.value, env)
        of_either(machine, owner, lambda one: _augment_attribute(machine, node, one, target, env))
    else:
        before = alternatives(machine, target, env)
        result = _augmented(machine, node, before, evaluate(machine, node.value, env))
        kept = isinstance(before, (View, Among)) and result is before
        if not kept and not (isinstance(before, InputTensor) and isinstance(result, View)):
            assign(machine, target, result, env, node.value)


def _augment_item(
    machine: Machine, node: ir.AugAssign, container: Any, key: Any, target: ir.Index, env: Environment
) -> None:
    before = _doubted(machine, protocols.subscript(machine, container, key, target))
    if isinstance(before, InputTensor):
        before = as_tensor(machine, before)
    result = _augmented(machine, node, before, evaluate(machine, node.value, env))
    if not isinstance(before, View):
        protocols.store(machine, container, key, result, target)


def _augment_attribute(machine: Machine, node: ir.AugAssign, owner: Any, target: ir.Attr, env: Environment) -> None:
    before = _doubted(machine, protocols.get_attribute(machine, owner, target.name, target))
    result = _augmented(machine, node, before, evaluate(machine, node.value, env))
    if not isinstance(before, View) and not (isinstance(before, InputTensor) and isinstance(result, View)):
        set_attribute(machine, owner, target.name, result)


def _augmented(machine: Machine, node: ir.AugAssign, before: Any, value: Any) -> Any:
    """What `before op= value` leaves in the place of `before`."""
    if isinstance(before, Either):
        return in_both(machine, before, lambda one: _augmented(machine, node, one, value))
    if isinstance(before, InputTensor) and not isinstance(value, (int, float, Sym)):
        before = as_tensor(machine, before)
    if isinstance(before, View):
        updates.update_elements(machine, before, node.op, value, node)
        return before
    if protocols.change_in_place(machine, node.op, before, value):
        return before
    if isinstance(before, Among):
        protocols.escape(machine, [before, value], before.reason)
        return before
    changed = _in_place(machine, node, before, value) if isinstance(before, Instance) else None
    if changed is not None:
        return changed
    return _doubted(machine, protocols.binary(machine, node.op, before, value, node.at))


def _doubted(machine: Machine, value: Any) -> Any:
    """A value of which nobody knows whether something was raised in place of it, if it is not known itself."""
    if isinstance(value, Unknown) and not isinstance(value, Either):
        machine.doubt(value.reason)
    return value


_IN_PLACE = {
    "+": "__iadd__", "-": "__isub__", "*": "__imul__", "/": "__itruediv__", "//": "__ifloordiv__", "%": "__imod__",
    "**": "__ipow__", "&": "__iand__", "|": "__ior__", "^": "__ixor__", "<<": "__ilshift__", ">>": "__irshift__",
    "@": "__imatmul__",
}  # fmt: skip


def _in_place(machine: Machine, node: ir.AugAssign, before: Instance, value: Any) -> Any:
    """What the object's own method for `op=` gives; None where it has none."""
    method = before.cls.lookup(_IN_PLACE[node.op])
    return None if method is None else protocols.call(machine, method, [before, value], {})


def delete(machine: Machine, target: ir.Expr, env: Environment) -> None:
    """`del container[key]` and `del value.attribute`."""
    if isinstance(target, ir.Sequence):
        for item in target.items:
            delete(machine, item, env)
    elif isinstance(target, ir.Attr):
        owner = alternatives(machine, target.value, env)
        of_either(machine, owner, lambda one: protocols.attributes_deleted(machine, one, target.name))
    elif isinstance(target, ir.Index):
        container = alternatives(machine, target.value, env)
        key = evaluate(machine, target.key, env)
        of_either(machine, container, lambda one: protocols.delete_item(machine, one, key, target))


def check_annotation(machine: Machine, node: ir.AnnAssign, value: Any, env: Environment) -> None:
    """`x: tensor[128, 512] = ...` has to be true."""
    annotation = node.annotation
    if not isinstance(annotation, ir.Index) or not isinstance(value, View):
        return
    kind = evaluate(machine, annotation.value, env)
    if not isinstance(kind, Api) or kind.name.rpartition(".")[2] not in ("tensor", "mutable_tensor"):
        return
    expected = evaluate(machine, annotation.key, env)
    sizes = expected if isinstance(expected, tuple) else (expected,)
    sizes = tuple(s for s in sizes if isinstance(s, (int, Sym)))
    machine.need(
        ShapeMismatch.annotation(
            tensor=target_names(node.target).pop() if target_names(node.target) else "value",
            shape=list(value.shape),
            expected=list(sizes),
        ),
        protocols.equal(machine, tuple(value.shape), sizes),
        node.at,
    )
