"""Defects in other forms that they can be written in: of operators, in branches and loops, by host code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import copy

from .form import LOOPS, Change, at, body, calls, keyword, name_of, names_in, operator, shaped


@operator("partitions of an operand")
def _partitions(function: ast.FunctionDef) -> Iterator[Change]:
    """An operand with some of its partitions only, of an operator, a function and an instruction."""
    for node in body(function):
        if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Name) and node.right.id in _tiles(function):
            yield at(node.right, f"{node.right.id}[0:16]")
    for call in calls(function, "add", "subtract", "multiply", "maximum"):
        if len(call.args) == 2 and isinstance(call.args[1], ast.Name) and call.args[1].id in _tiles(function):
            one, other = (ast.unparse(a) for a in call.args)
            yield at(call.args[1], f"{other}[0:16]")
            yield at(call, f"({one} + {other}[0:16])")
    for call in calls(function, "tensor_tensor"):
        other = keyword(call, "data2")
        if other is not None and isinstance(other.value, ast.Name):
            yield at(other.value, f"{other.value.id}[0:16]")


def _tiles(function: ast.FunctionDef) -> set[str]:
    """The names of what is loaded or computed."""
    made = (n for n in body(function) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call))
    return {ast.unparse(n.targets[0]) for n in made if ast.unparse(n.value.func).startswith(("nl.", "nisa."))}  # type: ignore[attr-defined]


@operator("dimension of an index")
def _dimension(function: ast.FunctionDef) -> Iterator[Change]:
    """An index that a tile holds, in another dimension."""
    for call in calls(function, "ap"):
        offset = keyword(call, "vector_offset")
        if offset is not None and keyword(call, "indirect_dim") is None:
            yield at(offset.value, f"{ast.unparse(offset.value)}, indirect_dim=1")
    for call in calls(function, "select", "vector_select"):
        if len(call.args) == 2:
            yield at(call.args[0], "1")
    for node in body(function):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
            held, free = node.slice.elts
            if isinstance(held, ast.Subscript):
                yield at(node.slice, f"{ast.unparse(free)}, {ast.unparse(held)}")


@operator("start in a branch")
def _start(function: ast.FunctionDef) -> Iterator[Change]:
    """The partition that a part of a tensor begins with, where some inputs have another one."""
    for name in list(shaped(function))[:1]:
        for node in body(function):
            first = (
                node.slice.elts[0] if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) else None
            )
            if isinstance(first, ast.Slice) and isinstance(first.lower, ast.Constant) and first.upper is not None:
                yield at(first.lower, f"({first.lower.value} if {name}.shape[0] < 64 else 8)")


@operator("made in a loop")
def _made(function: ast.FunctionDef) -> Iterator[Change]:
    """An output that is made in a loop of the device, which Beta 1 does not take."""
    for node in body(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and "shared_hbm" in ast.unparse(node):
            yield at(node, f"for _ in nl.affine_range(1): {ast.unparse(node)}")
            yield at(node, f"for _ in nl.sequential_range(1): {ast.unparse(node)}")


@operator("counted in a circle")
def _circle(function: ast.FunctionDef) -> Iterator[Change]:
    """Outputs that iterations write again, where what counts them is halved or begins anew."""
    for loop in body(function):
        if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and name_of(loop.iter) in LOOPS:
            counted = {n.id for n in names_in(loop.target)}
            for statement in loop.body:
                for place in _written(statement):
                    for node in names_in(place):
                        if node.id in counted:
                            yield at(node, f"({node.id} // 2)")
                            yield at(node, f"({node.id} % 2)")


def _written(statement: ast.stmt) -> Iterator[ast.expr]:
    """The subscripts of what a statement stores."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and name_of(call) in ("store", "dma_copy"):
        target = keyword(call, "dst")
        place = target.value if target is not None else call.args[0] if call.args else None
        if isinstance(place, ast.Subscript) and ast.unparse(place.value).startswith("out"):
            yield place.slice


@operator("no decorator")
def _undecorated(function: ast.FunctionDef) -> Iterator[Change]:
    """A kernel that host code calls with arrays, without what makes it one; the place is all of it."""
    given = [_input(ast.literal_eval(a.type_comment or "(128, 128)")) for a in function.args.args]
    host = f"def host(): import numpy as np; return {function.name}({', '.join(given)})"
    plain = copy(function)
    for decorator in plain.decorator_list[:1]:
        plain.decorator_list = plain.decorator_list[1:]
        end = (function.end_lineno or 0, function.end_col_offset or 0)
        yield Change(decorator.lineno, 0, *end, f"{host}\n{ast.unparse(plain)}")


def _input(spec: object) -> str:
    """An input of a kernel, as its cases are written."""
    if not isinstance(spec, tuple):
        return repr(spec)
    dtype, shape = (spec[0], spec[1:]) if isinstance(spec[0], str) else ("float32", spec)
    return f"np.zeros({shape}, np.{dtype})"


@operator("sums in a DMA")
def _sums(function: ast.FunctionDef) -> Iterator[Change]:
    """Sums that a DMA takes out of PSUM, without the copy that it needs."""
    copied = {ast.unparse(d.value): ast.unparse(s.value) for c in calls(function, "tensor_copy")
              if (d := keyword(c, "dst")) is not None and (s := keyword(c, "src")) is not None}  # fmt: skip
    psum = {ast.unparse(n.targets[0]) for n in body(function) if isinstance(n, ast.Assign) and "psum" in ast.unparse(n)}
    for call in calls(function, "dma_copy"):
        source = keyword(call, "src")
        sums = copied.get(ast.unparse(source.value), "") if source is not None else ""
        if source is not None and sums.partition("[")[0] in psum:
            yield at(source.value, sums)


@operator("engine of a transpose")
def _engine(function: ast.FunctionDef) -> Iterator[Change]:
    """A transposition that is too large for the Vector Engine."""
    for call in calls(function, "nc_transpose"):
        data = keyword(call, "data")
        if data is not None and keyword(call, "engine") is None:
            yield at(data.value, f"{ast.unparse(data.value)}, engine=nisa.engine.vector")


@operator("view as an offset")
def _view(function: ast.FunctionDef) -> Iterator[Change]:
    """An offset that a tile holds, at another place of it, or in too many of its places."""
    for call in calls(function, "ap"):
        offset = keyword(call, "scalar_offset")
        if offset is not None:
            place = ast.unparse(offset.value)
            yield at(offset.value, f"{place}.ap(pattern=[[1, 1], [1, 1]], offset=1)")
            yield at(offset.value, f"{place}.ap(pattern=[[1, 1], [0, 2]], offset=0)")
    for call in calls(function, "select"):
        if len(call.args) == 2:
            yield at(call.args[1], f"{ast.unparse(call.args[1])}.ap(pattern=[[1, 1], [1, 1]], offset=1)")


@operator("name that changes")
def _changes(function: ast.FunctionDef) -> Iterator[Change]:
    """A kernel that reads a name of its module which a function binds anew."""
    first = function.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        yield at(first, "global level; level = 1; current = level")
