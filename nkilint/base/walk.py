"""Walks over lowered code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from . import ir

SCOPES = (ir.FunctionDef, ir.ClassDef, ir.Lambda)
"""What has names of its own."""


def walk(node: Any) -> Iterator[ir.Node]:
    """The node and all below it."""
    stack = [node]
    while stack:
        here = stack.pop()
        kind: Any = type(here)
        if kind is tuple or kind is list:
            stack += here
            continue
        names = _parts(kind)
        if names is not None:
            if kind is not ir.Param:
                yield here
            for name in names:
                stack.append(getattr(here, name))


_PLAIN = frozenset(
    {"Any", "Span", "bool", "frozenset[str]", "int", "str", "str | None", "tuple[str, ...]", "tuple[str | None, ...]"}
)  # types of fields without nodes


@cache
def _parts(kind: type[Any]) -> tuple[str, ...] | None:
    """The fields of a node that hold nodes; None for what is no node."""
    if not issubclass(kind, (ir.Node, ir.Param)):
        return None
    return tuple(f.name for f in fields(kind) if f.type not in _PLAIN)


def parts(node: Any) -> Iterator[Any]:
    """The nodes and parameters that a node holds directly, in the order of its fields."""
    kind: Any = type(node)
    for name in _parts(kind) or ():
        stack = [getattr(node, name)]
        while stack:
            here = stack.pop()
            kind = type(here)
            if kind is tuple:
                stack.extend(reversed(here))
            elif _parts(kind) is not None:
                yield here


def statements(block: Iterable[ir.Stmt]) -> Iterator[ir.Stmt]:
    """The statements of a block and of the blocks within; functions and classes are left closed."""
    stack = list(block)
    while stack:
        here = stack.pop()
        yield here
        if not isinstance(here, SCOPES):
            stack += (part for part in parts(here) if isinstance(part, ir.Stmt))


def root_of(node: ir.Expr) -> str:
    """The name that a chain of attributes begins with; empty where it begins with something else."""
    while isinstance(node, ir.Attr):
        node = node.value
    return node.id if isinstance(node, ir.Name) else ""
