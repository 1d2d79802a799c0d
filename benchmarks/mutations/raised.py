"""Python that raises whatever the inputs are, types that NKI does not have, and what loops go over."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .form import LOOPS, Change, at, body, calls, keyword, name_of, operator
from .names import BUILTIN


@operator("loop over a number")
def _number(function: ast.FunctionDef) -> Iterator[Change]:
    for loop in body(function):
        called = loop.iter if isinstance(loop, ast.For) else None
        if isinstance(called, ast.Call) and name_of(called) in LOOPS and len(called.args) == 1:
            yield at(called, ast.unparse(called.args[0]))


@operator("number for a sequence")
def _sequence(function: ast.FunctionDef) -> Iterator[Change]:
    """One of the sizes where all of them are asked for, and one of two numbers where the smaller one is."""
    for node in body(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and _is_shape(node.value):
            yield at(node.value, f"{ast.unparse(node.value)}[0]")
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and _is_shape(node.value):
            yield at(node, f"{ast.unparse(node)}[0]")
    for call in calls(function, "min", "max"):
        if isinstance(call.func, ast.Name) and len(call.args) == 2:
            yield at(call, f"{call.func.id}({ast.unparse(call.args[1])})")


def _is_shape(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "shape"


@operator("operand of another type")
def _operand(function: ast.FunctionDef) -> Iterator[Change]:
    """Sizes of a tuple and of a list that are put together."""
    for node in body(function):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and isinstance(node.right, ast.Tuple):
            yield at(node.right, f"[{', '.join(map(ast.unparse, node.right.elts))}]")
    for call in list(calls(function, "ndarray"))[:1]:
        shape = call.args[0] if call.args else None
        if isinstance(shape, ast.Tuple) and len(shape.elts) >= 2:
            first, *rest = (ast.unparse(e) for e in shape.elts)
            yield at(shape, f"({first},) + [{', '.join(rest)}]")


@operator("called for its value")
def _called(function: ast.FunctionDef) -> Iterator[Change]:
    """Sizes that are called, and what a method returns that changes its list."""
    for node in body(function):
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "size", "begin", "value"):
            yield at(node, f"{ast.unparse(node)}()")
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and name_of(node.value) == "append":
            assert isinstance(node.value.func, ast.Attribute)
            yield at(node, f"{ast.unparse(node.value.func.value)} = {ast.unparse(node.value)}")


@operator("names for what is unpacked")
def _unpacked(function: ast.FunctionDef) -> Iterator[Change]:
    """One name too many, or too few, for what a function returns or a loop goes over. What a parameter's shape is
    unpacked into says how many dimensions that has."""
    for node in body(function):
        value = node.value if isinstance(node, ast.Assign) else node.iter if isinstance(node, ast.For) else None
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.For) else None
        if isinstance(value, ast.Call) and isinstance(target, ast.Tuple):
            names = [ast.unparse(e) for e in target.elts]
            yield at(target, ", ".join([*names, "more"]))
            yield at(target, f"({', '.join(names[:-1])},)")


@operator("key that is not there")
def _key(function: ast.FunctionDef) -> Iterator[Change]:
    """Keys of dicts, and positions behind the last one of a list and of a shape that is asserted."""
    known = {ast.unparse(c.left) for n in ast.walk(function) if isinstance(n, ast.Assert) for c in ast.walk(n.test)
             if isinstance(c, ast.Compare) and isinstance(c.ops[0], ast.Eq)
             and isinstance(c.comparators[0], ast.Tuple)}  # fmt: skip
    lists = {ast.unparse(n.targets[0]) for n in body(function) if isinstance(n, ast.Assign) and _is_list(n.value)}
    for node in body(function):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            of, place = ast.unparse(node.value), node.slice
            if isinstance(place, ast.Constant) and isinstance(place.value, str):
                yield at(place, repr(place.value + "s"))
                yield at(place, repr(place.value.title()))
            elif isinstance(place, ast.Attribute) and place.attr == "value":
                yield at(place, f"{ast.unparse(place.value)}.name")
                yield at(place, ast.unparse(place.value))
            elif isinstance(place, ast.Constant) and of in known:
                yield at(place, str(place.value + 2))
            elif of in lists:
                yield at(place, f"{ast.unparse(place)} + 1")


def _is_list(value: ast.expr) -> bool:
    return isinstance(value, (ast.List, ast.ListComp))


@operator("type of 64 bits")
def _wide(function: ast.FunctionDef) -> Iterator[Change]:
    """The types that numpy gives by itself, in files that import it."""
    if "np" in (function.type_comment or "").split():
        for call in calls(function):
            dtype = keyword(call, "dtype")
            if dtype is not None:
                yield at(dtype.value, "np.int64" if "int" in ast.unparse(dtype.value) else "np.float64")


@operator("loop over a generator")
def _generator(function: ast.FunctionDef) -> Iterator[Change]:
    """What a generator is given and what it gives: other sizes, another order, all but the first or the last."""
    for loop in body(function):
        if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and isinstance(loop.target, ast.Tuple):
            call, names = loop.iter, [ast.unparse(e) for e in loop.target.elts]
            if name_of(call) == "product":
                one, other = (ast.unparse(a) for a in call.args)
                yield at(call, f"{ast.unparse(call.func)}({other}, {one})")
                yield at(call.func, "zip")
            elif isinstance(call.func, ast.Name) and call.func.id not in BUILTIN:
                given, *others = (ast.unparse(a) for a in call.args)
                for size in (f"{given} - 128", f"{given} + 128", f"{given} // 128 * 128"):
                    yield at(call, f"{call.func.id}({', '.join([size, *others])})")
            else:
                continue
            yield at(loop.target, ", ".join(reversed(names)))
            yield at(call, f"list({ast.unparse(call)})[1:]")
            yield at(call, f"list({ast.unparse(call)})[:-1]")
