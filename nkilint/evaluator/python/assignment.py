"""Assignment to names, attributes, subscripts and patterns."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.names import target_names
from nkilint.symbolic.integers import Sym
from nkilint_rules.operands.shape_mismatch import ShapeMismatch
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..device import updates
from ..device.inputs import as_tensor
from ..state import protocols
from ..state.machine import Machine
from ..state.protocols import items_of, set_attribute
from ..values.containers import ListValue
from ..values.inputs import InputTensor, ShapeOf
from ..values.objects import Api, Environment, Instance
from ..values.tensors import View
from .interpreter import evaluate


def assign(machine: Machine, target: ir.Expr, value: Any, env: Environment, source: ir.Expr) -> None:
    """`target = value`; `source` is the expression that gave the value."""
    if isinstance(target, ir.Name):
        if _goes_on_in_the_tile(machine, target, value, env, source):
            return
        _name_tensor(value, target.id)
        machine.assign(env, target.id, value)
    elif isinstance(target, ir.Sequence):
        _unpack(machine, target, value, env, source)
    elif isinstance(target, ir.Attr):
        set_attribute(machine, evaluate(machine, target.value, env), target.name, value)
    elif isinstance(target, ir.Index):
        container = evaluate(machine, target.value, env)
        key = evaluate(machine, target.key, env)
        protocols.store(machine, container, key, value, target)


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
    if isinstance(value, Unknown):
        for name in target_names(target):
            machine.assign(env, name, value)
        return
    if isinstance(value, ShapeOf) and not starred:
        names = {i: t.id for i, t in enumerate(target.items) if isinstance(t, ir.Name)}
        for position, name in names.items():
            if name != "_" and not name.startswith("__"):
                value.tensor.names.setdefault(position, name)
    try:
        items = items_of(machine, value, source.at, None if starred else len(target.items))
    except IsUnknown as unknown:
        for name in target_names(target):
            machine.assign(env, name, Unknown(unknown.reason))
        return
    if starred:
        at = starred[0]
        after = len(target.items) - at - 1
        if len(items) < len(target.items) - 1:
            raise IsUnknown("unpacking of too few values")
        end = len(items) - after
        items = [*items[:at], ListValue(items[at:end]), *items[end:]]
    if len(items) != len(target.items):
        _wrong_count(machine, target, value, len(items), env)
        return
    for item, element in zip(target.items, items, strict=True):
        assign(machine, item.value if isinstance(item, ir.Starred) else item, element, env, source)


def _wrong_count(machine: Machine, target: ir.Sequence, value: Any, have: int, env: Environment) -> None:
    for name in target_names(target):
        machine.assign(env, name, Unknown(f"unpacking {have} values into {len(target.items)} names"))


def augment(machine: Machine, node: ir.AugAssign, env: Environment) -> None:
    """`target op= value`; on tensors it changes the elements in place."""
    target = node.target
    if isinstance(target, ir.Index):
        container = evaluate(machine, target.value, env)
        key = evaluate(machine, target.key, env)
        before = protocols.subscript(machine, container, key, target)
        value = evaluate(machine, node.value, env)
        if isinstance(before, (View, InputTensor)):
            _update(machine, before, node.op, value, node)
            return
        if protocols.change_in_place(machine, node.op, before, value):
            protocols.store(machine, container, key, before, target)
            return
        result = _in_place(machine, node, before, value) if isinstance(before, Instance) else None
        if result is None:
            result = protocols.binary(machine, node.op, before, value, node.at)
        protocols.store(machine, container, key, result, target)
        return
    before = evaluate(machine, target, env)
    value = evaluate(machine, node.value, env)
    if isinstance(before, InputTensor) and not isinstance(value, (int, float, Sym)):
        before = as_tensor(machine, before)
    if isinstance(before, View):
        _update(machine, before, node.op, value, node)
        return
    if protocols.change_in_place(machine, node.op, before, value):
        return
    if isinstance(before, Instance):
        changed = _in_place(machine, node, before, value)
        if changed is not None:
            assign(machine, target, changed, env, node.value)
            return
    assign(machine, target, protocols.binary(machine, node.op, before, value, node.at), env, node.value)


_IN_PLACE = {
    "+": "__iadd__", "-": "__isub__", "*": "__imul__", "/": "__itruediv__", "//": "__ifloordiv__", "%": "__imod__",
    "**": "__ipow__", "&": "__iand__", "|": "__ior__", "^": "__ixor__", "<<": "__ilshift__", ">>": "__irshift__",
    "@": "__imatmul__",
}  # fmt: skip


def _in_place(machine: Machine, node: ir.AugAssign, before: Instance, value: Any) -> Any:
    """What the object's own method for `op=` gives; None where it has none."""
    method = before.cls.lookup(_IN_PLACE[node.op])
    return None if method is None else protocols.call(machine, method, [before, value], {})


def _update(machine: Machine, before: Any, op: str, value: Any, node: ir.AugAssign) -> None:
    """`tensor op= value` on elements."""
    view = as_tensor(machine, before) if isinstance(before, InputTensor) else before
    updates.update_elements(machine, view, op, value, node)


def delete(machine: Machine, target: ir.Expr, env: Environment) -> None:
    """`del container[key]` and `del value.attribute`."""
    if isinstance(target, ir.Sequence):
        for item in target.items:
            delete(machine, item, env)
    elif isinstance(target, ir.Attr):
        value = evaluate(machine, target.value, env)
        protocols.attributes_deleted(machine, value, target.name)
    elif isinstance(target, ir.Index):
        container = evaluate(machine, target.value, env)
        protocols.subscripts_deleted(machine, container, evaluate(machine, target.key, env))


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
