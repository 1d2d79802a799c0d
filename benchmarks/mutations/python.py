"""What runs as Python, and the compiler of `nki` rejects."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .form import Change, at, body, calls, keyword, name_of, operator


@operator("inner function")
def _inner(function: ast.FunctionDef) -> Iterator[Change]:
    first = function.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        yield at(first, "def unused(): return None")


@operator("unpacked into items")
def _items(function: ast.FunctionDef) -> Iterator[Change]:
    for node in body(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            count = len(node.targets[0].elts)
            targets = ", ".join(f"parts[{n}]" for n in range(count))
            value, names = ast.unparse(node.value), ast.unparse(node.targets[0])
            yield at(node, f"parts = [0] * {count}; {targets} = {value}; {names} = parts")


@operator("operator on tiles")
def _operator(function: ast.FunctionDef) -> Iterator[Change]:
    for node in body(function):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and name_of(node.value) == "tensor_tensor":
            given = {k.arg: ast.unparse(k.value) for k in node.value.keywords}
            if {"dst", "data1", "data2"} <= given.keys():
                yield at(node, f"{given['dst']} = {given['data1']} + {given['data2']}")


@operator("large integer")
def _integer(function: ast.FunctionDef) -> Iterator[Change]:
    for node in body(function):
        if isinstance(node, ast.Constant) and node.value in (64, 128, 256, 512):
            yield at(node, f"min({node.value}, 1 << 40)")


@operator("minus of a tile")
def _minus(function: ast.FunctionDef) -> Iterator[Change]:
    """A tile with the sign changed, as an operand."""
    for call in calls(function, "tensor_tensor", "tensor_copy", "activation", "tensor_scalar", "tensor_reduce"):
        for name in ("data", "src", "data2"):
            given = keyword(call, name)
            if given is not None and isinstance(given.value, ast.Name):
                yield at(given.value, f"-{given.value.id}")


@operator("compared with itself")
def _itself(function: ast.FunctionDef) -> Iterator[Change]:
    """An assertion that says nothing."""
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (ast.Eq, ast.LtE)):
            yield at(node.comparators[0], ast.unparse(node.left))


UNSEEN = {
    "inner function": ("NKI803", "nki"),
    "unpacked into items": ("NKI803", "nki"),
    "large integer": ("NKI803", "nki"),
    "compared with itself": ("NKI810", ""),
    "name that changes": ("NKI812", "nki"),
    "loop in an order": ("NKI803", "nki"),
    "no decorator": ("NKI805", ""),
    "overwritten unread": ("NKI708", ""),
    "type of 64 bits": ("NKI202", ""),
}
"""Operators whose changes no run of the simulator shows: Python that the compiler of `nki` rejects, checks that say
nothing, a name that only the next run shows to have changed, kernels that are none, results that no result shows, types
that numpy has. With the rules that they break, and the dialect in which they do."""
