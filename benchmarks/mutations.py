"""Defects as people make them, put into correct kernels one at a time: each operator changes one place in the text."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """A replacement of the text between two places (rows from 1, columns in bytes from 0)."""

    row: int
    column: int
    end_row: int
    end_column: int
    text: str

    def applied(self, source: str) -> str:
        lines = source.encode().splitlines(keepends=True)
        before = lines[self.row - 1][: self.column]
        after = lines[self.end_row - 1][self.end_column :]
        removed = b"\n" * (self.end_row - self.row)  # rows below stay where they are
        new = [before + self.text.encode() + after.rstrip(b"\n") + removed + b"\n"]
        return b"".join([*lines[: self.row - 1], *new, *lines[self.end_row :]]).decode()


Operator = Callable[[ast.FunctionDef], Iterator[Change]]
OPERATORS: dict[str, Operator] = {}
LOOPS = frozenset({"affine_range", "sequential_range", "static_range", "range"})


def operator(name: str) -> Callable[[Operator], Operator]:
    def register(function: Operator) -> Operator:
        OPERATORS[name] = function
        return function

    return register


def _at(node: ast.AST, text: str) -> Change:
    return Change(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, text)  # type: ignore[attr-defined]


def _body(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Everything in the function but what it asserts."""
    pending: list[ast.AST] = list(function.body)[::-1]
    while pending:
        node = pending.pop()
        if not isinstance(node, ast.Assert):
            yield node
            pending += list(ast.iter_child_nodes(node))[::-1]


def _calls(function: ast.FunctionDef, *names: str) -> Iterator[ast.Call]:
    for node in _body(function):
        if isinstance(node, ast.Call) and (not names or _name(node) in names):
            yield node


def _name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _keyword(call: ast.Call, name: str) -> ast.keyword | None:
    return next((k for k in call.keywords if k.arg == name), None)


def _without(call: ast.Call, keyword: ast.keyword) -> Change:
    """The call without one of its keyword arguments."""
    kept = [ast.unparse(a) for a in call.args]
    kept += [f"{k.arg}={ast.unparse(k.value)}" for k in call.keywords if k is not keyword]
    return _at(call, f"{ast.unparse(call.func)}({', '.join(kept)})")


@operator("limit off by one")
def _limit(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function, *LOOPS):
        if len(call.args) == 1:
            yield _at(call.args[0], f"{ast.unparse(call.args[0])} + 1")
            yield _at(call.args[0], f"{ast.unparse(call.args[0])} - 1")
    for node in _body(function):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt) and len(node.ops) == 1:
            yield _at(node, f"({ast.unparse(node.left)} <= {ast.unparse(node.comparators[0])})")


@operator("dropped mask")
def _dropped_mask(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function, "load", "store"):
        mask = _keyword(call, "mask")
        if mask is not None:
            yield _without(call, mask)


@operator("tile-granular mask")
def _tile_mask(function: ast.FunctionDef) -> Iterator[Change]:
    for node in _body(function):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Add):
            yield _at(node.left, ast.unparse(node.left.left))


@operator("floor for ceil")
def _floor(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function, "ceil"):
        (quotient,) = call.args
        assert isinstance(quotient, ast.BinOp)
        yield _at(call, f"{ast.unparse(quotient.left)} // {ast.unparse(quotient.right)}")
    for node in _body(function):
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.FloorDiv)
            and isinstance(node.left, ast.BinOp)
            and isinstance(node.left.op, ast.Add)
        ):
            yield _at(node, f"{ast.unparse(node.left.left)} // {ast.unparse(node.right)}")
    for call in _calls(function, "min"):
        yield _at(call, ast.unparse(call.args[0]))


