"""What methods of a class set in its objects when these have been made already, by its text."""

from __future__ import annotations

from collections.abc import Iterator

from nkilint.base import ir
from nkilint.base.walk import walk

from ..values.objects import ClassValue, FunctionValue

_MAKING = frozenset({"__init__", "__new__", "__post_init__"})


def set_later(cls: ClassValue) -> frozenset[str]:
    """The attributes of a dataclass that methods set which making an object does not call."""
    if cls.kind != "dataclass" or cls.frozen:
        return frozenset()
    methods = {
        name: value.node
        for each in reversed(cls.mro())
        for name, value in each.attrs.items()
        if isinstance(value, FunctionValue) and value.node.params
    }
    making = {name for name in methods if name in _MAKING}
    waiting = [*making]
    while waiting:
        called = {a.name for a in _own_attributes(methods[waiting.pop()])} & methods.keys() - making
        making |= called
        waiting += called
    return frozenset(name for method in methods.keys() - making for name in set_by(methods[method]))


def _own_attributes(method: ir.FunctionDef) -> Iterator[ir.Attr]:
    """The attributes of its own object that a method mentions."""
    own = method.params[0].name
    for node in walk(method.body):
        if isinstance(node, ir.Attr) and isinstance(node.value, ir.Name) and node.value.id == own:
            yield node


def set_by(method: ir.FunctionDef) -> Iterator[str]:
    """The attributes of its own object that a method sets."""
    own = {id(node): node.name for node in _own_attributes(method)}
    for node in walk(method.body):
        if isinstance(node, ir.Stmt):
            yield from (own[id(part)] for target, _ in node.assigns for part in walk(target) if id(part) in own)
