"""Defects in transposes by DMA, in reductions beside activations, in loops of the device, and in branches on grids."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .form import Change, at, body, calls, keyword, operator


def _made(function: ast.FunctionDef, name: str) -> Iterator[ast.Call]:
    """The calls that make what a name stands for."""
    for node in body(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and ast.unparse(node.targets[0]) == name:
            yield node.value


@operator("transpose by DMA")
def _transposed(function: ast.FunctionDef) -> Iterator[Change]:
    """Elements that descriptors of hardware do not transpose, casts, and a transpose without descriptors."""
    for call in calls(function, "dma_transpose"):
        for operand in (o for name in ("src", "dst") if (o := keyword(call, name)) is not None):
            for made in _made(function, ast.unparse(operand.value).partition(".")[0]):
                dtype = keyword(made, "dtype")
                if dtype is not None:
                    yield at(dtype.value, "nl.float32")
                    yield at(dtype.value, "nl.int32")
        mode = keyword(call, "dge_mode")
        if mode is not None:
            yield at(mode.value, "nisa.dge_mode.none")


@operator("reduced beside an activation")
def _beside(function: ast.FunctionDef) -> Iterator[Change]:
    """Functions and operators that an activation does not take, and sums with too many columns."""
    for call in calls(function, "activation_reduce"):
        for name, others in (("op", ("nl.maximum", "nl.multiply")), ("reduce_op", ("nl.exp", "nl.power"))):
            given = keyword(call, name)
            if given is not None:
                for other in others:
                    yield at(given.value, other)
        sums = keyword(call, "reduce_res")
        if sums is not None:
            for made in _made(function, ast.unparse(sums.value).partition("[")[0]):
                shape = made.args[0]
                if isinstance(shape, ast.Tuple) and len(shape.elts) == 2:
                    yield at(shape.elts[1], "2")
                    yield at(shape.elts[1], "1 + 1")


@operator("loop of the device")
def _looped(function: ast.FunctionDef) -> Iterator[Change]:
    """Loops of the device where there are none, and numbers of iterations that are several."""
    for call in calls(function, "affine_range", "sequential_range"):
        if ast.unparse(call.func).startswith("nl.") and not call.keywords:
            yield at(call.func, "nl.dynamic_range")
            yield at(call.func, "nl.fori_loop")
    for call in calls(function, "register_load"):
        if len(call.args) == 2:
            for made in _made(function, ast.unparse(call.args[1])):
                yield at(made.args[0], "(1, 2)")
                yield at(made.args[0], "(2, 1)")


@operator("loop in an order")
def _ordered(function: ast.FunctionDef) -> Iterator[Change]:
    """A loop of the device in a block of `no_reorder`, which stands in the loop."""
    for loop in body(function):
        block = loop.body[0] if isinstance(loop, ast.For) else None
        if isinstance(loop, ast.For) and isinstance(block, ast.With) and "dynamic_range" in ast.unparse(loop.iter):
            items = ", ".join(ast.unparse(item) for item in block.items)
            head = f"for {ast.unparse(loop.target)} in {ast.unparse(loop.iter)}"
            last = block.items[-1].context_expr
            end = (last.end_lineno or 0, last.end_col_offset or 0)
            yield Change(loop.lineno, loop.col_offset, *end, f"with {items}:\n{' ' * block.col_offset}{head}")


@operator("branch on a grid")
def _branch(function: ast.FunctionDef) -> Iterator[Change]:
    """What holds for some places of an index grid only, asked by Python: as a branch, and by `min` and `max`."""
    made = (n for n in body(function) if isinstance(n, ast.Assign) and "nl.arange" in ast.unparse(n.value))
    grids = {ast.unparse(n.targets[0]) for n in made}
    for node in body(function):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            mask = keyword(node.value, "mask")
            if mask is not None:
                yield at(node, f"if {ast.unparse(mask.value)}: {ast.unparse(_unmasked(node.value))}")
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            for index in node.slice.elts if isinstance(node.slice, ast.Tuple) else (node.slice,):
                if isinstance(index, ast.Name) and index.id in grids:
                    yield at(index, f"min({index.id}, 127)")
                    yield at(index, f"max({index.id}, 0)")
                    yield at(index, f"({index.id} if {index.id} < 4096 else 0)")


def _unmasked(call: ast.Call) -> ast.Call:
    return ast.Call(call.func, call.args, [k for k in call.keywords if k.arg != "mask"])