@operator("wrong tile constant")
def _constant(function: ast.FunctionDef) -> Iterator[Change]:
    for node in _body(function):
        if isinstance(node, ast.Constant) and node.value in (128, 256, 512):
            yield _at(node, str(node.value * 2))
            yield _at(node, str(node.value // 2))


@operator("swapped operands")
def _swapped(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function, "nc_matmul", "dma_copy"):
        pairs = [
            (_keyword(call, "stationary"), _keyword(call, "moving")),
            (_keyword(call, "dst"), _keyword(call, "src")),
        ]
        for one, two in pairs:
            if one is not None and two is not None:
                swapped = {one: two, two: one}
                parts = [f"{k.arg}={ast.unparse(swapped.get(k, k).value)}" for k in call.keywords]
                yield _at(call, f"{ast.unparse(call.func)}({', '.join(parts)})")
        if _name(call) == "nc_matmul" and len(call.args) == 2:
            yield _at(call, f"{ast.unparse(call.func)}({ast.unparse(call.args[1])}, {ast.unparse(call.args[0])})")


@operator("wrong axis")
def _axis(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function):
        axis = _keyword(call, "axis")
        if axis is not None:
            yield _at(axis.value, {"1": "0", "(1,)": "(0,)", "[3, 4]": "[2, 4]"}[ast.unparse(axis.value)])


@operator("affine for sequential")
def _affine(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function, "sequential_range"):
        yield _at(call.func, "nl.affine_range")


@operator("fewer physical tiles")
def _tiles(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function, "mod_alloc"):
        tiles = _keyword(call, "num_free_tiles")
        if tiles is not None:
            yield _at(tiles.value, "(1,)")


@operator("shifted base address")
def _base(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function, "mod_alloc", "ndarray"):
        base = _keyword(call, "base_addr")
        if base is not None and isinstance(base.value, ast.Constant) and base.value.value:
            yield _at(base.value, str(base.value.value - 512))
        address = _keyword(call, "address")
        if address is not None and isinstance(address.value, ast.Tuple):
            yield _at(address.value.elts[1], f"1024 + {ast.unparse(address.value.elts[1])} // 2")


@operator("missing initial value")
def _init(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function, "zeros", "ones"):
        if "psum" not in ast.unparse(call):
            yield _at(call.func, "nl.ndarray")
    for node in _body(function):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _name(node.value) == "memset":
            yield _at(node, "pass")


@operator("missing store")
def _store(function: ast.FunctionDef) -> Iterator[Change]:
    for node in _body(function):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            target = _keyword(node.value, "dst")
            if _name(node.value) == "store" or (target is not None and ast.unparse(target.value).startswith("output")):
                yield _at(node, "pass")


@operator("missing load")
def _load(function: ast.FunctionDef) -> Iterator[Change]:
    for node in _body(function):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _name(node.value) == "dma_copy":
            target = _keyword(node.value, "dst")
            if target is not None and not ast.unparse(target.value).startswith("output"):
                yield _at(node, "pass")
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Subscript)
            and "nl.load" in ast.unparse(node)
        ):
            yield _at(node, "pass")


@operator("wrong dtype")
def _dtype(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function, "ndarray", "zeros", "ones"):
        dtype = _keyword(call, "dtype")
        if dtype is not None and ("psum" in ast.unparse(call) or _name(call) == "ones"):
            yield _at(dtype.value, "nl.int32")


@operator("wrong memory")
def _memory(function: ast.FunctionDef) -> Iterator[Change]:
    swaps = {"nl.sbuf": "nl.psum", "nl.psum": "nl.sbuf", "nl.shared_hbm": "nl.sbuf"}
    for call in _calls(function, "ndarray", "zeros", "ones"):
        buffer = _keyword(call, "buffer")
        if buffer is not None and ast.unparse(buffer.value) in swaps:
            yield _at(buffer.value, swaps[ast.unparse(buffer.value)])


@operator("misspelt name")
def _name_misspelt(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function):
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) in ("nl", "nisa"):
            yield _at(call.func, ast.unparse(call.func) + "s")
        for argument in call.args:
            if isinstance(argument, ast.Name):
                yield _at(argument, argument.id + "s")


@operator("missing dst")
def _dst(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function):
        target = _keyword(call, "dst")
        if target is not None:
            yield _without(call, target)


@operator("renamed keyword")
def _renamed(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function):
        for keyword in call.keywords:
            if isinstance(call.func, ast.Attribute) and keyword.arg is not None:
                yield _at(keyword, f"{keyword.arg}_={ast.unparse(keyword.value)}")


