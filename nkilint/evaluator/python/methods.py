"""Methods of built-in values and of tensors."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint_rules.operands.unknown_api import UnknownApi
from nkilint_rules.operations import lookup
from nkilint_rules.operations.form import Result
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..device import binding, operations, views
from ..device import requirements as stating
from ..state.machine import Machine
from ..values.host import HostArray, host_method
from ..values.tensors import Grid, View
from ..values.values import ClassValue, DictValue, GrownItems, Instance, ListValue, Text
from . import comparisons
from .iteration import items_of


def call_method(
    machine: Machine, receiver: Any, name: str, args: list[Any], kwargs: dict[str, Any], node: ir.Call | None
) -> Any:
    if isinstance(receiver, View):
        return tensor_method(machine, receiver, name, args, kwargs, node)
    if isinstance(receiver, ListValue):
        return _list_method(machine, receiver, name, args)
    if isinstance(receiver, DictValue):
        return _dict_method(machine, receiver, name, args, kwargs)
    if isinstance(receiver, (str, Text)):
        return _text_method(receiver, name, args, kwargs)
    if isinstance(receiver, tuple):
        return _tuple_method(machine, receiver, name, args)
    if isinstance(receiver, Grid):
        return _grid_method(machine, receiver, name, args, kwargs)
    if isinstance(receiver, HostArray):
        return host_method(machine, receiver, name, args, kwargs)
    if isinstance(receiver, Instance):
        return _instance_method(receiver, name, args, kwargs)
    if isinstance(receiver, (int, float)) and name == "bit_length" and isinstance(receiver, int):
        return receiver.bit_length()
    if isinstance(receiver, float) and name == "is_integer":
        return receiver.is_integer()
    if isinstance(receiver, ClassValue) and name == "_make" and args:
        from .calls import instantiate

        return instantiate(machine, receiver, items_of(machine, args[0]), {}, node)
    return Unknown(f"method `{name}` of {type(receiver).__name__}")


# --- Python's containers ---


_CHANGING = frozenset(("append", "extend", "insert", "pop", "clear", "reverse", "sort", "remove"))


def _list_method(machine: Machine, receiver: ListValue, name: str, args: list[Any]) -> Any:
    cell = receiver.cell
    if name in _CHANGING and isinstance(cell["items"], GrownItems):
        machine.set(cell, "items", Unknown(f"`{name}` on a list of symbolic length"))
        raise IsUnknown(f"`{name}` on a list of symbolic length")
    machine.contain(*args)
    if name == "append":
        machine.set(cell, "items", receiver.extended((args[0],)))
    elif name == "extend":
        machine.set(cell, "items", receiver.extended(tuple(items_of(machine, args[0]))))
    elif name == "insert" and isinstance(args[0], int):
        items = list(receiver.items)
        items.insert(args[0], args[1])
        machine.set(cell, "items", tuple(items))
    elif name == "pop" and receiver.items and all(isinstance(a, int) for a in args):
        items = list(receiver.items)
        item = items.pop(*args)
        machine.set(cell, "items", tuple(items))
        return item
    elif name == "popleft" and receiver.items:
        machine.set(cell, "items", receiver.items[1:])
        return receiver.items[0]
    elif name == "appendleft":
        machine.set(cell, "items", (args[0], *receiver.items))
    elif name == "clear":
        machine.set(cell, "items", ())
    elif name == "copy":
        return ListValue(receiver.items)
    elif name == "reverse":
        machine.set(cell, "items", receiver.items[::-1])
    elif name == "sort" and all(isinstance(i, (int, float, str)) for i in receiver.items):
        machine.set(cell, "items", tuple(sorted(receiver.items)))
    elif name in ("index", "count", "remove"):
        return _search(machine, receiver, name, args[0])
    else:
        raise IsUnknown(f"method `{name}` of a list")
    return None


def _search(machine: Machine, receiver: Any, name: str, item: Any) -> Any:
    items = receiver.items if isinstance(receiver, ListValue) else receiver
    matches = [comparisons.equal(machine, item, element) for element in items]
    if not all(isinstance(m, bool) for m in matches):
        return Unknown(f"method `{name}` on symbolic values")
    if name == "count":
        return sum(matches)
    if True not in matches:
        return Unknown("a value that is not in the list")
    position = matches.index(True)
    if name == "index":
        return position
    machine.set(receiver.cell, "items", items[:position] + items[position + 1 :])
    return None


def _tuple_method(machine: Machine, receiver: tuple[Any, ...], name: str, args: list[Any]) -> Any:
    return (
        _search(machine, receiver, name, args[0])
        if name in ("index", "count") and args
        else Unknown(f"method `{name}`")
    )


def _dict_method(machine: Machine, receiver: DictValue, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from .expressions import hashable

    items = receiver.items
    if name == "get":
        return items.get(hashable(args[0]), args[1] if len(args) > 1 else None)
    if name == "items":
        return ListValue((k, v) for k, v in items.items())
    if name == "keys":
        return ListValue(items)
    if name == "values":
        return ListValue(items.values())
    if name == "copy":
        return DictValue(items, receiver.kind)
    if name == "update":
        more = args[0].items if args and isinstance(args[0], DictValue) else {}
        machine.set(receiver.cell, "items", {**items, **more, **kwargs})
        return None
    if name == "setdefault":
        key = hashable(args[0])
        if key not in items:
            machine.set(receiver.cell, "items", {**items, key: args[1] if len(args) > 1 else None})
        return receiver.items[key]
    if name == "pop":
        key = hashable(args[0])
        found = items.get(key, args[1] if len(args) > 1 else Unknown("a key that is not in the dict"))
        machine.set(receiver.cell, "items", {k: v for k, v in items.items() if k != key})
        return found
    if name == "add":
        machine.set(receiver.cell, "items", {**items, hashable(args[0]): None})
        return None
    if name in ("union", "difference", "intersection") and len(args) == 1:
        other = {hashable(i): None for i in items_of(machine, args[0])}
        if name == "union":
            return DictValue({**items, **other}, "set")
        kept = {k: None for k in items if (k in other) == (name == "intersection")}
        return DictValue(kept, "set")
    raise IsUnknown(f"method `{name}` of a dict")


_TEXT_METHODS = frozenset(
    [
        "upper",
        "lower",
        "strip",
        "lstrip",
        "rstrip",
        "startswith",
        "endswith",
        "replace",
        "split",
        "join",
        "title",
        "capitalize",
        "isdigit",
        "find",
        "count",
        "zfill",
    ]
)


def _text_method(receiver: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    plain = [list(a.items) if isinstance(a, ListValue) else a for a in args]
    texts = all(
        isinstance(a, (str, int, tuple)) or (isinstance(a, list) and all(isinstance(i, str) for i in a)) for a in plain
    )
    if isinstance(receiver, str) and name in _TEXT_METHODS and texts and not kwargs:
        result = getattr(receiver, name)(*plain)
        return ListValue(result) if isinstance(result, list) else result
    if name in ("startswith", "endswith", "isdigit", "find", "count", "split"):
        return Unknown("method of a string that is not known")
    return Text()


def _instance_method(receiver: Instance, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if name == "_replace":
        return Instance(receiver.cls, {**receiver.attrs, **kwargs})
    if name == "_asdict":
        return DictValue(receiver.attrs)
    return Unknown(f"method `{name}` of `{receiver.cls.name}`")


def _grid_method(machine: Machine, receiver: Grid, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return Unknown(f"method `{name}` of an index grid")


# --- tensors ---


def tensor_method(
    machine: Machine, view: View, name: str, args: list[Any], kwargs: dict[str, Any], node: ir.Call | None
) -> Any:
    """A method of a tensor: its definition's rules, then its index arithmetic."""
    at = node.at if node is not None else machine.at
    operation = lookup(machine.dialect, f"tensor.{name}")
    if operation is None:
        machine.need(
            UnknownApi.message(name=f"tensor.{name}"), Unknown(f"method `{name}` of a tensor is not documented"), at
        )
        return Unknown(f"method `{name}` of a tensor")
    if not machine.in_kernel:
        return Unknown("a tensor outside a kernel")
    call = binding.bind_call(machine, operation, machine.dialect, [view, *args], kwargs, at, node)
    if isinstance(call, Unknown):
        return call
    if name == "astype" or operation.kind == "host":
        return operations.perform(machine, call, at, node) if name == "astype" else _query(view, name)
    try:
        result = operation.result(call) if operation.result else None
    except IsUnknown as unknown:
        return Unknown(unknown.reason)
    if not isinstance(result, Result):
        return result
    call.result = result
    stating.state_rules(machine, call, at, node)
    for size in result.shape:
        if isinstance(size, Unknown):
            return size
    spans: dict[str, Any] = {}
    if node is not None and isinstance(node.func, ir.Attr):
        found = {name: stating.argument_node(node, name, call) for name in call.given}
        spans = {name: argument.at for name, argument in found.items() if argument is not None}
        spans["self"] = node.func.value.at
    return views.rearrange(machine, view, name, call, result, at, spans)


def _query(view: View, name: str) -> Any:
    if name in ("is_indirect",):
        return bool(view.dynamic)
    return Unknown(f"`{name}` of a tensor")
