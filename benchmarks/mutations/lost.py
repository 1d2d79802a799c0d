"""What is computed or loaded for nothing, and parts of inputs that are never read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from .form import Change, at, before, body, calls, keyword, name_of, names_in, operator

OTHER = {"nl.add": "nl.multiply", "nl.multiply": "nl.add", "nl.maximum": "nl.add"}


@operator("forgotten sum")
def _sum(function: ast.FunctionDef) -> Iterator[Change]:
    """A result that is to go on from what its tile holds, made of the new part alone."""
    for node in body(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and len(node.value.args) == 2:
            one, other = node.value.args
            if ast.unparse(one) == ast.unparse(node.targets[0]) and not isinstance(other, ast.Constant):
                yield at(node.value, ast.unparse(other))
    for call in calls(function, "tensor_tensor"):
        target, one, other = (keyword(call, name) for name in ("dst", "data1", "data2"))
        if target is not None and one is not None and other is not None:
            held = [ast.unparse(k.value) for k in (target, one, other)]
            if held[0] == held[1]:
                yield at(one.value, held[2])
            elif held[0] == held[2]:
                yield at(other.value, held[1])


@operator("operand of an earlier step")
def _earlier(function: ast.FunctionDef) -> Iterator[Change]:
    """Another tile of the same sizes, made before, where a step is to go on from the tile that it writes."""
    made: dict[str, str] = {}
    for node in body(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and name_of(node.value) == "ndarray":
            if "hbm" in ast.unparse(node):
                continue
            made[ast.unparse(node.targets[0])] = ast.unparse(node.value).partition(", dtype")[0]
        if isinstance(node, ast.Call) and name_of(node) in ("tensor_scalar", "tensor_tensor", "activation"):
            target, data = keyword(node, "dst"), keyword(node, "data") or keyword(node, "data1")
            if target is not None and data is not None and ast.unparse(target.value) == ast.unparse(data.value):
                held, *_ = [n.id for n in names_in(data.value)]
                given = [n.id for n in names_in(node)]
                for other, sizes in made.items():
                    if other not in given and sizes == made.get(held):
                        yield at(data.value, ast.unparse(data.value).replace(held, other, 1))


@operator("overwritten unread")
def _overwritten(function: ast.FunctionDef) -> Iterator[Change]:
    """In front of a statement another one with its target: with the operation, or the source, of something else."""
    for one, other in _loads(function):
        change = ast.unparse(one.value).replace(ast.unparse(_base(one)), ast.unparse(_base(other)))  # type: ignore[attr-defined]
        target = "" if isinstance(one, ast.Expr) else f"{ast.unparse(one.targets[0])} = "  # type: ignore[attr-defined]
        yield before(one, f"{target}{change}")
    for node in body(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            target, value = node.targets[0], ast.unparse(node.value)
            if isinstance(node.value, ast.Call) and ast.unparse(target.value) not in value:
                yield before(node, f"{ast.unparse(target)} = nl.multiply({value}, 2.0)")
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            written = keyword(node.value, "dst")
            given = keyword(node.value, "op") or keyword(node.value, "op0")
            computes = name_of(node.value) in ("tensor_tensor", "activation", "tensor_scalar")
            if computes and written is not None and given is not None and _once(written.value, node):
                new = f"{given.arg}={OTHER.get(ast.unparse(given.value), 'nl.square')}"
                yield before(node, ast.unparse(node).replace(ast.unparse(given), new))


def _once(target: ast.expr, statement: ast.stmt) -> bool:
    """Whether a statement writes a target and reads nothing of it."""
    name = ast.unparse(target).partition("[")[0]
    return [n.id for n in names_in(statement)].count(name) == 1


def _loads(function: ast.FunctionDef) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """Loads that follow one another, of the same part of two inputs."""
    for one, other in _neighbours(function):
        first, second = _source(one), _source(other)
        if isinstance(first, ast.Subscript) and isinstance(second, ast.Subscript):
            same = ast.unparse(first.slice) == ast.unparse(second.slice)
            if same and ast.unparse(first.value) != ast.unparse(second.value):
                yield one, other


def _neighbours(function: ast.FunctionDef) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """Statements that follow one another."""
    for node in (function, *body(function)):
        block = getattr(node, "body", None)
        if isinstance(block, list):
            yield from pairwise(block)


def _source(statement: ast.stmt) -> ast.expr | None:
    """What a statement loads into a tile that is there."""
    call = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if isinstance(statement, ast.Assign) and not isinstance(statement.targets[0], ast.Subscript):
        return None
    if isinstance(call, ast.Call) and name_of(call) in ("load", "dma_copy"):
        source = keyword(call, "src")
        return source.value if source is not None else call.args[0] if call.args else None
    return None


def _base(statement: ast.stmt) -> ast.expr:
    source = _source(statement)
    assert isinstance(source, ast.Subscript)
    return source.value


@operator("destination of the load before")
def _destination(function: ast.FunctionDef) -> Iterator[Change]:
    """Two loads into the same tile, of which the other one stays as it is."""
    for one, other in _neighbours(function):
        if _source(one) is not None and _source(other) is not None:
            first, second = _target(one), _target(other)
            if not ast.unparse(second).startswith("output"):
                yield at(second, ast.unparse(first))


def _target(statement: ast.stmt) -> ast.expr:
    if isinstance(statement, ast.Assign):
        return statement.targets[0]
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)
    target = keyword(statement.value, "dst")
    assert target is not None
    return target.value


@operator("offset left out")
def _offset(function: ast.FunctionDef) -> Iterator[Change]:
    """A read in a loop that begins where the first iteration does."""
    counted = _counted(function)
    for place in _read(function):
        for name in sorted({n.id for n in names_in(place)} & counted):
            ends = ast.unparse(place).split(":") if isinstance(place, ast.Slice) else [ast.unparse(place)]
            yield at(place, ":".join(_zeros(end, name) if end else "" for end in ends))


def _zeros(text: str, name: str) -> str:
    """An expression with 0 in place of a name."""

    class Zero(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return ast.Constant(0) if node.id == name else node

    return ast.unparse(Zero().visit(ast.parse(text, mode="eval")))


@operator("step left out")
def _step(function: ast.FunctionDef) -> Iterator[Change]:
    """A read in a loop that moves by one where it is to move by a tile, or by a tile where it is to move by a block."""
    counted = _counted(function)
    for place in _read(function):
        for node in ast.walk(place):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and not isinstance(place, ast.Slice):
                for part in (node.left, node.right):
                    if isinstance(part, ast.Name) and part.id in counted:
                        yield at(node, part.id)


def _counted(function: ast.FunctionDef) -> set[str]:
    """What loops count: names for iterations, and what the functions take that the device runs as loops."""
    names = {n.id for loop in body(function) if isinstance(loop, ast.For) for n in names_in(loop.target)}
    inner = [n for n in body(function) if isinstance(n, ast.FunctionDef)]
    return (names | {a.arg for f in inner for a in f.args.args}) - {"size"}


def _read(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """The subscripts of inputs that are loaded, one dimension at a time, and what helpers are given for them."""
    for call in calls(function):
        if isinstance(call.func, ast.Name) and call.func.id in ("load", "loaded"):
            yield from call.args[1:]
        source = keyword(call, "src") if name_of(call) == "dma_copy" else None
        place = source.value if source is not None else call.args[0] if name_of(call) == "load" and call.args else None
        if isinstance(place, ast.Subscript) and ast.unparse(place.value) in {a.arg for a in function.args.args}:
            yield from place.slice.elts if isinstance(place.slice, ast.Tuple) else (place.slice,)
