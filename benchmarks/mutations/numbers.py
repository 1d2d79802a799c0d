"""Offsets, indices, powers and other numbers that sizes and places are made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .form import Change, at, body, calls, keyword, name_of, names_in, operator


@operator("offset of a pattern")
def _offset(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function, "ap"):
        offset = keyword(call, "offset")
        if offset is not None:
            yield at(offset.value, f"{ast.unparse(offset.value)} + 1")
            yield at(offset.value, f"{ast.unparse(offset.value)} + 40000")


@operator("value of an index")
def _index_value(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function, "memset", "iota"):
        value = keyword(call, "value") or keyword(call, "offset")
        if value is not None and isinstance(value.value, ast.Constant) and isinstance(value.value.value, int):
            yield at(value.value, f"{value.value.value} + 1")
            yield at(value.value, "-1000")
    subscripts = {n.id for s in body(function) if isinstance(s, ast.Subscript) for n in names_in(s.slice)}
    for node in body(function):
        called = node.value if isinstance(node, ast.Assign) else None
        counted = isinstance(called, ast.Call) and name_of(called) == "iota" and called.args
        if counted and ast.unparse(node.targets[0]) in subscripts:
            yield at(called.args[0], f"{ast.unparse(called.args[0])} + 1")
            yield at(called.args[0], f"{ast.unparse(called.args[0])} - 200")


@operator("range of integers")
def _narrow(function: ast.FunctionDef) -> Iterator[Change]:
    """A type of integers that is too small for what a tile counts, steps that are too large, a mask of a bit more."""
    for call in calls(function, "ndarray", "iota", "zeros"):
        dtype = keyword(call, "dtype")
        if dtype is not None and ast.unparse(dtype.value) == "nl.int32":
            yield at(dtype.value, "nl.int8")
            yield at(dtype.value, "nl.uint8")
    for call in calls(function, "iota"):
        step = keyword(call, "channel_multiplier")
        if step is not None:
            yield at(step.value, f"3 * {ast.unparse(step.value)}")
    for call in calls(function, "tensor_scalar"):
        bits, mask = keyword(call, "op0"), keyword(call, "operand0")
        if bits is not None and ast.unparse(bits.value) == "nl.bitwise_and" and mask is not None:
            yield at(mask.value, f"2 * {ast.unparse(mask.value)} + 1")


@operator("power of two")
def _power(function: ast.FunctionDef) -> Iterator[Change]:
    for node in body(function):
        power = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Pow, ast.LShift, ast.RShift))
        if isinstance(node, ast.BinOp) and power and not isinstance(node.right, ast.Constant):
            yield at(node.right, f"({ast.unparse(node.right)} + 1)")
            yield at(node.right, f"({ast.unparse(node.right)} - 1)")


@operator("numbers of an array")
def _array(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function, "array", "arange"):
        for part in ast.walk(call):
            if isinstance(part, ast.Constant) and isinstance(part.value, int):
                yield at(part, f"{part.value} + 1")


@operator("sizes of a pattern")
def _pattern(function: ast.FunctionDef) -> Iterator[Change]:
    """Steps and counts of an access pattern."""
    for call in calls(function, "ap"):
        pattern = keyword(call, "pattern")
        for part in ast.walk(pattern.value) if pattern is not None else ():
            if isinstance(part, ast.Constant) or (isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)):
                yield at(part, f"{ast.unparse(part)} + 1")


@operator("scalar size")
def _scalar(function: ast.FunctionDef) -> Iterator[Change]:
    """A number that the kernel takes, one too large or too small where it is used."""
    scalars = {a.arg for a in function.args.args if a.annotation is not None and ast.unparse(a.annotation) == "int"}
    for node in body(function):
        if isinstance(node, ast.Name) and node.id in scalars:
            yield at(node, f"({node.id} + 1)")
            yield at(node, f"({node.id} - 1)")
