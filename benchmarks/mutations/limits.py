"""Sizes, ends and masks that are a little or much too large or too small."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .form import LOOPS, Change, at, body, calls, keyword, operator, without


@operator("limit off by one")
def _limit(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function, *LOOPS):
        if len(call.args) == 1:
            yield at(call.args[0], f"{ast.unparse(call.args[0])} + 1")
            yield at(call.args[0], f"{ast.unparse(call.args[0])} - 1")
    for node in body(function):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt) and len(node.ops) == 1:
            yield at(node, f"({ast.unparse(node.left)} <= {ast.unparse(node.comparators[0])})")


@operator("dropped mask")
def _dropped_mask(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function, "load", "store"):
        mask = keyword(call, "mask")
        if mask is not None:
            yield without(call, mask)


@operator("tile-granular mask")
def _tile_mask(function: ast.FunctionDef) -> Iterator[Change]:
    for node in body(function):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Add):
            yield at(node.left, ast.unparse(node.left.left))


@operator("floor for ceil")
def _floor(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function, "ceil"):
        (quotient,) = call.args
        assert isinstance(quotient, ast.BinOp)
        yield at(call, f"{ast.unparse(quotient.left)} // {ast.unparse(quotient.right)}")
    for node in body(function):
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.FloorDiv)
            and isinstance(node.left, ast.BinOp)
            and isinstance(node.left.op, ast.Add)
        ):
            yield at(node, f"{ast.unparse(node.left.left)} // {ast.unparse(node.right)}")
    for call in calls(function, "min"):
        yield at(call, ast.unparse(call.args[0]))


@operator("dropped outer bound")
def _outer_bound(function: ast.FunctionDef) -> Iterator[Change]:
    """One of several conditions of a mask, or the end that cuts a range short."""
    for node in body(function):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd) and isinstance(node.left, ast.Compare):
            yield at(node, f"({ast.unparse(node.left)})")
            yield at(node, f"({ast.unparse(node.right)})")
    for call in calls(function, "min"):
        for argument in call.args:
            yield at(call, ast.unparse(argument))


@operator("skipped first part")
def _first(function: ast.FunctionDef) -> Iterator[Change]:
    """The head or the tail of an axis: a loop that starts late, a slice that begins late."""
    for call in calls(function, "affine_range", "sequential_range", "range"):
        if len(call.args) == 1:
            yield at(call.args[0], f"1, {ast.unparse(call.args[0])}")
    for node in body(function):
        if isinstance(node, ast.Slice) and isinstance(node.lower, ast.Constant) and node.upper is not None:
            yield at(node.lower, f"{node.lower.value} + 1")


@operator("wrong tile constant")
def _constant(function: ast.FunctionDef) -> Iterator[Change]:
    for node in body(function):
        if isinstance(node, ast.Constant) and node.value in (128, 256, 512):
            yield at(node, str(node.value * 2))
            yield at(node, str(node.value // 2))


@operator("index off by one")
def _index(function: ast.FunctionDef) -> Iterator[Change]:
    for node in body(function):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            for part in node.slice.elts:
                if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
                    yield at(part, f"{ast.unparse(part)} + 1")
                elif isinstance(part, ast.Slice) and part.upper is not None:
                    yield at(part.upper, f"{ast.unparse(part.upper)} + 1")


@operator("wrong axis")
def _axis(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function):
        axis = keyword(call, "axis")
        if axis is not None:
            yield at(axis.value, {"1": "0", "(1,)": "(0,)", "[3, 4]": "[2, 4]"}[ast.unparse(axis.value)])


@operator("tail of an axis")
def _tail(function: ast.FunctionDef) -> Iterator[Change]:
    """A loop or a mask that leaves out what is beyond whole tiles."""
    for call in calls(function, "range", "affine_range", "sequential_range"):
        if len(call.args) == 3:
            end, step = (ast.unparse(a) for a in call.args[1:])
            yield at(call.args[1], f"{end} // {step} * {step}")
    for node in body(function):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt) and isinstance(node.left, ast.BinOp):
            end = node.comparators[0]
            yield at(end, f"{ast.unparse(end)} // 128 * 128")


@operator("shorter slice")
def _shorter(function: ast.FunctionDef) -> Iterator[Change]:
    for node in body(function):
        if isinstance(node, ast.Slice) and node.upper is not None:
            yield at(node.upper, f"{ast.unparse(node.upper)} - 1")


@operator("window off by one")
def _window(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function, "ds"):
        start, size = call.args
        yield at(start, f"{ast.unparse(start)} + 1")
        yield at(size, f"{ast.unparse(size)} + 1")
        yield at(size, f"{ast.unparse(size)} - 1")