@operator("accumulate for assign")
def _accumulate(function: ast.FunctionDef) -> Iterator[Change]:
    for node in _body(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            yield _at(node, f"{ast.unparse(node.targets[0])} += {ast.unparse(node.value)}")


@operator("assign for accumulate")
def _assign(function: ast.FunctionDef) -> Iterator[Change]:
    for node in _body(function):
        if isinstance(node, ast.AugAssign):
            yield _at(node, f"{ast.unparse(node.target)} = {ast.unparse(node.value)}")
            yield _at(node, f"{ast.unparse(node.target)}[...] = {ast.unparse(node.value)}")


@operator("index off by one")
def _index(function: ast.FunctionDef) -> Iterator[Change]:
    for node in _body(function):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            for part in node.slice.elts:
                if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
                    yield _at(part, f"{ast.unparse(part)} + 1")
                elif isinstance(part, ast.Slice) and part.upper is not None:
                    yield _at(part.upper, f"{ast.unparse(part.upper)} + 1")


@operator("offset of a pattern")
def _offset(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function, "ap"):
        offset = _keyword(call, "offset")
        if offset is not None:
            yield _at(offset.value, f"{ast.unparse(offset.value)} + 1")
            yield _at(offset.value, f"{ast.unparse(offset.value)} + 40000")


@operator("value of an index")
def _index_value(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function, "memset", "iota"):
        value = _keyword(call, "value") or _keyword(call, "offset")
        if value is not None and isinstance(value.value, ast.Constant) and isinstance(value.value.value, int):
            yield _at(value.value, f"{value.value.value} + 1")
            yield _at(value.value, f"{value.value.value} - 200")


@operator("dropped outer bound")
def _outer_bound(function: ast.FunctionDef) -> Iterator[Change]:
    """One of several conditions of a mask, or the end that cuts a range short."""
    for node in _body(function):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd) and isinstance(node.left, ast.Compare):
            yield _at(node, f"({ast.unparse(node.left)})")
            yield _at(node, f"({ast.unparse(node.right)})")
    for call in _calls(function, "min"):
        for argument in call.args:
            yield _at(call, ast.unparse(argument))


@operator("swapped names")
def _swapped_names(function: ast.FunctionDef) -> Iterator[Change]:
    """Two sizes of a shape, two indices of a subscript, or two names in one call."""
    for node in _body(function):
        pair: list[ast.expr] = []
        if isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Load) and len(node.elts) == 2:
            pair = node.elts
        elif isinstance(node, ast.Call) and len(node.args) == 2 and all(isinstance(a, ast.Name) for a in node.args):
            pair = node.args
        if len(pair) == 2 and ast.unparse(pair[0]) != ast.unparse(pair[1]):
            text = f"{ast.unparse(pair[1])}, {ast.unparse(pair[0])}"
            first, last = pair
            yield Change(first.lineno, first.col_offset, last.end_lineno or 0, last.end_col_offset or 0, text)


@operator("skipped first part")
def _first(function: ast.FunctionDef) -> Iterator[Change]:
    """The head or the tail of an axis: a loop that starts late, a slice that begins late."""
    for call in _calls(function, "affine_range", "sequential_range", "range"):
        if len(call.args) == 1:
            yield _at(call.args[0], f"1, {ast.unparse(call.args[0])}")
    for node in _body(function):
        if isinstance(node, ast.Slice) and isinstance(node.lower, ast.Constant) and node.upper is not None:
            yield _at(node.lower, f"{node.lower.value} + 1")


@operator("range of integers")
def _narrow(function: ast.FunctionDef) -> Iterator[Change]:
    """A type of integers that is too small for what a tile counts, or steps that are too large."""
    for call in _calls(function, "ndarray", "iota", "zeros"):
        dtype = _keyword(call, "dtype")
        if dtype is not None and ast.unparse(dtype.value) == "nl.int32":
            yield _at(dtype.value, "nl.int8")
            yield _at(dtype.value, "nl.uint8")
    for call in _calls(function, "iota"):
        step = _keyword(call, "channel_multiplier")
        if step is not None:
            yield _at(step.value, f"3 * {ast.unparse(step.value)}")
    for call in _calls(function, "tensor_scalar"):
        operand = _keyword(call, "operand0")
        if operand is not None and isinstance(operand.value, ast.Constant) and isinstance(operand.value.value, int):
            yield _at(operand.value, f"{operand.value.value} + 100")


