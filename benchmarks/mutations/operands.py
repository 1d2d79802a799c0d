"""What operations are given, and operations that are missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .form import Change, at, body, calls, keyword, name_of, names_in, operator, without


@operator("swapped operands")
def _swapped(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function, "nc_matmul", "dma_copy"):
        pairs = [
            (keyword(call, "stationary"), keyword(call, "moving")),
            (keyword(call, "dst"), keyword(call, "src")),
        ]
        for one, two in pairs:
            if one is not None and two is not None and ast.unparse(one.value) != ast.unparse(two.value):
                swapped = {one: two, two: one}
                parts = [f"{k.arg}={ast.unparse(swapped.get(k, k).value)}" for k in call.keywords]
                yield at(call, f"{ast.unparse(call.func)}({', '.join(parts)})")
        if name_of(call) == "nc_matmul" and len(call.args) == 2:
            yield at(call, f"{ast.unparse(call.func)}({ast.unparse(call.args[1])}, {ast.unparse(call.args[0])})")


@operator("fewer physical tiles")
def _tiles(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function, "mod_alloc"):
        tiles = keyword(call, "num_free_tiles")
        if tiles is not None:
            yield at(tiles.value, "(1,)")


@operator("shifted base address")
def _base(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function, "mod_alloc", "ndarray"):
        base = keyword(call, "base_addr")
        if base is not None and isinstance(base.value, ast.Constant) and base.value.value:
            yield at(base.value, str(base.value.value - 512))
        address = keyword(call, "address")
        if address is not None and isinstance(address.value, ast.Tuple):
            yield at(address.value.elts[1], f"1024 + {ast.unparse(address.value.elts[1])} // 2")


@operator("missing initial value")
def _init(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function, "zeros", "ones"):
        if "psum" not in ast.unparse(call):
            yield at(call.func, "nl.ndarray")
    for node in body(function):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and name_of(node.value) == "memset":
            yield at(node, "pass")


@operator("missing store")
def _store(function: ast.FunctionDef) -> Iterator[Change]:
    for node in body(function):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            target = keyword(node.value, "dst")
            if name_of(node.value) == "store" or (
                target is not None and ast.unparse(target.value).startswith("output")
            ):
                yield at(node, "pass")


@operator("missing load")
def _load(function: ast.FunctionDef) -> Iterator[Change]:
    for node in body(function):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and name_of(node.value) == "dma_copy":
            target = keyword(node.value, "dst")
            if target is not None and not ast.unparse(target.value).startswith("output"):
                yield at(node, "pass")
        part = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
        if part and isinstance(node.value, ast.Call) and name_of(node.value) == "load":
            yield at(node, "pass")


@operator("wrong dtype")
def _dtype(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function, "ndarray", "zeros", "ones"):
        dtype = keyword(call, "dtype")
        if dtype is not None and ("psum" in ast.unparse(call) or name_of(call) == "ones"):
            yield at(dtype.value, "nl.int32")


@operator("wrong memory")
def _memory(function: ast.FunctionDef) -> Iterator[Change]:
    swaps = {"nl.sbuf": "nl.psum", "nl.psum": "nl.sbuf", "nl.shared_hbm": "nl.sbuf"}
    for call in calls(function, "ndarray", "zeros", "ones"):
        buffer = keyword(call, "buffer")
        if buffer is not None and ast.unparse(buffer.value) in swaps:
            yield at(buffer.value, swaps[ast.unparse(buffer.value)])


@operator("missing dst")
def _dst(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function):
        target = keyword(call, "dst")
        if target is not None:
            yield without(call, target)


@operator("renamed keyword")
def _renamed(function: ast.FunctionDef) -> Iterator[Change]:
    for call in calls(function):
        for given in call.keywords:
            if isinstance(call.func, ast.Attribute) and given.arg is not None:
                yield at(given, f"{given.arg}_={ast.unparse(given.value)}")


@operator("accumulate for assign")
def _accumulate(function: ast.FunctionDef) -> Iterator[Change]:
    """A tile's first value that is added to what is there. Where the value is made of the tile, that is another sum."""
    for node in body(function):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            if target.value.id in {n.id for n in names_in(node.value)}:
                continue
            yield at(node, f"{ast.unparse(node.targets[0])} += {ast.unparse(node.value)}")


@operator("assign for accumulate")
def _assign(function: ast.FunctionDef) -> Iterator[Change]:
    for node in body(function):
        if isinstance(node, ast.AugAssign):
            yield at(node, f"{ast.unparse(node.target)} = {ast.unparse(node.value)}")
            yield at(node, f"{ast.unparse(node.target)}[...] = {ast.unparse(node.value)}")


@operator("flag of accumulation")
def _flag(function: ast.FunctionDef) -> Iterator[Change]:
    """A matmul that goes on with a sum which nothing began, or begins it anew each time."""
    for call in calls(function, "nc_matmul"):
        given = keyword(call, "accumulate")
        for flag in ("True", "False") if keyword(call, "dst") is not None else ():
            if given is not None:
                yield at(given.value, flag)
            else:
                last = call.keywords[-1].value
                yield at(last, f"{ast.unparse(last)}, accumulate={flag}")


@operator("wrong member")
def _member(function: ast.FunctionDef) -> Iterator[Change]:
    """An operator where a function of one operand is asked for, or the other way round, or a dtype."""
    for call in calls(function):
        for name in ("op", "op0", "op1"):
            given = keyword(call, name)
            if given is not None:
                other = "nl.add" if name_of(call).startswith("activation") else "nl.exp"
                yield at(given.value, other)
                yield at(given.value, "nl.float32")


@operator("dtype of a transpose")
def _turned(function: ast.FunctionDef) -> Iterator[Change]:
    """Results of transposes that have another dtype than what is transposed. Where that is the dtype of an input, which
    nothing specifies, the change says what the kernel takes, and is no defect for these."""
    names = {ast.unparse(t.value) for c in calls(function, "nc_transpose") if (t := keyword(c, "dst")) is not None}
    for node in body(function):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in names and isinstance(node.value, ast.Call):
            dtype = keyword(node.value, "dtype")
            if dtype is not None and not ast.unparse(dtype.value).endswith(".dtype"):
                yield at(dtype.value, "nl.float16")
                yield at(dtype.value, "nl.int32")
