"""Covers the forgotten last tile: one more iteration, under a mask."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from nkilint.base.findings import Diagnostic, KernelReport
from nkilint.base.trees import Function, function_at, place_of, tree_of
from nkilint_rules.words.records import dataclass

from .edits import Edit, Fix, piece

_ACCESSES = ("load", "store")
_ATOMS = (ast.Name, ast.Attribute, ast.Constant, ast.Call)


@dataclass(frozen=True, slots=True)
class _Tiling:
    """A loop over the whole tiles of a size: `for m in affine_range(size // tile)`."""

    loop: ast.For
    count: ast.BinOp
    variable: str


def cover_tail(finding: Diagnostic, kernel: KernelReport, lines: Sequence[str]) -> Fix | None:
    """`(M + 127) // 128` iterations for `M // 128`, and a mask on what is loaded and stored in them.

    Nothing else in the loop gets a mask, so what is computed of the last rows may be other than before: not safe.
    """
    tree = tree_of(lines)
    function = None if tree is None or kernel.dialect != "neuronxcc" else function_at(tree, kernel.at.row)
    tiling = None if function is None else _tiling(function, finding.precondition or "")
    if tiling is None:
        return None
    size = piece(lines, *place_of(tiling.count.left, lines))
    edits = [Edit(*place_of(tiling.count, lines), _rounded_up(tiling.count, size, lines))]
    moving = _moving_names(tiling)
    for call in _accesses(tiling.loop):
        masks = _masks(call, moving, size, lines)
        if masks is None:
            return None
        if masks:
            edits.append(_masked(call, masks, lines))
    if len(edits) == 1:
        return None
    return Fix("cover the last tile too, under a mask", tuple(edits), safe=False)


def _tiling(function: Function, precondition: str) -> _Tiling | None:
    """The loop that leaves out a rest unless `precondition` holds."""
    try:
        condition = ast.parse(precondition, mode="eval").body
    except SyntaxError:
        return None
    match condition:
        case ast.Compare(ast.BinOp(size, ast.Mod(), tile), [ast.Eq()], [ast.Constant(0)]):
            wanted = (ast.unparse(size), ast.unparse(tile))
        case _:
            return None
    found = list(_tilings(function))
    same = [t for t in found if (ast.unparse(t.count.left), ast.unparse(t.count.right)) == wanted]
    candidates = same or found
    return candidates[0] if len(candidates) == 1 else None


def _tilings(function: Function) -> Iterator[_Tiling]:
    counts = {
        node.targets[0].id: node.value
        for node in function.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(function):
        match node:
            case ast.For(ast.Name(variable), ast.Call(args=[count], keywords=[])):
                if isinstance(count, ast.Name):
                    count = counts.get(count.id, count)
                if isinstance(count, ast.BinOp) and isinstance(count.op, ast.FloorDiv):
                    yield _Tiling(node, count, variable)


def _rounded_up(count: ast.BinOp, size: str, lines: Sequence[str]) -> str:
    tile = piece(lines, *place_of(count.right, lines))
    match count.right:
        case ast.Constant(int(number)):
            return f"({size} + {number - 1}) // {tile}"
    tile = tile if isinstance(count.right, _ATOMS) else f"({tile})"
    return f"({size} + {tile} - 1) // {tile}"


def _moving_names(tiling: _Tiling) -> set[str]:
    """The loop's variable, and the names that are computed from it in the loop."""
    names = {tiling.variable}
    before = 0
    while len(names) > before:
        before = len(names)
        for node in ast.walk(tiling.loop):
            if isinstance(node, ast.Assign) and _mentions(node.value, names) and not _has_access(node.value):
                names.update(t.id for t in node.targets if isinstance(t, ast.Name))
    return names


def _has_access(node: ast.expr) -> bool:
    return any(True for _ in _accesses(node))


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(node))


def _accesses(node: ast.AST) -> Iterator[ast.Call]:
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _ACCESSES:
            yield call


def _masks(call: ast.Call, moving: set[str], size: str, lines: Sequence[str]) -> list[str] | None:
    """What has to hold for the indices of an access that move with the loop; None if they are not grids."""
    tensor = call.args[0] if call.args else None
    if not isinstance(tensor, ast.Subscript):
        return [] if tensor is None or not _mentions(tensor, moving) else None
    index = tensor.slice
    found: list[str] = []
    for part in index.elts if isinstance(index, ast.Tuple) else [index]:
        if _mentions(part, moving):
            if isinstance(part, (ast.Slice, ast.Subscript)):
                return None
            found.append(f"{piece(lines, *place_of(part, lines))} < {size}")
    return found


def _masked(call: ast.Call, masks: Sequence[str], lines: Sequence[str]) -> Edit:
    """The mask as a new argument, or joined to the one that is there."""
    own = next((k.value for k in call.keywords if k.arg == "mask"), None)
    if own is not None and not (isinstance(own, ast.Constant) and own.value is None):
        joined = " & ".join(f"({m})" for m in (piece(lines, *place_of(own, lines)), *masks))
        return Edit(*place_of(own, lines), joined)
    text = masks[0] if len(masks) == 1 else " & ".join(f"({m})" for m in masks)
    if own is not None:
        return Edit(*place_of(own, lines), text)
    last = max(
        [*call.args, *(k.value for k in call.keywords)], key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0)
    )
    row, column = place_of(last, lines)[2:]
    return Edit(row, column, row, column, f", mask={text}")