@operator("branch of a default")
def _branch(function: ast.FunctionDef) -> Iterator[Change]:
    """What only another value than the default reaches: statements left out, and what other operators change there."""
    count = len(function.args.defaults)
    defaulted = {a.arg for a in function.args.args[-count:]} if count else set()
    for node in _body(function):
        if isinstance(node, ast.If) and any(isinstance(n, ast.Name) and n.id in defaulted for n in ast.walk(node.test)):
            for statement in node.body:
                if isinstance(statement, ast.Expr):
                    yield _at(statement, "pass")
            last = node.body[-1].end_lineno or node.lineno
            for change in (_constant, _swapped, _memory, _name_misspelt, _renamed, _index):
                yield from (c for c in change(function) if node.body[0].lineno <= c.row <= last)


@operator("power of two")
def _power(function: ast.FunctionDef) -> Iterator[Change]:
    for node in _body(function):
        power = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Pow, ast.LShift, ast.RShift))
        if isinstance(node, ast.BinOp) and power and not isinstance(node.right, ast.Constant):
            yield _at(node.right, f"({ast.unparse(node.right)} + 1)")
            yield _at(node.right, f"({ast.unparse(node.right)} - 1)")


@operator("numbers of an array")
def _array(function: ast.FunctionDef) -> Iterator[Change]:
    for call in _calls(function, "array", "arange"):
        for part in ast.walk(call):
            if isinstance(part, ast.Constant) and isinstance(part.value, int):
                yield _at(part, f"{part.value} + 1")


# --- what runs as Python and is rejected by the compiler of `nki` ---


@operator("inner function")
def _inner(function: ast.FunctionDef) -> Iterator[Change]:
    first = function.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        yield _at(first, "def unused(): return None")


@operator("unpacked into items")
def _items(function: ast.FunctionDef) -> Iterator[Change]:
    for node in _body(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            count = len(node.targets[0].elts)
            targets = ", ".join(f"parts[{n}]" for n in range(count))
            value, names = ast.unparse(node.value), ast.unparse(node.targets[0])
            yield _at(node, f"parts = [0] * {count}; {targets} = {value}; {names} = parts")


@operator("operator on tiles")
def _operator(function: ast.FunctionDef) -> Iterator[Change]:
    for node in _body(function):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _name(node.value) == "tensor_tensor":
            given = {k.arg: ast.unparse(k.value) for k in node.value.keywords}
            if {"dst", "data1", "data2"} <= given.keys():
                yield _at(node, f"{given['dst']} = {given['data1']} + {given['data2']}")


@operator("large integer")
def _integer(function: ast.FunctionDef) -> Iterator[Change]:
    for node in _body(function):
        if isinstance(node, ast.Constant) and node.value in (64, 128, 256, 512):
            yield _at(node, f"min({node.value}, 1 << 40)")


REJECTED = frozenset({"inner function", "unpacked into items", "large integer"})
"""Operators whose changes no run shows: they are defects where the compiler of `nki` gets to see them."""


@operator("flag of accumulation")
def _flag(function: ast.FunctionDef) -> Iterator[Change]:
    """A matmul that goes on with a sum which nothing began, or begins it anew each time."""
    for call in _calls(function, "nc_matmul"):
        given = _keyword(call, "accumulate")
        for flag in ("True", "False") if _keyword(call, "dst") is not None else ():
            if given is not None:
                yield _at(given.value, flag)
            else:
                last = call.keywords[-1].value
                yield _at(last, f"{ast.unparse(last)}, accumulate={flag}")


@operator("binding in a branch")
def _bound_in_a_branch(function: ast.FunctionDef) -> Iterator[Change]:
    """A name that only large inputs bind."""
    shapes = {ast.unparse(n.value) for n in _body(function) if isinstance(n, ast.Attribute) and n.attr == "shape"}
    sized = next((a.arg for a in function.args.args if a.arg in shapes), None)
    for node in _body(function) if sized is not None else ():
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.lineno == node.end_lineno:
            yield _at(node, f"if {sized}.shape[0] > 65536: {ast.unparse(node)}")
